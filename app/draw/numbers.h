// Numbers as text: as many digits as the room allows.
#pragma once

#include <cstdint>
#include <string>

namespace wl::app {

std::string number(double value, int digits = 6);  // %g, but NaN, +Inf, -Inf
std::string cell_number(
    double value, int characters
);                                      // at most that many: "-.43", "3e-5", "NaN"; "*" if none fits
std::string count_text(int64_t count);  // "16 384"

}  // namespace wl::app
