// The program's icon, which travels inside the executable.
#pragma once

#include <cstdint>
#include <vector>

namespace wl::app {

struct Icon {
    int width = 0, height = 0;
    std::vector<uint8_t> rgba;
};
Icon icon();

}  // namespace wl::app
