// Wrong usage, wrong input and outputs that cannot be written: one sentence, the right exit code, and nothing
// is left behind.

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <string>

#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace {

struct Refusal {
  const char* line;  ///< the command line
  ExitCode code;
  const char* sentence;  ///< a part of what it says
};

void PrintTo(const Refusal& refusal, std::ostream* stream) { *stream << refusal.line; }

/// The line with everything but letters and digits left out, and a number, since that may leave two alike.
std::string name_of_case(const testing::TestParamInfo<Refusal>& info) {
  std::string name;
  for (const char c : std::string(info.param.line)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  return name + '_' + std::to_string(info.index);
}

// Of a shell's variable that was not set: `--sizes "$sizes"`.
TEST_F(CommandTest, RefusesEmptyTexts) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"tune", "--sizes", ""},
                                                {"tune", "--db", ""},
                                                {"tune", "--device", ""},
                                                {"bench", "--out", ""},
                                                {"db", "export", "-o", ""},
                                                {"db", "report", ""},
                                                {"db", "trials", "--key", ""},
                                                {"sort", "--db", "", "keys.npy"}}) {
    const CommandResult result = run_in_process(words);
    EXPECT_EQ(result.code, bad_usage) << words[0] << ' ' << words[1];
    EXPECT_NE(result.err.find("empty"), std::string::npos) << words[0] << ": " << result.err;
    EXPECT_TRUE(contents().empty());
  }
}

TEST_F(CommandTest, TuneSaysWhichVariantsCannot) {
  const CommandResult tuned =
      run("tune --device emulated --keys u32 --variants counting --sizes 300 --budget 1evals --finalists 0 "
          "--no-isolate");
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_NE(tuned.err.find("counting cannot do 'sort u32 ascending n=300'"), std::string::npos) << tuned.err;
}

class Refuses : public CommandTest, public testing::WithParamInterface<Refusal> {};

TEST_P(Refuses, InOneSentence) { expect_refusal(GetParam().line, GetParam().code, GetParam().sentence); }

INSTANTIATE_TEST_SUITE_P(Words, Refuses,
                         testing::ValuesIn(std::to_array<Refusal>({
                             {"", bad_usage, "subcommand"},
                             {"nonsense", bad_usage, "there is no command 'nonsense'"},
                             {"nonsense --help", bad_usage, "there is no command 'nonsense'"},
                             {"db nonsense --help", bad_usage, "there is no command 'nonsense'"},
                             {"db", bad_usage, "subcommand"},
                             {"db show", bad_usage, "required"},
                             {"tune --device emulated --no-such-option", bad_usage, "no-such-option"},
                         })),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Tune, Refuses,
    testing::ValuesIn(std::to_array<Refusal>({
        {"tune --device emulated --keys u7", bad_usage, "'u7' is not a key type"},
        {"tune --device emulated --operation sort_paris", bad_usage, "'sort_paris' is no operation"},
        {"tune --device emulated --operation argsort --index-bytes 2", bad_usage, "4 or 8 bytes, not '2'"},
        {"tune --device emulated --value-bytes 4", bad_usage, "--value-bytes is for sort_pairs"},
        {"tune --device emulated --sizes 2^", bad_usage, "'2^' is not a size"},
        {"tune --device emulated --variants no-such-variant", bad_usage, "no-such-variant"},
        {"tune --device emulated --start radix", bad_usage, "'radix' is not a configuration"},
        {"tune --device emulated --keys u32 --sizes 300 --start counting(x=1)", bad_usage,
         "counting cannot do 'sort u32"},
        {"tune --device emulated --variants warp --start radix(x=1)", bad_usage,
         "radix is not among --variants warp"},
        {"tune --device emulated --keys u32 --sizes 300 --start radix(x=1)", bad_usage, "not of the space"},
        {"tune --device emulated --strategy no-such-strategy", bad_usage, "no-such-strategy"},
        {"tune --device emulated --budget fast", bad_usage, "not a budget"},
        {"tune --device emulated --timeout 5", bad_usage, "not a duration"},
        {"tune --device emulated --budget 60", bad_usage, "write 60s for seconds, or 60evals"},
        {"tune --device emulated --seeds 3", bad_usage, "--seeds requires --simulate"},
        {"tune --device emulated --at-once 3", bad_usage, "--at-once requires --simulate"},
        {"tune --device emulated --seed -1", bad_usage, "-1 is below 0"},
        {"tune --device emulated --sizes 2^40", bad_usage, "GiB of memory at least, and emulated device has"},
        {"tune --device emulated --precision 1", bad_usage, "not a precision"},
        {"tune --device emulated --rows 0", bad_usage, "--rows must be 1 or more"},
        {"tune --device emulated --samples 0", bad_usage, "--samples"},
        {"tune --device emulated --distribution lumpy", bad_usage, "lumpy"},
        {"tune --device emulated --seed x", bad_usage, "--seed"},
        {"tune --device emulated --order sideways", bad_usage, "sideways"},
        {"tune --device emulated --keys u32 --sizes 16,48 --total 20", bad_usage, "no row of 48 keys"},
        {"tune --device emulated --rows 2 --total 20", bad_usage, "--rows or --total"},
        {"tune --device emulated --devices emulated,emulated", bad_usage, "not both"},
        {"tune --devices emulated,nonsense", bad_usage, "nonsense"},
    })),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(
    Bench, Refuses,
    testing::ValuesIn(std::to_array<Refusal>({
        {"bench --device emulated --keys u7", bad_usage, "'u7' is not a key type"},
        {"bench --device emulated --rows 2", bad_usage, "--suite rows"},
        {"bench --device emulated --suite columns", bad_usage, "unknown suite 'columns'"},
        {"bench --device emulated --sizes 100 --configuration nothing", bad_usage, "nothing"},
        {"bench --device emulated --sizes 100 --configuration packed_rows()", bad_usage,
         "variant 'packed_rows' does not do this problem"},
        {"bench --device emulated --sizes 100 --configuration radix(block_size_x=7)", bad_usage, "radix"},
        {"bench --device emulated --graph --sizes 100", failed, "has no CUDA graphs to measure"},
        {"bench start --device emulated --sizes 1", bad_usage, "use 2 or more"},
        {"bench presets --device emulated --presets v9", bad_usage, "there is no preset 'v9'"},
        {"bench presets --device emulated --keys f64", bad_usage, "u32 and i32"},
    })),
    name_of_case);

// A database is made by `bitune tune`, and by nothing that only looks.
INSTANTIATE_TEST_SUITE_P(WithoutDatabase, Refuses,
                         testing::ValuesIn(std::to_array<Refusal>({
                             {"db list", failed, "`bitune tune` makes one"},
                             {"db best", failed, "`bitune tune` makes one"},
                             {"db show 1", failed, "`bitune tune` makes one"},
                             {"db trials", failed, "`bitune tune` makes one"},
                             {"db check", failed, "`bitune tune` makes one"},
                             {"db prune --superseded", failed, "`bitune tune` makes one"},
                             {"db ship x.db", failed, "`bitune tune` makes one"},
                             {"db ship x.db --key u32", bad_usage, "give --kernels, too"},
                             {"db check --n 1024", bad_usage, "give --kernels, too"},
                         })),
                         name_of_case);

/// In a folder with input files that are good, bad, and none.
class SortRefuses : public Refuses {
 protected:
  SortRefuses() {
    folder_.write("good.txt", "3\n1\n2\n");
    folder_.write("keys.dat", "abcd");
    folder_.write("raw.dat", std::string("a\0b\xff", 4));
    folder_.write("archive.npz", "PK");
    folder_.write("lines.csv", "1,2\n3,4\n");
    folder_.write("empty.npy", "");
    folder_.write("nan.txt", "1\nnan\n");
    folder_.write("wide.txt", "1\n256\n");
    folder_.write("headed.csv", "price\n1\n");
    folder_.write("bad.npy", "no numpy");
  }
};

TEST_P(SortRefuses, InOneSentence) {
  const std::string line = std::string("sort --device emulated ") + GetParam().line;
  expect_refusal(line, GetParam().code, GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(Usage, SortRefuses,
                         testing::ValuesIn(std::to_array<Refusal>({
                             {"", bad_usage, "give a file"},
                             {"good.txt --no-such-option", bad_usage, "no-such-option"},
                             {"good.txt --type u7", bad_usage, "'u7' is not a key type"},
                             {"good.txt --format xml", bad_usage, "no format 'xml'"},
                             {"good.txt --output-format xml -o out.x", bad_usage, "no format 'xml'"},
                             {"good.txt --json", bad_usage, "--json needs -o"},
                             {"good.txt --generate random:10 --type u32", bad_usage, "not both"},
                             {"--generate random:10", bad_usage, "needs --type"},
                             {"--generate random --type u32", bad_usage, "random:1000000"},
                             {"--generate strange:10 --type u32", bad_usage, "strange"},
                             {"good.txt --rows 2", bad_usage, "2 rows of equal length"},
                             {"good.txt -o x --devices 0,1", bad_usage, "excludes"},
                             {"good.txt --values v.npy -o x", bad_usage, "--values needs --values-out"},
                             {"good.txt --values-out v.npy -o x", bad_usage, "--values-out needs --values"},
                             {"good.txt --values v -o x --values-out x", bad_usage, "a file of its own"},
                             {"good.txt --values v -o x --values-out ./x", bad_usage, "a file of its own"},
                             {"--generate random:10 --type u8 --values v -o x --values-out y", bad_usage,
                              "leave --generate out"},
                             {"good.txt -o x.npz", bad_usage, "has the name of a .npz file"},
                             {"good.txt --seed -1", bad_usage, "--seed: -1 is below 0"},
                             {"good.txt --max-bytes lots", bad_usage, "--max-bytes: 'lots' is not a size"},
                             {"keys.dat --format raw -o x", bad_usage, "give --type"},
                         })),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(Input, SortRefuses,
                         testing::ValuesIn(std::to_array<Refusal>({
                             {"missing.npy -o x", failed, "No such file"},
                             {". --format raw --type u8 -o x", failed, "is a directory"},
                             {"raw.dat -o x", failed, "raw.dat does not begin as text does"},
                             {"raw.dat --type u8 -o x", failed, "--format raw"},
                             {"keys.dat --type u8 -o x", failed, "line 1: 'abcd' is not a number"},
                             {"archive.npz -o x", bad_usage, "has the name of a .npz file"},
                             {"lines.csv -o x", bad_usage, "give --rows 2"},
                             {"good.txt --max-bytes 5 -o x", failed, "good.txt takes 6 bytes of memory"},
                             {"good.txt --max-bytes 29 -o x", failed, "good.txt takes 30 bytes of memory"},
                             {"/dev/zero --format raw --type u8 --max-bytes 1M -o x", failed,
                              "does not end within"},
                             {"--generate random:2^60 --type u64 --max-bytes 18446744073709551615 -o x",
                              failed, "not enough host memory to sort --generate random:2^60"},
                             {"good.txt --db typo.db -o x", failed, "there is no tuning database typo.db"},
                             {"empty.npy -o x", failed, "truncated"},
                             {"keys.dat --format raw --type u64 -o x", failed, "4 bytes"},
                             {"nan.txt --type i32 -o x", failed, "line 2: 'nan' is not a number of type i32"},
                             {"wide.txt --type u8 -o x", failed, "out of the range of u8"},
                             {"headed.csv -o x", failed, "line 1: 'price'"},
                             {"bad.npy -o x", failed, "not a .npy file"},
                             {"good.txt --values none -o x --values-out y", failed, "No such file"},
                             {"good.txt --values keys.dat -o x --values-out y", failed, "for 3 keys"},
                         })),
                         name_of_case);

// The last: the file that would have been replaced stays, as all others.
INSTANTIATE_TEST_SUITE_P(Output, SortRefuses,
                         testing::ValuesIn(std::to_array<Refusal>({
                             {"good.txt -o no/such/folder/x", failed, "no/such/folder"},
                             {"good.txt -o .", failed, "is a directory"},
                             {"nan.txt --type i32 -o good.txt", failed, "'nan'"},
                         })),
                         name_of_case);

TEST_F(SortRefuses, AnOutputWithoutAName) {
  const CommandResult result = run_in_process({"sort", "good.txt", "-o", ""});
  EXPECT_EQ(result.code, bad_usage);
  EXPECT_NE(result.err.find("--output: the text is empty"), std::string::npos) << result.err;
}

TEST_F(SortRefuses, ANameThatIsNoText) {
  const CommandResult result = run_in_process({"sort", "no\xff\x1b"});
  EXPECT_EQ(result.err, "bitune: cannot read no\\xff\\x1b: No such file or directory\n");
}

TEST_F(SortRefuses, ADeviceThatThereIsNot) {
  expect_refusal("sort good.txt --device nonsense", bad_usage, "nonsense");
}

/// With the trials of an H200 as the database.
class DatabaseRefuses : public Refuses {
 protected:
  DatabaseRefuses() {
    unpack_h200("tuning.db");
    folder_.write("text.db",
                  "This is no database, but long enough to have the header of one: " + std::string(100, '-'));
  }

 private:
  ScopedVariable database_{"BITUNE_DB", "tuning.db"};
};

TEST_P(DatabaseRefuses, InOneSentence) {
  expect_refusal(GetParam().line, GetParam().code, GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(
    Looking, DatabaseRefuses,
    testing::ValuesIn(std::to_array<Refusal>({
        {"db show 99999", failed, "no trial 99999"},
        {"db show H9000", bad_usage, "names no device"},
        {"db list --device H9000", bad_usage, "names no device"},
        {"db trials --key u7", bad_usage, "'u7' is not a key type"},
        {"db trials --status splendid", bad_usage, "'splendid' is not the status of a trial"},
        {"db prune", bad_usage, "say which"},
        {"db trials --limit -1", bad_usage, "-1 is below 0"},
        {"db ship tuning.db", failed, "exists already"},
        {"db check --kernels", failed, "cannot be read as an archive of kernels"},
        {"db list --db text.db", failed, "text.db"},
        {"tune --device emulated --db text.db --keys u32 --sizes 300 --budget 1evals", failed, "text.db"},
        {"tune --device emulated --db text.db/new.db --sizes 300 --budget 1evals", failed, "text.db/new.db"},
    })),
    name_of_case);

INSTANTIATE_TEST_SUITE_P(Exchange, DatabaseRefuses,
                         testing::ValuesIn(std::to_array<Refusal>({
                             {"db export --format cache", bad_usage, "these are 3 files"},
                             {"db export --format cache -o one.json", bad_usage, "these are 3 files"},
                             {"db export --format xml", bad_usage, "there is no format 'xml'"},
                             {"db export --open", bad_usage, "only caches can be left open"},
                             {"db export --json", bad_usage, "name it with -o"},
                             {"db export --key f64", failed, "no trials in"},
                             {"db export -o /dev/null/x.json", failed, "cannot be written"},
                             {"db import missing.json --db none.db", failed, "cannot be read"},
                             {"db merge text.db --db none.db", failed, "is not a SQLite database"},
                             {"db merge missing.db --db none.db", failed, "does not exist"},
                         })),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(Report, DatabaseRefuses,
                         testing::ValuesIn(std::to_array<Refusal>({
                             {"db report none.html --n 7", failed, "no trials in"},
                             {"db report none.html --bench none.json", failed, "none.json"},
                             {"db report none.html --bench tuning.db", failed, "no list of bench results"},
                             {"db report - --json", bad_usage, "--json needs a file"},
                             {"db report missing/none.html", failed, "missing/none.html"},
                         })),
                         name_of_case);

/// Replaying what tests/data/recorded holds.
class SimulationRefuses : public Refuses {
 protected:
  SimulationRefuses() { folder_.write("broken.json", "{\"results\": "); }
};

TEST_P(SimulationRefuses, InOneSentence) {
  const std::string line = std::string("tune --simulate ") + GetParam().line;
  expect_refusal(line, GetParam().code, GetParam().sentence);
}

constexpr const char* recording = BITUNE_TEST_DATA "/recorded/nvidia-h200/warp_u32_1024.json.gz";

INSTANTIATE_TEST_SUITE_P(Files, SimulationRefuses,
                         testing::ValuesIn(std::to_array<Refusal>({
                             {"none.json", failed, "none.json"},
                             {"broken.json", failed, "broken.json"},
                         })),
                         name_of_case);

TEST_F(SimulationRefuses, WrongUsage) {
  const std::string line = std::string("tune --simulate ") + recording;
  expect_refusal(line + " --strategy no-such-strategy", bad_usage, "no-such-strategy");
  expect_refusal(line + " --budget 5x", bad_usage, "not a budget");
  expect_refusal(line + " --keys u32", bad_usage, "--keys excludes --simulate");
  expect_refusal(line + " --db other.db", bad_usage, "excludes");
}

}  // namespace
}  // namespace bitune::cli
