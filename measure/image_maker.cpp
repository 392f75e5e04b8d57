#include "measure/image_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "bitune/error.hpp"
#include "measure/sampler.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

constexpr std::uint32_t maker_threads = 256;
constexpr std::uint32_t most_maker_blocks = 8192;
constexpr std::uint64_t keys_that_pay = std::uint64_t{1} << 20;

std::uint64_t argument_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::string word_name(std::size_t bytes) { return fmt::format("bitune::u{}", 8 * bytes); }

/// Keys alone are told apart by all their bits; where something travels with them, NaNs are equal.
bool has_equal_nans(const Problem& problem) { return carried_bytes(problem) != 0; }

}  // namespace

ImageMaker::ImageMaker(const Device& device, KernelStore& kernels, const Problem& problem,
                       const CallLayout& layout, Stream stream)
    : device_(device),
      kernels_(kernels),
      problem_(problem),
      layout_(layout),
      stream_(stream),
      keys_(key_count(problem)),
      results_(result_length(problem) * problem.rows),
      place_bytes_(std::max<std::size_t>(size_of(problem.key), 4)) {}

bool ImageMaker::can_make(const Problem& problem) noexcept {
  const std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  return problem.kind() != ShapeKind::segments && problem.n > 0 && problem.rows > 0 &&
         problem.n <= most / problem.rows;
}

bool ImageMaker::pays(const Device& device, const Problem& problem) {
  return !is_emulated(device) && can_make(problem) && problem.n * problem.rows >= keys_that_pay;
}

std::unique_ptr<DeviceBuffer> ImageMaker::guarded(std::uint64_t bytes) const {
  auto image = device_.allocate(bytes);
  device_.fill(image->data(), GuardedLayout::guard_value, bytes, stream_);
  return image;
}

std::byte* ImageMaker::rows(const DeviceBuffer& image, const CallLayout::Part& part) const {
  return static_cast<std::byte*>(image.data()) + part.begin + GuardedLayout::guard_bytes;
}

void ImageMaker::launch(const std::string& kernel, std::uint64_t n,
                        std::span<const std::uint64_t> arguments) {
  const auto loaded = kernels_.get({"kernels/measure/make_images.cuh", "bitune::" + kernel}).kernel;
  Launch launch;
  launch.block = {maker_threads, 1, 1};
  launch.grid = {
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(n / maker_threads, 1, most_maker_blocks)), 1, 1};
  device_.launch(*loaded, launch, arguments, stream_);
}

void ImageMaker::make_elements(std::byte* to, std::uint64_t n, KeyType type, Distribution distribution,
                               std::uint64_t seed) {
  if (n == 0) return;
  const KeyFacts facts = key_facts_of(type);
  const made::Ramp ramp = ramp_of(type, n, distribution);
  const std::array<std::uint64_t, 8> arguments = {argument_of(to),
                                                  n,
                                                  seed,
                                                  static_cast<std::uint64_t>(distribution),
                                                  facts.is_signed ? 1u : 0u,
                                                  facts.infinity,
                                                  ramp.step,
                                                  ramp.is_fraction ? 1u : 0u};
  launch(fmt::format("make_keys<{}, {}>", word_name(size_of(type)), maker_threads), n, arguments);
}

std::unique_ptr<DeviceBuffer> ImageMaker::make_input(Distribution distribution, std::uint64_t seed) {
  auto image = guarded(layout_.input_bytes());
  for (const CallLayout::Part& part : layout_.parts()) {
    if (part.array.in == Role::keys_in)
      make_elements(rows(*image, part), keys_, problem_.key, distribution, seed);
    if (part.array.in == Role::values_in) {
      // As fill_values: whole words, then the bytes that are left.
      const std::uint64_t bytes = part.layout.array_bytes();
      const std::uint64_t of_values = seed_of_values(seed);
      std::byte* const values = rows(*image, part);
      make_elements(values, bytes / 8, KeyType::u64, Distribution::random, of_values);
      make_elements(values + bytes / 8 * 8, bytes % 8, KeyType::u8, Distribution::random, of_values);
    }
  }
  return image;
}

void* ImageMaker::scratch(std::unique_ptr<DeviceBuffer>& buffer, std::uint64_t bytes) const {
  if (!buffer || buffer->size() < bytes) {
    buffer.reset();
    buffer = device_.allocate(bytes);
  }
  return buffer->data();
}

void ImageMaker::sort_indices(const void* keys, std::size_t key_bytes, void* order) {
  const Problem problem{{.operation = Operation::argsort,
                         .key = key_bytes == 4 ? KeyType::u32 : KeyType::u64,
                         .index_bytes = 4,
                         .stable = true},
                        {.n = keys_}};
  if (keys_ < 2) {  // no plan does anything then
    device_.fill(order, 0, 4 * keys_, stream_);
    return;
  }
  const DeviceInfo& info = device_.info();
  const Configuration configuration = default_selection(problem, info).configuration;
  const ExecutablePlan plan =
      make_executable(device_, kernels_, variant(configuration.variant).plan(problem, configuration, info));
  Operands operands;
  operands[Role::keys_in] = {const_cast<void*>(keys), keys_, keys_};
  operands[Role::indices_out] = {order, keys_, keys_};
  const std::uint64_t bytes = plan.plan().workspace_bytes;
  operands[Role::workspace] = {bytes == 0 ? nullptr : scratch(workspace_, bytes), bytes, 0};
  plan.run(operands, stream_);
}

void ImageMaker::find_order(const std::byte* keys) {
  const KeyFacts facts = key_facts_of(problem_.key);
  const std::uint64_t index_bytes = 4 * keys_;
  void* const places = scratch(places_, place_bytes_ * keys_);
  void* const order = scratch(order_, index_bytes);
  const std::string place = word_name(place_bytes_);
  launch(
      fmt::format("write_places<{}, {}, {}>", word_name(size_of(problem_.key)), place, maker_threads), keys_,
      std::array<std::uint64_t, 7>{argument_of(keys), argument_of(places), keys_, facts.is_signed ? 1u : 0u,
                                   facts.infinity, problem_.order == Order::descending ? 1u : 0u,
                                   has_equal_nans(problem_) ? 1u : 0u});
  if (problem_.rows == 1) {
    sort_indices(places, place_bytes_, order);
  } else {
    // Of all keys by place, then of these by row: both are stable.
    void* const by_place = scratch(by_place_, index_bytes);
    void* const row_numbers = scratch(row_numbers_, index_bytes);
    void* const by_row = scratch(by_row_, index_bytes);
    sort_indices(places, place_bytes_, by_place);
    launch(fmt::format("write_rows<{}>", maker_threads), keys_,
           std::array<std::uint64_t, 4>{argument_of(by_place), argument_of(row_numbers), keys_, problem_.n});
    sort_indices(row_numbers, 4, by_row);
    launch(
        fmt::format("gather_elements<bitune::u32, 1, {}>", maker_threads), keys_,
        std::array<std::uint64_t, 4>{argument_of(by_place), argument_of(by_row), argument_of(order), keys_});
  }
  void* const faults = scratch(faults_, sizeof(std::uint64_t));
  device_.fill(faults, 0, sizeof(std::uint64_t), stream_);
  launch(fmt::format("count_misplaced<{}, {}>", place, maker_threads), keys_,
         std::array<std::uint64_t, 5>{argument_of(places), argument_of(order), keys_, problem_.n,
                                      argument_of(faults)});
  std::uint64_t count = 0;
  device_.copy_to_host(&count, faults, sizeof(count), stream_);
  device_.synchronize(stream_);
  if (count != 0) {
    throw Error(ErrorCode::device, fmt::format("{}: of an order of {} keys, {} places are wrong",
                                               device_.describe(), keys_, count));
  }
}

void ImageMaker::gather(const void* from, const void* order, void* to, std::size_t element_bytes) {
  const std::size_t bytes = std::min<std::size_t>(element_bytes, 8);
  launch(fmt::format("gather_elements<{}, {}, {}>", word_name(bytes), element_bytes / bytes, maker_threads),
         results_,
         std::array<std::uint64_t, 4>{argument_of(from), argument_of(order), argument_of(to), results_});
}

/// What of the order is given: all, or the first k of each row.
const void* ImageMaker::order_of_results() {
  if (results_ == keys_) return order_->data();
  void* const first = scratch(by_place_, 4 * results_);
  launch(fmt::format("first_of_rows<{}>", maker_threads), results_,
         std::array<std::uint64_t, 5>{argument_of(order_->data()), argument_of(first), results_, problem_.n,
                                      result_length(problem_)});
  return first;
}

std::unique_ptr<DeviceBuffer> ImageMaker::make_expected(const DeviceBuffer& input) {
  const CallLayout::Part& keys = layout_.parts().front();
  find_order(rows(input, keys));
  const void* const order = order_of_results();
  auto image = guarded(layout_.bytes());
  const auto read = [&](Role role) {
    const auto part = std::find_if(layout_.parts().begin(), layout_.parts().end(),
                                   [role](const CallLayout::Part& one) { return one.array.in == role; });
    return rows(input, *part);
  };
  for (const CallLayout::Part& part : layout_.parts()) {
    const auto out = part.array.out;
    if (!out) {
      device_.copy_on_device(rows(*image, part), rows(input, part), part.layout.array_bytes(), stream_);
    } else if (*out == Role::indices_out) {
      launch(fmt::format("write_indices<{}, {}>", word_name(part.array.element_bytes), maker_threads),
             results_,
             std::array<std::uint64_t, 4>{argument_of(order), argument_of(rows(*image, part)), results_,
                                          problem_.n});
    } else {
      const std::byte* const source = read(*out == Role::keys_out ? Role::keys_in : Role::values_in);
      gather(source, order, rows(*image, part), part.array.element_bytes);
    }
  }
  return image;
}

std::unique_ptr<DeviceBuffer> ImageMaker::spread(const DeviceBuffer& image, const CallLayout& gapped) {
  const bool is_input = image.size() < layout_.bytes();
  auto result = guarded(is_input ? gapped.input_bytes() : gapped.bytes());
  for (std::size_t i = 0; i < layout_.parts().size(); ++i) {
    const CallLayout::Part& from = layout_.parts()[i];
    const CallLayout::Part& to = gapped.parts()[i];
    if (is_input && !from.array.in) continue;
    const std::size_t element = from.array.element_bytes;
    device_.copy_rows_on_device(rows(*result, to), to.layout.rows.row_stride * element, rows(image, from),
                                from.layout.rows.row_stride * element, from.array.row_length * element,
                                problem_.rows, stream_);
  }
  return result;
}

}  // namespace bitune
