// A worker's answer: JSON that becomes a plain struct, or an Error that says what is not readable.
#pragma once

#include "instrumentation/base/error.h"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

namespace wl::app {

// "FILE:LINE" in its parts; no line: both stay empty.
inline void read_place(const std::string& place, std::string& file, int& line) {
    const size_t colon = place.rfind(':');
    if (colon == std::string::npos) return;
    file = place.substr(0, colon);
    line = std::atoi(place.c_str() + colon + 1);
}

// What `take` makes of the text's JSON. Throws Error "The answer about ABOUT is not readable: why." where the
// text is none, or lacks what `take` looks for.
template <typename Take>
auto read_answer(const std::string& text, const char* about, const Take& take) {
    try {
        return take(nlohmann::json::parse(text));
    } catch (const nlohmann::json::exception& problem) {
        throw Error(std::string("The answer about ") + about + " is not readable: " + problem.what() + ".");
    }
}

}  // namespace wl::app
