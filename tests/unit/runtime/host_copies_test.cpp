// Several host sorts at once: one copies to the device at a time, and meanwhile another one comes back.

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "runtime/host_sort.hpp"
#include "runtime/host_staging.hpp"
#include "tests/support/fake_device.hpp"

namespace bitune::test {
namespace host_copies {
namespace {

constexpr std::size_t chunk = 64;
constexpr std::size_t chunks = 16;
constexpr unsigned copy_threads = 2;

/// Keeps in mind from and to which memory of it was copied, in order.
class WatchedDevice : public fake::Device {
 public:
  void copy_to_device(void* to, const void* from, std::size_t bytes, Stream stream) const override {
    note(uploads, to);
    on_upload();
    fake::Device::copy_to_device(to, from, bytes, stream);
    std::this_thread::yield();  // others would come between, if they could
  }
  void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) const override {
    note(downloads, from);
    on_download();
    fake::Device::copy_to_host(to, from, bytes, stream);
    std::this_thread::yield();
  }

  std::function<void()> on_upload = [] {};
  std::function<void()> on_download = [] {};
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  mutable std::vector<const void*> uploads;  ///< guarded by mutex
  mutable std::vector<const void*> downloads;

 private:
  void note(std::vector<const void*>& places, const void* place) const {
    const std::lock_guard lock(mutex);
    places.push_back(place);
    changed.notify_all();
  }
};

/// Runs with `count` arrays, each with a thread of its own. Returns where each was on the device.
std::vector<const std::byte*> run_at_once(const std::shared_ptr<WatchedDevice>& device, std::size_t count) {
  HostSort sort(device, chunk, copy_threads);
  std::vector<std::vector<std::byte>> arrays(count, std::vector<std::byte>(chunk * chunks));
  std::vector<const std::byte*> places(count);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
      threads.emplace_back([&, i] {
        std::fill(arrays[i].begin(), arrays[i].end(), static_cast<std::byte>(i + 1));
        sort.run(arrays[i].data(), arrays[i].size(), [&](void* memory, Stream) {
          places[i] = static_cast<const std::byte*>(memory);
          for (std::size_t byte = 0; byte < chunk * chunks; ++byte) {
            EXPECT_EQ(places[i][byte], static_cast<std::byte>(i + 1));
          }
        });
      });
    }
  }
  return places;
}

/// How often the next copy is of another array than the one before.
std::size_t changes(const std::vector<const void*>& copies, const std::vector<const std::byte*>& arrays) {
  const auto array_of = [&](const void* place) {
    return std::find_if(arrays.begin(), arrays.end(), [&](const std::byte* array) {
      return array <= place && place < array + chunk * chunks;
    });
  };
  std::size_t count = 0;
  for (std::size_t i = 1; i < copies.size(); ++i)
    count += array_of(copies[i]) != array_of(copies[i - 1]) ? 1 : 0;
  return count;
}

TEST(HostCopies, HaveTheBusToThemselvesInTurn) {
  const auto device = std::make_shared<WatchedDevice>();
  constexpr std::size_t runs = 3;
  // None comes back before all are there: so each has memory of its own.
  device->on_download = [&] {
    std::unique_lock lock(device->mutex);
    device->changed.wait(lock, [&] { return device->uploads.size() == runs * chunks; });
  };
  const auto places = run_at_once(device, runs);
  EXPECT_EQ(device->uploads.size(), runs * chunks);
  EXPECT_EQ(device->downloads.size(), runs * chunks);
  EXPECT_EQ(changes(device->uploads, places), runs - 1);
  EXPECT_EQ(changes(device->downloads, places), runs - 1);
}

TEST(HostCopies, GoBothWaysAtTheSameTime) {
  const auto device = std::make_shared<WatchedDevice>();
  // The first array comes back only when the second one is on its way. And that waits in the middle for the
  // first one to come. If one had to end before the other begins, this would not end.
  device->on_download = [&] {
    std::unique_lock lock(device->mutex);
    device->changed.wait(lock, [&] { return device->uploads.size() > chunks; });
  };
  device->on_upload = [&] {
    std::unique_lock lock(device->mutex);
    if (device->uploads.size() <= chunks + chunks / 2) return;
    device->changed.wait(lock, [&] { return !device->downloads.empty(); });
  };
  run_at_once(device, 2);
  EXPECT_EQ(device->downloads.size(), 2 * chunks);
}

/// Sends its last chunk but one only after the last one, as threads may do that overtake each other.
class OvertakenDevice : public WatchedDevice {
 public:
  void copy_to_host(void* to, const void* from, std::size_t bytes, Stream stream) const override {
    const auto at = static_cast<std::size_t>(static_cast<const std::byte*>(from) - begin);
    if (at == (chunks - 2) * chunk) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return downloads.size() == chunks - 1; });
    }
    WatchedDevice::copy_to_host(to, from, bytes, stream);
  }

  const std::byte* begin = nullptr;
};

TEST(HostCopies, TellThatAllIsSentOnlyThen) {
  OvertakenDevice device;
  const auto stream = device.create_stream();
  const std::vector<std::byte> array(chunk * chunks, std::byte{7});
  std::vector<std::byte> result(array.size());
  device.begin = array.data();
  HostStaging staging(device, chunk, copy_threads);
  const HostRoom room{result.data(), result.size()};
  std::vector<std::size_t> sent;
  staging.download(std::span(&room, 1), array.data(), array.size(), stream->handle(), [&] {
    const std::lock_guard lock(device.mutex);
    sent.push_back(device.downloads.size());
  });
  EXPECT_EQ(sent, (std::vector<std::size_t>{chunks}));
  EXPECT_EQ(result, array);
}

}  // namespace
}  // namespace host_copies
}  // namespace bitune::test
