// An element of a tile, as reports and the cursor name it.
#pragma once

namespace wl::app {

struct Element {
    int row = -1, col = -1;
    bool operator==(const Element&) const = default;
};
inline bool exists(Element e) { return e.row >= 0 && e.col >= 0; }

}  // namespace wl::app
