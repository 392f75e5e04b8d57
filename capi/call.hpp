#pragma once

/// \file
/// What every function of the C interface does: no exception leaves it, and it says why it failed.

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "bitune/bitune.h"
#include "bitune/error.hpp"

namespace bitune::capi {

/// Keeps the sentence for bitune_last_error of this thread. Never throws: without memory for it a shorter one
/// is kept.
bitune_status fail(bitune_status status, std::string_view sentence) noexcept;

/// The status of an error of the library.
[[nodiscard]] bitune_status status_of(ErrorCode code) noexcept;

/// Calls `body`, and makes a status of what it throws.
template <class Body>
[[nodiscard]] bitune_status guarded(Body&& body) noexcept {
  try {
    body();
    return BITUNE_OK;
  } catch (const Error& error) {
    return fail(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(BITUNE_ERROR_MEMORY, "the host has not enough memory");
  } catch (const std::exception& error) {
    return fail(BITUNE_ERROR_INTERNAL, std::string_view(error.what()));
  } catch (...) {
    return fail(BITUNE_ERROR_INTERNAL, "something that is no error was thrown: a fault of bitune");
  }
}

/// \throws Error (usage) that names the argument if the pointer is null
void require(const void* pointer, std::string_view argument);

/// A copy of a text that the caller frees by bitune_free. \throws std::bad_alloc
[[nodiscard]] char* text_for_caller(std::string_view text);

}  // namespace bitune::capi
