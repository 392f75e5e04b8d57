#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "bitune/error.hpp"
#include "cli/end_on_signal.hpp"
#include "cli/formats/format.hpp"
#include "cli/formats/input_file.hpp"
#include "cli/formats/output_file.hpp"
#include "cli/formats/raw.hpp"
#include "tests/unit/cli/folder.hpp"

namespace bitune::cli {
namespace {

namespace fs = std::filesystem;

template <class Function>
std::string error_of(ErrorCode code, const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(InputFile, PeeksWithoutConsuming) {
  const Folder folder;
  InputFile file(folder.write("a", "abcdef"));
  EXPECT_EQ(file.peek(3), "abc");
  EXPECT_EQ(file.peek(4), "abcd");
  EXPECT_EQ(file.remaining(), 6U);
  EXPECT_EQ(file.read(2).size(), 2U);
  EXPECT_EQ(file.remaining(), 4U);
  const auto rest = file.read_all();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(rest.data()), rest.size()), "cdef");
  EXPECT_TRUE(file.read(1).empty());
}

TEST(InputFile, ReadsBytesInMemory) {
  InputFile file = InputFile::of_bytes("a", "abcdef");
  EXPECT_EQ(file.remaining(), 6U);
  EXPECT_EQ(file.peek(10), "abcdef");
  EXPECT_EQ(file.read(2).size(), 2U);
  EXPECT_EQ(file.read_all().size(), 4U);
  EXPECT_EQ(file.remaining(), 0U);
}

TEST(InputFile, ReadsNoMoreThanItsLimit) {
  const Folder folder;
  const std::string name = folder.write("a", "abcdef");
  const auto read = [&](const std::string& path, std::uint64_t limit) {
    InputFile file(path, {.bytes = limit, .reason = "a test"});
    return file.read_all().size();
  };
  EXPECT_EQ(read(name, 6), 6U);
  EXPECT_EQ(
      error_of(ErrorCode::input, [&] { read(name, 5); }),
      name +
          " takes 6 bytes of memory, and an input may take 5 bytes (a test); --max-bytes sets another limit");
  EXPECT_EQ(
      error_of(ErrorCode::input, [&] { read("/dev/zero", 1U << 20); }),
      "/dev/zero does not end within 1.0 MiB, the most that an input may take (a test); --max-bytes sets "
      "another limit");
}

TEST(InputFile, NamesWhatItCannotRead) {
  const Folder folder;
  EXPECT_EQ(error_of(ErrorCode::io, [] { InputFile("/no/such/file"); }),
            "cannot read /no/such/file: No such file or directory");
  EXPECT_NE(error_of(ErrorCode::io, [&] { InputFile{folder.file("")}; }).find("is a directory"),
            std::string::npos);
}

TEST(OutputFile, AppearsAtCommitOnly) {
  const Folder folder;
  {
    OutputFile file(folder.file("out"));
    file.write("half");
    EXPECT_FALSE(fs::exists(folder.file("out")));
  }
  EXPECT_TRUE(folder.names().empty());
  OutputFile file(folder.file("out"));
  file.write("whole");
  file.commit();
  EXPECT_EQ(folder.read("out"), "whole");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out"});
}

TEST(OutputFile, ReplacesAndKeepsPermissions) {
  const Folder folder;
  folder.write("out", "old");
  fs::permissions(folder.file("out"), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  {
    OutputFile file(folder.file("out"));
    file.write("new");
    EXPECT_EQ(folder.read("out"), "old");
    file.commit();
  }
  EXPECT_EQ(folder.read("out"), "new");
  EXPECT_EQ(fs::status(folder.file("out")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
}

TEST(OutputFile, NewFilesObeyTheMask) {
  const Folder folder;
  const mode_t before = umask(027);
  OutputFile file(folder.file("out"));
  file.commit();
  umask(before);
  struct stat status = {};
  ASSERT_EQ(stat(folder.file("out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST(OutputFile, FollowsLinks) {
  const Folder folder;
  fs::create_symlink("target", folder.file("link"));
  OutputFile file(folder.file("link"));
  file.write("x");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder.file("link")));
  EXPECT_EQ(folder.read("target"), "x");
}

TEST(OutputFile, WritesDevicesDirectly) {
  OutputFile file("/dev/null");
  file.write("x");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputFile, NamesWhatItCannotWrite) {
  const Folder folder;
  const auto open = [](const std::string& path) { OutputFile file(path); };
  EXPECT_EQ(error_of(ErrorCode::io, [&] { open("/no/such/folder/out"); }),
            "cannot write /no/such/folder/out: No such file or directory");
  EXPECT_NE(error_of(ErrorCode::io, [&] { open(folder.file("")); }).find("is a directory"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorCode::usage, [&] { open(""); }).find("is empty"), std::string::npos);
  EXPECT_EQ(error_of(ErrorCode::io,
                     [] {
                       OutputFile file("/dev/full");
                       file.write("x");
                     }),
            "cannot write /dev/full: No space left on device");
}

TEST(OutputFile, SignalsRemoveTheTemporaryFile) {
  const Folder folder;
  folder.write("out", "old");
  const pid_t child = fork();
  if (child == 0) {
    remove_leftovers_on_signals();
    OutputFile file(folder.file("out"));
    file.write("half");
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(folder.read("out"), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"out"});
}

TEST(OutputFile, SignalsRemoveAllOfSeveral) {
  const Folder folder;
  const pid_t child = fork();
  if (child == 0) {
    remove_leftovers_on_signals();
    OutputFile keys(folder.file("keys"));
    OutputFile values(folder.file("values"));
    OutputFile done(folder.file("done"));
    done.commit();
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(folder.names(), std::vector<std::string>{"done"});
}

TEST(OutputFile, SweepsWhatKilledProcessesLeft) {
  const Folder folder;
  folder.write(".out.bitune-backup.bak", "somebody's");
  folder.write(".other.bitune-aaaaaa", "of another file");
  const pid_t child = fork();
  if (child == 0) {
    OutputFile file(folder.file("out"));
    file.write("half");
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(folder.names().size(), 3U);
  OutputFile living(folder.file("out"));
  OutputFile next(folder.file("out"));
  EXPECT_EQ(folder.names().size(), 4U) << "the one of the killed process is gone, the living one's is not";
  living.write("whole");
  living.commit();
  EXPECT_EQ(folder.read("out"), "whole");
}

TEST(Raw, NeedsWholeKeys) {
  const Folder folder;
  const auto read = [&](const std::string& content, KeyType type) {
    InputFile file(folder.write("a.bin", content));
    return read_raw(file, type);
  };
  EXPECT_EQ(read("12345678", KeyType::u32).count(), 2U);
  EXPECT_NE(
      error_of(ErrorCode::input, [&] { static_cast<void>(read("1234567", KeyType::u32)); }).find("7 bytes"),
      std::string::npos);
  EXPECT_EQ(read("", KeyType::u32).count(), 0U);
}

TEST(Format, IsFoundByContentAndName) {
  const auto detect = [](const std::string& name, const std::string& content) {
    InputFile file = InputFile::of_bytes(name, content);
    return detect_format(file);
  };
  EXPECT_EQ(detect("a.npy", ""), Format::npy);
  EXPECT_EQ(detect("a.txt", "\x93NUMPY"), Format::npy) << "the bytes come first";
  EXPECT_EQ(detect("a.csv", "1"), Format::text);
  EXPECT_EQ(detect("a.bin", "1"), Format::raw);
  for (const char* name : {"a", "a.dat", "standard input", "/dev/stdin"}) {
    EXPECT_EQ(detect(name, "\x93NUMPY..."), Format::npy) << name;
    EXPECT_EQ(detect(name, "1234"), Format::text) << name;
    EXPECT_EQ(detect(name, ""), Format::text) << name;
    EXPECT_NE(error_of(ErrorCode::input, [&] { static_cast<void>(detect(name, std::string("\0\1", 2))); })
                  .find("give --format raw and --type"),
              std::string::npos);
  }
  EXPECT_NE(error_of(ErrorCode::usage, [&] { static_cast<void>(detect("a.gz", "1")); }).find(".gz file"),
            std::string::npos);
  EXPECT_EQ(parse_format("raw"), Format::raw);
  EXPECT_THROW(static_cast<void>(parse_format("csv")), Error);
}

TEST(Format, RawNeedsAType) {
  const Folder folder;
  InputFile file(folder.write("a.bin", "1234"));
  EXPECT_NE(error_of(ErrorCode::usage, [&] { static_cast<void>(read_keys(file, Format::raw, std::nullopt)); })
                .find("give --type"),
            std::string::npos);
}

}  // namespace
}  // namespace bitune::cli
