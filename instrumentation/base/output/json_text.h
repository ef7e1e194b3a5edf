// JSON as text, whatever bytes its strings hold.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace wl {

// `indent` -1: one line. Bytes that are no UTF-8 become U+FFFD.
template <class Json>
std::string json_text(const Json& json, int indent = 2) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace wl
