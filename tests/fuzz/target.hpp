#pragma once

/// \file
/// What the fuzzers share. A target reads bytes of a stranger: it must answer, or refuse with Error.

#include <string>
#include <string_view>

#include "bitune/error.hpp"

namespace bitune::fuzz {

/// One reader under test. Everything that leaves it, but a plain return, is a fault.
using Target = void (*)(std::string_view bytes);

void npy_header(std::string_view bytes);
void npy(std::string_view bytes);
void text(std::string_view bytes);
void raw(std::string_view bytes);
void values(std::string_view bytes);
void csv_records(std::string_view bytes);
void npy_records(std::string_view bytes);
void options(std::string_view bytes);
void configuration(std::string_view bytes);
void kernel_file(std::string_view bytes);
void exchange(std::string_view bytes);
void request(std::string_view bytes);
void database(std::string_view bytes);
void database_file(std::string_view bytes);

/// Ends the process with a sentence, as a fault that libFuzzer keeps the input of, unless `holds`.
void require(bool holds, const char* sentence);

/// Calls `function`; whether it returned. Error is a refusal, all else goes on to libFuzzer.
template <class Function>
bool accepts(Function&& function) {
  try {
    function();
    return true;
  } catch (const Error& error) {
    require(!std::string_view(error.what()).empty(), "an Error says nothing");
    return false;
  }
}

/// A file in memory that holds `bytes`, for readers that take a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  int descriptor_ = -1;
  std::string path_;
};

}  // namespace bitune::fuzz
