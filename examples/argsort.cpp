/// \file
/// Finds where sorted keys come from, and sorts keys with values, both in the host's memory.
///
/// Arrays that are in device memory already are done with asynchronously, by
///   sorter.argsort(keys, indices, n, bitune::KeyType::f32, 4, stream);
///   sorter.sort_pairs(keys, values, n, bitune::KeyType::f32, 4, stream);

#include <algorithm>
#include <bitune/bitune.hpp>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

int main() try {
  std::mt19937 random(1);
  std::vector<float> prices(5000);
  std::generate(prices.begin(), prices.end(), [&] { return static_cast<float>(random() % 1000) / 10; });
  const std::uint64_t n = prices.size();
  bitune::Sorter sorter;

  // Indices alone: the prices stay as they are.
  std::vector<std::uint32_t> order(n);
  const bitune::Problem argsort{{.operation = bitune::Operation::argsort,
                                 .key = bitune::KeyType::f32,
                                 .index_bytes = sizeof(std::uint32_t),
                                 .order = bitune::Order::descending,
                                 .stable = true},
                                {.n = n}};
  bitune::Operands operands;
  operands[bitune::Role::keys_in] = {prices.data(), n};
  operands[bitune::Role::indices_out] = {order.data(), n};
  sorter.run_host(argsort, operands);
  std::printf("the highest price is %.1f, of item %u\n", static_cast<double>(prices[order[0]]), order[0]);

  // Keys and values, in place: each price keeps its item.
  std::vector<std::uint64_t> items(n);
  for (std::uint64_t i = 0; i < n; ++i) items[i] = i;
  const bitune::Problem pairs{{.operation = bitune::Operation::sort_pairs,
                               .key = bitune::KeyType::f32,
                               .value_bytes = sizeof(std::uint64_t),
                               .stable = true},
                              {.n = n}};
  operands = {};
  operands[bitune::Role::keys_out] = {prices.data(), n};
  operands[bitune::Role::values_out] = {items.data(), n};
  sorter.run_host(pairs, operands);
  std::printf("the lowest price is %.1f, of item %llu\n", static_cast<double>(prices[0]),
              static_cast<unsigned long long>(items[0]));
  std::printf("on %s by %s\n", sorter.device().c_str(), sorter.explain(pairs).configuration.c_str());
  return std::is_sorted(prices.begin(), prices.end()) ? 0 : 1;
} catch (const bitune::Error& error) {
  std::fprintf(stderr, "argsort: %s\n", error.what());
  return 1;
}
