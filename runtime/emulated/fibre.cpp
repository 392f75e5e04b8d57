#include "runtime/emulated/fibre.hpp"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <utility>

#include "runtime/emulated/sanitizers.hpp"

#if BITUNE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace bitune::emulated {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t colours = 64;

// The stack belongs to the Fibre, not to the context on it.
struct KeepStack {
  static void deallocate(boost::context::stack_context&) {}
};

}  // namespace

Fibre::Fibre(Body body, void* argument, std::size_t stack_bytes, std::size_t colour)
    : stack_(boost::context::protected_fixedsize_stack(stack_bytes).allocate()) {
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
  // Frames that were never returned from have left their marks; the next memory mapped here must not inherit
  // them.
  __asan_unpoison_memory_region(sanitized_.bottom, sanitized_.bytes);
#endif
  boost::context::protected_fixedsize_stack(stack_.size).deallocate(stack_);
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
