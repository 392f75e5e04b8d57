#include "tuner/domain_index.hpp"

#include <algorithm>

#include "bitune/error.hpp"

namespace bitune {
namespace {

/// Of the values alone: configurations of one variant do not differ in their parameters' names.
std::uint64_t hash_of(const Configuration& configuration) {
  std::uint64_t hash = std::hash<std::string_view>{}(configuration.variant);
  for (const auto& [name, value] : configuration.parameters) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

DomainIndex::DomainIndex(const std::vector<Configuration>& configurations) : configurations_(configurations) {
  by_hash_.reserve(configurations.size());
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    by_hash_.emplace_back(hash_of(configurations[i]), i);
    const std::string_view variant = configurations[i].variant;
    if (variants_.empty() || (variants_.back() != variant && !has_variant(variant)))
      variants_.push_back(variant);
  }
  std::sort(by_hash_.begin(), by_hash_.end());
}

std::optional<std::size_t> DomainIndex::find(const Configuration& configuration) const {
  const std::uint64_t hash = hash_of(configuration);
  auto entry = std::lower_bound(by_hash_.begin(), by_hash_.end(), std::pair{hash, std::size_t{0}});
  for (; entry != by_hash_.end() && entry->first == hash; ++entry) {
    if (configurations_[entry->second] == configuration) return entry->second;
  }
  return std::nullopt;
}

bool DomainIndex::has_variant(std::string_view variant) const {
  return std::find(variants_.begin(), variants_.end(), variant) != variants_.end();
}

std::optional<std::size_t> DomainIndex::find(std::string_view text) const {
  try {
    return find(Configuration::parse(text));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace bitune
