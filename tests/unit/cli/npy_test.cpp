#include "cli/formats/npy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "bitune/error.hpp"
#include "cli/formats/npy_header.hpp"
#include "tests/unit/cli/folder.hpp"

namespace bitune::cli {
namespace {

std::string npy_of(std::string_view descr, const std::vector<std::uint64_t>& shape, std::string_view data) {
  return npy_header_text(descr, shape) + std::string(data);
}

/// A .npy file of the given version with any text as its header.
std::string npy_with_header(std::string_view header, std::string_view data, int major = 1) {
  std::string text(npy_magic);
  text += static_cast<char>(major);
  text += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    text += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  return text + std::string(header) + std::string(data);
}

KeyArray read_bytes(const std::string& bytes, std::optional<KeyType> type = std::nullopt) {
  InputFile file = InputFile::of_bytes("a.npy", bytes);
  return read_npy(file, type);
}

/// The sentence that reading throws; "no error" if it does not.
std::string error_of(const std::string& bytes, std::optional<KeyType> type = std::nullopt) {
  try {
    static_cast<void>(read_bytes(bytes, type));
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::input || error.code() == ErrorCode::usage) << error.what();
    return error.what();
  }
  return "no error";
}

TEST(Npy, RoundTripsEveryKeyType) {
  const Folder folder;
  for (const KeyType type : all_key_types) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < 5 * size_of(type); ++i) {
      bytes.push_back(static_cast<std::byte>(37 * i + 1));
    }
    const KeyArray keys = make_list(type, bytes);
    OutputFile output(folder.file("a.npy"));
    write_npy(output, keys);
    output.commit();
    InputFile input(folder.file("a.npy"));
    const KeyArray back = read_npy(input, std::nullopt);
    EXPECT_EQ(back.type, type);
    EXPECT_EQ(back.shape, std::vector<std::uint64_t>{5});
    EXPECT_EQ(back.bytes, bytes);
  }
}

TEST(Npy, HeaderIsWhatNumPyWrites) {
  const std::string text = npy_header_text("<f4", {3});
  EXPECT_EQ(text.size() % 64, 0U);
  EXPECT_EQ(text.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(text.substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }  ");
  EXPECT_EQ(text.back(), '\n');
}

TEST(Npy, LongHeadersGoIntoVersionTwo) {
  const std::vector<std::uint64_t> shape(40000, 1);
  const std::string text = npy_header_text("|u1", shape);
  EXPECT_EQ(text[6], 2);
  EXPECT_EQ(text.size() % 64, 0U);
}

TEST(Npy, ReadsAllVersions) {
  for (const int major : {1, 2, 3}) {
    const KeyArray keys = read_bytes(
        npy_with_header("{'descr': '<u2', 'fortran_order': False, 'shape': (2,), }\n", "abcd", major));
    EXPECT_EQ(keys.type, KeyType::u16);
    EXPECT_EQ(keys.count(), 2U);
  }
  EXPECT_NE(error_of(npy_with_header("{}", "", 4)).find("version 4.0"), std::string::npos);
}

TEST(Npy, TakesTheLiteralsThatPythonTakes) {
  const NpyHeader header =
      parse_npy_header(R"( {"shape":(2 , 3),"fortran_order":False,'descr':"<i8"} )", "f");
  EXPECT_EQ(header, (NpyHeader{"<i8", false, {2, 3}}));
  EXPECT_TRUE(parse_npy_header("{'descr':'|u1','fortran_order':True,'shape':()}", "f").shape.empty());
}

TEST(Npy, KeepsShapeAndDtype) {
  const KeyArray matrix = read_bytes(npy_of("|V2", {2, 3}, "abcdefghijkl"));
  EXPECT_EQ(matrix.type, KeyType::bf16);
  EXPECT_EQ(matrix.shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(matrix.npy_descr, "|V2");
}

TEST(Npy, ReadsEmptyArrays) {
  const KeyArray keys = read_bytes(npy_of("<f8", {0}, ""));
  EXPECT_EQ(keys.count(), 0U);
  EXPECT_EQ(read_bytes(npy_of("<f8", {std::uint64_t{1} << 63, 4, 0}, "")).count(), 0U);
}

TEST(Npy, TakesUnsignedBitsAsBf16OnlyWhenAsked) {
  const std::string bytes = npy_of("<u2", {2}, "abcd");
  EXPECT_EQ(read_bytes(bytes).type, KeyType::u16);
  EXPECT_EQ(read_bytes(bytes, KeyType::bf16).type, KeyType::bf16);
  EXPECT_NE(error_of(bytes, KeyType::f32).find("holds u16 keys, not f32"), std::string::npos);
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string whole = npy_of("<u4", {7}, std::string(28, 'x'));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(error_of(whole.substr(0, length)), "no error") << length;
  }
  EXPECT_EQ(error_of(whole), "no error");
  EXPECT_NE(error_of(whole + "y").find("has bytes after the 28"), std::string::npos);
}

TEST(Npy, EveryTruncatedDictionaryIsAnError) {
  const std::string dictionary = "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3), }";
  for (std::size_t length = 0; length < dictionary.size(); ++length) {
    EXPECT_THROW(static_cast<void>(parse_npy_header(dictionary.substr(0, length), "f")), Error) << length;
  }
}

TEST(Npy, DamagedBytesNeverCrash) {
  const std::string whole = npy_of("<u4", {2, 3}, std::string(24, 'x'));
  for (std::size_t position = 0; position < 90; ++position) {
    for (const char damage : {'\0', '\xff', '9', '(', '\'', '}'}) {
      std::string bytes = whole;
      bytes[position] = damage;
      try {
        EXPECT_LE(read_bytes(bytes).bytes.size(), 24U);
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("a.npy"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(Npy, ConvertsWhatIsNoPlainOrder) {
  const KeyArray big =
      read_bytes(npy_with_header("{'descr': '>u2', 'fortran_order': False, 'shape': (2,), }", "\1\2\3\4"));
  EXPECT_EQ(big.bytes, (std::vector<std::byte>{std::byte{2}, std::byte{1}, std::byte{4}, std::byte{3}}));
  EXPECT_EQ(big.npy_descr, "<u2");
  EXPECT_EQ(big.conversion, "big endian to little endian");
  const KeyArray fortran = read_bytes(
      npy_with_header("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 2), }", "abcdefghijkl"));
  std::string order;
  for (const std::byte c : fortran.bytes) order += static_cast<char>(c);
  EXPECT_EQ(order, "agciekbhdjfl");
  EXPECT_EQ(fortran.conversion, "Fortran order to C order");
  EXPECT_EQ(fortran.shape, (std::vector<std::uint64_t>{2, 3, 2}));
  const KeyArray both =
      read_bytes(npy_with_header("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 2), }", "01234567"));
  EXPECT_EQ(both.conversion, "big endian to little endian, Fortran order to C order");
  const KeyArray flat =
      read_bytes(npy_with_header("{'descr': '<u1', 'fortran_order': True, 'shape': (2,), }", "ab"));
  EXPECT_EQ(flat.conversion, "");
  const KeyArray truth = read_bytes(npy_of("|b1", {2}, std::string("\1\0", 2)));
  EXPECT_EQ(truth.type, KeyType::u8);
  EXPECT_EQ(truth.npy_descr, "|b1");
  EXPECT_EQ(
      read_bytes(npy_with_header("{'descr': '<u4', 'fortran_order': True, 'shape': (0, 3), }", "")).count(),
      0U);
}

TEST(Npy, RefusesWhatItCannotSort) {
  const auto with = [](std::string_view dictionary) {
    return error_of(npy_with_header(dictionary, "abcdefgh"));
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "Python objects"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "none of the key types"},
      {"{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }", "none of the key types"},
      {"{'descr': [('a', '<u4')], 'fortran_order': False, 'shape': (2,), }", "several fields"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (), }", "without a dimension"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (2), }", "not a tuple"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (-2,), }", "not a list of numbers"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "above 2^64"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "impossible shape"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (4611686018427387904,), }", "impossible shape"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (1073741824,), }", "truncated"},
      {"{'descr': '<u4', 'fortran_order': False, }", "lacks"},
      {"{'descr': '<u4', 'fortran_order': 0, 'shape': (2,), }", "neither True nor False"},
      {"{'descr': '<u4', 'descr': '<u4', 'fortran_order': False, 'shape': (2,), }",
       "unexpected entry 'descr'"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (2,), 'x': 1}", "unexpected entry 'x'"},
      {"{'descr': '<u4', 'fortran_order': False, 'shape': (2,), } x", "after the dictionary"},
      {"{'descr': '', 'fortran_order': False, 'shape': (2,), }", "descr is empty"},
  };
  for (const auto& [dictionary, expected] : cases) {
    EXPECT_NE(with(dictionary).find(expected), std::string::npos) << dictionary << ": " << with(dictionary);
  }
  EXPECT_NE(error_of("not numpy at all").find("not a .npy file"), std::string::npos);
  EXPECT_NE(error_of(npy_with_header(std::string(70000, ' '), "", 2)).find("longer than any"),
            std::string::npos);
}

TEST(Npy, HugeShapeOnAPipeCostsNoMemory) {
  // Not a regular file: the size is unknown, and only what arrives is stored.
  const Folder folder;
  const std::string fifo = folder.file("fifo");
  const std::string bytes = npy_of("<u8", {std::uint64_t{1} << 50}, "12345678");
  ASSERT_EQ(std::system(("mkfifo " + fifo).c_str()), 0);
  folder.write("content", bytes);
  ASSERT_EQ(std::system(("cat " + folder.file("content") + " > " + fifo + " &").c_str()), 0);
  InputFile file(fifo);
  try {
    static_cast<void>(read_npy(file, std::nullopt));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("there are 8"), std::string::npos) << error.what();
  }
  InputFile limited(folder.file("content"), {.bytes = 100, .reason = ""});
  EXPECT_THROW(static_cast<void>(read_npy(limited, std::nullopt)), Error);
}

TEST(NpyValues, RoundTripsAnyDtypeOfTheseSizes) {
  const Folder folder;
  for (const auto& [descr, size] : {std::pair{"|b1", 1},
                                    {"<f2", 2},
                                    {"|S4", 4},
                                    {"<M8[ns]", 8},
                                    {"<U4", 16},
                                    {"[('a', '<i2'), ('b', '|S6')]", 8}}) {
    const std::string data(3 * static_cast<std::size_t>(size), 'x');
    InputFile input(folder.write("a.npy", npy_of(descr, {3}, data)));
    const ValueArray values = read_npy_values(input);
    EXPECT_EQ(values.value_bytes, static_cast<std::uint64_t>(size));
    EXPECT_EQ(values.count(), 3u);
    OutputFile output(folder.file("b.npy"));
    write_npy_values(output, values);
    output.commit();
    EXPECT_EQ(folder.read("b.npy"), folder.read("a.npy")) << descr;
  }
}

TEST(NpyValues, RefusesWhatDoesNotTravel) {
  const Folder folder;
  const auto error_with = [&](const std::string& bytes) -> std::string {
    InputFile file(folder.write("a.npy", bytes));
    try {
      static_cast<void>(read_npy_values(file));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(error_with(npy_of("|S24", {1}, std::string(24, 'x'))).find("24 bytes"), std::string::npos);
  EXPECT_NE(error_with(npy_of("|S0", {1}, "")).find("0 bytes"), std::string::npos);
  EXPECT_NE(error_with(npy_of("|O", {1}, "12345678")).find("no plain bytes"), std::string::npos);
  EXPECT_NE(error_with(npy_of("<i4", {2}, "1234")).find("truncated"), std::string::npos);
}

}  // namespace
}  // namespace bitune::cli
