/// \file
/// Sorts floats that lie in parts on several devices. Here these are emulated, so that their memory is the
/// host's; with GPUs the pointers are those of each GPU's memory, and devices are {"0", "1"}.

#include <algorithm>
#include <bitune/multi.hpp>
#include <cstdio>
#include <random>
#include <vector>

int main() try {
  bitune::MultiOptions options;
  options.devices = {"emulated", "emulated"};
  bitune::MultiSorter sorter(options);

  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> keys = {std::vector<float>(3000), std::vector<float>(1000)};
  std::vector<std::vector<float>> sorted;
  std::vector<bitune::MultiPart> parts;
  for (std::vector<float>& part : keys) {
    std::generate(part.begin(), part.end(), [&] { return normal(random); });
    sorted.emplace_back(sorter.equal_part_of(4000, static_cast<int>(sorted.size())));
    bitune::MultiPart& one = parts.emplace_back();
    one.n = part.size();
    one.operands[bitune::Role::keys_in] = {part.data(), part.size(), 0};
    one.operands[bitune::Role::keys_out] = {sorted.back().data(), sorted.back().size(), 0};
  }

  bitune::SortSpec spec;
  spec.key = bitune::KeyType::f32;
  const std::vector<bitune::MultiResult> results = sorter.run(spec, parts);
  for (const bitune::MultiResult& result : results) {
    std::printf("%llu floats from place %llu on, %llu bytes came from others\n",
                static_cast<unsigned long long>(result.count), static_cast<unsigned long long>(result.first),
                static_cast<unsigned long long>(result.received_bytes));
  }
  const bool in_order = std::is_sorted(sorted[0].begin(), sorted[0].end()) &&
                        std::is_sorted(sorted[1].begin(), sorted[1].end()) &&
                        sorted[0].back() <= sorted[1].front();
  return in_order ? 0 : 1;
} catch (const bitune::Error& error) {
  std::fprintf(stderr, "sort_over_devices: %s\n", error.what());
  return 1;
}
