#pragma once

/// \file
/// What a peer is to bitune: another sort that `bitune bench` opens at run time and compares with. A peer is
/// a shared object that exports `bitune_peer`; bitune itself never links what the peer is made of. It is
/// given plain values of C++17, so it is compiled from the same sources as bitune: BITUNE_PEER_ABI tells
/// others.

#include <cstdint>

#include "bitune/operands.hpp"
#include "bitune/types.hpp"

extern "C" {

#define BITUNE_PEER_ABI 7
#define BITUNE_PEER_ENTRY "bitune_peer"
#define BITUNE_PEER_NOT_BUILT_IN -1

/// One way in which the peer sorts. All pointers are device pointers, the stream a CUstream. Functions return
/// 0, or an error code of the peer that `error_text` explains. The code for "this problem is not built in" is
/// BITUNE_PEER_NOT_BUILT_IN.
///
/// Rows and segments follow each other without gaps, and no ends are given. In place keys_in is keys_out, and
/// values_in is values_out. A sort is asynchronous, unless the peer itself waits for the device. A sort on a
/// GPU allocates nothing.
struct BitunePeerMethod {
  const char* name;
  int in_place;  /* 1: sorts keys and values where they are; 0: reads the one, and writes the other */
  int of_rows;   /* 1: sorts any number of rows, or segments if those are built in; 0: one array only */
  int any_order; /* 1: a top_k that takes any of equal keys, and leaves what it takes in any order */
  int (*workspace_bytes)(const bitune::Problem* problem, std::uint64_t* bytes);
  int (*sort)(const bitune::Problem* problem, const bitune::Operands* operands, void* stream);
};

struct BitunePeer {
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
};

using BitunePeerEntry = const BitunePeer* (*)();

}  // extern "C"
