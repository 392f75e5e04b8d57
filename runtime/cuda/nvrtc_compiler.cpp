#include "runtime/cuda/nvrtc_compiler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bitune/embedded_kernels.hpp"
#include "bitune/error.hpp"
#include "model/digest.hpp"
#include "runtime/cuda/nvrtc.hpp"
#include "runtime/cuda/nvrtc_target.hpp"

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

std::vector<std::string> make_options(const Nvrtc& api, const Target& target) {
  // No folder is searched for headers: what is compiled is exactly what the digest covers.
  std::vector<std::string> options = {target.option(), "--std=c++20", "--device-as-default-execution-space",
                                      "--no-source-include"};
  if (target.cubin) options.emplace_back("--ptxas-options=-v");
  // Leaves out declarations of textures and the runtime API: a sixth less time for a small kernel with
  // NVRTC 13.0.
  if (api.major >= 13) options.emplace_back("--minimal");
  return options;
}

std::string root_text(const KernelSource& source) { return fmt::format("#include \"{}\"\n", source.header); }

class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(int compute_capability, std::vector<HeaderText> extra_headers)
      : api_(nvrtc()),
        target_(choose_target(compute_capability, api_.architectures, api_.version())),
        headers_(all_headers(std::move(extra_headers))),
        options_(make_options(api_, target_)),
        identity_(fmt::format("nvrtc {} build {:.12} {}", api_.version(), api_.library.build_id(),
                              target_.text())) {
    Digest digest;
    digest.add(identity_);
    for (const std::string& option : options_) digest.add(option);
    for (const HeaderText& header : headers_) digest.add(header.path).add(header.text);
    common_digest_ = digest.hex();
  }

  [[nodiscard]] std::string identity() const override { return identity_; }

  [[nodiscard]] KernelImage compile(const KernelSource& source) const override {
    Program program(api_, root_text(source), headers_);
    program.add_name_expression(source.name_expression);
    const nvrtcResult result = program.compile(options_);
    const std::string full_log = program.log();
    std::string log = trimmed_log(full_log);
    if (result != NVRTC_SUCCESS) {
      throw Error(
          ErrorCode::compile,
          fmt::format("kernel '{}' of {} does not compile for {} with NVRTC {} ({}): {}",
                      source.name_expression, source.header, target_.text(), api_.version(),
                      api_.nvrtcGetErrorString(result), log.empty() ? "the compiler said nothing" : log));
    }
    KernelImage image;
    image.target = target_.text();
    image.lowered_name = program.lowered_name(source.name_expression);
    image.bytes = target_.cubin ? program.cubin() : program.ptx();
    if (target_.cubin) {
      const KernelUse use = read_ptxas_report(full_log, image.lowered_name);
      image.registers = use.registers;
      image.local_bytes = use.local_bytes;
    }
    image.log = std::move(log);
    return image;
  }

  [[nodiscard]] std::string digest(const KernelSource& source) const override {
    return Digest().add(common_digest_).add(root_text(source)).add(source.name_expression).hex();
  }

 private:
  const Nvrtc& api_;
  Target target_;
  std::vector<HeaderText> headers_;
  std::vector<std::string> options_;
  std::string identity_;
  std::string common_digest_;  // of all that is the same for every kernel
};

}  // namespace

std::unique_ptr<Compiler> make_nvrtc_compiler(int major, int minor, std::vector<HeaderText> extra_headers) {
  return std::make_unique<NvrtcCompiler>(10 * major + minor, std::move(extra_headers));
}

std::vector<int> nvrtc_architectures() { return nvrtc().architectures; }

NvrtcInfo nvrtc_info() { return {nvrtc().library.path(), nvrtc().version()}; }

}  // namespace bitune::cuda
