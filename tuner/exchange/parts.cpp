#include "tuner/exchange/parts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include "model/fields.hpp"
#include "model/key_type.hpp"
#include "model/operation.hpp"
#include "model/problem.hpp"
#include "model/variant_names.hpp"
#include "runtime/variant.hpp"

namespace bitune::exchange {
namespace {

constexpr std::int64_t most_size = std::int64_t{1} << 62;
constexpr std::int64_t most_int = std::numeric_limits<int>::max();

[[noreturn]] void reject(const std::string& clause) { throw Error(ErrorCode::input, clause); }

std::uint64_t size_of_value(const Value& value, std::int64_t least) {
  return static_cast<std::uint64_t>(value.integer(least, most_size));
}

/// Reads the members that are called as the object's fields are. A later field may be missing.
template <class Object>
void read_fields(const Value& value, Object& object) {
  for_each_field(object, [&value](std::string_view name, auto& field, FieldAge age) {
    if (age == FieldAge::later && value.find(name) == nullptr) return;
    const Value& given = value.at(name);
    using Field = std::decay_t<decltype(field)>;
    if constexpr (std::is_same_v<Field, bool>) {
      field = given.is(Value::Kind::number) ? given.integer(0, 1) == 1 : given.boolean();
    } else if constexpr (std::is_enum_v<Field>) {
      parse_name(given.text(), field);
    } else if constexpr (std::is_integral_v<Field>) {
      field = static_cast<Field>(given.integer(0, sizeof(Field) == 8 ? most_size : most_int));
    } else {
      field = given.text();
    }
  });
}

/// The specs by `word_of`.
const std::map<std::string, SortSpec, std::less<>>& specs_by_word() {
  static const auto specs = [] {
    std::map<std::string, SortSpec, std::less<>> made;
    const auto add = [&made](SortSpec spec) { made.emplace(word_of(spec), spec); };
    for (const Operation operation : all_operations) {
      for (const KeyType key : all_key_types) {
        for (const std::uint32_t value_bytes : {0u, 1u, 2u, 4u, 8u, 16u}) {
          for (const std::uint32_t index_bytes : {0u, 4u, 8u}) {
            for (const Order order : {Order::ascending, Order::descending}) {
              add({operation, key, value_bytes, index_bytes, order, false, 0});
              add({operation, key, value_bytes, index_bytes, order, true, 0});
            }
          }
        }
      }
    }
    return made;
  }();
  return specs;
}

/// The spec of a kernel's name without its variant. Names leave out that keys are sorted, and nothing else.
std::optional<SortSpec> spec_in_name(std::string_view word) {
  const auto& specs = specs_by_word();
  if (const auto found = specs.find(word); found != specs.end()) return found->second;
  constexpr Operation usual = SortSpec{}.operation;
  const auto found = specs.find(fmt::format("{}_{}", name_of(usual), word));
  // "bitune_radix_pairs_u32_i4_ascending" is not of the variant 'radix'.
  if (found == specs.end() || found->second.operation != usual) return std::nullopt;
  return found->second;
}

void check_size(const Problem& problem) { static_cast<void>(key_bytes(problem)); }

// Members of json_of(Trial) that no format has a word of its own for: plain values of which a trial always
// has one. The same for all trials.
std::vector<std::string> find_further_names() {
  constexpr std::array<std::string_view, 6> have_words = {"kernel_digest", "status",     "compile_ms",
                                                          "verify_ms",     "measure_ms", "timestamp"};
  std::vector<std::string> names;
  const Json all = json_of(Trial{});
  for (const auto& [name, value] : all.items()) {
    const bool has_word = std::find(have_words.begin(), have_words.end(), name) != have_words.end();
    if (!has_word && value.is_primitive() && !value.is_null()) names.push_back(name);
  }
  return names;
}

const std::vector<std::string>& further_names() {
  static const std::vector<std::string> names = find_further_names();
  return names;
}

}  // namespace

Subject subject_of(std::string_view kernel_name, const Value& problem_size) {
  Subject subject;
  const auto named = [&] {
    std::vector<std::string_view> names;
    for (const Variant* family : variants()) names.push_back(family->name());
    for (const auto& [former, current] : renamed_variants) names.push_back(former);
    for (const std::string_view name : names) {
      const std::string prefix = fmt::format("bitune_{}_", name);
      if (!kernel_name.starts_with(prefix)) continue;
      const std::string_view word = kernel_name.substr(prefix.size());
      const auto found = spec_in_name(word);
      if (!found) continue;
      subject = {
          .variant = std::string(current_variant_name(name)), .problem = {*found, {}}, .kernel_digest = {}};
      return true;
    }
    return false;
  };
  if (!named()) {
    reject(fmt::format("'{}' is not a kernel of bitune; one would be called '{}'", kernel_name.substr(0, 80),
                       kernel_name_of({}, "warp")));
  }
  within("the problem size", [&] {
    if (problem_size.is(Value::Kind::list)) {
      const auto& sizes = problem_size.items();
      if (sizes.empty() || sizes.size() > 3) reject("it is neither n nor [n, rows]");
      subject.problem.n = size_of_value(sizes[0], 0);
      if (sizes.size() > 1) subject.problem.rows = size_of_value(sizes[1], 1);
      if (sizes.size() > 2) static_cast<void>(sizes[2].integer(1, 1));
    } else {
      subject.problem.n = size_of_value(problem_size, 0);
    }
    check_size(subject.problem);
  });
  return subject;
}

Problem problem_of(const Value& value) {
  Problem problem;
  read_fields(value, problem);
  if (problem.rows < 1) reject("it has no rows");
  check_size(problem);
  return problem;
}

Configuration configuration_of(std::string_view variant, const Value& parameters,
                               const std::vector<std::string>* names) {
  constexpr std::int64_t most_value = std::int64_t{1} << 40;
  Configuration configuration;
  configuration.variant = current_variant_name(variant);
  for (const std::string& name : names == nullptr ? parameters.names() : *names) {
    const std::int64_t value = within(fmt::format("parameter '{}'", name.substr(0, 40)),
                                      [&] { return parameters.at(name).integer(-most_value, most_value); });
    if (!configuration.parameters.emplace(name, value).second)
      reject(fmt::format("'{}' is named twice", name));
  }
  if (configuration.parameters.empty()) reject("there are no parameters");
  // Names are limited to what a configuration's text can carry.
  if (Configuration::parse(configuration.text()) != configuration) reject("its parameters have no text");
  return configuration;
}

std::vector<double> samples_of(const Value& list, int decimal_shift) {
  if (!list.is(Value::Kind::list)) reject(fmt::format("{} is not a list of times", list.shown()));
  std::vector<double> samples;
  samples.reserve(list.items().size());
  for (const Value& sample : list.items()) samples.push_back(sample.amount(decimal_shift));
  return samples;
}

std::string timestamp_of(const std::string& text) {
  const auto wrong = [&text] { reject(fmt::format("'{}' is not a time of day", text.substr(0, 40))); };
  constexpr std::string_view shape = "0000-00-00 00:00:00";
  if (text.size() < shape.size()) wrong();
  std::array<int, 6> numbers{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == '0' ? !digit : (text[i] != shape[i] && !(i == 10 && text[i] == 'T'))) wrong();
    if (digit) {
      numbers[at] = numbers[at] * 10 + (text[i] - '0');
    } else {
      ++at;
    }
  }
  std::string milliseconds = "000";
  std::size_t i = shape.size();
  if (i < text.size() && (text[i] == '.' || text[i] == ',')) {
    std::size_t digits = 0;
    for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, ++digits) {
      if (digits < 3) milliseconds[digits] = text[i];
    }
    if (digits == 0) wrong();
  }
  int offset = 0;  // minutes east of UTC
  const std::string zone = text.substr(i);
  if (zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && zone[3] == ':') {
    for (const std::size_t digit : std::array<std::size_t, 4>{1, 2, 4, 5}) {
      if (zone[digit] < '0' || zone[digit] > '9') wrong();
    }
    offset = ((zone[1] - '0') * 10 + zone[2] - '0') * 60 + (zone[4] - '0') * 10 + zone[5] - '0';
    if (zone[0] == '-') offset = -offset;
  } else if (!zone.empty() && zone != "Z") {
    wrong();
  }
  namespace chrono = std::chrono;
  const chrono::year_month_day day{chrono::year{numbers[0]}, chrono::month{static_cast<unsigned>(numbers[1])},
                                   chrono::day{static_cast<unsigned>(numbers[2])}};
  if (!day.ok() || numbers[0] < 1970 || numbers[3] > 23 || numbers[4] > 59 || numbers[5] > 60) wrong();
  const chrono::sys_seconds time = chrono::sys_days{day} + chrono::hours{numbers[3]} +
                                   chrono::minutes{numbers[4] - offset} + chrono::seconds{numbers[5]};
  // The time zone may carry the last day of 9999 over. (system_clock ends in 2262.)
  if (time >= chrono::sys_days{chrono::year{10000} / 1 / 1}) wrong();
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{}",
                     fmt::gmtime(static_cast<std::time_t>(time.time_since_epoch().count())), milliseconds);
}

Recording recording_of_unknown(const std::string& device_name) {
  Recording recording;
  // No facts: not even a warp's size is known, and nothing is taken for the facts of a real device.
  for_each_field(recording.device, [](std::string_view, auto& fact, FieldAge) { fact = {}; });
  recording.device.kind = "unknown";
  recording.device.name = device_name;
  recording.protocol.distribution = "unknown";
  return recording;
}

void overlay(Json& known, const Value& given) {
  using Kind = Value::Kind;
  if (known.is_boolean()) {
    known = given.is(Kind::number) ? given.integer(0, 1) == 1 : given.boolean();
  } else if (known.is_number_unsigned()) {
    known = static_cast<std::uint64_t>(given.integer(0, most_size));
  } else if (known.is_number_integer()) {
    known = given.integer(0, most_int);
  } else if (known.is_number_float()) {
    known = given.amount();
  } else if (known.is_string()) {
    known = given.text();
  }
}

void read_circumstances(const Value& about, Recording& recording) {
  if (const Value* origin = about.find("origin")) recording.source = origin->text();
  if (const Value* facts = about.find("device")) {
    within("the device", [&] {
      read_fields(*facts, recording.device);
      const std::string& kind = recording.device.kind;
      if (kind != "cuda" && kind != "emulated" && kind != "unknown") {
        reject(fmt::format("there is no kind of device '{}'", kind.substr(0, 40)));
      }
      recording.has_device = kind != "unknown";
    });
  }
  if (const Value* software = about.find("software")) {
    within("the software", [&] {
      recording.software = {software->at("uuid").text(), software->at("driver").text(),
                            software->at("compiler").text()};
    });
  }
  if (const Value* protocol = about.find("protocol")) {
    within("the protocol", [&] {
      Json known = json_of(recording.protocol);
      for (const auto& [name, value] : known.items()) {
        const Value* given = protocol->find(name);
        if (given != nullptr) overlay(value, *given);
      }
      recording.protocol = protocol_from(known);
      if (Protocol::parse(recording.protocol.text()) != recording.protocol) reject("it has no text");
    });
  }
}

Json further_facts(const Trial& trial) {
  Json further = Json::object();
  const Json all = json_of(trial);
  for (const std::string& name : further_names()) {
    const Json& value = all.at(name);
    if (!value.is_string() || !value.get_ref<const std::string&>().empty()) further[name] = value;
  }
  if (trial.clock.is_known()) {
    further["clock_lowest_mhz"] = trial.clock.lowest_mhz;
    further["clock_highest_mhz"] = trial.clock.highest_mhz;
  }
  if (trial.clock.throttled != 0) further["clock_throttled"] = throttle_text(trial.clock.throttled);
  return further;
}

void set_further_facts(Trial& trial, const std::function<const Value*(const std::string&)>& value_of) {
  Json all = json_of(trial);
  const auto take = [&value_of](const std::string& name, const auto& take_value) {
    const Value* given = value_of(name);
    if (given != nullptr && !given->is(Value::Kind::null)) {
      within("'" + name + "'", [&] { take_value(*given); });
    }
  };
  for (const std::string& name : further_names()) {
    take(name, [&](const Value& given) { overlay(all[name], given); });
  }
  trial = trial_from(all);
  const auto megahertz = [](const Value& given) { return static_cast<int>(given.integer(0, most_int)); };
  take("clock_lowest_mhz", [&](const Value& given) { trial.clock.lowest_mhz = megahertz(given); });
  take("clock_highest_mhz", [&](const Value& given) { trial.clock.highest_mhz = megahertz(given); });
  take("clock_throttled", [&](const Value& given) { trial.clock.throttled = parse_throttle(given.text()); });
}

}  // namespace bitune::exchange
