#include "cli/command_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "cli/formats/npy_header.hpp"
#include "tests/unit/cli/command_run.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define BITUNE_TEST_HEARS_MALLOC
#elif defined(__has_feature)  // clang's; others could not read what follows beside it
#if __has_feature(address_sanitizer)
#define BITUNE_TEST_HEARS_MALLOC
#endif
#endif
#ifdef BITUNE_TEST_HEARS_MALLOC
#include <sanitizer/allocator_interface.h>
#endif

namespace bitune::cli {
namespace command_input {
namespace {

class CommandInputTest : public CommandTest {
 protected:
  /// Numbers 0, 7, 14, ..., a permutation of what is below `count`.
  static std::vector<std::uint64_t> numbers(std::uint64_t count) {
    std::vector<std::uint64_t> keys(count);
    for (std::uint64_t i = 0; i < count; ++i) keys[i] = i * 7 % count;
    return keys;
  }

  void write_npy_file(const std::string& name, const std::vector<std::uint64_t>& keys,
                      const std::string& descr = "<u8") {
    std::string text = npy_header_text(descr, {keys.size()});
    text.append(reinterpret_cast<const char*>(keys.data()), keys.size() * 8);
    folder_.write(name, text);
  }
};

TEST_F(CommandInputTest, KeysStayInTheirFile) {
  const auto keys = numbers(100);
  write_npy_file("keys.npy", keys);
  folder_.write("keys.bin", std::string(reinterpret_cast<const char*>(keys.data()), 800));
  for (const InputRequest& request :
       {InputRequest{.path = "keys.npy", .type = {}, .format = {}, .limit = {}},
        InputRequest{.path = "keys.bin", .type = KeyType::u64, .format = {}, .limit = {}}}) {
    const auto input = map_input(request);
    ASSERT_TRUE(input) << request.path;
    EXPECT_TRUE(input->keys.bytes.empty());
    ASSERT_EQ(input->keys.count(), 100U);
    EXPECT_EQ(std::memcmp(input->keys.content().data(), keys.data(), 800), 0);
    EXPECT_EQ(input->keys.shape, std::vector<std::uint64_t>{100});
  }
}

TEST_F(CommandInputTest, WhatMustBeConvertedOrIsDamagedIsRead) {
  write_npy_file("big.npy", numbers(10), ">u8");
  write_npy_file("cut.npy", numbers(10));
  folder_.write("cut.npy", folder_.read("cut.npy").substr(0, 200));
  write_npy_file("none.npy", {});
  folder_.write("text.txt", "3\n1\n2\n");
  folder_.write("odd.bin", "123456789");
  for (const char* name : {"big.npy", "cut.npy", "none.npy", "text.txt", "odd.bin", "-"}) {
    EXPECT_FALSE(
        map_input({.path = name,
                   .type = std::string(name) == "odd.bin" ? std::optional(KeyType::u64) : std::nullopt,
                   .format = {},
                   .limit = {}}))
        << name;
  }
}

#ifdef BITUNE_TEST_HEARS_MALLOC
std::atomic<std::size_t> largest{0};  // of what was allocated

void hear_malloc(const volatile void* /*memory*/, std::size_t size) {
  std::size_t before = largest;
  while (before < size && !largest.compare_exchange_weak(before, size)) {
  }
}

void hear_free(const volatile void* /*memory*/) {}

TEST_F(CommandInputTest, TheProcessHoldsNoArrayOfAllKeys) {
  constexpr std::uint64_t count = 40000;
  write_npy_file("keys.npy", numbers(count));
  ASSERT_NE(__sanitizer_install_malloc_and_free_hooks(hear_malloc, hear_free), 0);
  largest = 0;
  const Json report = document("sort keys.npy -o sorted.npy --device emulated --device-memory 64K");
  EXPECT_LT(largest, count * 8) << "an array as large as the file was allocated";
  EXPECT_GT(report["parts"].get<int>(), 10);
  const std::string sorted = folder_.read("sorted.npy");
  ASSERT_EQ(sorted.size() % 64, (count * 8) % 64);
  std::vector<std::uint64_t> keys(count);
  std::memcpy(keys.data(), sorted.data() + sorted.size() - count * 8, count * 8);
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(keys[i], i);
  // Keys for standard output are read: so this would have noticed.
  largest = 0;
  EXPECT_EQ(run("sort keys.npy --output-format raw --device emulated --device-memory 64K").code, 0);
  EXPECT_GE(largest, count * 8);
}
#endif

}  // namespace
}  // namespace command_input
}  // namespace bitune::cli
