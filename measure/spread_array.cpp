#include "measure/spread_array.hpp"

#include <numeric>

#include "model/key_type.hpp"

namespace bitune {

SpreadArray::SpreadArray(std::span<const std::unique_ptr<DeviceParts>> devices, const SortSpec& spec,
                         Distribution distribution, const std::vector<std::uint64_t>& lengths)
    : devices_(devices), spec_(spec) {
  const std::uint64_t whole = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    DeviceParts& on = *devices[i];
    const std::uint64_t n = lengths[i];
    const auto allocate = [&](std::uint64_t bytes) { return on.device().allocate(n * bytes); };
    Part part{n, allocate(size_of(spec.key)), allocate(size_of(spec.key)), allocate(spec.value_bytes),
              allocate(spec.value_bytes)};
    on.make_keys(part.keys_in->data(), n, first, whole, spec.key, distribution);
    if (spec.value_bytes != 0) on.make_values(part.values_in->data(), n, first, whole, spec.value_bytes);
    on.device().synchronize(nullptr);
    parts_.push_back(std::move(part));
    first += n;
  }
}

Operands SpreadArray::operands(std::size_t device) const {
  const Part& part = parts_[device];
  Operands all;
  all[Role::keys_in] = {part.keys_in->data(), part.n, part.n};
  all[Role::keys_out] = {part.keys_out->data(), part.n, part.n};
  if (spec_.value_bytes == 0) return all;
  all[Role::values_in] = {part.values_in->data(), part.n, part.n};
  all[Role::values_out] = {part.values_out->data(), part.n, part.n};
  return all;
}

std::string SpreadArray::fault() const {
  const bool has_values = spec_.value_bytes != 0;
  const std::size_t bytes = size_of(spec_.key);
  const made::KeyRanks ranks = key_facts_of(spec_.key).ranks();
  PartFacts given;
  PartFacts got;
  std::uint64_t last_place = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const auto look = [&](const DeviceBuffer& keys, const DeviceBuffer& values) {
      return devices_[i]->look(keys.data(), has_values ? values.data() : nullptr, part.n, spec_.key,
                               spec_.value_bytes);
    };
    given.add(look(*part.keys_in, *part.values_in));
    got.add(look(*part.keys_out, *part.values_out));
    if (part.n == 0) continue;
    const auto* keys = static_cast<const std::byte*>(part.keys_out->data());
    const Device& device = devices_[i]->device();
    for (const std::byte* end : {keys, keys + (part.n - 1) * bytes}) {
      std::uint64_t key = 0;
      device.copy_to_host(&key, end, bytes, nullptr);  // of a little-endian device to such a host
      device.synchronize(nullptr);
      const std::uint64_t place = ranks.place(key, has_values);
      if (place < last_place) ++got.unordered;
      last_place = place;
    }
  }
  if (got.unordered != 0) return "the keys are not in order";
  return got.sums != given.sums ? "other keys or values came out" : "";
}

}  // namespace bitune
