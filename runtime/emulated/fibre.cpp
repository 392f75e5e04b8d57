#include "runtime/emulated/fibre.hpp"

#include <algorithm>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/emulated/sanitizers.hpp"

#if BITUNE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace bitune::emulated {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t colours = 64;
#if BITUNE_ADDRESS_SANITIZER
constexpr std::size_t left_frames_bytes = 32 * 1024;  // with the colours several times what they take
#endif

/// Stacks that fibres have left, for those that come: to map and unmap a thousand, and the pages that they
/// touch first, takes longer than most launches. Thread-safe.
class LeftStacks {
 public:
  using Stack = boost::context::stack_context;

  /// Never ends: devices may, after all else.
  static LeftStacks& of_process() {
    static LeftStacks& stacks = *new LeftStacks;
    return stacks;
  }

  Stack take(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<Stack>& alike = by_bytes_[bytes];
      if (!alike.empty()) {
        const Stack stack = alike.back();
        alike.pop_back();
        return stack;
      }
    }
    return boost::context::protected_fixedsize_stack(bytes).allocate();
  }

  void leave(std::size_t bytes, Stack& stack) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<Stack>& alike = by_bytes_[bytes];
      if (alike.size() < most) {
        alike.push_back(stack);
        return;
      }
    }
    boost::context::protected_fixedsize_stack(bytes).deallocate(stack);
  }

 private:
  static constexpr std::size_t most = 4096;  // of one size: two clusters of 16 blocks of 128 threads

  std::mutex mutex_;
  std::map<std::size_t, std::vector<Stack>> by_bytes_;  // by what was asked for
};

// The stack belongs to the Fibre, not to the context on it.
struct KeepStack {
  static void deallocate(boost::context::stack_context&) {}
};

}  // namespace

Fibre::Fibre(Body body, void* argument, std::size_t stack_bytes, std::size_t colour)
    : stack_(LeftStacks::of_process().take(stack_bytes)), stack_bytes_(stack_bytes) {
  sanitized_.bottom = static_cast<const char*>(stack_.sp) - stack_.size;
  sanitized_.bytes = stack_.size;
  const std::size_t offset = colour % colours * cache_line;
  const boost::context::preallocated place(static_cast<char*>(stack_.sp) - offset, stack_.size - offset,
                                           stack_);
  context_ = boost::context::fiber(std::allocator_arg, place, KeepStack{},
                                   [this, body, argument](boost::context::fiber&& resumed_from) {
                                     previous_->context_ = std::move(resumed_from);
                                     return run(body, argument);
                                   });
}

Fibre::~Fibre() {
  if (stack_.sp == nullptr) return;
#if BITUNE_ADDRESS_SANITIZER
  // The frames below the body, which are never returned from, have left their marks; what is next here must
  // not inherit them. All others have cleared theirs.
  const std::size_t marked = std::min(sanitized_.bytes, left_frames_bytes);
  __asan_unpoison_memory_region(static_cast<const char*>(stack_.sp) - marked, marked);
#endif
  LeftStacks::of_process().leave(stack_bytes_, stack_);
}

boost::context::fiber Fibre::run(Body body, void* argument) {
  arrived();
  body(argument);
  Fibre& next = *previous_;
  next.previous_ = this;
#if BITUNE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(nullptr, next.sanitized_.bottom, next.sanitized_.bytes);
#endif
  return std::move(next.context_);
}

void Fibre::arrived() {
#if BITUNE_ADDRESS_SANITIZER
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(sanitized_.fake_stack, &bottom, &bytes);
  if (previous_->stack_.sp == nullptr) {  // only the sanitizer knows where a host thread's own stack lies
    previous_->sanitized_.bottom = bottom;
    previous_->sanitized_.bytes = bytes;
  }
#endif
}

void Fibre::switch_to(Fibre& from, Fibre& to) {
  to.previous_ = &from;
#if BITUNE_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&from.sanitized_.fake_stack, to.sanitized_.bottom, to.sanitized_.bytes);
#endif
  boost::context::fiber resumed_from = std::move(to.context_).resume();
  from.previous_->context_ = std::move(resumed_from);
  from.arrived();
}

}  // namespace bitune::emulated
