#include "tests/support/cubin.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>

#include "model/digest.hpp"

namespace bitune::test {
namespace {

template <class T>
T read_at(std::string_view file, std::size_t at) {
  if (at > file.size() || sizeof(T) > file.size() - at) throw std::runtime_error("the cubin ends too early");
  T value;
  std::memcpy(&value, file.data() + at, sizeof(T));
  return value;
}

std::string_view piece(std::string_view file, std::size_t at, std::size_t size) {
  if (at > file.size() || size > file.size() - at) throw std::runtime_error("the cubin ends too early");
  return file.substr(at, size);
}

// ".text._Z4sort" is of the kind ".text", and ".nv.constant0._Z4sort" of the kind ".nv.constant0".
//
// Variables are left out (.nv.global, and .nv.constant4, which holds their addresses). NVRTC keeps one for
// each static constexpr member, whether or not it is read. bitune's kernels have no others: what they read of
// a constexpr member is a number in an instruction.
std::string_view kind_of(std::string_view name) {
  for (const std::string_view kind : {".text", ".nv.shared", ".nv.local"}) {
    if (name == kind || (name.starts_with(kind) && name[kind.size()] == '.')) return kind;
  }
  constexpr std::string_view constants = ".nv.constant";
  if (!name.starts_with(constants) || name.starts_with(".nv.constant4")) return {};
  return name.substr(0, name.find('.', constants.size()));
}

constexpr std::size_t instruction_bytes = 16;  // of sm_70 on

/// What an instruction does, apart from its operands.
std::uint64_t operation_of(std::string_view code, std::size_t instruction) {
  return read_at<std::uint64_t>(code, instruction * instruction_bytes) & 0xfff;
}

/// The instructions, so that the order of griddepcontrol.wait and .launch_dependents makes no difference.
std::string without_launch_order(std::string_view code) {
  constexpr std::uint64_t launch_dependents = 0x82d;
  constexpr std::uint64_t wait = 0x82e;
  const std::size_t count = code.size() / instruction_bytes;
  std::size_t behind = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t operation = operation_of(code, i);
    if (operation == launch_dependents || operation == wait) behind = i + 1;
  }
  if (behind == 0) return std::string(code);
  // The compiler moves neighbouring instructions. They all lie before the next but one multiple of 64.
  const std::size_t any_order = std::min(count, (behind + 127) / 64 * 64);
  std::multiset<std::uint64_t> operations;
  for (std::size_t i = 0; i < any_order; ++i) operations.insert(operation_of(code, i));
  std::string text;
  for (const std::uint64_t operation : operations) text += fmt::format("{:x} ", operation);
  return text.append(code.substr(any_order * instruction_bytes));
}

}  // namespace

MachineCode machine_code(std::string_view cubin) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != EM_CUDA) {
    throw std::runtime_error("this is no cubin");
  }
  const auto section = [&](std::size_t index) {
    return read_at<Elf64_Shdr>(cubin, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto names = section(header.e_shstrndx);
  const std::string_view all_names = piece(cubin, names.sh_offset, names.sh_size);

  MachineCode code;
  // Their order in the file may depend on names.
  std::set<std::string> parts;
  std::set<std::string> any_order_parts;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto one = section(i);
    const std::string_view rest = piece(all_names, one.sh_name, all_names.size() - one.sh_name);
    const std::string_view kind = kind_of(rest.substr(0, rest.find('\0')));
    if (kind.empty()) continue;
    const bool has_bytes = one.sh_type != SHT_NOBITS;
    const std::string_view bytes = has_bytes ? piece(cubin, one.sh_offset, one.sh_size) : std::string_view();
    // The flags say how many barriers there are. The upper byte of the info says how many registers.
    const std::string sizes = fmt::format("{} {} {} {}", one.sh_size, one.sh_flags, one.sh_addralign,
                                          kind == ".text" ? one.sh_info >> 24 : 0);
    parts.insert(Digest().add(kind).add(bytes).add(sizes).hex());
    any_order_parts.insert(Digest()
                               .add(kind)
                               .add(kind == ".text" ? without_launch_order(bytes) : std::string(bytes))
                               .add(sizes)
                               .hex());
    if (kind == ".text") code.bytes += bytes.size();
  }
  if (code.bytes == 0) throw std::runtime_error("the cubin has no instructions");
  const auto digest_of = [](const std::set<std::string>& all) {
    Digest digest;
    for (const std::string& part : all) digest.add(part);
    return digest.hex();
  };
  code.digest = digest_of(parts);
  code.any_launch_order = digest_of(any_order_parts);
  return code;
}

}  // namespace bitune::test
