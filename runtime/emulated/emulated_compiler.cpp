#include "runtime/emulated/emulated_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "bitune/embedded_kernels.hpp"
#include "bitune/error.hpp"
#include "model/digest.hpp"
#include "runtime/at_once.hpp"
#include "runtime/emulated/host_compiler.hpp"
#include "runtime/emulated/sanitizers.hpp"
#include "runtime/emulated/temporary_folder.hpp"

namespace bitune::emulated {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view target = "emulated so";

// Hidden symbols: each kernel has its own copy of everything, and can be unloaded.
std::vector<std::string> options(const HostCompiler& compiler) {
  std::vector<std::string> list = {"-std=c++20",          "-fPIC",      "-c", "-w", "-fno-plt",
                                   "-fvisibility=hidden", "-fno-ident", "-g0"};
  if (!BITUNE_ADDRESS_SANITIZER) {
    list.emplace_back("-O1");
  } else {
    // Tests compile far longer than they run what they compile.
    list.insert(list.end(), {"-O0", "-fsanitize=address,undefined",
                             // What the address sanitizer reports anyway, or the accesses check themselves: a
                             // third of the time that these kernels take to compile.
                             "-fno-sanitize=null,alignment,object-size,vptr,pointer-overflow",
                             "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"});
    // Clang's alone, and nothing that they could find: kernels call by pointers only the emulator's services,
    // whose types are not recorded, and frames that have returned are looked at where ASAN_OPTIONS ask for
    // it. A quarter of what is compiled.
    if (compiler.version.find("clang") != std::string::npos)
      list.insert(list.end(), {"-fno-sanitize=function", "-fsanitize-address-use-after-return=never"});
  }
  return list;
}

// What stands behind the kernels' headers: an entry takes the arguments out of their slots as the parameters'
// types, and calls.
constexpr std::string_view entry_text = R"(
namespace bitune::emulated {

struct Slots {
  const unsigned char* next_slot;
  template <typename T>
  T next() {
    static_assert(sizeof(T) <= 8, "a kernel argument has at most 8 bytes");
    T value;
    __builtin_memcpy(&value, next_slot, sizeof(value));
    next_slot += 8;
    return value;
  }
};

template <typename... Parameters>
struct Call {
  Call(void (*kernel)(Parameters...), Parameters... parameters) { kernel(parameters...); }
};

// Braces: the slots are taken from left to right.
template <typename... Parameters>
void call(void (*kernel)(Parameters...), const void* slots) {
  Slots rest{static_cast<const unsigned char*>(slots)};
  Call<Parameters...>{kernel, rest.next<Parameters>()...};
}

template <auto kernel>
void enter(const void* slots) {
  call(kernel, slots);
}

template <typename T>
inline constexpr char letter = static_cast<char>('0' + sizeof(T));
template <typename T>
inline constexpr char letter<T*> = 'p';

template <auto kernel>
struct Signature;
template <typename... Parameters, void (*kernel)(Parameters...)>
struct Signature<kernel> {
  static constexpr char letters[] = {letter<Parameters>..., 0};
};

template <auto kernel>
constexpr CompiledKernel named(const char* name) {
  return {name, Signature<kernel>::letters, &enter<kernel>};
}

}  // namespace bitune::emulated

extern "C" __attribute__((visibility("default"))) const bitune::emulated::CompiledKernel* bitune_emulated_bind(
    const bitune::emulated::Services* services) {
  bitune::detail::services = services;
  static constexpr bitune::emulated::CompiledKernel kernels[] = {
)";

/// Makes a shared object of what was compiled. No libraries: a kernel calls only the emulator and what is in
/// the process already. By the linker itself, where there is one: a compiler first starts, for a third of the
/// time that a kernel takes.
ProcessResult link(const HostCompiler& compiler, const fs::path& from, const fs::path& to) {
  const std::vector<std::string> files = {"-o", to.string(), from.string()};
  std::vector<std::string> arguments = {"-shared", "-nostdlib"};
  if (!compiler.linker.empty()) arguments = {"-shared", "--eh-frame-hdr"};  // for exceptions
  arguments.insert(arguments.end(), files.begin(), files.end());
  return run_process(compiler.linker.empty() ? compiler.path : compiler.linker, arguments);
}

std::string root_text(std::span<const KernelSource> sources) {
  std::string text = "#define BITUNE_EMULATED 1\n";
  for (const KernelSource& source : sources) text += fmt::format("#include \"{}\"\n", source.header);
  text += entry_text;
  for (const KernelSource& source : sources) {
    text += fmt::format("    bitune::emulated::named<&{0}>(\"{0}\"),\n", source.name_expression);
  }
  return text + "    {nullptr, nullptr, nullptr}};\n  return kernels;\n}\n";
}

template <class Files>
fs::path written(const Files& headers) {
  fs::path place = process_folder().unique("-headers");
  for (const auto& header : headers) write_file(place / header.path, header.text);
  return place;
}

}  // namespace

struct EmulatedCompiler::State {
  std::vector<SourceFile> extra;  // which stand for embedded ones of the same paths, or beside them
  std::string headers_digest;     // of these and of the others
  std::mutex mutex;               // guards the two below
  std::optional<HostCompiler> compiler;
  std::vector<fs::path> folders;  // where the headers have been written, which are looked for in this order

  HostCompiler need_compiler() {
    const std::lock_guard lock(mutex);
    if (!compiler) compiler = find_host_compiler();
    if (!compiler) {
      throw Error(ErrorCode::unavailable,
                  "The emulated device compiles kernels with the host's C++ compiler, and none of c++, g++ "
                  "and clang++ "
                  "is on the PATH; install g++ or set BITUNE_CXX to a C++ compiler.");
    }
    return *compiler;
  }

  /// Those that all compilers share are written once: to make so many files takes as long as to compile a
  /// kernel.
  std::vector<fs::path> need_folders() {
    static const fs::path shared = written(embedded_kernels());
    const std::lock_guard lock(mutex);
    if (folders.empty()) {
      if (!extra.empty()) folders.push_back(written(extra));
      folders.push_back(shared);
    }
    return folders;
  }
};

EmulatedCompiler::EmulatedCompiler(std::vector<SourceFile> extra) : state_(std::make_unique<State>()) {
  std::map<std::string_view, std::string_view> texts;
  for (const EmbeddedFile& file : embedded_kernels()) texts[file.path] = file.text;
  for (const SourceFile& file : extra) texts[file.path] = file.text;
  Digest digest;
  for (const auto& [path, text] : texts) digest.add(path).add(text);
  state_->headers_digest = digest.hex();
  state_->extra = std::move(extra);
}

EmulatedCompiler::~EmulatedCompiler() = default;

std::string EmulatedCompiler::identity() const {
  const HostCompiler compiler = state_->need_compiler();
  return fmt::format("emulated: {} {}", compiler.version, fmt::join(options(compiler), " "));
}

std::string EmulatedCompiler::digest(const KernelSource& source) const {
  return Digest().add(root_text({&source, 1})).add(state_->headers_digest).add(identity()).hex();
}

KernelImage EmulatedCompiler::compile(const KernelSource& source, const std::stop_token& /*stop*/) const {
  return compile_together({&source, 1}).front();
}

std::vector<KernelImage> EmulatedCompiler::compile_all(std::span<const KernelSource> sources,
                                                       const std::stop_token& /*stop*/) const {
  constexpr std::size_t most = 4;  // each image has all of them
  std::vector<std::vector<KernelImage>> parts((sources.size() + most - 1) / most);
  at_once(parts.size(), std::thread::hardware_concurrency(), [&](std::size_t i) {
    parts[i] = compile_together(sources.subspan(i * most, std::min(most, sources.size() - i * most)));
  });
  std::vector<KernelImage> images;
  for (std::vector<KernelImage>& part : parts)
    std::move(part.begin(), part.end(), std::back_inserter(images));
  return images;
}

std::vector<KernelImage> EmulatedCompiler::compile_together(std::span<const KernelSource> sources) const {
  const HostCompiler compiler = state_->need_compiler();
  const std::vector<fs::path> folders = state_->need_folders();
  const fs::path root = process_folder().unique(".cpp");
  const fs::path object = process_folder().unique(".o");
  const fs::path shared = process_folder().unique(".so");
  write_file(root, root_text(sources));

  std::vector<std::string> arguments = options(compiler);
  for (const fs::path& folder : folders) arguments.insert(arguments.end(), {"-I", folder.string()});
  arguments.insert(arguments.end(), {"-o", object.string(), root.string()});
  // What a compiler leaves that is killed goes with this process's folder.
  ProcessResult result =
      run_process(compiler.path, arguments, {"TMPDIR=" + process_folder().path().string()});
  if (result.exit_code == 0) result = link(compiler, object, shared);
  std::error_code ignored;
  fs::remove(root, ignored);
  fs::remove(object, ignored);
  std::vector<KernelImage> images;
  if (result.exit_code == 0) {
    const std::string bytes = read_file(shared);
    for (const KernelSource& source : sources) {
      images.push_back({.target = std::string(target),
                        .lowered_name = source.name_expression,
                        .bytes = bytes,
                        .log = result.output,
                        .registers = 0,
                        .local_bytes = 0});
    }
  }
  fs::remove(shared, ignored);
  if (result.exit_code != 0 && sources.size() == 1) {
    throw Error(
        ErrorCode::compile,
        fmt::format("The kernel {} of {} does not compile for the emulated device; {} ended with code {} and "
                    "said:\n{}",
                    sources[0].name_expression, sources[0].header, compiler.path.string(), result.exit_code,
                    result.output));
  }
  // Which one does not compile? Or do two define the same name?
  if (result.exit_code != 0) {
    for (const KernelSource& source : sources) images.push_back(compile(source));
  }
  return images;
}

}  // namespace bitune::emulated
