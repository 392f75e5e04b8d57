#include "bench/presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "bench/host_sorts.hpp"
#include "bench/peer.hpp"
#include "bench/preset_plans.hpp"
#include "bench/records.hpp"
#include "bench/round_trip.hpp"
#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "model/key_type.hpp"
#include "model/problem.hpp"
#include "model/statistics.hpp"
#include "runtime/kernel_store.hpp"
#include "runtime/selection.hpp"
#include "runtime/variant.hpp"

namespace bitune {
namespace {

constexpr double budget_us = 1.5e6;
constexpr int most_instrumented_runs = 3;
constexpr std::string_view peer_method = "radix";

/// "bitune::shared_steps<...>" -> "shared_steps"
std::string kernel_label(const std::string& name_expression) {
  const std::size_t begin = name_expression.find("::");
  const std::size_t first = begin == std::string::npos ? 0 : begin + 2;
  return name_expression.substr(first, name_expression.find('<') - first);
}

/// The plan in pieces: each one as many launches of one kernel as follow each other.
std::vector<ExecutablePlan> pieces_of(const Device& device, const ExecutablePlan& whole) {
  std::vector<ExecutablePlan> pieces;
  const std::vector<Launch>& launches = whole.plan().launches;
  for (std::size_t begin = 0; begin < launches.size();) {
    Plan piece;
    piece.kernels = whole.plan().kernels;
    piece.workspace_bytes = whole.plan().workspace_bytes;
    const std::string label = kernel_label(piece.kernels[launches[begin].kernel].name_expression);
    std::size_t end = begin;
    while (end < launches.size() &&
           kernel_label(piece.kernels[launches[end].kernel].name_expression) == label) {
      piece.launches.push_back(launches[end++]);
    }
    pieces.emplace_back(device, std::move(piece), whole.kernels());
    begin = end;
  }
  return pieces;
}

/// What all presets of one array are compared with.
struct Rivals {
  std::optional<RoundTripTimes> peer;
  std::optional<HostSorts> host;
  bool verified = true;
};

/// The suite on one device.
class Suite {
 public:
  explicit Suite(const PresetBenchRequest& request)
      : request_(request),
        device_(open_device(request.device)),
        kernels_(device_, std::make_shared<KernelCache>(request.kernel_cache)) {
    peer_ = Peer::open_for(*device_, request.against, result_.note);
  }

  [[nodiscard]] std::vector<std::uint64_t> sizes() const {
    if (!request_.sizes.empty()) return request_.sizes;
    return parse_sizes(device_->info().kind == "cuda" ? "2^20..2^29" : "2^8..2^12");
  }

  void run(const Problem& problem, std::span<const std::string> names, PresetBenchProgress& now,
           const std::function<void(const PresetBenchProgress&)>& progress, const std::atomic<bool>& stop);

  [[nodiscard]] PresetBenchResult take_result() { return std::move(result_); }

 private:
  void note(const std::string& sentence) {
    if (!result_.note.empty()) result_.note += "; ";
    result_.note += sentence;
  }

  [[nodiscard]] Rivals time_rivals(const Problem& problem, RoundTrips& trips,
                                   std::span<const std::byte> keys);
  [[nodiscard]] std::optional<Configuration> configuration_of(const std::string& name,
                                                              const Problem& problem);
  void measure(const std::string& name, const Configuration& configuration, RoundTrips& trips,
               PresetRecord& record);
  void compare(const Rivals& rivals, PresetRecord& record) const;

  const PresetBenchRequest& request_;
  std::shared_ptr<Device> device_;
  KernelStore kernels_;
  std::optional<Peer> peer_;
  std::set<std::string> refused_;  ///< presets whose refusal the note tells already
  PresetBenchResult result_;
};

Rivals Suite::time_rivals(const Problem& problem, RoundTrips& trips, std::span<const std::byte> keys) {
  Rivals rivals;
  if (has_host_sorts(problem.key) && problem.n <= request_.most_host_keys) {
    rivals.host = time_host_sorts(keys, problem.key);
    rivals.verified = rivals.host->verified;
    if (!rivals.verified) note(fmt::format("the host sorted '{}' wrongly", text_of(problem)));
  }
  if (!peer_) return rivals;
  for (const BitunePeerMethod* method : peer_->methods()) {
    const auto bytes = method->name == peer_method ? peer_->workspace_bytes(*method, problem) : std::nullopt;
    if (!bytes) continue;
    const auto workspace = device_->allocate(std::max<std::uint64_t>(*bytes, 1));
    const Contestant contestant{method->name, method->in_place != 0, [&](Operands operands, Stream stream) {
                                  operands[Role::workspace] = {workspace->data(), *bytes, 0};
                                  peer_->sort(*method, problem, operands, stream);
                                }};
    if (trips.verify(contestant, true)) {
      rivals.peer = trips.time(contestant, true, request_.samples, budget_us);
    } else {
      rivals.verified = false;
      note(fmt::format("the peer sorted '{}' wrongly", text_of(problem)));
    }
  }
  return rivals;
}

std::optional<Configuration> Suite::configuration_of(const std::string& name, const Problem& problem) {
  if (name == selected_preset) {
    return select(problem, device_->info(), read_candidates(problem, request_.database)).configuration;
  }
  const Preset& chosen = preset(name);
  if (const auto why = refusal(chosen, problem, device_->info())) {
    if (refused_.insert(name).second) note(*why);
    return std::nullopt;
  }
  return chosen.configuration;
}

void Suite::measure(const std::string& name, const Configuration& configuration, RoundTrips& trips,
                    PresetRecord& record) {
  const Problem problem{{.key = record.key}, {.n = record.n}};
  const ExecutablePlan plan = make_executable(
      *device_, kernels_, variant(configuration.variant).plan(problem, configuration, device_->info()));
  const auto workspace = device_->allocate(std::max<std::uint64_t>(plan.plan().workspace_bytes, 1));
  const auto contestant_of = [&workspace](const ExecutablePlan& part) {
    return Contestant{"", true, [&part, &workspace](Operands operands, Stream stream) {
                        operands[Role::workspace] = {workspace->data(), workspace->size(), 0};
                        part.run(operands, stream);
                      }};
  };
  record.configuration = configuration.text();
  record.launches = plan.plan().launches.size();
  record.pinned = name == selected_preset || preset(name).pinned;
  record.verified = trips.verify(contestant_of(plan), record.pinned);
  if (!record.verified) note(fmt::format("'{}' sorted '{}' wrongly: report this", name, text_of(problem)));

  const RoundTripTimes times = trips.time(contestant_of(plan), record.pinned, request_.samples, budget_us);
  record.samples = times.samples;
  record.total_us = times.median.total_us;
  record.h2d_us = times.median.to_device_us;
  record.sort_us = times.median.sort_us;
  record.d2h_us = times.median.to_host_us;

  const std::vector<ExecutablePlan> pieces = pieces_of(*device_, plan);
  std::vector<Contestant> parts;
  parts.reserve(pieces.size());
  for (const ExecutablePlan& piece : pieces) parts.push_back(contestant_of(piece));
  std::map<std::string, std::vector<double>> samples;
  for (int i = 0; i < std::min(times.samples, most_instrumented_runs); ++i) {
    const std::vector<double> parts_us = trips.time_parts(parts);
    std::map<std::string, double> sums;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const Plan& piece = pieces[part].plan();
      sums[kernel_label(piece.kernels[piece.launches.front().kernel].name_expression)] += parts_us[part];
    }
    for (const auto& [label, us] : sums) samples[label].push_back(us);
  }
  for (const Launch& launch : plan.plan().launches) {
    const std::string label = kernel_label(plan.plan().kernels[launch.kernel].name_expression);
    const auto known = [&label](const auto& entry) { return entry.first == label; };
    if (std::none_of(record.kernels_us.begin(), record.kernels_us.end(), known)) {
      record.kernels_us.emplace_back(label, median_of(samples[label]));
    }
  }
}

void Suite::compare(const Rivals& rivals, PresetRecord& record) const {
  record.verified = record.verified && rivals.verified;
  if (rivals.host) {
    record.qsort_us = rivals.host->qsort_us;
    record.std_sort_us = rivals.host->std_sort_us;
  }
  if (!rivals.peer) return;
  record.peer = fmt::format("{} {}", peer_->name(), peer_method);
  record.peer_version = peer_->version();
  record.peer_us = rivals.peer->median.total_us;
  record.peer_sort_us = rivals.peer->median.sort_us;
  if (record.verified) record.ratio = *record.peer_us / record.total_us;
}

void Suite::run(const Problem& problem, std::span<const std::string> names, PresetBenchProgress& now,
                const std::function<void(const PresetBenchProgress&)>& progress,
                const std::atomic<bool>& stop) {
  std::vector<std::pair<std::string, Configuration>> chosen;
  for (const std::string& name : names) {
    if (auto configuration = configuration_of(name, problem))
      chosen.emplace_back(name, std::move(*configuration));
  }
  const std::size_t end = now.index + names.size();
  // A peer's workspace is about as large as the keys.
  const std::uint64_t needed = RoundTrips::memory_needed(key_bytes(problem)) + key_bytes(problem);
  if (device_->info().memory_bytes > 0 && needed > static_cast<std::uint64_t>(device_->info().memory_bytes)) {
    note(fmt::format("'{}' was left out: it needs {} MiB of device memory", text_of(problem), needed >> 20));
    chosen.clear();
  }
  if (!chosen.empty()) {
    const std::vector<std::byte> keys =
        make_keys(problem.key, problem.n, Distribution::random, request_.seed);
    RoundTrips trips(*device_, problem, keys);
    const Rivals rivals = time_rivals(problem, trips, keys);
    for (const auto& [name, configuration] : chosen) {
      if (stop.load()) return;
      now.preset = name;
      if (progress) progress(now);
      PresetRecord record;
      record.preset = name;
      record.key = problem.key;
      record.n = problem.n;
      record.device = device_->info().name;
      record.driver = device_->software().driver;
      record.date = today();
      measure(name, configuration, trips, record);
      compare(rivals, record);
      result_.records.push_back(std::move(record));
      ++now.index;
    }
  }
  now.index = end;
}

std::vector<std::string> chosen_names(const PresetBenchRequest& request) {
  if (!request.presets.empty()) {
    for (const std::string& name : request.presets) {
      if (name != selected_preset) static_cast<void>(preset(name));  // refuses unknown names before any work
    }
    return request.presets;
  }
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.emplace_back(preset.name);
  names.emplace_back(selected_preset);
  return names;
}

}  // namespace

PresetBenchResult run_preset_bench(const PresetBenchRequest& request,
                                   const std::function<void(const PresetBenchProgress&)>& progress,
                                   const std::atomic<bool>& stop) {
  const std::vector<std::string> names = chosen_names(request);
  for (const std::uint64_t n : request.sizes) {
    if (n < 2)
      throw Error(ErrorCode::usage, fmt::format("a bench of {} keys has nothing to sort: use 2 or more", n));
  }
  Suite suite(request);
  const std::vector<std::uint64_t> sizes = suite.sizes();
  PresetBenchProgress now;
  now.count = request.keys.size() * sizes.size() * names.size();
  for (const KeyType key : request.keys) {
    for (const std::uint64_t n : sizes) {
      if (stop.load()) return suite.take_result();
      now.key = key;
      now.n = n;
      suite.run({{.key = key}, {.n = n}}, names, now, progress, stop);
    }
  }
  return suite.take_result();
}

}  // namespace bitune
