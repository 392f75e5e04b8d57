#pragma once

/// \file
/// bitune: sorting on GPUs with kernels that are compiled and tuned for the very GPU, key type and size at
/// hand.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bitune/error.hpp"
#include "bitune/types.hpp"

namespace bitune {

/// A CUDA stream: a CUstream or cudaStream_t, passed as it is. Null is the default stream.
using Stream = void*;

/// Where things are found. Empty fields mean the defaults that the README names.
struct SorterOptions {
  std::string device =
      "auto";  ///< "auto" (the current CUDA device, else GPU 0, else emulated), "0", a UUID, "emulated"
  std::string database;      ///< tuning database; default: $BITUNE_DB, else the user's
  std::string kernel_cache;  ///< directory; default: $BITUNE_CACHE, else the user's
};

/// Times of one host sort in microseconds.
struct HostSortTimes {
  double host_to_device_us = 0;
  double kernels_us = 0;
  double device_to_host_us = 0;
  double total_us = 0;  ///< wall clock, staging included
};

/// Device memory of the caller's that a sort uses while it runs. Sorts that follow each other on one stream
/// may share it.
struct Workspace {
  void* data = nullptr;  ///< aligned to 256 bytes; null: there is none
  std::uint64_t bytes = 0;
};

/// How rows are sorted.
struct RowOptions {
  Order order = Order::ascending;
  Stream stream = nullptr;
  /// Device memory that the rows are read from and that stays as it is, with the row stride of the sorted
  /// rows; null: they are sorted in place. Its rows must not overlap the sorted ones, but may lie between
  /// them.
  const void* input = nullptr;
  /// At least Sorter::workspace_size bytes; by default the call allocates them in the stream, which takes a
  /// microsecond or two and keeps sorts that follow each other from overlapping.
  Workspace workspace = {};
};

/// How a problem is sorted, and why.
struct Explanation {
  std::string configuration;  ///< canonical text: "warp(block_size_x=256,...)"
  std::string match;          ///< "exact", "near size", "near device", "shipped" or "default"
  std::string reason;         ///< one sentence
  std::optional<double> expected_us;
  std::vector<std::string> launches;  ///< a line each: kernel, grid, block, shared memory
  /// Kernels that preparing the problem compiled: 0 if the kernel cache or this process had them all, and
  /// while it is not prepared.
  int compiled_kernels = 0;
};

/// Sorts on one device with the configuration that the tuning database knows to be best.
///
/// Thread safety: all member functions may be called from several threads at once.
/// The first call for a problem selects, compiles (or loads from the kernel cache) and loads; later calls for
/// the same problem only launch. The database is read when a key width is first met: a Sorter does not see
/// what is tuned later. The 4096 problems used last stay prepared. Every function throws bitune::Error.
///
/// Keys and streams must belong to the Sorter's device (make a Sorter for each GPU). A damaged or missing
/// database or kernel cache is no error: the reason that `explain` gives tells of it.
class Sorter {
 public:
  explicit Sorter(SorterOptions options = {});
  ~Sorter();
  Sorter(Sorter&&) noexcept;
  Sorter& operator=(Sorter&&) noexcept;

  /// Sorts `n` keys in device memory, in place, asynchronously on `stream`. `keys` must be aligned to its key
  /// type. `sort_rows` of one row does the same with more options. \throws Error (capture) if the stream is
  /// being captured and the problem was not prepared.
  void sort(void* keys, std::uint64_t n, KeyType type, Stream stream = nullptr,
            Order order = Order::ascending);

  /// Sorts a host array in place: staged through pinned memory; returns when it is sorted.
  HostSortTimes sort_host(void* keys, std::uint64_t n, KeyType type, Order order = Order::ascending);

  /// Sorts each of `rows` rows of `row_length` keys in device memory on its own, asynchronously on
  /// `options.stream`. Row i begins at key i * `row_stride` behind `keys`, and behind `options.input` if that
  /// is given; keys between the rows are neither read nor written. Lengths and strides are in keys; any of
  /// them, 0 and 1 rows or keys a row included, and more than 2^31 keys in all, as far as memory goes. Both
  /// pointers must be aligned to the key type (16 bytes are best, for row strides too).
  ///
  /// What is prepared serves all strides and inputs, but one length and number of rows: another number costs
  /// a new selection on its first call, without a compilation unless a different configuration is best for
  /// it. \throws Error (usage) if `row_stride` is below `row_length`, a pointer is null or misaligned, or the
  /// workspace is too small; Error (capture) as `sort`.
  void sort_rows(void* keys, std::uint64_t rows, std::uint64_t row_length, std::uint64_t row_stride,
                 KeyType type, const RowOptions& options = {});

  /// Sorts each row of a host array, rows one behind the other, in place; returns when they are sorted.
  HostSortTimes sort_rows_host(void* keys, std::uint64_t rows, std::uint64_t row_length, KeyType type,
                               Order order = Order::ascending);

  /// As `sort_host`, the key type taken from the element type.
  template <class T>
  HostSortTimes sort(std::span<T> keys, Order order = Order::ascending);

  /// Selects, compiles and loads now, so that later calls for this problem only launch (and can be captured).
  void prepare(const Problem& problem);

  /// Device bytes that a sort of this problem takes besides the keys: of RowOptions::workspace, or allocated
  /// in the stream; 0 for in-place variants.
  [[nodiscard]] std::uint64_t workspace_size(const Problem& problem);

  /// Which configuration sorts this problem, where it came from, and its launches.
  [[nodiscard]] Explanation explain(const Problem& problem);

  /// Description of the device: "NVIDIA H200 (sm_90, GPU 0)".
  [[nodiscard]] std::string device() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Key type of a C++ arithmetic type.
template <class T>
constexpr KeyType key_type_of() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<std::remove_cv_t<T>, bool> && sizeof(T) <= 8);
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? KeyType::f32 : KeyType::f64;
  } else if constexpr (std::is_signed_v<T>) {
    return sizeof(T) == 1   ? KeyType::i8
           : sizeof(T) == 2 ? KeyType::i16
           : sizeof(T) == 4 ? KeyType::i32
                            : KeyType::i64;
  } else {
    return sizeof(T) == 1   ? KeyType::u8
           : sizeof(T) == 2 ? KeyType::u16
           : sizeof(T) == 4 ? KeyType::u32
                            : KeyType::u64;
  }
}

template <class T>
HostSortTimes Sorter::sort(std::span<T> keys, Order order) {
  return sort_host(keys.data(), keys.size(), key_type_of<T>(), order);
}

}  // namespace bitune
