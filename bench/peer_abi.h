#ifndef BITUNE_BENCH_PEER_ABI_H
#define BITUNE_BENCH_PEER_ABI_H

/// \file
/// The C interface of a peer: another sort that `bitune bench` opens at run time and compares with. A peer is
/// a shared object that exports `bitune_peer`; bitune itself never links what the peer is made of.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BITUNE_PEER_ABI 5
#define BITUNE_PEER_ENTRY "bitune_peer"
#define BITUNE_PEER_NOT_BUILT_IN -1

/// What is sorted: the fields of a bitune::Problem. Enumerations as integers, truth values as 0 and 1.
typedef struct BitunePeerProblem {
  int operation;
  int key_type;
  uint32_t value_bytes;
  uint32_t index_bytes;
  int descending;
  int stable;
  uint64_t k;
  uint64_t n;
  uint64_t rows;
  int ragged;
} BitunePeerProblem;

/// One array in device memory: a bitune::Operand.
typedef struct BitunePeerOperand {
  void* data;
  uint64_t elements;
  uint64_t stride;
} BitunePeerOperand;

/// The memory of one call: a bitune::Operands, an entry for each bitune::Role. Rows and segments follow each
/// other without gaps, and no ends are given. In place keys_in is keys_out, and values_in is values_out.
#define BITUNE_PEER_ROLES 9
typedef struct BitunePeerOperands {
  BitunePeerOperand of_role[BITUNE_PEER_ROLES];
} BitunePeerOperands;

/// One way in which the peer sorts. All pointers are device pointers, the stream a CUstream. Functions return
/// 0, or an error code of the peer that `error_text` explains. The code for "this problem is not built in" is
/// BITUNE_PEER_NOT_BUILT_IN.
///
/// A sort is asynchronous, unless the peer itself waits for the device. A sort on a GPU allocates nothing.
typedef struct BitunePeerMethod {
  const char* name;
  int in_place; /* 1: sorts keys and values where they are; 0: reads the one, and writes the other */
  int of_rows;  /* 1: sorts any number of rows, or segments if those are built in; 0: one array only */
  int (*workspace_bytes)(const BitunePeerProblem* problem, uint64_t* bytes);
  int (*sort)(const BitunePeerProblem* problem, const BitunePeerOperands* operands, void* stream);
} BitunePeerMethod;

typedef struct BitunePeer {
  int abi; /* BITUNE_PEER_ABI */
  const char* name;
  const char* version;
  const char*
      device_kind; /* "cuda"; "emulated": memory is the host's, and streams are not looked at; null: either */
  const char* (*error_text)(int code);
  int (*select_device)(const char* uuid); /* as the driver's tools print it: "GPU-5a..."; makes it the
                                             calling thread's device */
  int method_count;
  const BitunePeerMethod* methods;
} BitunePeer;

typedef const BitunePeer* (*BitunePeerEntry)(void);

#ifdef __cplusplus
}
#endif

#endif
