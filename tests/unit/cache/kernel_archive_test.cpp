#include "cache/kernel_archive.hpp"

#include <map>
#include <string>

#include "tests/unit/cache/database_fixture.hpp"

namespace bitune::test {
namespace {

KernelImage image_of(const std::string& name) {
  KernelImage image;
  image.target = "sm_90 cubin";
  image.lowered_name = name;
  image.bytes = std::string(5000, 'a') + '\0' + name;
  image.registers = 40;
  image.local_bytes = 0;
  return image;
}

class KernelArchives : public DirectoryTest {
 protected:
  std::filesystem::path path = directory / "tunings.kernels";
};

TEST_F(KernelArchives, GiveBackWhatWasWritten) {
  KernelArchive::write(path, {{"one", image_of("first")}, {"two", image_of("second")}});
  const KernelArchive archive(path);
  EXPECT_EQ(archive.size(), 2);
  EXPECT_EQ(archive.find("one"), image_of("first"));
  EXPECT_EQ(archive.find("two"), image_of("second"));
  EXPECT_EQ(archive.find("three"), std::nullopt);
  EXPECT_EQ(archive.find(""), std::nullopt);
}

TEST_F(KernelArchives, HaveAlikeKernelsInBundles) {
  std::map<std::string, KernelImage> kernels;
  for (int i = 0; i < 300; ++i) kernels.emplace(std::to_string(i), image_of("kernel " + std::to_string(i)));
  KernelArchive::write(path, kernels);
  const KernelArchive archive(path);
  for (const auto& [key, image] : kernels) EXPECT_EQ(archive.find(key), image);
  EXPECT_LT(std::filesystem::file_size(path), 300 * 5000 / 20) << "they differ in nothing but their names";
}

TEST_F(KernelArchives, ThatAreMissingHaveNoKernels) {
  const KernelArchive archive(path);
  EXPECT_EQ(archive.find("one"), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path)) << "looking must not make a file";
  refusal(path, [&] { (void)archive.size(); });
}

TEST_F(KernelArchives, OfAnotherKindHaveNoKernels) {
  { const TuningDatabase other(path, DatabaseMode::read_write); }
  const KernelArchive archive(path);
  EXPECT_EQ(archive.find("one"), std::nullopt);
  refusal(path, [&] { (void)archive.size(); });
  write_bytes(path, "no database at all");
  EXPECT_EQ(KernelArchive(path).find("one"), std::nullopt);
}

TEST_F(KernelArchives, ThatAreDamagedGiveTheKernelOrNothing) {
  KernelArchive::write(path, {{"one", image_of("first")}});
  const std::string whole = bytes_of(path);
  std::size_t lost = 0;
  for (std::size_t at = 0; at < whole.size(); at += 97) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
    write_bytes(path, damaged);
    const auto found = KernelArchive(path).find("one");
    if (found) EXPECT_EQ(*found, image_of("first")) << "byte " << at;
    lost += found ? 0 : 1;
  }
  EXPECT_GT(lost, 0);
  write_bytes(path, whole.substr(0, whole.size() / 2));
  EXPECT_EQ(KernelArchive(path).find("one"), std::nullopt);
}

TEST_F(KernelArchives, AreNotWrittenOverAnotherFile) {
  write_bytes(path, "mine");
  EXPECT_THROW(KernelArchive::write(path, {}), Error);
  EXPECT_EQ(bytes_of(path), "mine");
  const auto nowhere = directory / "no folder" / "tunings.kernels";
  EXPECT_THROW(KernelArchive::write(nowhere, {}), Error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory), {}), 1) << "nothing else is left";
}

}  // namespace
}  // namespace bitune::test
