#include "bench/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include "bench/between.hpp"
#include "bench/captured_sort.hpp"
#include "bench/given_configuration.hpp"
#include "bitune/error.hpp"
#include "measure/inputs.hpp"
#include "model/configuration.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "model/statistics.hpp"
#include "model/trial.hpp"
#include "runtime/kernel_sources.hpp"
#include "runtime/open_engine.hpp"

namespace bitune {
namespace {

/// Keys of the distribution. -0 becomes +0: CUB takes the two for equal, so that their order would be
/// anybody's.
std::vector<std::byte> bench_keys(const Problem& problem, Distribution distribution, std::uint64_t seed) {
  std::vector<std::byte> keys = make_keys(problem.key, key_count(problem), distribution, seed);
  if (!is_floating_point(problem.key)) return keys;
  const std::size_t size = size_of(problem.key);
  const std::uint64_t minus_zero = std::uint64_t{1} << (8 * size - 1);
  for (std::size_t offset = 0; offset < keys.size(); offset += size) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &keys[offset], size);
    if (bits == minus_zero) std::memset(&keys[offset], 0, size);
  }
  return keys;
}

/// How the contestants stand in their list: bitune's forms, then graphs of them, then the peer's methods.
struct Sides {
  std::size_t own = 0;
  std::size_t graphs = 0;
};

void add_times(const std::vector<Contestant>& all, const Sides& sides, const InterleavedSamples& timed,
               BenchRecord& record) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double us = median_of(timed.samples_us[i]);
    const auto samples = static_cast<int>(timed.samples_us[i].size());
    if (i < sides.own) {
      if (i > 0 && us >= record.bitune_us) continue;
      record.bitune_us = us;
      record.form = all[i].name;
      record.batch = timed.batches[i];
      record.samples = samples;
      continue;
    }
    if (i < sides.own + sides.graphs) {
      if (all[i].name == record.form) record.graph_us = us;
      continue;
    }
    record.methods_us[all[i].name] = us;
    if (record.peer_us && us >= *record.peer_us) continue;
    record.peer_us = us;
    record.peer_method = all[i].name;
    record.peer_samples = samples;
  }
}

}  // namespace

Comparison::Comparison(const BenchRequest& request)
    : request_(request), device_(open_device(request.device)), kernels_(device_, nullptr) {
  const SorterOptions options{
      .device = request.device, .database = request.database, .kernel_cache = request.kernel_cache};
  CandidateReader reader;
  if (!request.configuration.empty()) {
    given_ = Configuration::parse(request.configuration);
    reader = reader_of_one(*given_, device_->info());
  }
  sorter_ = open_engine(options, std::move(reader)).engine;
  if (request.graph && device_->info().kind != "cuda") {
    throw Error(ErrorCode::unavailable,
                fmt::format("the {} has no CUDA graphs to measure: leave --graph out, or name a GPU with "
                            "--device",
                            device_->describe()));
  }
  peer_ = Peer::open_for(*device_, request.against, note_);
}

void Comparison::add_note(const std::string& sentence) {
  if (!note_.empty()) note_ += "; ";
  note_ += sentence;
}

std::vector<Contestant> Comparison::own_contestants(const Problem& problem) {
  const std::size_t launches = sorter_->explain(problem).launches.size();
  own_workspace_.reset();
  const std::uint64_t bytes = sorter_->workspace_size(problem);
  if (bytes != 0) own_workspace_ = device_->allocate(bytes);
  const auto sort = [this, problem, bytes](Operands operands, Stream stream) {
    if (own_workspace_) operands[Role::workspace] = {own_workspace_->data(), bytes, 0};
    sorter_->run(problem, operands, stream);
  };
  std::vector<Contestant> own;
  const bool keys_alone = sorts_keys_alone(problem);
  const bool single = request_.suite == BenchSuite::single;
  // In place there is nothing to do for rows of one key.
  if (may_be_in_place(problem.operation) && (problem.n > 1 || single))
    own.push_back({"in place", true, sort, launches});
  if (!single || !keys_alone) own.push_back({"out of place", false, sort, launches});
  return own;
}

std::vector<Contestant> Comparison::graph_contestants(const std::vector<Contestant>& own,
                                                      InterleavedSampler& sampler, BenchRecord& record) {
  std::vector<Contestant> graphs;
  for (const Contestant& contestant : own) {
    const Problem& problem = record.problem;
    Contestant graph = as_graph(*device_, contestant);
    try {
      if (sampler.verify(graph)) {
        graphs.push_back(std::move(graph));
        continue;
      }
      record.verified = false;
      add_note(fmt::format("bitune's graph sorted '{}' wrongly: report this", text_of(problem)));
    } catch (
        const Error& error) {  // an older driver may not capture all launches; the rest is still worth it
      add_note(fmt::format("'{}' was not timed as a CUDA graph: {}", text_of(problem), error.what()));
    }
  }
  return graphs;
}

std::vector<Contestant> Comparison::peer_contestants(const Problem& problem) {
  std::vector<Contestant> peers;
  if (!peer_) return peers;
  std::uint64_t most_workspace = 0;
  for (const BitunePeerMethod* method : peer_->methods()) {
    // A single row may be sorted by either kind; the suite of single arrays leaves the segmented ones out.
    if (request_.suite == BenchSuite::single ? method->of_rows != 0
                                             : method->of_rows == 0 && (problem.rows > 1 || problem.ragged)) {
      continue;
    }
    const auto bytes = peer_->workspace_bytes(*method, problem);
    if (!bytes) continue;
    most_workspace = std::max(most_workspace, *bytes);
    peers.push_back({method->name, method->in_place != 0,
                     [this, problem, method, bytes = *bytes](Operands operands, Stream stream) {
                       operands[Role::workspace] = {workspace_->data(), bytes, 0};
                       peer_->sort(*method, problem, operands, stream);
                     }});
    peers.back().any_order = method->any_order != 0;
  }
  workspace_.reset();
  workspace_ = device_->allocate(std::max<std::uint64_t>(most_workspace, 1));
  return peers;
}

BenchRecord Comparison::describe(const Problem& problem) {
  const Explanation explanation = sorter_->explain(problem);
  BenchRecord record = record_of(problem, *device_);
  record.suite = name_of(request_.suite);
  record.configuration = explanation.configuration;
  record.kernel = kernel_sources_digest(Configuration::parse(record.configuration).variant);
  record.match = explanation.match;
  record.expected_us = explanation.expected_us;
  if (given_) {
    record.match = "given";
    record.expected_us = std::nullopt;
  }
  record.workspace_bytes = sorter_->workspace_size(problem);
  if (peer_) {
    record.peer = peer_->name();
    record.peer_version = peer_->version();
  }
  return record;
}

std::optional<BenchRecord> Comparison::compare(const Problem& problem, Distribution distribution,
                                               const std::string& lengths) {
  // Of all inputs: else the few samples of who is slow were of other lengths than the many of who is fast.
  const Segments segments =
      problem.ragged ? packed_segments(make_lengths(problem, lengths, request_.seed)) : Segments{};
  const CallLayout layout = problem.ragged ? CallLayout(problem, segments) : CallLayout(problem);
  // Besides the least: workspaces as large as the input, where values travel two each, and what samples
  // write.
  const std::uint64_t images = sorts_keys_alone(problem) ? 5 : 8;
  const std::uint64_t needed = images * InterleavedSampler::memory_needed(layout) / 3;
  if (device_->info().memory_bytes > 0 && needed > static_cast<std::uint64_t>(device_->info().memory_bytes)) {
    add_note(
        fmt::format("'{}' was left out: it needs {} MiB of device memory", text_of(problem), needed >> 20));
    return std::nullopt;
  }
  if (given_) expect_fit(*given_, problem, device_->info());
  try {
    sorter_->prepare(problem);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    add_note(fmt::format("'{}' was left out: {}", text_of(problem), error.what()));
    return std::nullopt;
  }
  BenchRecord record = describe(problem);
  record.distribution = name_of(distribution);

  if (problem.ragged) record.lengths = std::filesystem::path(lengths).filename();

  const int in_turn = images_in_turn(*device_, layout.input_bytes(), Protocol{}.inputs);
  std::vector<BenchInput> inputs;
  inputs.reserve(static_cast<std::size_t>(in_turn));
  for (int i = 0; i < in_turn; ++i) {
    const std::uint64_t seed = request_.seed + static_cast<std::uint64_t>(i);
    inputs.push_back({bench_keys(problem, distribution, seed), segments});
  }
  InterleavedSampler sampler(*device_, kernels_, problem, layout, inputs);
  inputs = {};

  std::vector<Contestant> all = own_contestants(problem);
  Sides sides{.own = all.size()};
  record.verified = std::all_of(all.begin(), all.end(),
                                [&](const Contestant& contestant) { return sampler.verify(contestant); });
  if (!record.verified) add_note(fmt::format("bitune sorted '{}' wrongly: report this", text_of(problem)));
  if (request_.graph) {
    std::vector<Contestant> graphs = graph_contestants(all, sampler, record);
    sides.graphs = graphs.size();
    std::move(graphs.begin(), graphs.end(), std::back_inserter(all));
  }
  for (Contestant& contestant : peer_contestants(problem)) {
    if (sampler.verify(contestant)) {
      all.push_back(std::move(contestant));
    } else {
      add_note(fmt::format("the peer's '{}' sorted '{}' wrongly", contestant.name, text_of(problem)));
    }
  }

  add_times(all, sides, sampler.run(all, std::max(request_.samples, 1)), record);
  if (record.verified && !is_emulated(*device_) && record.bitune_us < longest_between_us) {
    const auto own = std::find_if(
        all.begin(), all.end(), [&](const Contestant& contestant) { return contestant.name == record.form; });
    record.between_us =
        time_between_kernels(*device_, kernels_, *own, sampler, std::max(request_.samples, 1));
  }
  record.gkeys_per_s = rate_of(problem, record.bitune_us);
  if (record.peer_us) record.peer_gkeys_per_s = rate_of(problem, *record.peer_us);
  if (record.verified && record.peer_us) record.ratio = *record.peer_us / record.bitune_us;
  return record;
}

}  // namespace bitune
