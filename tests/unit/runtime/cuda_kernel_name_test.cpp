#include <gtest/gtest.h>

#include "runtime/cuda/kernel_name.hpp"

namespace bitune::cuda {
namespace {

TEST(KernelName, TellsHowManyParametersAKernelHas) {
  EXPECT_EQ(parameters_of("planted::none()"), 0u);
  EXPECT_EQ(parameters_of("planted::add(unsigned int*, unsigned long, unsigned int, unsigned int)"), 4u);
  EXPECT_EQ(parameters_of("void bitune::tile_sort<bitune::Codec<4, (bitune::Order)1>, 256, 16>(unsigned char "
                          "const*, unsigned char*, unsigned long)"),
            3u);
}

TEST(KernelName, CountsNeitherTemplateArgumentsNorParametersOfFunctions) {
  EXPECT_EQ(parameters_of("void sort<Pair<int, long> >(Pair<int, long>*, int (*)(int, int))"), 2u);
  EXPECT_EQ(parameters_of("(anonymous namespace)::one(int)"), 1u);
}

TEST(KernelName, OfAnExternCKernelTellsNothing) {
  EXPECT_EQ(parameters_of("add"), std::nullopt);
  EXPECT_EQ(parameters_of(""), std::nullopt);
  EXPECT_EQ(parameters_of("int)"), std::nullopt);
}

TEST(KernelName, IsReadFromTheCompiledKernel) {
  EXPECT_EQ(parameters_of(demangled("_ZN7planted3addEPjmjj")), 4u);
  EXPECT_EQ(demangled("add"), "add");
}

}  // namespace
}  // namespace bitune::cuda
