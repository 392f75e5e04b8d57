#include "runtime/variants/plan_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bitune/error.hpp"

namespace bitune {
namespace {

/// The number in 32 bits, of which `what` says what it is. \throws Error (usage)
std::uint32_t in_32_bits(std::uint64_t number, std::string_view what) {
  if (number > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorCode::usage,
                fmt::format("{} has 32 bits in a kernel, and this plan needs {}: use a larger "
                            "tile or block size, or sort fewer keys at once",
                            what, number));
  }
  return static_cast<std::uint32_t>(number);
}

/// Of a sort in place, where keys_in is the memory of keys_out.
bool may_write_keys(const Launch& launch) {
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [](const Argument& argument) {
    return argument.kind == Argument::Kind::pointer && argument.role == Role::keys_out;
  });
}

}  // namespace

LaunchShape cluster_for_each(std::uint64_t rows, const Configuration& c, std::int64_t shared_bytes) {
  const auto ranks = as_count(c.at("cluster_size"));
  return {.blocks = rows * ranks,
          .threads = static_cast<std::uint32_t>(c.at("block_size_x")),
          .shared_bytes = as_count(shared_bytes),
          .cluster = static_cast<std::uint32_t>(ranks)};
}

Plan PlanBuilder::take(bool dependent) {
  const auto refuse = [this](const Launch& launch, std::string_view why) {
    throw std::logic_error(fmt::format("{} {}", plan_.kernels[launch.kernel].name_expression, why));
  };
  bool writes_keys = false;
  const Launch* before = nullptr;
  for (Launch& launch : plan_.launches) {
    if (launch.reads_keys_early && (before == nullptr || before->allows_next_early || writes_keys)) {
      refuse(launch, "reads keys before it waits, and they may not be there yet");
    }
    if (launch.beside_previous &&
        (before == nullptr || (before->allows_next_early && !before->beside_previous))) {
      refuse(launch,
             "works beside the launch before it, and that one may begin before what it needs is done");
    }
    launch.dependent = dependent;
    writes_keys = writes_keys || may_write_keys(launch);
    before = &launch;
  }
  if (plan_.first_from_input) plan_.first_from_input->dependent = dependent;
  if (dependent && before != nullptr && before->allows_next_early) {
    refuse(*before, "is the last of a plan, and lets the next kernel begin before it waits");
  }
  return std::move(plan_);
}

KernelSource PlanBuilder::source_of(std::string_view header, std::string_view name,
                                    std::string_view template_arguments) {
  return {std::string(header), fmt::format("bitune::{}<{}>", name, template_arguments)};
}

Argument PlanBuilder::argument_of(U32 number) {
  return Argument::number32(in_32_bits(number.value, "a number"));
}

void PlanBuilder::add(const KernelSource& kernel, const LaunchShape& shape, std::vector<Argument> arguments) {
  constexpr std::uint64_t most_blocks = (std::uint64_t{1} << 31) - 1;
  if (shape.blocks > most_blocks) {
    throw Error(ErrorCode::usage,
                fmt::format("its kernel '{}' would need {} blocks, and a grid has at most {}: use a larger "
                            "tile or block size",
                            kernel.short_name(), shape.blocks, most_blocks));
  }
  const auto known = std::find(plan_.kernels.begin(), plan_.kernels.end(), kernel);
  Launch launch;
  launch.kernel = static_cast<std::size_t>(known - plan_.kernels.begin());
  if (known == plan_.kernels.end()) plan_.kernels.push_back(kernel);
  launch.grid = {static_cast<std::uint32_t>(shape.blocks), 1, 1};
  launch.block = {shape.threads, 1, 1};
  launch.shared_bytes = in_32_bits(shape.shared_bytes, "the size of shared memory");
  launch.cluster = shape.cluster;
  launch.segments_per_block = shape.segments_per_block;
  launch.arguments = std::move(arguments);
  plan_.launches.push_back(std::move(launch));
}

void PlanBuilder::add_rows(const KernelSource& kernel, LaunchShape shape, std::vector<Argument> arguments) {
  arguments.push_back(argument_of(RowStride{}));
  // As many as a grid has at most fit; what exceeds a grid is refused below.
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  arguments.push_back(argument_of(U32(std::min(shape.blocks, most))));
  // The product saturates.
  const std::uint64_t a_row = std::max<std::uint64_t>(shape.blocks, 1);
  const std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  shape.blocks = rows_ > largest / a_row ? largest : rows_ * shape.blocks;
  add(kernel, shape, std::move(arguments));
}

void PlanBuilder::append(const Plan& part, std::initializer_list<std::pair<Role, Address>> moved) {
  const Address workspace_of_part = workspace(part.workspace_bytes);
  const auto place_of = [&](const Argument& argument) -> const Address* {
    if (argument.kind != Argument::Kind::pointer) return nullptr;
    if (argument.role == Role::workspace) return &workspace_of_part;
    const auto* const found =
        std::find_if(moved.begin(), moved.end(), [&](const auto& one) { return one.first == argument.role; });
    return found == moved.end() ? nullptr : &found->second;
  };
  for (Launch launch : part.launches) {
    const KernelSource& kernel = part.kernels[launch.kernel];
    const auto known = std::find(plan_.kernels.begin(), plan_.kernels.end(), kernel);
    launch.kernel = static_cast<std::size_t>(known - plan_.kernels.begin());
    if (known == plan_.kernels.end()) plan_.kernels.push_back(kernel);
    for (Argument& argument : launch.arguments) {
      if (const Address* place = place_of(argument)) {
        argument = Argument::pointer_to(place->argument.role, place->argument.value + argument.value);
      }
    }
    plan_.launches.push_back(std::move(launch));
  }
  plan_.own_strides = plan_.own_strides || part.own_strides;
}

void PlanBuilder::read_while_written(Role input, std::uint64_t bytes) {
  plan_.copied_in_place.push_back({input, workspace(bytes).argument.value, bytes});
}

void PlanBuilder::pack(Role role, const Shape& shape, std::uint64_t element_bytes) {
  plan_.packed.push_back({role, shape.n, shape.rows, element_bytes});
  plan_.own_strides = true;
}

Address PlanBuilder::workspace(std::uint64_t bytes) {
  const std::uint64_t begin = (plan_.workspace_bytes + 255) / 256 * 256;
  plan_.workspace_bytes = begin + bytes;
  return {Argument::pointer_to(Role::workspace, begin)};
}

int ceil_log2(std::uint64_t n) noexcept { return n < 2 ? 0 : static_cast<int>(std::bit_width(n - 1)); }

}  // namespace bitune
