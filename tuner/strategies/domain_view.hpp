#pragma once

/// \file
/// The domain as a lattice: what strategies need to walk over valid configurations.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/strategy.hpp"

namespace bitune {

/// The configurations of one variant, and the values that its parameters take among them.
struct Family {
  std::string variant;
  std::vector<std::string> names;                 ///< of the parameters
  std::vector<std::vector<std::int64_t>> values;  ///< by parameter, ascending
  std::vector<std::size_t> members;               ///< indices into the domain, ascending
};

/// Places of values in place of the values themselves; immutable.
class DomainView {
 public:
  /// By parameter of the family: the place of its value among the family's values.
  using Places = std::vector<std::uint16_t>;

  explicit DomainView(const SearchDomain& domain);

  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }
  [[nodiscard]] const std::vector<Family>& families() const noexcept { return families_; }
  [[nodiscard]] std::size_t family_of(std::size_t index) const { return family_of_[index]; }
  [[nodiscard]] const Places& places(std::size_t index) const { return places_[index]; }

  /// Valid configurations of the same variant that differ in one parameter. Where there are fewer than
  /// `at_least` of them (few configurations are valid, or were recorded), also those that differ in two, and
  /// so on.
  [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t index, std::size_t at_least = 1) const;

  /// The candidate nearest to a point that need not be valid: it differs in the fewest parameters, then by
  /// the fewest places. All candidates are of this family. Nothing if there is none.
  [[nodiscard]] std::optional<std::size_t> nearest(const Places& point,
                                                   const std::vector<std::size_t>& candidates) const;

 private:
  std::vector<Family> families_;
  std::vector<std::size_t> family_of_;
  std::vector<Places> places_;
};

}  // namespace bitune
