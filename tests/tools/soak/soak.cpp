// soak: random problems over every operation, type, order, width and shape, until a time or a number is
// reached. The oracle and guard bytes decide. Problem i is drawn from the seed and i alone: --only i repeats
// it. Exits with 1 if a result was wrong.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "bitune/error.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "tests/tools/soak/soak_call.hpp"

namespace bitune::soak {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

struct Request {
  std::string device = "auto";
  double minutes = 2;
  std::uint64_t problems = 0;  ///< 0: as many as the minutes allow
  std::uint64_t seed = 1;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  Limits limits;
  std::vector<std::uint64_t> only;
  std::string out;
};

/// How calls ended, for one word.
struct Count {
  std::uint64_t right = 0;
  std::uint64_t refused = 0;
  std::uint64_t faults = 0;
};

enum class End { right, refused, fault };

/// What was found so far. Thread-safe.
class Tally {
 public:
  void add(std::uint64_t number, const Case& one, End end, const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    const Problem& problem = one.problem;
    const auto count = [end](Count& of) {
      (end == End::right ? of.right : end == End::refused ? of.refused : of.faults) += 1;
    };
    count(all_);
    count(by_["operation"]
             [std::string(name_of(problem.operation)) +
              (problem.operation == Operation::sort && problem.index_bytes != 0 ? " with indices" : "")]);
    count(by_["key"][std::string(name_of(problem.key))]);
    count(by_["order"][std::string(name_of(problem.order)) + (problem.stable ? ", stable" : "")]);
    count(by_["shape"][std::string(name_of(problem.kind()))]);
    if (problem.value_bytes != 0) count(by_["value bytes"][std::to_string(problem.value_bytes)]);
    if (problem.index_bytes != 0) count(by_["index bytes"][std::to_string(problem.index_bytes)]);
    count(by_["memory"][one.memory == Memory::host ? "host" : "device"]);
    if (end == End::right) keys_ += key_count(problem);
    if (end == End::refused) ++refusals_[sentence];
    if (end != End::fault) return;
    const std::string told = fmt::format("problem {}: {}: {}", number, text_of(one), sentence);
    faults_.push_back(told);
    fmt::print(stderr, "{}\n", told);
  }

  [[nodiscard]] std::string progress(double seconds) const {
    const std::lock_guard lock(mutex_);
    return fmt::format("{:.0f} s: {} right, {} refused, {} wrong", seconds, all_.right, all_.refused,
                       all_.faults);
  }
  [[nodiscard]] bool has_faults() const {
    const std::lock_guard lock(mutex_);
    return all_.faults != 0;
  }

  [[nodiscard]] Json json() const {
    const std::lock_guard lock(mutex_);
    Json json = json_of(all_);
    json["keys"] = keys_;
    for (const auto& [what, counts] : by_) {
      for (const auto& [name, count] : counts) json["by"][what][name] = json_of(count);
    }
    json["refusals"] = refusals_;
    json["fault_sentences"] = faults_;
    return json;
  }

 private:
  static Json json_of(const Count& count) {
    return {{"right", count.right}, {"refused", count.refused}, {"faults", count.faults}};
  }

  mutable std::mutex mutex_;
  Count all_;
  std::uint64_t keys_ = 0;
  std::map<std::string, std::map<std::string, Count>> by_;
  std::map<std::string, std::uint64_t> refusals_;
  std::vector<std::string> faults_;
};

/// Runs one problem; tells how it ended. What is not built is refused, and no fault; any other error is one.
void run_case(Sorter& sorter, const Device& device, const Request& request, std::uint64_t number,
              Stream stream, Tally& tally) {
  const Case one = draw_case(request.seed, number, request.limits);
  try {
    const auto fault = find_fault_of_case(sorter, device, one, stream);
    tally.add(number, one, fault ? End::fault : End::right, fault.value_or(""));
  } catch (const Error& error) {
    const bool is_refusal = error.code() == ErrorCode::unavailable;
    // Of refusals what is the same in many: without the problem that the sentence begins with.
    const std::string sentence = error.what();
    const std::size_t problem = sentence.find("' ");
    tally.add(number, one, is_refusal ? End::refused : End::fault,
              is_refusal && problem != std::string::npos ? sentence.substr(problem + 2) : sentence);
  }
}

/// The problem that is taken as the i-th: as many groups as there are threads are gone through side by side,
/// so that threads do not all wait for the kernels of one.
std::uint64_t number_of(std::uint64_t i, const Request& request) {
  const std::uint64_t groups = request.threads;
  const std::uint64_t together = groups * request.limits.group;
  return i / together * together + i % groups * request.limits.group + i / groups % request.limits.group;
}

int soak(const Request& request) {
  const auto device = open_device(request.device);
  Sorter sorter({.device = request.device, .database = {}, .kernel_cache = {}});
  Tally tally;
  const auto begin = Clock::now();
  const auto seconds = [begin] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const bool by_number = request.problems != 0 || !request.only.empty();
  const std::uint64_t together = request.threads * request.limits.group;
  const std::uint64_t end =
      request.only.empty() ? (request.problems + together - 1) / together * together : request.only.size();
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> lost{false};

  const auto work = [&] {
    try {
      const auto stream = device->create_stream();
      while (!lost && (by_number || seconds() < 60 * request.minutes)) {
        const std::uint64_t i = next++;
        if (by_number && i >= end) break;
        const std::uint64_t number = request.only.empty() ? number_of(i, request) : request.only[i];
        if (request.problems != 0 && request.only.empty() && number >= request.problems) continue;
        run_case(sorter, *device, request, number, stream->handle(), tally);
        if (device->is_lost()) lost = true;
        if ((i + 1) % 100 == 0) fmt::print("{}\n", tally.progress(seconds()));
        std::fflush(stdout);
      }
    } catch (const std::exception& error) {
      fmt::print(stderr, "soak: {}\n", error.what());
      lost = true;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < request.threads; ++i) threads.emplace_back(work);
    work();
  }

  Json summary = {{"device", device->describe()},
                  {"seed", request.seed},
                  {"seconds", seconds()},
                  {"threads", request.threads},
                  {"most_keys", request.limits.keys}};
  summary.update(tally.json());
  if (!request.out.empty()) std::ofstream(request.out) << summary.dump(2) << "\n";
  fmt::print("{} on {}, seed {}\n", tally.progress(seconds()), device->describe(), request.seed);
  return tally.has_faults() || lost ? 1 : 0;
}

}  // namespace
}  // namespace bitune::soak

int main(int argc, char** argv) {
  bitune::soak::Request request;
  CLI::App app("Random problems over every operation, checked by the oracle.", "soak");
  app.add_option("--device", request.device, "which device: auto, 0, emulated")->capture_default_str();
  app.add_option("--minutes", request.minutes, "how long")->capture_default_str();
  app.add_option("--problems", request.problems, "how many, however long they take");
  app.add_option("--seed", request.seed, "what problems are drawn from")->capture_default_str();
  app.add_option("--threads", request.threads, "host threads on one Sorter, a stream each")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  app.add_option("--most-keys", request.limits.keys, "keys of a problem at most")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32));
  app.add_option("--group", request.limits.group, "problems that share their kernels")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20));
  app.add_flag("--segments", request.limits.segments, "segments alone");
  app.add_option("--only", request.only, "the numbers of the problems to repeat")->delimiter(',');
  app.add_option("--out", request.out, "a file for the counts, as JSON");
  CLI11_PARSE(app, argc, argv);
  try {
    return bitune::soak::soak(request);
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak: {}\n", error.what());
    return 2;
  }
}
