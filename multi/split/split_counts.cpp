#include "multi/split/split_counts.hpp"

#include "kernels/network/network_layout.hpp"
#include "multi/split/split_launches.hpp"

namespace bitune::multi {

void SplitCounts::add(std::uint64_t launches, const std::vector<std::uint64_t>& all) {
  const std::uint64_t numbers = plan_.counted_numbers();
  for (std::uint64_t launch = 0; launch < launches; ++launch) {
    std::vector<std::uint64_t>& counted = launches_.emplace_back();
    for (std::size_t rank = 0; rank < lengths_.size(); ++rank) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>((rank * launches + launch) * numbers);
      counted.insert(counted.end(), begin, begin + static_cast<std::ptrdiff_t>(numbers));
    }
  }
}

std::uint64_t SplitCounts::of(std::size_t rank, std::size_t number) const {
  std::uint64_t all = 0;
  for (std::uint64_t launch = 0; launch < launches_.size(); ++launch) all += of(rank, number, launch);
  return all;
}

std::vector<ClassCounts> SplitCounts::of_all() const {
  std::vector<ClassCounts> all(lengths_.size());
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    for (std::size_t number = 0; number < plan_.classes; ++number) all[rank].push_back(of(rank, number));
  }
  return all;
}

std::uint64_t SplitCounts::place_of(std::size_t rank, std::size_t number, std::uint64_t launch) const {
  const std::uint64_t n = lengths_[rank];
  if (layout::is_at_cut(number)) return n + number / 2 * plan_.cut_room;
  std::uint64_t place = layout::split_launch_begin((n + split_tile - 1) / split_tile, launch) * split_tile;
  for (std::size_t before = 0; before < number; before += 2) place += of(rank, before, launch);
  return place;
}

bool SplitCounts::have_room(const std::vector<std::uint64_t>& results) const {
  for (std::size_t rank = 0; rank < lengths_.size(); ++rank) {
    std::uint64_t sorted = 0;
    for (std::size_t number = 0; number < plan_.classes; ++number) {
      std::uint64_t all = 0;
      for (std::size_t from = 0; from < lengths_.size(); ++from) all += of(from, number);
      if (layout::is_at_cut(number) && all > plan_.cut_room) return false;
      if (number + 1 >= sure_class(rank) && number <= cut_class(rank)) sorted += all;
    }
    if (sorted > sorted_room(plan_.sampling, plan_.cuts, rank, results[rank])) return false;
  }
  return true;
}

}  // namespace bitune::multi
