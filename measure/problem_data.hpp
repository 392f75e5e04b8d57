#pragma once

/// \file
/// Inputs and expected results of one problem, in device memory.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"
#include "measure/call_image.hpp"
#include "measure/inputs.hpp"
#include "runtime/device.hpp"
#include "runtime/kernel_store.hpp"

namespace bitune {

/// What a problem is measured on.
struct MeasuredInput {
  Distribution distribution = Distribution::random;  ///< of the keys
  std::string lengths = "uniform";                   ///< of segments: a source of `make_lengths`
  std::uint64_t seed = 1;
  int inputs = 1;  ///< with different keys, as far as samples take turns with so many (images_in_turn)

  bool operator==(const MeasuredInput&) const = default;
};

/// Where the arrays of a problem's calls lie: rows or segments one behind the other, and with gaps.
struct CallLayouts {
  CallLayout packed;
  CallLayout gapped;
  Segments segments;  ///< of problems of segments
  Segments segments_with_gaps;

  /// segments: empty of arrays and rows.
  [[nodiscard]] static CallLayouts of(const Problem& problem, const Segments& segments = {});
};

/// The images of one problem: for each distribution the input, and what it must become. An image has all
/// arrays of the call with their guards (CallLayout). So comparing images checks keys, what travels with them
/// and guards. They are made once and kept for all configurations.
///
/// Thread-confined, as the evaluator that owns it. Device memory is bounded: see `verified_distributions`.
class ProblemData {
 public:
  /// Makes all of it. kernels: of who makes images on the device where it can (ImageMaker); null: the host
  /// makes them. \throws Error (device) if the device's memory does not suffice; and as make_lengths
  ProblemData(const Device& device, const Problem& problem, const MeasuredInput& measured, Stream stream,
              KernelStore* kernels = nullptr);

  [[nodiscard]] bool is_for(const Problem& problem, const MeasuredInput& measured) const noexcept;
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }
  [[nodiscard]] const CallLayout& layout() const noexcept { return layouts_.packed; }

  /// The distributions that configurations are verified on.
  [[nodiscard]] std::span<const Distribution> verified() const noexcept { return verified_; }
  /// Image of the input. Precondition: verified or measured.
  [[nodiscard]] const void* input(Distribution distribution) const;
  /// What samples of it take turns with: that image and, if it is the measured distribution, others.
  [[nodiscard]] std::vector<const void*> measured_inputs(Distribution distribution) const;
  /// Image of a right result, the only one unless the problem's result is free. Precondition: verified.
  [[nodiscard]] const void* expected(Distribution distribution) const;

  /// Whether there are images of random keys in rows or segments with gaps between them: for more than one,
  /// where the device's memory allows.
  [[nodiscard]] bool has_gapped() const noexcept { return gapped_.input != nullptr; }
  [[nodiscard]] const CallLayout& gapped_layout() const noexcept { return layouts_.gapped; }
  [[nodiscard]] const void* gapped_input() const { return gapped_.input->data(); }
  [[nodiscard]] const void* gapped_expected() const { return gapped_.expected->data(); }

  /// Memory for an image of a result, and of one with gaps, to sort in.
  [[nodiscard]] std::byte* work() const noexcept;

 private:
  struct Images {
    std::unique_ptr<DeviceBuffer> input;
    std::unique_ptr<DeviceBuffer> expected;  ///< null if only measured
  };

  [[nodiscard]] bool is_verified(Distribution distribution) const;
  /// What is verified, and what is measured.
  [[nodiscard]] std::vector<Distribution> wanted() const;
  /// Whether it could.
  [[nodiscard]] bool make_on_device(const Device& device, KernelStore& kernels, bool with_gaps,
                                    Stream stream);
  void make_on_host(const Device& device, bool with_gaps, Stream stream);

  Problem problem_;
  MeasuredInput measured_;
  CallLayouts layouts_;
  std::vector<Distribution> verified_;
  std::map<Distribution, Images> images_;
  std::vector<std::unique_ptr<DeviceBuffer>> other_inputs_;  ///< of the measured distribution
  Images gapped_;
  std::unique_ptr<DeviceBuffer> work_;
};

/// The distributions that a problem of so many keys is verified on: all seven up to 2^23 keys, and above that
/// the four that differ most. The others would exercise the same compare-exchanges, and take host references
/// and device memory. Every kernel was verified on all seven at a smaller size. If the images would take more
/// than half of the device's memory, there are fewer still, but always random keys.
[[nodiscard]] std::vector<Distribution> verified_distributions(const Problem& problem,
                                                               const CallLayouts& layouts,
                                                               std::int64_t memory_bytes);

}  // namespace bitune
