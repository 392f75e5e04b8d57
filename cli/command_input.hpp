#pragma once

/// \file
/// What a command sorts, and the Sorter for it. Keys that are too many for the memory of the host or of the
/// device are left in their file, where that holds them as they are sorted.

#include <functional>
#include <optional>
#include <string>

#include "bitune/bitune.hpp"
#include "cli/command.hpp"
#include "cli/formats/output_file.hpp"
#include "cli/progress_line.hpp"
#include "cli/sort_input.hpp"

namespace bitune::cli {

/// The file mapped into memory, none of its keys read: of raw keys, and of a .npy array that need not be
/// converted. Nothing for all else, and for what is no whole file of keys. \throws as read_input
[[nodiscard]] std::optional<SortInput> map_input(const InputRequest& request);

/// As read_values, but the values stay in their file where it can be mapped.
[[nodiscard]] ValueArray map_values(const std::string& path, std::uint64_t keys, const ReadLimit& limit);

/// Where results may go that are written by way of memory.
struct MappedResults {
  bool possible = false;  ///< they go to regular files, and are no text
  std::string folder;     ///< for what is kept meanwhile; empty: it is little
};

/// \throws Error (usage) as output_format_of
[[nodiscard]] bool can_be_mapped(const OutputFile& output, const std::string& destination,
                                 const std::string& format_option);

/// The folder of a file that is to be written.
[[nodiscard]] std::string folder_of(const std::string& destination);

/// Room for keys like these in an output that is not written otherwise.
[[nodiscard]] std::span<std::byte> map_keys(OutputFile& output, Format format, const KeyArray& like,
                                            std::uint64_t bytes);

class CommandInput {
 public:
  /// Reads the keys of the request, or leaves them in their file if they are more than may be read, or if the
  /// device takes what `problem_of` makes of them in parts. \throws as read_input and problem_of
  CommandInput(const CommonOptions& common, const InputRequest& request, const MappedResults& results,
               const std::function<Problem(SortInput&)>& problem_of);

  /// These keys.
  CommandInput(const CommonOptions& common, SortInput input);

  [[nodiscard]] SortInput& keys() noexcept { return input_; }
  [[nodiscard]] bool is_in_file() const noexcept { return input_.keys.in_file.mapping != nullptr; }

  /// It is opened when it is first asked for.
  [[nodiscard]] Sorter& sorter();

 private:
  CommonOptions common_;
  SortInput input_;
  ProgressLine line_;  ///< the Sorter's
  std::string scratch_folder_;
  std::optional<Sorter> sorter_;
};

}  // namespace bitune::cli
