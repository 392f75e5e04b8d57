#pragma once

/// \file
/// The stable radix sort of the host, for keys alone and for keys with their indices.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "measure/in_parts.hpp"
#include "model/key_order_of.hpp"

namespace bitune {

/// The fewest items for which a thread of its own pays.
inline constexpr std::uint64_t least_items_to_sort = std::uint64_t{1} << 16;

/// Sorts n > 0 items at `from` by place_of(item), an unsigned integer. Items of equal places keep their
/// order. It takes digits of 8 bits from the least significant on. A digit that all items share is not sorted
/// by. `to` is memory for as many items. Returns which of the two holds the result.
template <class Item, class PlaceOf>
std::byte* radix_passes(std::byte* from, std::byte* to, std::uint64_t n, unsigned parts,
                        const PlaceOf& place_of) {
  using key_orders::load;
  using key_orders::store;
  std::vector<std::array<std::uint64_t, 256>> places(parts);  // of the next item of a part with a digit
  for (unsigned shift = 0; shift < 8 * sizeof(place_of(Item{})); shift += 8) {
    const auto digit = [&](const Item& item) {
      return static_cast<std::size_t>((place_of(item) >> shift) & 0xff);
    };
    in_parts(n, parts, [&](unsigned part, std::uint64_t begin, std::uint64_t end) {
      places[part].fill(0);
      for (std::uint64_t i = begin; i < end; ++i) ++places[part][digit(load<Item>(from, i))];
    });
    std::uint64_t alike = 0;
    for (const auto& of_part : places) alike += of_part[digit(load<Item>(from, 0))];
    if (alike == n) continue;
    std::uint64_t sum = 0;
    for (std::size_t value = 0; value < 256; ++value) {
      for (auto& of_part : places) sum += std::exchange(of_part[value], sum);
    }
    // A part's items of a digit go behind those of the parts before it.
    in_parts(n, parts, [&](unsigned part, std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i) {
        const Item item = load<Item>(from, i);
        store(to, places[part][digit(item)]++, item);
      }
    });
    std::swap(from, to);
  }
  return from;
}

/// An index and the place of its key among all keys of the type.
template <class Place, class Index>
struct PlacedIndex {
  Place place;
  Index index;
};

/// Which items of an array come first: the indices 0 .. n - 1 by place_of(index), an unsigned integer, and
/// among equal places by index.
template <class Place, class Index, class PlaceOf>
std::unique_ptr<PlacedIndex<Place, Index>[]> stable_order(std::uint64_t n, unsigned threads,
                                                          const PlaceOf& place_of) {
  using Item = PlacedIndex<Place, Index>;
  constexpr std::uint64_t few = 256;  // for which counting digits is more work than comparing
  const unsigned parts = parts_of(n, least_items_to_sort, threads);
  auto items = std::make_unique_for_overwrite<Item[]>(n);
  in_parts(n, parts, [&](unsigned, std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) items[i] = {place_of(i), static_cast<Index>(i)};
  });
  if (n <= few) {
    std::sort(items.get(), items.get() + n, [](const Item& a, const Item& b) {
      return a.place != b.place ? a.place < b.place : a.index < b.index;
    });
    return items;
  }
  auto other = std::make_unique_for_overwrite<Item[]>(n);
  auto* const begin = reinterpret_cast<std::byte*>(items.get());
  auto* const room = reinterpret_cast<std::byte*>(other.get());
  const bool stayed =
      radix_passes<Item>(begin, room, n, parts, [](const Item& item) { return item.place; }) == begin;
  return stayed ? std::move(items) : std::move(other);
}

}  // namespace bitune
