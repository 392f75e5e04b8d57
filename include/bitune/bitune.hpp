#pragma once

/// \file
/// bitune: sorting on GPUs with kernels that are compiled and tuned for the very GPU, key type and size at
/// hand. C++17; what takes a std::span is there from C++20 on.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "bitune/error.hpp"
#include "bitune/operands.hpp"
#include "bitune/types.hpp"

namespace bitune {

/// Takes how many parts of a call are done, and how many there are. Called from any thread, by one at a time;
/// must not throw.
using ProgressFunction = std::function<void(std::uint64_t done, std::uint64_t parts)>;

/// Where things are found. Empty fields mean the defaults that the README names.
struct SorterOptions {
  std::string device =
      "auto";  ///< "auto" (the current CUDA device, else GPU 0, else emulated), "0", a UUID, "emulated"
  std::string database;      ///< tuning database; default: $BITUNE_DB, else the user's
  std::string kernel_cache;  ///< directory; default: $BITUNE_CACHE, else the user's
  /// The first sort of a problem need not wait for the compiler: it takes, for the time being, what is ready
  /// or soon compiled. $BITUNE_STAND_INS (0 or 1) says it instead. The emulated device always waits, unless
  /// that variable is 1.
  bool stand_ins = false;
  /// Bytes of device memory that a call on host arrays may take; 0: what is free. What takes more is done in
  /// parts. $BITUNE_DEVICE_MEMORY ("4G") says it where this is 0.
  std::uint64_t device_memory = 0;
  /// Told of calls on host arrays that are done in parts.
  ProgressFunction progress = {};
  /// Where what is done in parts keeps what does not lie in the result meanwhile: a folder, in a file without
  /// a name; empty: in memory. Of keys alone that is little, with others as much again as the arrays take.
  /// With arrays that are files mapped into memory, neither takes memory that the system cannot have back.
  std::string scratch_folder = {};
};

/// Times of one host sort in microseconds. Those of parts are added up, and overlap.
struct HostSortTimes {
  double host_to_device_us = 0;
  double kernels_us = 0;
  double device_to_host_us = 0;
  double total_us = 0;      ///< wall clock, staging included
  std::uint64_t parts = 1;  ///< in how many the call was done; those of both passes, of a large array
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
  int shipped_kernels = 0;  ///< of its kernels those that came with bitune; 0 while it is not prepared
  int cached_kernels = 0;   ///< likewise, from the kernel cache
  /// The configuration that is being compiled in the background, and then takes the place of this one. Empty
  /// if there is none.
  std::string awaited;
};

/// Sorts on one device with the configuration that the tuning database knows to be best.
///
/// Thread safety: all member functions may be called from several threads at once.
/// The first call for a problem selects, loads what is shipped or in the kernel cache, and compiles what is
/// not; later calls for the same problem only launch. Where compiling takes long, and
/// SorterOptions::stand_ins is set, the first calls are sorted by another configuration while the best is
/// compiled in the background. Keys alone and stable sorts have the same result with each. Unstable ones may
/// order equal keys in another way then. A sorter that ends, and a process, waits for the compile that is
/// under way. The database is read when a key width is first met: a Sorter does not see what is tuned later.
/// The 4096 problems used last stay prepared. Every function throws bitune::Error.
///
/// Keys and streams must belong to the Sorter's device (make a Sorter for each GPU). A damaged or missing
/// database or kernel cache is no error: the reason that `explain` gives tells of it.
class Sorter {
 public:
  explicit Sorter(SorterOptions options = {});
  ~Sorter();
  Sorter(Sorter&&) noexcept;
  Sorter& operator=(Sorter&&) noexcept;

  /// Does what the problem says with the operands, which are in device memory, asynchronously on `stream`.
  /// Every operation and shape; the functions below are conveniences.
  ///
  /// - Keys: keys_out, and keys_in where the keys are not sorted in place.
  /// - Values: values_out, and values_in where it is other memory.
  /// - Indices: indices_out. An index is that of the key in its row.
  /// - An argsort takes keys_in and indices_out, and leaves the keys as they are.
  ///
  /// No two of these arrays may overlap. But rows of one may lie between rows of another, if both have as
  /// many bytes from row to row, and values or indices go with them. Row i begins at element i * stride of
  /// its operand. Elements between rows are neither read nor written. Input and output may have different
  /// strides. Pointers must be aligned to their element type (16 bytes are best, for row strides too).
  ///
  /// A workspace of at least `workspace_size` bytes, aligned to 256, may be given. Calls that follow each
  /// other on one stream may share it. Without one the call allocates it in the stream: that takes a
  /// microsecond or two, and keeps calls that follow each other from overlapping. Rows of 8192 keys and more
  /// that lie apart may take memory in the stream besides: as much as the arrays of the call.
  ///
  /// A top_k is out of place. It reads n keys of each row, and writes the first k of each row in order: keys,
  /// values, indices. An output's rows are at least k apart. Of equal keys those with the lowest index are
  /// taken, in their order, in descending order too. Where indices are asked for, keys_out may be empty.
  /// lengths says how many keys of each row count (one that is larger than n means n); it is read on the
  /// device. What a row lacks of k is filled: with the key that sorts last of all, with values of zero bytes,
  /// and with indices whose bits are all ones. Without lengths all n count. Of segments it writes rows of k
  /// as well, one for each; lengths are left out, and k may be more than any segment has.
  ///
  /// Segments (`ragged`): `rows` of them lie in arrays of `n` elements, where offsets and ends say
  /// (Operands), which are read on the device: nothing waits for the host. An index is that of the key in its
  /// segment. Keys, values and indices that are in no segment stay as they are. What is prepared for one
  /// batch serves all whose number of segments and mean length round up to the same powers of two, whatever
  /// the lengths are; so does a captured graph, for as many segments and keys as it was captured with. What
  /// offsets say is not checked here: see check_segments.
  ///
  /// What is prepared serves all memory and strides of a problem. \throws Error (usage) if an operand is
  /// missing, misaligned, or has too few elements; if rows or arrays overlap; if indices are too narrow for
  /// the number of keys; if k is not from 1 to n (of segments: from 1 on); or if the workspace is too small.
  /// Error (unavailable) for what is not built: lengths of what is no top_k. Error (capture) if the stream is
  /// being captured and the problem was not prepared.
  void run(const Problem& problem, const Operands& operands, Stream stream = nullptr);

  /// Sorts `n` keys in device memory, in place, asynchronously on `stream`. \throws Error as `run`
  void sort(void* keys, std::uint64_t n, KeyType type, Stream stream = nullptr,
            Order order = Order::ascending);

  /// Sorts `n` keys in device memory, in place, and their values with them, of 1, 2, 4, 8 or 16 bytes each.
  /// Equal keys stay in the order of the input, in a descending sort too. All NaNs are equal keys; -0 and +0
  /// are two. \throws Error as `run`
  void sort_pairs(void* keys, void* values, std::uint64_t n, KeyType type, std::uint32_t value_bytes,
                  Stream stream = nullptr, Order order = Order::ascending);

  /// Writes to `indices` where each of `n` keys in device memory would come from if they were sorted: u32
  /// where `index_bytes` is 4, u64 where it is 8. The keys stay as they are. Equal keys as in `sort_pairs`.
  /// \throws Error as `run`
  void argsort(const void* keys, void* indices, std::uint64_t n, KeyType type, std::uint32_t index_bytes = 4,
               Stream stream = nullptr, Order order = Order::ascending);

  /// Writes the k largest of `n` keys in device memory to `first`, the largest first, and where they stood to
  /// `indices`, as `argsort` does; `first` may be null. In ascending order the smallest, and the smallest
  /// first. Of equal keys those with the lowest index. The keys stay as they are. \throws Error as `run`
  void top_k(const void* keys, void* first, void* indices, std::uint64_t n, std::uint64_t k, KeyType type,
             std::uint32_t index_bytes = 4, Stream stream = nullptr, Order order = Order::descending);

  /// Sorts each segment of `n` keys in device memory on its own, in place, asynchronously on `stream`.
  /// \throws Error as `run`
  void sort_segments(void* keys, std::uint64_t n, const SegmentOffsets& segments, KeyType type,
                     Stream stream = nullptr, Order order = Order::ascending);

  /// As sort_segments, with a value of 1, 2, 4, 8 or 16 bytes for each key. Equal keys stay in the order of
  /// the input. So the columns of each row of a CSR matrix are sorted with its data. \throws Error as `run`
  void sort_segment_pairs(void* keys, void* values, std::uint64_t n, const SegmentOffsets& segments,
                          KeyType type, std::uint32_t value_bytes, Stream stream = nullptr,
                          Order order = Order::ascending);

  /// As `argsort` for each segment: an index counts from the beginning of its segment. \throws Error as `run`
  void argsort_segments(const void* keys, void* indices, std::uint64_t n, const SegmentOffsets& segments,
                        KeyType type, std::uint32_t index_bytes = 4, Stream stream = nullptr,
                        Order order = Order::ascending);

  /// As `top_k` for each segment: rows of k keys, and of k indices, which count from the beginning of a
  /// segment. k may be more than a segment has: see `run`. \throws Error as `run`
  void top_k_segments(const void* keys, void* first, void* indices, std::uint64_t n,
                      const SegmentOffsets& segments, std::uint64_t k, KeyType type,
                      std::uint32_t index_bytes = 4, Stream stream = nullptr,
                      Order order = Order::descending);

  /// Looks whether offsets and ends in device memory are right: copies them to the host, and waits for the
  /// stream. \throws Error (usage) that names the first segment that ends before it begins, or behind the
  /// keys, or overlaps another
  void check_segments(const Problem& problem, const Operands& operands, Stream stream = nullptr);

  /// As `run` for arrays in the host's memory, whose workspace is not looked at; returns when all is written.
  /// Segments are checked as by check_segments, and are done at once.
  ///
  /// What takes more memory than the device has free, or than SorterOptions::device_memory, is done in parts,
  /// several at once. A large array goes to the device twice. Of keys alone it takes little memory of the
  /// host besides; with what travels with them, as much again as the arrays. Page-locked memory is copied
  /// from and to without a buffer. Errors as of `run`; Error (out_of_resources) if that is not there,
  /// or for a top_k whose firsts of all parts do not fit a part.
  HostSortTimes run_host(const Problem& problem, const Operands& operands);

  /// In how many parts `run_host` would do this call; 1: at once. \throws Error (usage)
  [[nodiscard]] std::uint64_t host_parts(const Problem& problem);

  /// Sorts a host array in place: staged through pinned memory; returns when it is sorted.
  HostSortTimes sort_host(void* keys, std::uint64_t n, KeyType type, Order order = Order::ascending);

  /// Sorts each of `rows` rows of `row_length` keys in device memory on its own, in place. Row i begins at
  /// key i * `row_stride` behind `keys`. Any number and length, 0 and 1 included, and more than 2^31 keys in
  /// all, as far as memory goes. \throws Error as `run`
  void sort_rows(void* keys, std::uint64_t rows, std::uint64_t row_length, std::uint64_t row_stride,
                 KeyType type, Stream stream = nullptr, Order order = Order::ascending);

  /// Sorts each row of a host array, rows one behind the other, in place; returns when they are sorted.
  HostSortTimes sort_rows_host(void* keys, std::uint64_t rows, std::uint64_t row_length, KeyType type,
                               Order order = Order::ascending);

#ifdef __cpp_lib_span
  /// As `sort_host`, the key type taken from the element type.
  template <class T>
  HostSortTimes sort(std::span<T> keys, Order order = Order::ascending);
#endif

  /// Selects, compiles and loads the best now, so that later calls for this problem only launch (and can be
  /// captured).
  void prepare(const Problem& problem);

  /// Bytes of workspace that this problem takes on the device; 0 for variants that need none. While another
  /// configuration stands in, this is of the best; one that takes more allocates it in the stream.
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

#ifdef __cpp_lib_span
template <class T>
HostSortTimes Sorter::sort(std::span<T> keys, Order order) {
  return sort_host(keys.data(), keys.size(), key_type_of<T>(), order);
}
#endif

}  // namespace bitune
