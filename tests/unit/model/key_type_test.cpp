#include "model/key_type.hpp"
#include "model/operation.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bitune/error.hpp"

namespace bitune {
namespace {

// The code and the sentence of the Error that `call` throws.
template <class Call>
std::string refusal(Call&& call, ErrorCode code = ErrorCode::usage) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(KeyType, NamesAreReadBack) {
  for (const KeyType type : all_key_types) EXPECT_EQ(parse_key_type(name_of(type)), type);
  for (const Order order : {Order::ascending, Order::descending})
    EXPECT_EQ(parse_order(name_of(order)), order);
  for (const Operation operation : all_operations) {
    EXPECT_EQ(parse_operation(name_of(operation)), operation);
  }
  for (const ShapeKind kind : {ShapeKind::array, ShapeKind::rows, ShapeKind::segments}) {
    EXPECT_EQ(parse_shape_kind(name_of(kind)), kind);
  }
}

TEST(KeyType, SynonymsAreTaken) {
  EXPECT_EQ(parse_key_type("float32"), KeyType::f32);
  EXPECT_EQ(parse_key_type("uint8"), KeyType::u8);
  EXPECT_EQ(parse_key_type("bfloat16"), KeyType::bf16);
  EXPECT_EQ(parse_key_type("double"), KeyType::f64);
  EXPECT_EQ(parse_order("asc"), Order::ascending);
  EXPECT_EQ(parse_order("desc"), Order::descending);
}

TEST(KeyType, SizesAndKinds) {
  EXPECT_EQ(size_of(KeyType::i8), 1u);
  EXPECT_EQ(size_of(KeyType::bf16), 2u);
  EXPECT_EQ(size_of(KeyType::f32), 4u);
  EXPECT_EQ(size_of(KeyType::f64), 8u);
  for (const KeyType type : all_key_types) {
    const char kind = name_of(type).front();
    EXPECT_EQ(is_signed_integer(type), kind == 'i') << name_of(type);
    EXPECT_EQ(is_floating_point(type), kind == 'f' || kind == 'b') << name_of(type);
  }
}

TEST(KeyType, AnUnknownNameIsRefusedWithTheNamesThereAre) {
  const std::string sentence = refusal([] { return parse_key_type("u33"); });
  EXPECT_NE(sentence.find("'u33'"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("u8, i8, u16"), std::string::npos) << sentence;
  EXPECT_EQ(sentence.find("float32"), std::string::npos) << "synonyms would clutter: " << sentence;
  EXPECT_NE(refusal([] { return parse_order(""); }).find("ascending, descending"), std::string::npos);
  EXPECT_NE(refusal([] { return parse_operation("SORT"); }).find("argsort"), std::string::npos);
  EXPECT_NE(refusal([] { return parse_shape_kind("matrix"); }).find("segments"), std::string::npos);
}

}  // namespace
}  // namespace bitune
