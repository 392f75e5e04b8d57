// MultiSorter on GPUs: two ranks that share the first GPU; and a rank for each GPU, where there are several.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "tests/gpu/device_fixture.hpp"
#include "tests/multi/nccl_ranks.hpp"
#include "tests/multi/several_ranks.hpp"

namespace bitune::test {
namespace multi_on_gpus {
namespace {

constexpr std::uint64_t keys_a_rank = 300001;

/// The call with its arrays in the memory of each rank's device.
class OnDevices {
 public:
  OnDevices(const std::vector<std::string>& names, const SortSpec& spec) : spec_(spec) {
    for (const std::string& name : names) devices_.push_back(open_device(name));
  }

  using Run = std::function<void(const SortSpec&, const std::vector<MultiPart>&)>;

  /// With workspaces of the caller's, which are not read by other ranks, pieces are copied: where `sorter`
  /// tells their size.
  [[nodiscard]] std::string fault(RanksCall& call, const Run& run, MultiSorter* sorter = nullptr) {
    const std::vector<MultiPart> on_host = call.parts();
    std::vector<MultiPart> parts = on_host;
    std::vector<std::unique_ptr<DeviceBuffer>> memory;
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const Device& device = *devices_[rank];
      for (const Role role :
           {Role::keys_in, Role::values_in, Role::keys_out, Role::values_out, Role::indices_out}) {
        Operand& operand = parts[rank].operands[role];
        if (operand.data == nullptr) continue;
        memory.push_back(device.allocate(operand.elements * bytes_of(role)));
        device.copy_to_device(memory.back()->data(), operand.data, memory.back()->size(), nullptr);
        operand.data = memory.back()->data();
      }
      if (sorter != nullptr) {
        const std::uint64_t bytes = sorter->workspace_size(spec_, parts[rank].n, call.result_of(rank));
        memory.push_back(device.allocate(bytes));
        parts[rank].operands[Role::workspace] = {memory.back()->data(), bytes, 0};
      }
      device.synchronize(nullptr);
    }
    run(spec_, parts);
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      for (const Role role : {Role::keys_out, Role::values_out, Role::indices_out}) {
        const Operand& to = on_host[rank].operands[role];
        if (to.data == nullptr) continue;
        devices_[rank]->copy_to_host(to.data, parts[rank].operands[role].data, to.elements * bytes_of(role),
                                     nullptr);
      }
      devices_[rank]->synchronize(nullptr);
    }
    return call.fault().value_or("");
  }

 private:
  [[nodiscard]] std::size_t bytes_of(Role role) const {
    if (role == Role::keys_in || role == Role::keys_out) return size_of(spec_.key);
    return role == Role::indices_out ? spec_.index_bytes : spec_.value_bytes;
  }

  SortSpec spec_;
  std::vector<std::shared_ptr<Device>> devices_;
};

class MultiOnGpus : public cuda::GpuTest {
 protected:
  static void expect_right(const std::vector<std::string>& devices) {
    MultiOptions options;
    options.devices = devices;
    MultiSorter sorter(options);
    options.copied_from_bytes = options.least_chunk_bytes = 1;
    MultiSorter copier(options);
    options.split_from_bytes = 1;
    MultiSorter splitter(options);
    options.split_from_bytes = 0;
    options.halved_from_bytes = 1;
    MultiSorter halver(options);
    const auto halve = [&](const SortSpec& spec, const std::vector<MultiPart>& parts) {
      static_cast<void>(halver.run(spec, parts));
    };
    const auto copy = [&](const SortSpec& spec, const std::vector<MultiPart>& parts) {
      static_cast<void>(copier.run(spec, parts));
    };
    const auto split = [&](const SortSpec& spec, const std::vector<MultiPart>& parts) {
      static_cast<void>(splitter.run(spec, parts));
    };
    const auto run = [&](const SortSpec& spec, const std::vector<MultiPart>& parts) {
      static_cast<void>(sorter.run(spec, parts));
    };
    for_each_call(devices.size(), [&](const SortSpec& spec, Distribution distribution, RanksCall& call) {
      EXPECT_EQ(OnDevices(devices, spec).fault(call, run), "");
      EXPECT_EQ(OnDevices(devices, spec).fault(call, copy), "");
      EXPECT_EQ(OnDevices(devices, spec).fault(call, split), "");
      EXPECT_EQ(OnDevices(devices, spec).fault(call, halve), "");
      EXPECT_EQ(OnDevices(devices, spec).fault(call, run, &sorter), "");
      if (spec.operation == Operation::top_k) return;
      RanksCall whole(spec, {2 * keys_a_rank}, {equal_part}, distribution);
      const auto operands = whole.parts()[0].operands;
      static_cast<void>(sorter.run_host({spec, {.n = 2 * keys_a_rank}}, operands));
      EXPECT_EQ(whole.fault().value_or(""), "") << "in the host's memory";
    });
  }

  template <class Work>
  static void for_each_call(std::size_t ranks, const Work& work) {
    const std::vector<SortSpec> specs = {
        {.key = KeyType::f32},
        {.operation = Operation::sort_pairs, .key = KeyType::u64, .value_bytes = 4, .stable = true},
        {.operation = Operation::argsort,
         .key = KeyType::u16,
         .index_bytes = 8,
         .order = Order::descending,
         .stable = true},
        {.operation = Operation::top_k, .key = KeyType::f32, .index_bytes = 8, .k = 100}};
    std::vector<std::uint64_t> lengths(ranks, keys_a_rank);
    lengths.back() = 1000;
    for (const SortSpec& spec : specs) {
      for (const Distribution distribution :
           {Distribution::random, Distribution::all_equal, Distribution::sawtooth}) {
        RanksCall call(spec, lengths, std::vector<std::uint64_t>(ranks, equal_part), distribution);
        work(spec, distribution, call);
      }
    }
  }

  static std::vector<std::string> gpus() {
    std::vector<std::string> gpus;
    for (const DeviceReport::Entry& entry : find_devices().devices) {
      if (entry.info.kind == "cuda") gpus.push_back(entry.selector);
    }
    return gpus;
  }
};

TEST_F(MultiOnGpus, TwoRanksShareOne) { expect_right({"0", "0"}); }

TEST_F(MultiOnGpus, ARankOnEach) {
  if (gpus().size() < 2) GTEST_SKIP() << "there is one GPU";
  expect_right(gpus());
}

TEST_F(MultiOnGpus, ARankOfNcclsOnEach) {
  std::vector<int> numbers;
  for (const std::string& gpu : gpus()) numbers.push_back(std::stoi(gpu));
  std::optional<NcclRanks> mergers;
  std::optional<NcclRanks> splitters;
  try {
    mergers.emplace(numbers);
    splitters.emplace(numbers, 1);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unavailable) throw;
    GTEST_SKIP() << error.what();
  }
  for_each_call(numbers.size(), [&](const SortSpec& spec, Distribution, RanksCall& call) {
    for (NcclRanks* const ranks : {&*mergers, &*splitters}) {
      const auto run = [&](const SortSpec& given, const std::vector<MultiPart>& parts) {
        static_cast<void>(ranks->run(given, parts));
      };
      EXPECT_EQ(OnDevices(gpus(), spec).fault(call, run), "");
    }
  });
}

}  // namespace
}  // namespace multi_on_gpus
}  // namespace bitune::test
