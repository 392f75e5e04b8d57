#include "cli/formats/records.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "bitune/error.hpp"
#include "cli/formats/npy_header.hpp"
#include "cli/record_keys.hpp"
#include "tests/unit/cli/command_run.hpp"

namespace bitune::cli {
namespace {

std::unique_ptr<Records> csv(const std::string& text, bool has_header = true,
                             const std::string& name = "f.csv") {
  InputFile file = InputFile::of_bytes(name, text);
  return read_csv_records(file, has_header);
}

std::unique_ptr<Records> npy(const std::string& descr, std::uint64_t count, const std::string& data,
                             bool utf8 = false) {
  InputFile file = InputFile::of_bytes("f.npy", npy_header_text(descr, {count}, utf8) + data);
  return read_npy_records(file);
}

/// The sentence that this throws; "no error" if it does not.
template <class Function>
std::string sentence_of(const Function& function) {
  try {
    static_cast<void>(function());
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// What is written if the records are taken in this order.
std::string written(const Records& records, const std::vector<std::uint32_t>& order, Format format) {
  const Folder folder;
  std::vector<std::byte> bytes(order.size() * sizeof(order[0]));
  std::memcpy(bytes.data(), order.data(), bytes.size());
  OutputFile file(folder.file("out"));
  records.write(file, format, make_list(KeyType::u32, bytes));
  file.commit();
  return folder.read("out");
}

template <class T>
std::vector<T> key_values(const Records& records, const std::string& field) {
  const KeyArray keys = records.keys(records.find(field).value(), std::nullopt);
  std::vector<T> values(keys.count());
  std::memcpy(values.data(), keys.bytes.data(), keys.bytes.size());
  return values;
}

TEST(CsvRecords, TravelWhole) {
  const auto records =
      csv("id,name,\"the price\"\r\n1,\"b, \"\"x\"\"\r\ny\",2.5\r\n2,, 1e3 \r\n3,c,\"-1\"\r\n\r\n");
  EXPECT_EQ(records->count(), 3U);
  EXPECT_EQ(records->names(), (std::vector<std::string>{"id", "name", "the price"}));
  EXPECT_EQ(key_values<double>(*records, "the price"), (std::vector<double>{2.5, 1000, -1}));
  EXPECT_EQ(key_values<std::int64_t>(*records, "1"), (std::vector<std::int64_t>{1, 2, 3})) << "by number";
  EXPECT_EQ(written(*records, {2, 0, 1}, Format::text),
            "id,name,\"the price\"\r\n3,c,\"-1\"\r\n1,\"b, \"\"x\"\"\r\ny\",2.5\r\n2,, 1e3 \r\n");
  EXPECT_TRUE(records->has_format(Format::text));
  EXPECT_FALSE(records->has_format(Format::npy));
}

TEST(CsvRecords, NeedNoHeader) {
  const auto records = csv("1,2\n3,4", false);
  EXPECT_EQ(records->names(), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(key_values<std::int64_t>(*records, "2"), (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(written(*records, {1, 0}, Format::text), "3,4\n1,2\n");
}

TEST(CsvRecords, AreSeparatedAsTheFirstLineSays) {
  EXPECT_EQ(csv("a;b,c;d\n")->names().size(), 3U);
  EXPECT_EQ(csv("a\tb\n")->names().size(), 2U);
  EXPECT_EQ(csv("a,b\tc,d\n", true, "f.tsv")->names(), (std::vector<std::string>{"a,b", "c,d"}));
  EXPECT_EQ(csv("\xef\xbb\xbfprice\n3\n")->names(), std::vector<std::string>{"price"}) << "a byte order mark";
  EXPECT_EQ(written(*csv("\xef\xbb\xbfprice\n3\n"), {0}, Format::text), "\xef\xbb\xbfprice\n3\n");
}

TEST(CsvRecords, MayBeNone) {
  EXPECT_EQ(csv("")->count(), 0U);
  EXPECT_EQ(csv("")->names().size(), 0U);
  const auto header = csv("price\n");
  EXPECT_EQ(header->count(), 0U);
  EXPECT_EQ(written(*header, {}, Format::text), "price\n");
  EXPECT_EQ(key_values<std::int64_t>(*header, "price").size(), 0U);
}

TEST(CsvRecords, SayWhichLineIsWrong) {
  const auto keys_of = [](const std::string& text, const std::string& field) {
    return sentence_of([&] {
      const auto records = csv(text);
      return records->keys(records->find(field).value(), std::nullopt);
    });
  };
  EXPECT_EQ(keys_of("a,b\n\"1\n1\",2\n3\n", "b"), "f.csv, column 'b', line 4: the line has 1 fields only");
  EXPECT_EQ(keys_of("a,b\n\"1\n1\",2\n3,x\n", "b"),
            "f.csv, column 'b', line 4: 'x' is not a number of type i64");
  EXPECT_EQ(keys_of("a\n\n1\n", "a"), "f.csv, column 'a', line 2: '' is not a number of type i64");
  EXPECT_NE(
      keys_of("a\n1.5\n9007199254740993\n", "a").find("column 'a', line 3: 9007199254740993 would become"),
      std::string::npos);
  EXPECT_EQ(sentence_of([] { return csv("a,b\n1,\"2\n3"); }),
            "f.csv, line 2: a field begins with a quote that nothing closes");
  EXPECT_NE(sentence_of([] { return csv(std::string("a\0b", 3)); }).find("is no text"), std::string::npos);
  EXPECT_NE(sentence_of([] { return csv("a,a\n1,2")->find("a"); }).find("2 columns named 'a'"),
            std::string::npos);
  EXPECT_EQ(csv("a,b\n")->find("3"), std::nullopt);
  EXPECT_EQ(csv("a,b\n")->find("0"), std::nullopt);
  EXPECT_EQ(csv("7,1\n")->find("1"), std::optional<std::size_t>(1)) << "a name comes before a number";
}

TEST(CsvRecords, CountAgainstTheLimit) {
  const Folder folder;
  InputFile file(folder.write("f.csv", "a\n1\n2\n"), {.bytes = 20, .reason = ""});
  EXPECT_THROW(static_cast<void>(read_csv_records(file, true)), Error);
}

const std::string fields =
    "[('a', '>u2'), ('', '|V1'), (('title', 'b'), '<f4', (2,)), ('c', [('x', '|i1')]), ('t', '<M8[s]')]";

TEST(NpyRecords, HaveFieldsOfAllKinds) {
  const NpyHeader header =
      parse_npy_header("{'descr': " + fields + ", 'fortran_order': False, 'shape': (1,), }", "f");
  EXPECT_EQ(header.descr, fields);
  EXPECT_EQ(
      header.fields,
      (std::vector<NpyField>{
          {"a", ">u2", 0, 2}, {"", "|V1", 2, 1}, {"b", "", 3, 8}, {"c", "", 11, 1}, {"t", "<M8[s]", 12, 8}}));
}

TEST(NpyRecords, TravelWhole) {
  const std::string first = "\1\2_aaaabbbbx" + std::string("\0\0\0\0\0\0\0\x80", 8);  // not a time
  const std::string second = "\0\3_ccccddddy" + std::string("\1\0\0\0\0\0\0\x80", 8);
  const std::string two = "\1\2_aaaabbbbx" + first.substr(12) + std::string("\0\3", 2) + "_ccccddddy" +
                          std::string("\1\0\0\0\0\0\0\x80", 8);
  const auto records = npy(fields, 2, two);
  EXPECT_EQ(records->count(), 2U);
  EXPECT_EQ(key_values<std::uint16_t>(*records, "a"), (std::vector<std::uint16_t>{258, 3}));
  EXPECT_EQ(key_values<std::uint64_t>(*records, "t"), (std::vector<std::uint64_t>{~std::uint64_t{0}, 0}))
      << "what is no time is last";
  EXPECT_EQ(written(*records, {1, 0}, Format::raw), two.substr(20) + two.substr(0, 20));
  EXPECT_EQ(written(*records, {0, 1}, Format::npy), npy_header_text(fields, {2}) + two);
  EXPECT_FALSE(records->has_format(Format::text));
  EXPECT_NE(
      sentence_of([&] { return records->keys(2, std::nullopt); }).find("field 'b' holds several numbers"),
      std::string::npos);
  EXPECT_NE(sentence_of([&] { return records->keys(0, KeyType::f32); }).find("holds u16 keys, not f32"),
            std::string::npos);
  EXPECT_EQ(records->find(""), std::nullopt) << "what is between fields has no name";
}

TEST(NpyRecords, HaveNamesInUtf8) {
  EXPECT_EQ(npy("[('gr\xf6\xdf', '|u1')]", 1, "x")->names(), std::vector<std::string>{"größ"}) << "Latin-1";
  const auto records = npy("[('größ', '|u1')]", 1, "x", true);
  EXPECT_EQ(records->names(), std::vector<std::string>{"größ"});
  EXPECT_EQ(written(*records, {0}, Format::npy)[6], 3) << "the version whose header is in UTF-8";
}

TEST(NpyRecords, AreRefusedIfTheyAreNotSound) {
  const auto refusal = [](const std::string& descr) {
    return sentence_of([&] { return npy(descr, 1, "1234"); });
  };
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "[('a', ";
  for (const auto& [descr, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "no fields"},
           {"[('a', '|O')]", "no plain bytes"},
           {"[('a', '|S0')]", "without any bytes"},
           {"[('a', '<f4', 2)]", "where '(' is expected"},
           {"[('a', '<f4'", "is expected"},
           {"[('a')]", "where ',' is expected"},
           {"['a']", "where '(' is expected"},
           {"[('a', '<f8', (4294967296, 4294967296))]", "impossibly large"},
           {"[('a', '<f8')]", "truncated"},
           {deep, "nested too deep"}}) {
    EXPECT_NE(refusal(descr).find(sentence), std::string::npos)
        << descr.substr(0, 50) << ": " << refusal(descr);
  }
  EXPECT_NE(refusal("|u1").find("leave --key out"), std::string::npos);
  InputFile matrix = InputFile::of_bytes("f.npy", npy_header_text("[('a', '|u1')]", {1, 1}) + "x");
  EXPECT_NE(sentence_of([&] { return read_npy_records(matrix); }).find("2 dimensions"), std::string::npos);
}

TEST(RecordKeys, NameFieldsWithTheirOrder) {
  const auto records = csv("a,b,\"c,d\",e:desc\n");
  const auto parse = [&](const std::vector<std::string>& texts, Order order = Order::ascending) {
    return parse_record_keys(texts, *records, order);
  };
  EXPECT_EQ(parse({"a,b:desc"}), (std::vector<RecordKey>{{0, Order::ascending}, {1, Order::descending}}));
  EXPECT_EQ(parse({"b", "a"}), (std::vector<RecordKey>{{1, Order::ascending}, {0, Order::ascending}}));
  EXPECT_EQ(parse({"a,b:asc"}, Order::descending),
            (std::vector<RecordKey>{{0, Order::descending}, {1, Order::ascending}}));
  EXPECT_EQ(parse({"c,d", "c,d:desc", "e:desc"}),
            (std::vector<RecordKey>{{2, Order::ascending}, {2, Order::descending}, {3, Order::ascending}}))
      << "names may have commas and colons";
  EXPECT_EQ(sentence_of([&] { return parse({"a,x:desc"}); }),
            "f.csv has no field 'x:desc' for --key; it has a, b, c,d, e:desc");
  EXPECT_NE(sentence_of([&] { return parse({"a,"}); }).find("no field ''"), std::string::npos);
}

/// The command with files of records.
class SortsRecords : public CommandTest {};

TEST_F(SortsRecords, ByCsvColumns) {
  folder_.write("in.csv", "id,price,time\na,2,1\nb,1,5\nc,2,0\nd,1,5\n");
  const CommandResult sorted = run("sort in.csv --key price:desc,time --device emulated --verify");
  EXPECT_EQ(sorted.out, "id,price,time\nc,2,0\na,2,1\nb,1,5\nd,1,5\n");
  EXPECT_NE(sorted.err.find("sorted 4 records by price (i64 descending), then time (i64 ascending)"),
            std::string::npos)
      << sorted.err;
  EXPECT_NE(sorted.err.find("verified"), std::string::npos);
  EXPECT_EQ(run("argsort in.csv -k time -k price --descending --device emulated").out, "1\n3\n0\n2\n");
  const Json report = document("sort in.csv --key time --type u8 --device emulated -o out.csv");
  EXPECT_EQ(report.at("keys"), Json::parse(R"([{"name": "time", "type": "u8", "order": "ascending"}])"));
  EXPECT_EQ(folder_.read("out.csv"), "id,price,time\nc,2,0\na,2,1\nb,1,5\nd,1,5\n");
}

TEST_F(SortsRecords, ByFieldsOfStructuredArrays) {
  const std::string descr = "[('a', '>u2'), ('b', '|S3')]";
  folder_.write("in.npy", npy_header_text(descr, {3}) + std::string("\1\0xyz\0\2abc\0\1def", 15));
  EXPECT_EQ(run("sort in.npy --key a -o out.npy --device emulated").code, 0);
  EXPECT_EQ(folder_.read("out.npy"), npy_header_text(descr, {3}) + std::string("\0\1def\0\2abc\1\0xyz", 15));
  expect_refusal("sort in.npy -o x.npy --device emulated", bad_usage,
                 "several fields (a, b); give those to sort by");
  expect_refusal("sort in.npy --key b -o x.npy --device emulated", failed, "field 'b' has the dtype '|S3'");
  expect_refusal("sort in.npy --key a -o x.txt --device emulated", bad_usage, "not written as text");
  expect_refusal("sort in.npy --key a --rows 1 -o x --device emulated", bad_usage, "--key sorts the records");
  expect_refusal("sort in.npy --no-header -o x --device emulated", bad_usage, "give --key");
  expect_refusal("sort in.npy --key a --format raw -o x --device emulated", bad_usage,
                 "raw keys, which have no fields");
}

}  // namespace
}  // namespace bitune::cli
