// The rooms of kernels/: who may include whom.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bitune/embedded_kernels.hpp"

namespace bitune {
namespace {

/// "radix" of "kernels/radix/radix_pass.cuh".
std::string_view room_of(std::string_view path) {
  const std::size_t begin = path.find('/') + 1;
  return path.substr(begin, path.find('/', begin) - begin);
}

std::vector<std::string_view> included_by(std::string_view text) {
  constexpr std::string_view directive = "#include \"";
  std::vector<std::string_view> paths;
  for (std::size_t at = text.find(directive); at != text.npos; at = text.find(directive, at)) {
    at += directive.size();
    paths.push_back(text.substr(at, text.find('"', at) - at));
  }
  return paths;
}

/// Long segments are sorted by the passes of a single array, and a large part of a row as a row by digits is.
/// The first keys of segments are found as those of rows, by who knows where segments lie. Ranks that send
/// keys away before they sort do so by the passes of a single array, too.
bool may_include(std::string_view room, std::string_view other) {
  if (other == room || other == "platform") return true;
  if (other == "network") return room != "platform";
  return (room == "segments" && other == "radix") || (room == "multi" && other == "radix") ||
         (room == "topk" && (other == "segments" || other == "radix"));
}

TEST(KernelRooms, AFamilyIncludesThePlatformTheNetworkAndItself) {
  ASSERT_FALSE(embedded_kernels().empty());
  for (const EmbeddedFile& file : embedded_kernels()) {
    const std::string_view room = room_of(file.path);
    for (const std::string_view path : included_by(file.text)) {
      EXPECT_TRUE(may_include(room, room_of(path))) << file.path << " includes " << path;
    }
  }
}

}  // namespace
}  // namespace bitune
