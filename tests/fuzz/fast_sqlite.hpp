#pragma once

/// \file
/// SQLite as fast as a fuzzer wants it. What its answers are does not change.

struct sqlite3;

namespace bitune::fuzz {

/// SQLite's own memory comes from lists of free pieces from now on: the sanitizer's took most of an input's
/// time, and SQLite's code is not instrumented. To be called before all else of SQLite.
void take_memory_from_lists();

/// From now on a statement of this connection that is finalized is kept, for who prepares the same text
/// again: to compile them is most of what a query costs. The connection must stay open for as long as the
/// process lives.
void keep_statements_of(sqlite3* connection);

}  // namespace bitune::fuzz
