// Lanes of a warp as every text names them.
#pragma once

#include <cstdint>
#include <string>

namespace wl {

// "0-31", "3,7", "0-3,8"
inline std::string lanes_text(uint32_t mask) {
    std::string out;
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) == 0) continue;
        int last = lane;
        while (last < 31 && (mask >> (last + 1) & 1U) != 0) ++last;
        out += (out.empty() ? "" : ",") + std::to_string(lane);
        if (last > lane) out += "-" + std::to_string(last);
        lane = last;
    }
    return out;
}

// "lane 3", "lanes 0-31"
inline std::string lanes_named(uint32_t mask) {
    return ((mask & (mask - 1)) == 0 ? "lane " : "lanes ") + lanes_text(mask);
}

}  // namespace wl
