#ifndef BITUNE_BITUNE_H
#define BITUNE_BITUNE_H

/// \file
/// bitune for C, and for all that can call C: sorting on GPUs with kernels that are compiled and tuned for
/// the very GPU, key type and size at hand. C99.
///
/// Every function but those that cannot fail returns a bitune_status. When it is not BITUNE_OK,
/// bitune_last_error() has one sentence that names the thing and says what to do. No function throws, ends
/// the process, or prints.
///
/// Structs begin with their size as the caller compiled it, which the initialiser macros write. So a library
/// takes the structs of older and newer callers. What a shorter struct lacks has its default. What a longer
/// one has beyond the library's own must be zero. A size is a multiple of 8, and no less than 8.
///
/// Texts are UTF-8 and end with a zero byte. A text that a function gives out belongs to the caller, who
/// hands it to bitune_free.
///
/// Thread safety: every function may be called from several threads at once, on one sorter as well. Only
/// bitune_sorter_destroy must be the last call for its sorter.

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BITUNE_API __attribute__((visibility("default")))
#else
#define BITUNE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// Of what this header declares. It changes when a program that was compiled with an older header would no
/// longer work, and so does the library's SONAME.
#define BITUNE_ABI_VERSION 0

/// The BITUNE_ABI_VERSION of the library. Cannot fail.
BITUNE_API uint32_t bitune_abi_version(void);

/// Of the library: "0.1.0". Static memory. Cannot fail.
BITUNE_API const char* bitune_version(void);

// ---------------------------------------------------------------------------------------------------- errors

/// What became of a call. More may come: take what you do not know for an error.
typedef int32_t bitune_status;
enum {
  BITUNE_OK = 0,
  BITUNE_ERROR_USAGE = 1,        ///< an argument or option is wrong
  BITUNE_ERROR_INPUT = 2,        ///< data read from a file or text is wrong
  BITUNE_ERROR_IO = 3,           ///< a file or directory cannot be read or written
  BITUNE_ERROR_UNAVAILABLE = 4,  ///< a GPU, driver, NVRTC or host compiler is not there, or not built yet
  BITUNE_ERROR_DEVICE = 5,       ///< the CUDA driver, or a kernel on the device, failed
  BITUNE_ERROR_COMPILE = 6,      ///< a kernel did not compile
  BITUNE_ERROR_OUT_OF_RESOURCES = 7,  ///< a sort needs more than the device has
  BITUNE_ERROR_DATABASE = 8,          ///< the tuning database refused or is not one of ours
  BITUNE_ERROR_CAPTURE = 9,        ///< the stream is being captured, and the call would compile or allocate
  BITUNE_ERROR_VERIFICATION = 10,  ///< a result is not sorted, or not a permutation of its input
  BITUNE_ERROR_CANCELLED = 11,     ///< the user asked to stop
  BITUNE_ERROR_MEMORY = 100,       ///< the host has not enough memory
  BITUNE_ERROR_INTERNAL = 101      ///< a fault of bitune itself
};

/// The name of a status: "ok", "usage", ..., "internal"; "unknown" for what is none. Static memory. Cannot
/// fail.
BITUNE_API const char* bitune_status_name(bitune_status status);

/// Why the calling thread's last call that failed did so; "" if none has. Valid until the next call of this
/// thread that fails. Cannot fail.
BITUNE_API const char* bitune_last_error(void);

/// Takes a sentence without a line end, valid during the call. Called from any thread, several at once. It
/// must not call longjmp or throw.
typedef void (*bitune_log_function)(const char* sentence, void* user);

/// From now on `log` is told what a person should know and no error says: one function in each process. Null:
/// nobody is, as at first. A thread that is telling the former function meanwhile may end doing so after this
/// call returned. Cannot fail but for memory.
BITUNE_API bitune_status bitune_set_log(bitune_log_function log, void* user);

/// Frees a text that a function of this library gave out; null does nothing. Cannot fail.
BITUNE_API void bitune_free(void* text);

// -------------------------------------------------------------------------------------------------- problems

/// Element types that can be sorted. Floating point orders as in NumPy, every NaN last; but -0, which NumPy
/// takes for equal to +0, is before +0.
typedef uint32_t bitune_key_type;
enum {
  BITUNE_KEY_U8 = 0,
  BITUNE_KEY_I8 = 1,
  BITUNE_KEY_U16 = 2,
  BITUNE_KEY_I16 = 3,
  BITUNE_KEY_F16 = 4,
  BITUNE_KEY_BF16 = 5,
  BITUNE_KEY_U32 = 6,
  BITUNE_KEY_I32 = 7,
  BITUNE_KEY_F32 = 8,
  BITUNE_KEY_U64 = 9,
  BITUNE_KEY_I64 = 10,
  BITUNE_KEY_F64 = 11
};

/// What is done to the keys. Where values or indices travel, all NaNs are equal keys, and each keeps its
/// bits; -0 and +0 are two keys.
typedef uint32_t bitune_operation;
enum {
  BITUNE_SORT = 0,        ///< writes keys_out; with index_bytes also indices_out, where each sorted key stood
  BITUNE_SORT_PAIRS = 1,  ///< writes keys_out and values_out: a value of value_bytes travels with each key
  BITUNE_ARGSORT = 2,     ///< writes indices_out alone, of index_bytes each; the keys stay as they are
  BITUNE_TOP_K =
      3  ///< writes the first k keys of each row, with value_bytes or index_bytes what goes with them
};

/// Direction of a sort. Descending is the exact reverse of ascending: NaN comes first there. Where the sort
/// is stable, equal keys keep the order of the input in both.
typedef uint32_t bitune_order;
enum { BITUNE_ASCENDING = 0, BITUNE_DESCENDING = 1 };

/// What one call is asked to do. Plain data. Begin with BITUNE_PROBLEM_INIT.
typedef struct bitune_problem {
  size_t size;  ///< sizeof(bitune_problem)
  bitune_operation operation;
  bitune_key_type key;
  uint32_t value_bytes;  ///< of the value that travels with each key: 0 (none), 1, 2, 4, 8 or 16
  uint32_t index_bytes;  ///< of each index that is written: 0 (none), 4 or 8
  bitune_order order;
  uint32_t stable;    ///< 1: equal keys stay in the order of the input; 0: they need not
  uint64_t k;         ///< how many keys of each row top_k gives, from 1 to n (of segments: from 1 on); else 0
  uint64_t n;         ///< keys of the array or of each row; of segments: keys in all
  uint64_t rows;      ///< rows, or segments; 1 for a single array
  uint32_t ragged;    ///< 1: the rows have lengths of their own: they are segments
  uint32_t reserved;  ///< 0
} bitune_problem;

#define BITUNE_PROBLEM_INIT \
  { sizeof(bitune_problem), BITUNE_SORT, BITUNE_KEY_U32, 0, 0, BITUNE_ASCENDING, 0, 0, 0, 1, 0, 0 }

/// One array of a call. It owns nothing.
typedef struct bitune_operand {
  void* data;         ///< null: there is none
  uint64_t elements;  ///< how many elements the array has room for; bytes, of a workspace
  uint64_t stride;    ///< elements from the beginning of one row to the next; not looked at where rows is 1;
                      ///< of offsets, ends and lengths: 4 or 8, the bytes of each
} bitune_operand;

/// As `elements`: how long the array is, is not checked.
#define BITUNE_UNCHECKED UINT64_MAX

/// The memory of one call. What a problem does not need stays empty. Begin with BITUNE_OPERANDS_INIT.
///
/// A call sorts in place where keys_in is empty or is keys_out. Otherwise no rows of an input and an output
/// may overlap, but rows of one may lie between rows of the other. So it is with values_in and values_out. No
/// two other arrays may overlap. A top_k is never in place: it reads n keys of each row from keys_in and
/// writes k to keys_out, which may be empty where indices are asked for. What a row of fewer keys lacks
/// (`lengths`) is filled: with the key that sorts last, values of zero bytes, and indices of ones in all
/// bits. Of segments it writes a row of k for each, and fills what a segment lacks.
///
/// Segment r is of the keys offsets[r] to ends[r], or to offsets[r + 1] where there are no ends. They are
/// read on the device, as unsigned integers of one width. Segments may be empty and have gaps between them,
/// but none may overlap another. What is in no segment is neither read nor written. One that ends before it
/// begins, or behind the last key, is wrong: nothing outside the keys is touched, but what becomes of the
/// keys is not said.
///
/// Pointers must be aligned to their element type (16 bytes are best, for row strides too).
typedef struct bitune_operands {
  size_t size;                 ///< sizeof(bitune_operands)
  bitune_operand keys_in;      ///< the keys as they are given; never written, unless it is keys_out
  bitune_operand keys_out;     ///< where the sorted keys go
  bitune_operand values_in;    ///< the value of each key
  bitune_operand values_out;   ///< where the values go, each with its key
  bitune_operand indices_out;  ///< where each sorted key stood in its row or array; unsigned
  bitune_operand offsets;      ///< where each segment begins, and behind these where the last one ends
  bitune_operand lengths;      ///< of top_k: how many keys of each row count; unsigned, read on the device
  bitune_operand workspace;    ///< memory that is used meanwhile; its contents are not kept
  bitune_operand ends;         ///< where each segment ends; empty: where the next one begins
} bitune_operands;

#define BITUNE_OPERANDS_INIT                                                                       \
  {                                                                                                \
    sizeof(bitune_operands), {NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}, \
        {NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}, {                                                \
      NULL, 0, 0                                                                                   \
    }                                                                                              \
  }

// --------------------------------------------------------------------------------------------------- sorting

/// Sorts on one device with the configuration that the tuning database knows to be best. The first call for a
/// problem selects, loads what is shipped or in the kernel cache, and compiles what is not. Later calls for
/// the same problem only launch. Where compiling takes long and options.stand_ins is 1, another
/// configuration sorts while the best is compiled in the background. Keys alone and stable sorts have the
/// same result with each. Unstable ones may order equal keys in another way then. Destroying a sorter, and
/// the end of the process, wait for the compile that is under way. The 4096 problems used last stay prepared.
/// It does not see what is tuned after it began.
typedef struct bitune_sorter bitune_sorter;

/// Where things are found. Null or empty means the default. Texts need to live during the call only.
typedef struct bitune_sorter_options {
  size_t size;           ///< sizeof(bitune_sorter_options)
  const char* device;    ///< "auto" (the current CUDA device, else GPU 0, else emulated: the default), "0",
                         ///< a UUID, or "emulated"
  const char* database;  ///< tuning database; default: $BITUNE_DB, else the user's
  const char* kernel_cache;  ///< directory; default: $BITUNE_CACHE, else the user's
  /// 1: the first sort of a problem need not wait for the compiler: another configuration sorts while the
  /// best is compiled in the background. $BITUNE_STAND_INS (0 or 1) says it instead. The emulated device
  /// always waits, unless that variable is 1.
  uint32_t stand_ins;
  uint32_t reserved;  ///< 0
  /// Bytes of device memory that bitune_run_host may take; 0: what is free. What takes more is done in parts,
  /// each key going to the device and back twice. $BITUNE_DEVICE_MEMORY ("4G") says it where this is 0.
  uint64_t device_memory;
  /// Where what is done in parts keeps what does not lie in the result meanwhile: a folder, in a file without
  /// a name; default: in memory. Of keys alone that is little, with others as much again as the arrays take.
  /// Arrays of the call may be files that the program has mapped into memory.
  const char* scratch_folder;
} bitune_sorter_options;

#define BITUNE_SORTER_OPTIONS_INIT \
  { sizeof(bitune_sorter_options), NULL, NULL, NULL, 0, 0, 0, NULL }

/// Makes a sorter for a device. `options` may be null. `*sorter` is null if the call fails; else the caller
/// destroys it.
BITUNE_API bitune_status bitune_sorter_create(const bitune_sorter_options* options, bitune_sorter** sorter);

/// Ends a sorter; null does nothing. No other call may use it meanwhile or later. Sorts that were enqueued
/// must be done: synchronise the streams first. Cannot fail.
BITUNE_API void bitune_sorter_destroy(bitune_sorter* sorter);

/// Enqueues on `stream` (a CUstream or cudaStream_t, or null, the default stream) what the problem asks for,
/// with operands in memory of the sorter's device, and returns. The memory must live until the stream is done
/// with it; the structs need to live during the call only. On the emulated device memory is the host's, and
/// all is done when the call returns.
///
/// Without a workspace the call allocates one in the stream. That takes a microsecond or two and keeps calls
/// that follow each other from overlapping. One of bitune_workspace_size bytes, aligned to 256, may be shared
/// by calls that follow each other on one stream.
///
/// Errors: USAGE if an operand is missing, misaligned, too short, or overlaps another, if indices are too
/// narrow, if k is not from 1 to n (of segments: from 1 on), or if the workspace is too small; UNAVAILABLE
/// for what is not built: lengths of what is no top_k; CAPTURE if the stream is being captured and the
/// problem was not prepared; COMPILE, DEVICE, OUT_OF_RESOURCES.
BITUNE_API bitune_status bitune_run(bitune_sorter* sorter, const bitune_problem* problem,
                                    const bitune_operands* operands, void* stream);

/// Looks whether the offsets and ends of a problem of segments are right, in memory of the sorter's device:
/// copies them to the host, and waits for the stream. USAGE, with a sentence that names the first segment
/// that ends before it begins, or behind the keys, or overlaps another. bitune_run does not look: its kernels
/// touch nothing outside the keys whatever the offsets are.
BITUNE_API bitune_status bitune_check_segments(bitune_sorter* sorter, const bitune_problem* problem,
                                               const bitune_operands* operands, void* stream);

/// Times of one host sort in microseconds.
typedef struct bitune_host_times {
  size_t size;  ///< sizeof(bitune_host_times)
  double host_to_device_us;
  double kernels_us;
  double device_to_host_us;
  double total_us;  ///< wall clock, staging included
} bitune_host_times;

#define BITUNE_HOST_TIMES_INIT \
  { sizeof(bitune_host_times), 0, 0, 0, 0 }

/// As bitune_run for arrays in the host's memory, staged through pinned memory. The workspace is not looked
/// at; segments are checked as by bitune_check_segments. Returns when all is written. `times` may be null;
/// otherwise its size must be set, and it is written if the call succeeds.
BITUNE_API bitune_status bitune_run_host(bitune_sorter* sorter, const bitune_problem* problem,
                                         const bitune_operands* operands, bitune_host_times* times);

/// Selects, compiles and loads now, so that later calls for this problem only launch, and can be captured.
BITUNE_API bitune_status bitune_prepare(bitune_sorter* sorter, const bitune_problem* problem);

/// Bytes of workspace on the device that the problem takes, to `*bytes`; 0 where it needs none. Prepares the
/// problem.
BITUNE_API bitune_status bitune_workspace_size(bitune_sorter* sorter, const bitune_problem* problem,
                                               uint64_t* bytes);

/// How the problem is sorted, and why, as a JSON object:
/// {"configuration": "warp(block_size_x=256,...)",
///  "match": "exact", "near size", "near device", "shipped" or "default",
///  "reason": a sentence, "expected_us": number or null, "launches": [a text for each],
///  "compiled_kernels": how many kernels preparing the problem compiled,
///  "shipped_kernels", "cached_kernels": how many of its kernels came with bitune, or from the kernel cache,
///  "awaited": the configuration that is being compiled in the background to take the place of this one, or
///  ""}
BITUNE_API bitune_status bitune_explain(bitune_sorter* sorter, const bitune_problem* problem, char** json);

/// Description of the sorter's device: "NVIDIA H200 (sm_90, GPU 0)".
BITUNE_API bitune_status bitune_device_name(bitune_sorter* sorter, char** text);

/// All devices, how they were found, and what is missing: the JSON of `bitune devices --json`.
BITUNE_API bitune_status bitune_devices(char** json);

// ------------------------------------------------------------------------------------------- several devices

/// Sorts one array that lies in parts on several devices of the process: rank 0 gets the beginning of the
/// result, and so on. Every device sorts its part, and they find together where to cut, exactly, so that
/// parts of the result are as long as was asked for, whatever the keys are. One call at a time; others wait.
typedef struct bitune_multi_sorter bitune_multi_sorter;

/// Texts need to live during the call only. Begin with BITUNE_MULTI_OPTIONS_INIT.
typedef struct bitune_multi_options {
  size_t size;               ///< sizeof(bitune_multi_options)
  const char* devices;       ///< a rank each, as bitune_sorter_options names them, with commas between them;
                             ///< "all": a rank for each GPU. A device may be there several times
  const char* database;      ///< as in bitune_sorter_options
  const char* kernel_cache;  ///< likewise
  uint64_t time_limit_ms;    ///< how long a rank waits for the others; 0: five minutes
  /// An ncclComm_t, of which this process has a rank, on its GPU: then `devices` is null or names that one.
  /// Nobody else uses it meanwhile, and it outlives the sorter. A rank that does not come in time, or a link
  /// that fails, makes each that meets it abort the communicator. Null: all ranks are this process's.
  void* communicator;
} bitune_multi_options;

#define BITUNE_MULTI_OPTIONS_INIT \
  { sizeof(bitune_multi_options), NULL, NULL, NULL, 0, NULL }

/// As many keys as every other rank gets, but for one key.
#define BITUNE_EQUAL_PART UINT64_MAX

/// What one rank gives to a call, and gets of it. All memory is its device's. Begin with
/// BITUNE_MULTI_PART_INIT.
typedef struct bitune_multi_part {
  size_t size;  ///< sizeof(bitune_multi_part)
  /// n elements of inputs, `result` elements of outputs; keys_in may be empty, and keys_out is then read. A
  /// workspace is taken if it is there, but without one other devices may read what was sorted directly.
  const bitune_operands* operands;  ///< null: none, of a rank that gives and gets nothing
  uint64_t n;                       ///< keys that this rank gives
  uint64_t result;  ///< keys that it gets, or BITUNE_EQUAL_PART: these share what others leave
  void* stream;     ///< the keys are there when its work until now is done
} bitune_multi_part;

#define BITUNE_MULTI_PART_INIT \
  { sizeof(bitune_multi_part), NULL, 0, BITUNE_EQUAL_PART, NULL }

/// What became of one rank's part. Begin with BITUNE_MULTI_RESULT_INIT.
typedef struct bitune_multi_result {
  size_t size;              ///< sizeof(bitune_multi_result); all of an array have that of the first
  uint64_t first;           ///< the place in the whole of the first key that this rank has
  uint64_t count;           ///< keys that it has
  uint64_t received_bytes;  ///< from other ranks
  double sort_us;
  double split_us;           ///< waiting for those that sort longer, and finding what goes where
  double exchange_us;        ///< copying what other ranks have; 0 where merging reads it itself
  double merge_us;           ///< 0 where keys were split before they were sorted
  double host_to_device_us;  ///< of bitune_multi_run_host
  double device_to_host_us;  ///< likewise
  double total_us;           ///< wall clock
} bitune_multi_result;

#define BITUNE_MULTI_RESULT_INIT \
  { sizeof(bitune_multi_result), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// Makes a sorter for several devices. `*sorter` is null if the call fails; else the caller destroys it.
BITUNE_API bitune_status bitune_multi_sorter_create(const bitune_multi_options* options,
                                                    bitune_multi_sorter** sorter);

/// Ends it; null does nothing. No other call may use it meanwhile or later. Cannot fail.
BITUNE_API void bitune_multi_sorter_destroy(bitune_multi_sorter* sorter);

/// How many ranks there are in all processes, to `*ranks`.
BITUNE_API bitune_status bitune_multi_ranks(bitune_multi_sorter* sorter, size_t* ranks);

/// The first rank that is this process's, to `*rank`: 0, or that of the communicator.
BITUNE_API bitune_status bitune_multi_first_rank(bitune_multi_sorter* sorter, size_t* rank);

/// The sum of what all processes pass, which all call it, to `*sum`: so each may reckon how long equal parts
/// are.
BITUNE_API bitune_status bitune_multi_sum(bitune_multi_sorter* sorter, uint64_t number, uint64_t* sum);

/// Does what the problem says, with a part for each rank of this process. All processes call it. The
/// problem's n is not looked at, and rows is 1. Indices
/// count over all ranks and have 8 bytes. Equal keys stay in the order of the ranks, and of each rank's input
/// where the problem is stable. A top_k gives its whole result to each rank that asks for it: `result` is k
/// or 0. Returns when all is written. `results` may be null, or has an element for each part.
///
/// If a rank fails or does not come in time, the call fails, and the sentence says which it was.
BITUNE_API bitune_status bitune_multi_run(bitune_multi_sorter* sorter, const bitune_problem* problem,
                                          const bitune_multi_part* parts, size_t count,
                                          bitune_multi_result* results);

/// Does it with one array in the host's memory, over the devices of one process: every rank takes an equal
/// part to its device and brings its part of the result back; the first one brings all of a top_k. Indices
/// have 8 bytes. `results` as in bitune_multi_run.
BITUNE_API bitune_status bitune_multi_run_host(bitune_multi_sorter* sorter, const bitune_problem* problem,
                                               const bitune_operands* operands, bitune_multi_result* results);

/// Bytes of workspace that a rank takes at most, for n keys that it gives and `result` that it gets, to
/// `*bytes`. The problem's n is not looked at.
BITUNE_API bitune_status bitune_multi_workspace_size(bitune_multi_sorter* sorter,
                                                     const bitune_problem* problem, size_t rank, uint64_t n,
                                                     uint64_t result, uint64_t* bytes);

// ---------------------------------------------------------------------------------------------------- tuning

/// How bitune_tune searches. Null texts mean the default. Begin with BITUNE_TUNE_OPTIONS_INIT.
typedef struct bitune_tune_options {
  size_t size;               ///< sizeof(bitune_tune_options)
  const char* devices;       ///< one selector as in bitune_sorter_options, or several with commas between
                             ///< them, which share the problems out; default: "auto"
  const char* database;      ///< where trials are stored; default: $BITUNE_DB, else the user's
  const char* kernel_cache;  ///< directory; default: $BITUNE_CACHE, else the user's
  /// The `bitune` command, which evaluates configurations in processes of its own, so that one that hangs or
  /// crashes costs one trial. Default: $BITUNE_COMMAND, else `bitune` in the folder of the library or in
  /// ../bin from there; if there is none, configurations are evaluated in this process, and the log function
  /// is told. "": in this process.
  const char* worker;
  const char* variants;         ///< families of kernels, with commas between them; default: all
  const char* strategy;         ///< default: that of `bitune tune`
  const char* distribution;     ///< of the keys that are sorted; default: "random"
  uint64_t seed;                ///< of the strategy
  double budget_seconds;        ///< for the whole session; 0: no limit
  uint64_t budget_evaluations;  ///< for the whole session; 0: no limit
  double timeout_seconds;       ///< for one configuration; only worker processes can be cut off
  double precision;             ///< sampling stops once the interval of the median is within this part of it;
                                ///< 0: never
  uint32_t samples;             ///< most samples of one configuration
  uint32_t inputs;              ///< arrays of different keys that samples take turns with
  uint32_t finalists;           ///< the best few are measured again, in turn
  uint32_t resume;              ///< 1: what the database has is not measured again
  uint32_t warm_start;          ///< 1: begin with what won at near sizes and on near devices
  uint32_t cold_l2;             ///< 1: the L2 cache is flushed before each sample
  /// Of segments, all problems of the session then: how long they are, of the mean length that n and rows
  /// say. "uniform" (0 to twice the mean: the default), "zipf", "few_long", "equal", or the path of a text
  /// file with a length a line, whose number and sum are then rows and n.
  const char* lengths;
} bitune_tune_options;

#define BITUNE_TUNE_OPTIONS_INIT                                                                             \
  {                                                                                                          \
    sizeof(bitune_tune_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1, 80, 0, 30, 0.01, 200, 8, 4, 1, \
        1, 0, NULL                                                                                           \
  }

/// What is going on in a session. The library writes `size`: read no members beyond it.
typedef struct bitune_tune_progress {
  size_t size;
  const bitune_problem* problem;   ///< null before the first and after the last
  const char* best_configuration;  ///< of this problem so far; null: none yet
  double best_us;                  ///< its median time; negative: none yet
  uint64_t device;                 ///< index among the options' devices
  uint64_t problem_index;          ///< among those of this session
  uint64_t problem_count;
  uint64_t evaluated;   ///< configurations of this problem
  uint64_t candidates;  ///< that this problem will evaluate at the most
  double elapsed_seconds;
  double remaining_seconds;  ///< an estimate; negative: unknown
} bitune_tune_progress;

/// Called by a thread of the session, one at a time; what it is given is valid during the call. Not 0 ends
/// the session after the evaluation under way. It must not call longjmp or throw.
typedef int (*bitune_tune_callback)(const bitune_tune_progress* progress, void* user);

/// Searches for the fastest way to sort each of `count` problems, and stores every trial in the database at
/// once. Returns when all is done, the budget is spent, or the callback ended it (CANCELLED; what was
/// measured is stored, and the same call goes on from there). `options`, `progress` and `report_json` may be
/// null.
///
/// The report is the JSON of `bitune tune --json`. It is given with BITUNE_OK, with CANCELLED, and with
/// DEVICE where all that was tried failed; else `*report_json` is null.
///
/// Do not sort on the device meanwhile: it spoils the measurements. Sorters made before do not see the
/// result.
BITUNE_API bitune_status bitune_tune(const bitune_tune_options* options, const bitune_problem* problems,
                                     size_t count, bitune_tune_callback progress, void* user,
                                     char** report_json);

/// What the tuning database has. `path` may be null: $BITUNE_DB, else the user's. It is only read, and needs
/// no GPU. `what` is
///
/// - "problems": the JSON of `bitune db list --json`;
/// - "best": that of `bitune db best --json`;
/// - "trials": that of `bitune db trials --limit 0 --json`, the newest first;
/// - "devices": {"database": path, "devices": [{"id", "info", "software", "trials", "last_seen"}, ...]}.
///
/// `filter_json` is null or an object whose members restrict it: "device" (part of a name, or the beginning
/// of a digest), "key", "order", "n", "rows" (numbers, or texts such as "2^20"); of trials also "variant",
/// "status" and "limit". Errors: DATABASE if there is no such database, USAGE for words that do not exist,
/// INPUT if the filter is no JSON.
BITUNE_API bitune_status bitune_database_json(const char* path, const char* what, const char* filter_json,
                                              char** json);

#ifdef __cplusplus
}
#endif

#endif
