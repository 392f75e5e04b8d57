#pragma once

/// \file
/// Fibres: stacks with a flow of control each, switched by hand.

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>

namespace bitune::emulated {

/// A fibre, or the flow of control that a host thread came with. Any fibre may switch to any other of the
/// same host thread. The address sanitizer is told of each switch; the thread sanitizer is not supported.
///
/// Thread safety: none. A suspended fibre may be resumed by another host thread, so the code that it runs
/// must not keep the address of a thread_local variable across a switch.
class Fibre {
 public:
  using Body = void (*)(void* argument);

  /// Stands for the flow of control that is running already; switch_to suspends it.
  Fibre() = default;

  /// Makes a suspended fibre that will run body(argument). When the body returns, control goes to the fibre
  /// that last switched here. `colour` spreads the hot ends of many stacks over the cache's sets.
  Fibre(Body body, void* argument, std::size_t stack_bytes, std::size_t colour);

  /// The body must have returned.
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  /// Suspends `from`, which is running, and resumes `to`.
  static void switch_to(Fibre& from, Fibre& to);

 private:
  boost::context::fiber run(Body body, void* argument);
  void arrived();

  /// What the address sanitizer is told, and tells, of a stack; left alone in a build without it.
  struct SanitizedStack {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* fake_stack = nullptr;
  };

  boost::context::stack_context stack_;  // none for a host thread's own flow
  std::size_t stack_bytes_ = 0;          // that were asked for
  SanitizedStack sanitized_;
  boost::context::fiber context_;
  Fibre* previous_ = nullptr;  // who switched here last
};

}  // namespace bitune::emulated
