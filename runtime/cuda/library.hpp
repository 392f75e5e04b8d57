#pragma once

/// \file
/// Shared libraries that are opened at run time.

#include <dlfcn.h>

#include <string>
#include <vector>

namespace bitune::cuda {

/// A shared library opened at run time; closed on destruction. Move-only.
class Library {
 public:
  Library() = default;
  ~Library();
  Library(Library&& other) noexcept;
  Library& operator=(Library&& other) noexcept;

  /// Opens a library by name (through the loader's search path) or by path. If that fails the result is not
  /// open and `problem`, if given, receives the loader's words.
  [[nodiscard]] static Library open(const std::string& name, std::string* problem = nullptr);
  /// The library of this name that the process has loaded already; not open if there is none.
  [[nodiscard]] static Library loaded(const std::string& name) { return open_as(name, RTLD_NOLOAD, nullptr); }

  [[nodiscard]] bool is_open() const noexcept { return handle_ != nullptr; }

  /// Address of a symbol; null if the library has none of that name.
  [[nodiscard]] void* symbol(const char* name) const noexcept;

  /// Path of the file that the loader chose, symbolic links resolved; empty if not open.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  /// The build id that the linker wrote into the file, in hexadecimal digits: names one build of a library
  /// exactly, where its version does not. Empty if it has none.
  [[nodiscard]] std::string build_id() const;

 private:
  static Library open_as(const std::string& name, int mode, std::string* problem);

  void* handle_ = nullptr;
  std::string path_;
};

/// Fills one function pointer of a table from a library. A missing symbol is added to `missing`.
template <class Function>
void resolve(const Library& library, const char* name, Function*& pointer,
             std::vector<std::string>& missing) {
  pointer = reinterpret_cast<Function*>(library.symbol(name));
  if (pointer == nullptr) missing.emplace_back(name);
}

}  // namespace bitune::cuda

/// The name of a symbol after the preprocessor has renamed it: cuda.h maps cuMemAlloc to cuMemAlloc_v2, and
/// it is the latter that the library exports with the signature that the header declares.
#define BITUNE_SYMBOL_TEXT(name) #name
#define BITUNE_SYMBOL(name) BITUNE_SYMBOL_TEXT(name)
