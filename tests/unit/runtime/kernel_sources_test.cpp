#include "runtime/kernel_sources.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bitune/error.hpp"
#include "runtime/variant.hpp"
#include "tests/support/device_limits.hpp"

namespace bitune {
namespace {

TEST(KernelSources, DigestCoversWhatAHeaderIncludes) {
  const std::string tile = digest_of_headers({"kernels/warp/tile_sort.cuh"});
  const std::string both =
      digest_of_headers({"kernels/network/register_tile.cuh", "kernels/warp/tile_sort.cuh"});
  const std::string other = digest_of_headers({"kernels/rows/row_sort.cuh"});
  EXPECT_EQ(tile, both) << "tile_sort.cuh includes register_tile.cuh";
  EXPECT_NE(tile, other);
}

TEST(KernelSources, AHeaderThatIsNotEmbeddedIsAnError) {
  EXPECT_THROW((void)digest_of_headers({"kernels/none.cuh"}), Error);
}

TEST(KernelSources, EveryVariantHasAVersionOfItsOwn) {
  std::set<std::string> digests;
  for (const Variant* family : variants()) digests.insert(kernel_sources_digest(family->name()));
  EXPECT_EQ(digests.size(), variants().size());
  EXPECT_EQ(digests.count(""), 0u);
  EXPECT_EQ(kernel_sources_digest("no such variant"), "");
}

// A plan that used a header which its variant does not name would leave old trials standing when that
// changes.
TEST(KernelSources, PlansUseNoHeaderThatTheirVariantDoesNotName) {
  const DeviceInfo device = test::h200();
  for (const Variant* family : variants()) {
    const auto named = family->kernel_headers();
    std::set<std::string_view> used;
    for (const std::uint64_t n : {100, 5000, 1 << 20}) {
      const Problem problem{{.key = KeyType::f16}, {.n = n}};
      if (!family->supports(problem, device)) continue;
      const SearchSpace space = family->space(problem, device);
      constexpr std::uint64_t stride =
          1000003;  // a prime, so that points all over the product have their turn
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(space.cartesian_size(), 600); ++i) {
        const Configuration configuration = space.point(i * stride % space.cartesian_size());
        if (space.violation(configuration, problem, device)) continue;
        const Plan plan = family->plan(problem, configuration, device);
        for (const KernelSource& kernel : plan.kernels) {
          const auto known = std::find(named.begin(), named.end(), kernel.header);
          ASSERT_NE(known, named.end()) << family->name() << " launches a kernel of " << kernel.header;
          used.insert(*known);
        }
      }
    }
    EXPECT_EQ(used.size(), named.size()) << family->name() << " names a header that no plan uses";
  }
}

}  // namespace
}  // namespace bitune
