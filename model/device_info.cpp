#include "model/device_info.hpp"

#include <type_traits>

#include "model/digest.hpp"
#include "model/fields.hpp"

namespace bitune {

std::string DeviceInfo::digest() const {
  DeviceInfo identity = *this;
  identity.memory_bytes >>= 30;
  Digest digest;
  for_each_field(identity, [&digest](std::string_view, const auto& fact, FieldAge age) {
    if (age != FieldAge::first) return;
    if constexpr (std::is_same_v<std::decay_t<decltype(fact)>, bool>) {
      digest.add(fact ? "1" : "0");  // as digests have it since version 1
    } else {
      digest.add(field_text(fact));
    }
  });
  return digest.hex();
}

}  // namespace bitune
