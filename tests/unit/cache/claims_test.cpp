#include "cache/claims.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

class ClaimsTest : public DirectoryTest {
 protected:
  std::filesystem::path path = directory / "tuning.db";
};

TEST_F(ClaimsTest, OneHasWhatOthersCannotTake) {
  const Claims one(path);
  const Claims other(path);
  EXPECT_TRUE(one.take("warp(a=1)"));
  EXPECT_TRUE(one.take("warp(a=1)")) << "it is one's own";
  EXPECT_FALSE(other.take("warp(a=1)"));
  EXPECT_TRUE(other.take("warp(a=2)"));
  one.give_up("warp(a=1)");
  EXPECT_TRUE(other.take("warp(a=1)"));
}

TEST_F(ClaimsTest, AProcessThatIsKilledHasNone) {
  const Claims claims(path);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const Claims own(path);
    if (!own.take("warp(a=1)") || ::write(ready[1], "x", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_FALSE(claims.take("warp(a=1)"));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(claims.take("warp(a=1)"));
  for (const int end : ready) ::close(end);
}

TEST_F(ClaimsTest, TheLastOneTakesTheFileAlong) {
  const std::string file = path.string() + "-claims";
  {
    const Claims one(path);
    EXPECT_TRUE(one.take("a"));
    { const Claims other(path); }
    EXPECT_TRUE(std::filesystem::exists(file));
  }
  EXPECT_FALSE(std::filesystem::exists(file));
  const Claims nowhere("/proc/no/such/folder.db");
  EXPECT_TRUE(nowhere.take("a")) << "then some work is done twice";
}

}  // namespace
}  // namespace bitune::test
