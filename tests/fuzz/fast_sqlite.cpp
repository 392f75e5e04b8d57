#include "tests/fuzz/fast_sqlite.hpp"

#include <dlfcn.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace bitune::fuzz {
namespace {

sqlite3* kept = nullptr;
// By their text; those that are in use are not here.
std::multimap<std::string, sqlite3_stmt*, std::less<>> idle;

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// A piece begins with its size, a power of two, and what is free of a size is a list.
struct Piece {
  std::size_t bytes;
  Piece* next;
};
std::array<Piece*, 32> free_pieces{};
constexpr int smallest = 32;

Piece* piece_of(void* memory) {
  return reinterpret_cast<Piece*>(static_cast<std::byte*>(memory) - offsetof(Piece, next));
}

int rounded(int bytes) {
  const unsigned whole = static_cast<unsigned>(bytes) + offsetof(Piece, next);
  return static_cast<int>(std::max<unsigned>(smallest, std::bit_ceil(whole)) - offsetof(Piece, next));
}

void* take(int bytes) {
  const std::size_t whole = static_cast<std::size_t>(rounded(bytes)) + offsetof(Piece, next);
  Piece*& first = free_pieces.at(static_cast<std::size_t>(std::countr_zero(whole)));
  Piece* piece = first;
  if (piece != nullptr) {
    first = piece->next;
  } else {
    piece = static_cast<Piece*>(std::malloc(whole));
    if (piece == nullptr) return nullptr;
    piece->bytes = whole;
  }
  return &piece->next;
}

void give(void* memory) {
  if (memory == nullptr) return;
  Piece* const piece = piece_of(memory);
  Piece*& first = free_pieces.at(static_cast<std::size_t>(std::countr_zero(piece->bytes)));
  piece->next = first;
  first = piece;
}

int size_of_piece(void* memory) {
  return memory == nullptr ? 0 : static_cast<int>(piece_of(memory)->bytes - offsetof(Piece, next));
}

void* take_again(void* memory, int bytes) {
  const int had = size_of_piece(memory);
  if (bytes <= had) return memory;
  void* const other = take(bytes);
  if (other == nullptr) return nullptr;
  std::memcpy(other, memory, static_cast<std::size_t>(had));
  give(memory);
  return other;
}

}  // namespace

void take_memory_from_lists() {
  static sqlite3_mem_methods methods{
      take, give, take_again, size_of_piece, rounded, [](void*) { return SQLITE_OK; }, [](void*) {}, nullptr};
  sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
}

void keep_statements_of(sqlite3* connection) { kept = connection; }

}  // namespace bitune::fuzz

// In place of SQLite's own: the program's are found before those of a library.
extern "C" {

int sqlite3_prepare_v2(sqlite3* connection, const char* sql, int bytes, sqlite3_stmt** statement,
                       const char** tail) {
  using namespace bitune::fuzz;
  static auto* const prepare = real<decltype(sqlite3_prepare_v2)>("sqlite3_prepare_v2");
  const bool whole = connection == kept && tail == nullptr;
  const auto known = whole ? idle.find(std::string_view(sql)) : idle.end();
  if (known == idle.end()) return prepare(connection, sql, bytes, statement, tail);
  *statement = known->second;
  idle.erase(known);
  return SQLITE_OK;
}

int sqlite3_finalize(sqlite3_stmt* statement) {
  using namespace bitune::fuzz;
  static auto* const finalize = real<decltype(sqlite3_finalize)>("sqlite3_finalize");
  if (statement == nullptr || sqlite3_db_handle(statement) != kept) return finalize(statement);
  const int result = sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  idle.emplace(sqlite3_sql(statement), statement);
  return result;
}

}  // extern "C"
