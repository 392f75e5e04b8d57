#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace bitune::cli {
namespace {

CLI::Option* not_empty(CLI::Option* option) {
  return option->check([](const std::string& text) { return text.empty() ? "the text is empty" : ""; });
}

}  // namespace

void add_text(CLI::App& command, const char* name, std::string& value, const std::string& help,
              const char* type) {
  auto* option = not_empty(command.add_option(name, value, help))->type_name(type);
  if (!value.empty()) option->capture_default_str();
}

void add_texts(CLI::App& command, const char* name, std::vector<std::string>& values, const std::string& help,
               const char* type) {
  not_empty(command.add_option(name, values, help))->allow_extra_args(false)->type_name(type);
}

void add_list(CLI::App& command, const char* name, std::vector<std::string>& value, const std::string& help,
              const char* type) {
  auto* option = not_empty(command.add_option(name, value, help))->delimiter(',')->type_name(type);
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
  not_empty(command.add_option(name, value, help))->required(required);
}

void add_arguments(CLI::App& command, const char* name, std::vector<std::string>& values,
                   const std::string& help) {
  not_empty(command.add_option(name, values, help))->required();
}

void add_flag(CLI::App& command, const char* name, bool& value, const std::string& help) {
  command.add_flag(name, value, help);
}

void require_with(CLI::App& command, const char* option, const char* other) {
  command.get_option(option)->needs(command.get_option(other));
}

void refuse_with(CLI::App& command, const char* option, const char* other) {
  command.get_option(other)->excludes(command.get_option(option));
}

void on_parsed(CLI::App& command, std::function<void()> todo) {
  command.callback([&command, todo = std::move(todo)] {
    if (command.get_subcommands().empty()) todo();
  });
}

void require_subcommand(CLI::App& command) { command.require_subcommand(1); }

void hide(CLI::App& command) { command.group(""); }

}  // namespace bitune::cli
