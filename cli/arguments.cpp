#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace bitune::cli {

void add_text(CLI::App& command, const char* name, std::string& value, const std::string& help,
              const char* type) {
  auto* option = command.add_option(name, value, help)->type_name(type);
  if (!value.empty()) option->capture_default_str();
}

void add_path(CLI::App& command, const char* name, std::string& value, const std::string& help) {
  command.add_option(name, value, help)
      ->check([](const std::string& path) { return path.empty() ? "the name of the file is empty" : ""; })
      ->type_name("FILE");
}

void add_texts(CLI::App& command, const char* name, std::vector<std::string>& values, const std::string& help,
               const char* type) {
  command.add_option(name, values, help)->allow_extra_args(false)->type_name(type);
}

void add_list(CLI::App& command, const char* name, std::vector<std::string>& value, const std::string& help,
              const char* type) {
  auto* option = command.add_option(name, value, help)->delimiter(',')->type_name(type);
  if (!value.empty()) option->capture_default_str();
}

void add_number(CLI::App& command, const char* name, std::uint64_t& value, const std::string& help,
                const char* type) {
  command.add_option(name, value, help)
      ->check([](const std::string& number) { return number.starts_with('-') ? number + " is below 0" : ""; })
      ->type_name(type)
      ->capture_default_str();
}

void add_number(CLI::App& command, const char* name, int& value, const std::string& help, const char* type,
                int least, int most) {
  command.add_option(name, value, help)
      ->check(CLI::Range(least, most))
      ->type_name(type)
      ->capture_default_str();
}

void add_argument(CLI::App& command, const char* name, std::string& value, const std::string& help,
                  bool required) {
  command.add_option(name, value, help)->required(required);
}

void add_arguments(CLI::App& command, const char* name, std::vector<std::string>& values,
                   const std::string& help) {
  command.add_option(name, values, help)->required();
}

void add_flag(CLI::App& command, const char* name, bool& value, const std::string& help) {
  command.add_flag(name, value, help);
}

void on_parsed(CLI::App& command, std::function<void()> todo) {
  command.callback([&command, todo = std::move(todo)] {
    if (command.get_subcommands().empty()) todo();
  });
}

void require_subcommand(CLI::App& command) { command.require_subcommand(1); }

void hide(CLI::App& command) { command.group(""); }

}  // namespace bitune::cli
