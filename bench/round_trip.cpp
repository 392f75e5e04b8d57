#include "bench/round_trip.hpp"

#include <chrono>
#include <cstring>

#include "measure/oracle.hpp"
#include "model/problem_operands.hpp"
#include "model/statistics.hpp"

namespace bitune {
namespace {

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double median_of_member(const std::vector<RoundTrip>& trips, double RoundTrip::*member) {
  std::vector<double> values;
  values.reserve(trips.size());
  for (const RoundTrip& trip : trips) values.push_back(trip.*member);
  return median_of(std::move(values));
}

}  // namespace

RoundTrips::RoundTrips(const Device& device, const Problem& problem, std::span<const std::byte> keys)
    : device_(device),
      problem_(problem),
      keys_(keys),
      stream_(device.create_stream()),
      on_device_(device.allocate(keys.size())),
      out_(device.allocate(keys.size())),
      pinned_keys_(device.allocate_host(keys.size())),
      pinned_result_(device.allocate_host(keys.size())),
      pageable_result_(keys.size()) {
  std::memcpy(pinned_keys_->data(), keys.data(), keys.size());
  for (int i = 0; i < 4; ++i) events_.push_back(device.create_event());
}

std::byte* RoundTrips::result(bool pinned) {
  return pinned ? pinned_result_->data() : pageable_result_.data();
}

void RoundTrips::sort(const Contestant& contestant) const {
  void* const sorted = (contestant.in_place ? on_device_ : out_)->data();
  contestant.sort(packed_operands(problem_, sorted, on_device_->data()), stream_->handle());
}

RoundTrip RoundTrips::run(const Contestant& contestant, bool pinned) {
  const Stream stream = stream_->handle();
  const std::byte* const from = pinned ? pinned_keys_->data() : keys_.data();
  void* const sorted = contestant.in_place ? on_device_->data() : out_->data();

  RoundTrip trip;
  const double begin = now_us();
  device_.record(*events_[0], stream);
  device_.copy_to_device(on_device_->data(), from, keys_.size(), stream);
  device_.record(*events_[1], stream);
  sort(contestant);
  device_.record(*events_[2], stream);
  device_.copy_to_host(result(pinned), sorted, keys_.size(), stream);
  device_.record(*events_[3], stream);
  device_.synchronize(stream);
  trip.total_us = now_us() - begin;
  trip.to_device_us = 1000 * device_.elapsed_ms(*events_[0], *events_[1]);
  trip.sort_us = 1000 * device_.elapsed_ms(*events_[1], *events_[2]);
  trip.to_host_us = 1000 * device_.elapsed_ms(*events_[2], *events_[3]);
  return trip;
}

bool RoundTrips::verify(const Contestant& contestant, bool pinned) {
  // What a sort before this one left must not be taken for this one's result.
  std::memset(result(pinned), 0xA5, keys_.size());
  device_.fill(out_->data(), 0xA5, keys_.size(), stream_->handle());
  run(contestant, pinned);
  return !find_fault_of_keys(problem_, keys_, {result(pinned), keys_.size()});
}

RoundTripTimes RoundTrips::time(const Contestant& contestant, bool pinned, int samples, double budget_us) {
  std::vector<RoundTrip> trips;
  const double begin = now_us();
  do {
    trips.push_back(run(contestant, pinned));
  } while (static_cast<int>(trips.size()) < samples && now_us() - begin < budget_us);

  RoundTripTimes times;
  times.samples = static_cast<int>(trips.size());
  times.median = {
      median_of_member(trips, &RoundTrip::total_us), median_of_member(trips, &RoundTrip::to_device_us),
      median_of_member(trips, &RoundTrip::sort_us), median_of_member(trips, &RoundTrip::to_host_us)};
  return times;
}

std::vector<double> RoundTrips::time_parts(std::span<const Contestant> parts) {
  const Stream stream = stream_->handle();
  while (events_.size() < parts.size() + 1) events_.push_back(device_.create_event());
  device_.copy_to_device(on_device_->data(), pinned_keys_->data(), keys_.size(), stream);
  device_.record(*events_[0], stream);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sort(parts[i]);
    device_.record(*events_[i + 1], stream);
  }
  device_.synchronize(stream);
  std::vector<double> times;
  times.reserve(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    times.push_back(1000 * device_.elapsed_ms(*events_[i], *events_[i + 1]));
  return times;
}

}  // namespace bitune
