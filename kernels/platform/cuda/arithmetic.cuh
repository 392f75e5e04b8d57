#pragma once

/// \file
/// Arithmetic of a kernel on a GPU.

#include "kernels/platform/cuda/base.cuh"

namespace bitune {

// --- Numbers ---

// Not rounded as IEEE 754 asks: for what is an estimate anyway.
BITUNE_DEVICE float approximate_square_root(float value) {
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
}
BITUNE_DEVICE float approximate_quotient(float a, float b) { return __fdividef(a, b); }

/// The number without what is behind its point. Of NaN it is 0; of a number out of range, the nearest in it.
BITUNE_DEVICE u32 truncated(float number) { return __float2uint_rz(number); }

/// The same number, of which the compiler knows nothing: it computes anew what depends on it, and keeps no register for that meanwhile.
BITUNE_DEVICE u32 opaque(u32 number) {
  asm volatile("" : "+r"(number));
  return number;
}

/// How many bits are 1.
BITUNE_DEVICE u32 bit_count(u32 bits) { return static_cast<u32>(__popc(static_cast<int>(bits))); }

/// How many bits above its highest 1 are 0; 64 for 0.
BITUNE_DEVICE u32 leading_zeros(u64 number) { return static_cast<u32>(__clzll(static_cast<i64>(number))); }

/// Takes 1 from `count` if a < b. By the borrow that is two instructions; compilers make three, each of which waits for the one before.
BITUNE_DEVICE void take_if_less(u32& count, u32 a, u32 b) {
  asm("{ .reg .u32 rest; sub.cc.u32 rest, %1, %2; subc.u32 %0, %0, 0; }" : "+r"(count) : "r"(a), "r"(b));
}
BITUNE_DEVICE void take_if_less(u32& count, u64 a, u64 b) { count -= a < b ? 1 : 0; }

/// The bits of a number, and the number of these bits.
BITUNE_DEVICE u32 bits_of(float number) { return __float_as_uint(number); }
BITUNE_DEVICE float float_of(u32 bits) { return __uint_as_float(bits); }

/// A number that nobody who chose the keys knows. On the emulated device it is always the same, so that runs can be repeated.
BITUNE_DEVICE u32 unforeseen() {
  u64 nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return static_cast<u32>(nanoseconds) * 0x9e3779b9u ^ static_cast<u32>(clock64());
}

/// The same, but of the multiprocessor's clock alone: it takes some cycles, where the other one takes half a microsecond.
BITUNE_DEVICE u32 unforeseen_cycle() { return static_cast<u32>(clock64()) * 0x9e3779b9u; }

/// The same number, which the compiler keeps in a register, and does not compute again where it is used.
BITUNE_DEVICE u32 kept(u32 number) {
  asm("" : "+r"(number));
  return number;
}

// --- Minimum and maximum ---

template <typename T>
BITUNE_DEVICE T minimum(T a, T b) {
  return b < a ? b : a;
}

template <typename T>
BITUNE_DEVICE T maximum(T a, T b) {
  return b < a ? a : b;
}

/// The smaller and the larger of two numbers; of a number and NaN, the number.
BITUNE_DEVICE float smaller_number(float a, float b) { return fminf(a, b); }
BITUNE_DEVICE float larger_number(float a, float b) { return fmaxf(a, b); }

/// The larger of two numbers; NaN if one of them is.
BITUNE_DEVICE float larger_number_or_nan(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
#else
  return a > b || a != a ? a : b;
#endif
}

/// Minimum of each of the two u16 in a and b.
BITUNE_DEVICE u32 minimum_u16x2(u32 a, u32 b) { return __vminu2(a, b); }
/// Maximum of each of the two u16 in a and b.
BITUNE_DEVICE u32 maximum_u16x2(u32 a, u32 b) { return __vmaxu2(a, b); }

// Minimum, maximum and selection all go through the ALU pipe, which bounds every kernel here. Multiply-adds have a pipe of their own, which
// is idle otherwise. So some of the work is done by multiply-adds whose factors are 1 and -1. The compiler must not know these factors:
// it would make additions and selections of them, on the busy pipe again. Nor may they be the same for all lanes: then they would be
// loaded again before every use.
namespace detail {
BITUNE_DEVICE u32 one() {
  u32 own_lane;
  asm("mov.u32 %0, %%lanemask_eq;" : "=r"(own_lane));
  return __popc(own_lane);
}
BITUNE_DEVICE u32 minus_one() {
  u32 lanes_below;
  u32 lanes_from_own;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes_below));
  asm("mov.u32 %0, %%lanemask_ge;" : "=r"(lanes_from_own));
  return lanes_below | lanes_from_own;
}
}  // namespace detail

/// maximum(a, b) as a + b - min, given min = minimum(a, b): two multiply-adds. It works for u16x2, too: what one half borrows or carries,
/// the other gives back.
BITUNE_DEVICE u32 maximum_by_imad(u32 a, u32 b, u32 min) {
  return min * detail::minus_one() + (a * detail::one() + b);
}
BITUNE_DEVICE u64 maximum_by_imad(u64 a, u64 b, u64 min) {  // both halves are those of a or of b: each gives its other one
  const u32 low = maximum_by_imad(static_cast<u32>(a), static_cast<u32>(b), static_cast<u32>(min));
  const u32 high = maximum_by_imad(static_cast<u32>(a >> 32), static_cast<u32>(b >> 32), static_cast<u32>(min >> 32));
  return u64{high} << 32 | low;
}

/// The sum of a word and a constant.
BITUNE_DEVICE u32 plus_constant(u32 word, u32 constant) { return word * detail::one() + constant; }
BITUNE_DEVICE u64 plus_constant(u64 word, u64 constant) { return word + constant; }

/// The sum of a constant and the word. If the word's `bit` is as `set` says, all its other bits are inverted first. To invert is to subtract
/// from -1: two multiply-adds, one of them under a predicate. Bits of the result above `bit` do not matter.
template <bool set>
BITUNE_DEVICE u32 invert_and_add(u32 bit, u32 word, u32 constant) {
#define BITUNE_INVERT_AND_ADD(comparison)                                      \
  asm("{.reg .pred p; .reg .u32 of_bit; mad.lo.u32 %0, %1, %3, %5;"            \
      " and.b32 of_bit, %1, %2; setp." comparison ".u32 p, of_bit, 0; @p mad.lo.u32 %0, %1, %4, %6;}" \
      : "=&r"(result)                                                          \
      : "r"(word), "r"(bit), "r"(detail::one()), "r"(detail::minus_one()), "r"(constant), "r"(constant + bit - 1))
  u32 result;
  if constexpr (set) {
    BITUNE_INVERT_AND_ADD("ne");
  } else {
    BITUNE_INVERT_AND_ADD("eq");
  }
#undef BITUNE_INVERT_AND_ADD
  return result;
}
template <bool set>
BITUNE_DEVICE u64 invert_and_add(u64 bit, u64 word, u64 constant) {
  u64 of_bit;
  asm("shr.s64 %0, %1, 63;" : "=l"(of_bit) : "l"(word << __clzll(static_cast<i64>(bit))));
  return (word ^ (of_bit & ~bit) ^ (set ? 0 : ~bit)) + constant;
}

/// target = value where the condition holds, by a multiply-add under a predicate. If the condition is the same in many calls, the compiler
/// makes a selection of it: then use LaneChoice.
BITUNE_DEVICE void move_if(bool condition, u32& target, u32 value) {
  asm("{.reg .pred p; setp.ne.u32 p, %2, 0; @p mad.lo.u32 %0, %1, %3, 0;}"
      : "+r"(target)
      : "r"(value), "r"(static_cast<u32>(condition)), "r"(detail::one()));
}
BITUNE_DEVICE void move_if(bool condition, u64& target, u64 value) {
  u32 low = static_cast<u32>(target);
  u32 high = static_cast<u32>(target >> 32);
  move_if(condition, low, static_cast<u32>(value));
  move_if(condition, high, static_cast<u32>(value >> 32));
  target = u64{high} << 32 | low;
}

/// The first of two words, or the second, by one condition for many words. It is the sum of their products with 1 and 0.
struct LaneChoice {
  u32 first;
  u32 second;

  BITUNE_DEVICE explicit LaneChoice(bool is_first) {
    asm("mov.u32 %0, %1;" : "=r"(first) : "r"(static_cast<u32>(is_first)));
    asm("mov.u32 %0, %1;" : "=r"(second) : "r"(static_cast<u32>(!is_first)));
  }
  /// Word: 4 bytes that convert to and from u32, or u64.
  template <typename Word>
  BITUNE_DEVICE Word operator()(Word a, Word b) const {
    if constexpr (sizeof(Word) == 8) {
      const u32 low = (*this)(static_cast<u32>(a), static_cast<u32>(b));
      return u64{(*this)(static_cast<u32>(a >> 32), static_cast<u32>(b >> 32))} << 32 | low;
    } else {
      return static_cast<Word>(static_cast<u32>(a) * first + static_cast<u32>(b) * second);
    }
  }
};

/// Makes the minimum of each half of a and b, `low`, their maximum where the condition holds: a + b - low.
/// The subtraction is a multiply-add under the predicate, so that no move follows.
BITUNE_DEVICE void make_maximum_if(bool condition, u32& low, u32 a, u32 b) {
  asm("{.reg .pred p; setp.ne.u32 p, %1, 0; @p mad.lo.u32 %0, %0, %2, %3;}"
      : "+r"(low)
      : "r"(static_cast<u32>(condition)), "r"(detail::minus_one()), "r"(a * detail::one() + b));
}

}  // namespace bitune
