#include "runtime/cuda/library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace bitune::cuda {
namespace {

/// Reads the GNU build id out of a segment of ELF notes; empty if there is none.
std::string build_id_of_notes(std::string_view notes) {
  // A note: header, then name and description, each padded to 4 bytes.
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    notes.remove_prefix(sizeof header);
    const std::size_t name_size = padded(header.n_namesz);
    const std::size_t size = name_size + padded(header.n_descsz);
    if (size > notes.size()) break;
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(0, header.n_namesz) == std::string_view("GNU\0", 4)) {
      std::string digits;
      for (const char byte : notes.substr(name_size, header.n_descsz)) {
        digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
      }
      return digits;
    }
    notes.remove_prefix(size);
  }
  return {};
}

struct BuildIdSearch {
  ElfW(Addr) base;
  std::string found;
};

int visit_loaded_object(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<BuildIdSearch*>(data);
  if (object->dlpi_addr != search.base) return 0;
  for (ElfW(Half) i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    search.found = build_id_of_notes({notes, segment.p_memsz});
    if (!search.found.empty()) break;
  }
  return 1;
}

const link_map* loader_entry(void* handle) {
  link_map* entry = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &entry) != 0) return nullptr;
  return entry;
}

}  // namespace

Library::~Library() {
  if (handle_ != nullptr) dlclose(handle_);
}

Library::Library(Library&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

Library& Library::operator=(Library&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Library Library::open(const std::string& name, std::string* problem) { return open_as(name, 0, problem); }

Library Library::open_as(const std::string& name, int mode, std::string* problem) {
  Library library;
  library.handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | mode);
  if (library.handle_ == nullptr) {
    if (problem != nullptr) {
      const char* words = dlerror();
      *problem = words != nullptr ? words : "cannot open " + name;
    }
    return library;
  }
  const link_map* entry = loader_entry(library.handle_);
  const std::string opened = entry != nullptr && entry->l_name[0] != '\0' ? entry->l_name : name;
  std::error_code ignored;
  const auto canonical = std::filesystem::canonical(opened, ignored);
  library.path_ = ignored ? opened : canonical.string();
  return library;
}

void* Library::symbol(const char* name) const noexcept {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

std::string Library::build_id() const {
  const link_map* entry = loader_entry(handle_);
  if (entry == nullptr) return {};
  BuildIdSearch search{entry->l_addr, {}};
  dl_iterate_phdr(visit_loaded_object, &search);
  return search.found;
}

}  // namespace bitune::cuda
