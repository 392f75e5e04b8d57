#pragma once

/// \file
/// Options and arguments of a subcommand, without CLI11's headers: every file that includes those takes
/// seconds more to compile.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bitune::cli {

// Each binds a name to a value. The name of an option is as it is typed ("--seed", "-o,--output"); that of an
// argument is as the help shows it ("INPUT"). The value must live until the arguments are parsed. The help
// names the `type`, and what the value is now, unless that is empty. A text that is given is not empty: that
// is the slip of a script, whose variable was not set.

void add_text(CLI::App& command, const char* name, std::string& value, const std::string& help,
              const char* type);

/// Each use of the option adds a text, as it is.
void add_texts(CLI::App& command, const char* name, std::vector<std::string>& values, const std::string& help,
               const char* type);

/// Takes texts with commas between them.
void add_list(CLI::App& command, const char* name, std::vector<std::string>& value, const std::string& help,
              const char* type);

/// A number from 0 on.
void add_number(CLI::App& command, const char* name, std::uint64_t& value, const std::string& help,
                const char* type);

/// A number from `least` to `most`.
void add_number(CLI::App& command, const char* name, int& value, const std::string& help, const char* type,
                int least, int most);

void add_argument(CLI::App& command, const char* name, std::string& value, const std::string& help,
                  bool required);

/// One argument or more, until the options.
void add_arguments(CLI::App& command, const char* name, std::vector<std::string>& values,
                   const std::string& help);

/// "--verify", or with its opposite "--resume,!--no-resume".
void add_flag(CLI::App& command, const char* name, bool& value, const std::string& help);

/// The first option is refused where the second one is not given, too.
void require_with(CLI::App& command, const char* option, const char* other);

/// The second one is refused where the first one is given: it would do nothing.
void refuse_with(CLI::App& command, const char* option, const char* other);

/// What to do as soon as this subcommand has been parsed, unless one of its own subcommands was given.
void on_parsed(CLI::App& command, std::function<void()> todo);

/// One of the command's own subcommands must be given.
void require_subcommand(CLI::App& command);

/// Keeps the command out of its parent's help.
void hide(CLI::App& command);

}  // namespace bitune::cli
