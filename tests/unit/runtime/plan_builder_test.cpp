// Plans are built of typed arguments: what a kernel cannot take does not compile, or is refused with a
// sentence.

#include "runtime/variants/plan_builder.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <functional>
#include <limits>
#include <string>

#include "bitune/error.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune {
namespace {

constexpr Kernel<Address, U32, U64> planted{"kernels/planted.cuh", "planted"};
constexpr RowsKernel<Address> planted_rows{"kernels/planted.cuh", "planted_rows"};
constexpr std::uint64_t most_of_32_bits = std::numeric_limits<std::uint32_t>::max();

template <class... Arguments>
concept planted_takes = requires(PlanBuilder builder, Arguments... arguments) {
  builder.launch(planted, "1", LaunchShape{}, arguments...);
};

static_assert(planted_takes<Address, std::uint64_t, std::uint64_t>);
static_assert(planted_takes<Address, std::uint32_t, unsigned>);
static_assert(!planted_takes<Address, std::uint64_t>, "too few arguments");
static_assert(!planted_takes<Address, std::uint64_t, std::uint64_t, std::uint64_t>, "too many arguments");
static_assert(!planted_takes<std::uint64_t, std::uint64_t, std::uint64_t>, "a number for a pointer");
static_assert(!planted_takes<Address, Address, std::uint64_t>, "a pointer for a number");
static_assert(!planted_takes<Address, int, std::uint64_t>, "a number that may be negative");
static_assert(!planted_takes<Address, RowStride, std::uint64_t>, "the stride of rows for a number");

/// The sentence that something is refused with; empty if it is not.
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return {};
}

TEST(PlanBuilder, GivesEachParameterAnArgumentOfItsKind) {
  PlanBuilder builder(3);
  const Address first = builder.workspace(10);
  const Address second = builder.workspace(1);
  builder.launch(planted, "2, true", {.blocks = 5, .threads = 64, .shared_bytes = 7, .cluster = 5}, second,
                 most_of_32_bits, std::uint64_t{1} << 40);
  builder.launch(planted_rows, "4", {.blocks = 6, .threads = 32}, input_address());
  const Plan plan = builder.take(true);
  EXPECT_EQ(first.argument, Argument::pointer_to(Role::workspace, 0));
  EXPECT_EQ(plan.workspace_bytes, 257u) << "each part begins at a multiple of 256";
  ASSERT_EQ(plan.launches.size(), 2u);
  EXPECT_EQ(plan.kernels[0], (KernelSource{"kernels/planted.cuh", "bitune::planted<2, true>"}));
  EXPECT_EQ(plan.launches[0].arguments, (std::vector<Argument>{Argument::pointer_to(Role::workspace, 256),
                                                               Argument::number32(0xffffffffu),
                                                               Argument::number64(std::uint64_t{1} << 40)}));
  EXPECT_EQ(plan.launches[0].cluster, 5u);
  EXPECT_EQ(plan.launches[1].grid[0], 18u) << "six blocks for each of three rows";
  EXPECT_EQ(plan.launches[1].arguments,
            (std::vector<Argument>{Argument::pointer_to(Role::keys_in), Argument::stride_of(Role::keys_out),
                                   Argument::number32(6)}));
  EXPECT_TRUE(plan.launches[0].dependent && plan.launches[1].dependent);
}

TEST(PlanBuilder, KeepsTheLaunchForOtherInputApart) {
  PlanBuilder builder(3);
  builder.launch(planted_rows, "4", {.blocks = 6, .threads = 32}, keys_address());
  EXPECT_FALSE(builder.take().first_from_input);

  builder.launch(planted_rows, "4", {.blocks = 6, .threads = 32}, keys_address());
  builder.first_from_input(planted_rows, "5", {.blocks = 6, .threads = 32}, input_address());
  const Plan plan = builder.take(true);
  ASSERT_EQ(plan.launches.size(), 1u);
  ASSERT_TRUE(plan.first_from_input);
  EXPECT_TRUE(plan.out_of_place && plan.first_from_input->dependent);
  EXPECT_EQ(plan.kernels[plan.first_from_input->kernel].name_expression, "bitune::planted_rows<5>");
  EXPECT_EQ(plan.first_from_input->arguments.front(), Argument::pointer_to(Role::keys_in));
  EXPECT_EQ(plan.first_from_input->grid, plan.launches.front().grid);
}

TEST(PlanBuilder, RefusesWhatALaunchCannotHold) {
  PlanBuilder builder(2);
  const auto launch = [&](const LaunchShape& shape, std::uint64_t number) {
    return refusal([&] { builder.launch(planted, "1", shape, keys_address(), number, number); });
  };
  EXPECT_EQ(launch({}, most_of_32_bits), "");
  EXPECT_NE(launch({}, most_of_32_bits + 1).find("4294967296"), std::string::npos);
  EXPECT_NE(launch({.blocks = std::uint64_t{1} << 31}, 0).find("2147483647"), std::string::npos);
  EXPECT_NE(launch({.blocks = std::uint64_t{1} << 31}, 0).find("kernel 'planted' would need"),
            std::string::npos)
      << "without the arguments of its template";
  EXPECT_NE(launch({.shared_bytes = most_of_32_bits + 1}, 0).find("shared memory"), std::string::npos);
  for (const std::uint64_t blocks : {std::uint64_t{1} << 30, std::uint64_t{1} << 32, ~std::uint64_t{0}}) {
    const std::string text =
        refusal([&] { builder.launch(planted_rows, "1", {.blocks = blocks}, keys_address()); });
    EXPECT_NE(text.find("2147483647"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace bitune
