// Numbers of C++ as a manifest writes them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace wl::app {

struct Literal {
    std::string text;   // "256", "1.0"
    bool real = false;  // a float or double
};

// The number that begins at `at`, which goes behind it: 0xff, 1'000u, 0b11, 017, 1e-5f. Nothing: it is none.
std::optional<Literal> read_literal(const std::string& text, size_t& at);

}  // namespace wl::app
