#pragma once

/// \file
/// Makes images of inputs and of right results in a device's memory, without the host.

#include <cstdint>
#include <memory>
#include <optional>

#include "bitune/types.hpp"
#include "measure/call_image.hpp"
#include "measure/inputs.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// What the host takes seconds for at 2^26 pairs, to sort and to copy, takes the device milliseconds.
///
/// A result is right by proof. An order of the keys is asked of a sort of ours, by its default configuration.
/// A kernel then shows that it is the stable order: in each row every index is one of the row, and neighbours
/// ascend by (place, index). It knows the places of keys by cases, as the host's reference does, and shares
/// no code with the kernels that sort. The result is gathered by that order. So a sort that is wrong
/// is found here, and never makes a result.
///
/// Thread-confined. Holds memory for its work until it is destroyed.
class ImageMaker {
 public:
  /// All must outlive it. Compiles nothing yet.
  ImageMaker(const Device& device, KernelStore& kernels, const Problem& problem, const CallLayout& layout,
             Stream stream);

  /// Whether it can make them: for arrays and rows of 1 to 2^32 - 1 keys in all.
  [[nodiscard]] static bool can_make(const Problem& problem) noexcept;
  /// Whether it is faster than the host: on a GPU, from 2^20 keys on.
  [[nodiscard]] static bool pays(const Device& device, const Problem& problem);

  /// The same bytes as the host makes. \throws Error (compile, device)
  [[nodiscard]] std::unique_ptr<DeviceBuffer> make_input(Distribution distribution, std::uint64_t seed);

  /// What this input must become. \throws Error (compile, device, unavailable); (device), too, if the order
  /// was wrong
  [[nodiscard]] std::unique_ptr<DeviceBuffer> make_expected(const DeviceBuffer& input);

  /// The same rows with gaps between them, of an input or of a result.
  [[nodiscard]] std::unique_ptr<DeviceBuffer> spread(const DeviceBuffer& image, const CallLayout& gapped);

 private:
  [[nodiscard]] std::unique_ptr<DeviceBuffer> guarded(std::uint64_t bytes) const;
  [[nodiscard]] std::byte* rows(const DeviceBuffer& image, const CallLayout::Part& part) const;
  void launch(const std::string& kernel, std::uint64_t n, std::span<const std::uint64_t> arguments);
  void make_elements(std::byte* to, std::uint64_t n, KeyType type, Distribution distribution,
                     std::uint64_t seed);
  void gather(const void* from, const void* order, void* to, std::size_t element_bytes);
  const void* order_of_results();
  /// Writes order_, and proves it.
  void find_order(const std::byte* keys);
  void sort_indices(const void* keys, std::size_t key_bytes, void* order);
  void* scratch(std::unique_ptr<DeviceBuffer>& buffer, std::uint64_t bytes) const;

  const Device& device_;
  KernelStore& kernels_;
  Problem problem_;
  const CallLayout& layout_;
  Stream stream_;
  std::uint64_t keys_;       ///< in all
  std::uint64_t results_;    ///< keys that are given, in all
  std::size_t place_bytes_;  ///< of a key's place: 4 or 8
  std::unique_ptr<DeviceBuffer> places_;
  std::unique_ptr<DeviceBuffer> order_;
  std::unique_ptr<DeviceBuffer> by_place_;
  std::unique_ptr<DeviceBuffer> row_numbers_;
  std::unique_ptr<DeviceBuffer> by_row_;
  std::unique_ptr<DeviceBuffer> workspace_;
  std::unique_ptr<DeviceBuffer> faults_;
};

}  // namespace bitune
