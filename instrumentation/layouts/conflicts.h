// What a warp's accesses to a matrix in shared memory cost by its layout, and the swizzle that makes them
// free of conflicts. Counted by base/banks.h, whose rules were measured on an H200.
#pragma once

#include "instrumentation/layouts/parse.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::layouts {

// How the 32 lanes share one request. ldmatrix: lane l has row l % 8 of matrix l / 8, 16 bytes of it. Others:
// each lane a piece of `bytes` bytes; along: pieces of a row one behind the other, then the next row; down:
// the same piece of rows that follow each other.
struct Access {
    std::string name;  // "ldmatrix.x4", "ld.shared.v4", "ld.shared.v4 down"
    bool matrix = false, down = false;
    int pieces = 32;  // lanes that ask; of ldmatrix 8 a matrix
    int bytes = 16;
};
std::vector<std::string> access_names();  // "ldmatrix" stands for its x4
// Throws Error with the nearest name.
Access access_named(const std::string& name);

// Of every place in the matrix where the request fits.
struct Conflicts {
    int requests = 0;
    int wavefronts = 0, ideal = 0;
    int worst = 0;        // wavefronts of the most expensive phase
    std::string problem;  // why the access is not possible; empty: it is
};
// `layout` has two modes: rows and columns of elements of `element` bytes.
Conflicts conflicts(const Swizzled& layout, const Access& access, int element);

// With the fewest bits, then the lowest base, of those with which no request has a conflict.
std::optional<Swizzle> free_swizzle(const Layout& layout, const Access& access, int element);

}  // namespace wl::layouts
