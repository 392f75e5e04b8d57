#include "runtime/cuda/nvrtc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stop_token>
#include <utility>

#include "bitune/embedded_kernels.hpp"
#include "bitune/error.hpp"
#include "model/digest.hpp"
#include "runtime/cuda/nvrtc.hpp"
#include "runtime/cuda/nvrtc_target.hpp"
#include "runtime/kernel_sources.hpp"

namespace bitune::cuda {
namespace {

/// Owns one nvrtcProgram.
class Program {
 public:
  Program(const Nvrtc& api, const std::string& text, const std::vector<HeaderText>& headers) : api_(api) {
    std::vector<const char*> texts;
    std::vector<const char*> paths;
    for (const HeaderText& header : headers) {
      texts.push_back(header.text.c_str());
      paths.push_back(header.path.c_str());
    }
    check(api_.nvrtcCreateProgram(&program_, text.c_str(), "bitune_kernel.cu",
                                  static_cast<int>(headers.size()), texts.data(), paths.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { api_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void add_name_expression(const std::string& name) {
    check(api_.nvrtcAddNameExpression(program_, name.c_str()), "nvrtcAddNameExpression");
  }

  /// Ends compile() soon after it is asked to stop, where NVRTC can. `stop` must outlive it.
  void end_when_asked(const std::stop_token& stop) {
    if (!stop.stop_possible() || api_.set_flow_callback == nullptr) return;
    const auto is_asked = [](void* token, void*) {
      return static_cast<const std::stop_token*>(token)->stop_requested() ? 1 : 0;
    };
    check(api_.set_flow_callback(program_, is_asked, const_cast<std::stop_token*>(&stop)),
          "nvrtcSetFlowCallback");
  }

  [[nodiscard]] nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    pointers.reserve(options.size());
    for (const std::string& option : options) pointers.push_back(option.c_str());
    return api_.nvrtcCompileProgram(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  [[nodiscard]] std::string lowered_name(const std::string& name) const {
    const char* lowered = nullptr;
    check(api_.nvrtcGetLoweredName(program_, name.c_str(), &lowered), "nvrtcGetLoweredName");
    return lowered;
  }

  [[nodiscard]] std::string log() const {
    return read(api_.nvrtcGetProgramLogSize, api_.nvrtcGetProgramLog, "nvrtcGetProgramLog");
  }
  [[nodiscard]] std::string cubin() const {
    return read(api_.nvrtcGetCUBINSize, api_.nvrtcGetCUBIN, "nvrtcGetCUBIN");
  }
  [[nodiscard]] std::string ptx() const {
    std::string text = read(api_.nvrtcGetPTXSize, api_.nvrtcGetPTX, "nvrtcGetPTX");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

 private:
  using GetSize = nvrtcResult (*)(nvrtcProgram, std::size_t*);
  using GetBytes = nvrtcResult (*)(nvrtcProgram, char*);

  [[nodiscard]] std::string read(GetSize get_size, GetBytes get_bytes, const char* function) const {
    std::size_t size = 0;
    check(get_size(program_, &size), function);
    std::string bytes(size, '\0');
    check(get_bytes(program_, bytes.data()), function);
    return bytes;
  }

  void check(nvrtcResult result, const char* function) const {
    if (result == NVRTC_SUCCESS) return;
    throw Error(ErrorCode::compile, fmt::format("{} failed: {}", function, api_.nvrtcGetErrorString(result)));
  }

  const Nvrtc& api_;
  nvrtcProgram program_ = nullptr;
};

std::vector<HeaderText> all_headers(std::vector<HeaderText> headers) {
  for (const EmbeddedFile& file : embedded_kernels()) {
    const bool hidden = std::any_of(headers.begin(), headers.end(),
                                    [&](const HeaderText& header) { return header.path == file.path; });
    if (!hidden) headers.push_back({std::string(file.path), std::string(file.text)});
  }
  return headers;
}

std::vector<std::string> make_options(const NvrtcFacts& nvrtc, const Target& target) {
  // No folder is searched for headers: what is compiled is exactly what the digest covers.
  std::vector<std::string> options = {target.option(), "--std=c++20", "--device-as-default-execution-space",
                                      "--no-source-include"};
  if (target.cubin) options.emplace_back("--ptxas-options=-v");
  // Leaves out declarations of textures and the runtime API: a sixth less time for a small kernel with
  // NVRTC 13.0.
  if (nvrtc.major >= 13) options.emplace_back("--minimal");
  return options;
}

std::string root_text(const KernelSource& source) { return fmt::format("#include \"{}\"\n", source.header); }

/// What follows from the facts of an NVRTC. Immutable.
struct Build {
  Build(const NvrtcFacts& nvrtc, int compute_capability, const std::vector<HeaderText>& headers)
      : facts(nvrtc),
        target(choose_target(compute_capability, nvrtc.architectures, nvrtc.version())),
        options(make_options(nvrtc, target)),
        identity(fmt::format("nvrtc {} build {:.12} {}", nvrtc.version(), nvrtc.build_id, target.text())) {
    Digest digest;
    digest.add(identity);
    for (const std::string& option : options) digest.add(option);
    for (const HeaderText& header : headers) digest.add(header.path).add(header.text);
    common_digest = digest.hex();
  }

  NvrtcFacts facts;
  Target target;
  std::vector<std::string> options;
  std::string identity;
  std::string common_digest;  ///< of all that is the same for every kernel
};

class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(int compute_capability, std::function<NvrtcFacts()> find_facts,
                std::shared_ptr<KernelCache> cache, std::vector<HeaderText> extra_headers)
      : compute_capability_(compute_capability),
        own_headers_only_(extra_headers.empty()),
        headers_(all_headers(std::move(extra_headers))),
        find_facts_(std::move(find_facts)),
        cache_(std::move(cache)) {}

  [[nodiscard]] std::string identity() const override { return build()->identity; }

  void open() const override {
    const Nvrtc& api = nvrtc();
    // While it first compiles, NVRTC makes what goes away when the process ends. Handlers of the end run in
    // reverse order: one that is registered from now on, and waits for a compilation, runs before that.
    [[maybe_unused]] static const nvrtcResult first =
        Program(api, "", {}).compile(build_of(api.facts)->options);
  }

  [[nodiscard]] KernelImage compile(const KernelSource& source, const std::stop_token& stop) const override {
    const Nvrtc& api = nvrtc();
    const std::shared_ptr<const Build> build = build_of(api.facts);
    const Target& target = build->target;
    Program program(api, root_text(source), headers_);
    program.add_name_expression(source.name_expression);
    program.end_when_asked(stop);
    const nvrtcResult result = program.compile(build->options);
    if (result != NVRTC_SUCCESS && stop.stop_requested()) {
      throw Error(ErrorCode::compile, fmt::format("the compilation of kernel '{}' of {} was stopped",
                                                  source.name_expression, source.header));
    }
    const std::string full_log = program.log();
    std::string log = trimmed_log(full_log);
    if (result != NVRTC_SUCCESS) {
      throw Error(
          ErrorCode::compile,
          fmt::format("kernel '{}' of {} does not compile for {} with NVRTC {} ({}): {}",
                      source.name_expression, source.header, target.text(), api.facts.version(),
                      api.nvrtcGetErrorString(result), log.empty() ? "the compiler said nothing" : log));
    }
    KernelImage image;
    image.target = target.text();
    image.lowered_name = program.lowered_name(source.name_expression);
    image.bytes = target.cubin ? program.cubin() : program.ptx();
    if (target.cubin) {
      const KernelUse use = read_ptxas_report(full_log, image.lowered_name);
      image.registers = use.registers;
      image.local_bytes = use.local_bytes;
    }
    image.log = std::move(log);
    return image;
  }

  [[nodiscard]] std::string digest(const KernelSource& source) const override {
    return Digest().add(build()->common_digest).add(root_text(source)).add(source.name_expression).hex();
  }

  /// What is shipped is machine code: PTX is finished by the driver, which takes as long as compiling it
  /// here. No NVRTC is asked, since where kernels are shipped none need be there.
  [[nodiscard]] std::string archive_key(const KernelSource& source) const override {
    const std::string version = own_headers_only_ ? digest_of_kernel(source.header) : std::string();
    if (version.empty()) return {};
    const Target target{compute_capability_, true};
    return Digest().add(target.text()).add(version).add(source.name_expression).hex();
  }

 private:
  [[nodiscard]] std::shared_ptr<const Build> build() const {
    const std::lock_guard lock(mutex_);
    if (build_ == nullptr) {
      build_ = std::make_shared<const Build>(find_facts_(), compute_capability_, headers_);
    }
    return build_;
  }

  /// The build of the NVRTC that is open: another than before if the library was replaced since it was noted.
  [[nodiscard]] std::shared_ptr<const Build> build_of(const NvrtcFacts& opened) const {
    const std::lock_guard lock(mutex_);
    if (build_ != nullptr && build_->facts == opened) return build_;
    build_ = std::make_shared<const Build>(opened, compute_capability_, headers_);
    if (cache_ != nullptr) note_nvrtc(*cache_, nvrtc_search(), opened);
    return build_;
  }

  const int compute_capability_;
  const bool own_headers_only_;
  const std::vector<HeaderText> headers_;
  const std::function<NvrtcFacts()> find_facts_;
  const std::shared_ptr<KernelCache> cache_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Build> build_;  ///< guarded by mutex_; null until it is asked for
};

}  // namespace

std::unique_ptr<Compiler> make_nvrtc_compiler(int major, int minor, std::vector<HeaderText> extra_headers) {
  auto compiler = make_nvrtc_compiler(
      major, minor, [] { return nvrtc().facts; }, nullptr, std::move(extra_headers));
  static_cast<void>(compiler->identity());  // what is missing is said now
  return compiler;
}

std::unique_ptr<Compiler> make_nvrtc_compiler(int major, int minor, std::function<NvrtcFacts()> find_facts,
                                              std::shared_ptr<KernelCache> cache,
                                              std::vector<HeaderText> extra_headers) {
  return std::make_unique<NvrtcCompiler>(10 * major + minor, std::move(find_facts), std::move(cache),
                                         std::move(extra_headers));
}

NvrtcFacts nvrtc_facts(KernelCache* cache) {
  if (cache == nullptr) return nvrtc().facts;
  return known_nvrtc(*cache, nvrtc_search(), [] { return nvrtc().facts; });
}

std::vector<int> nvrtc_architectures() { return nvrtc().facts.architectures; }

NvrtcInfo nvrtc_info() { return {nvrtc().facts.path, nvrtc().facts.version()}; }

}  // namespace bitune::cuda
