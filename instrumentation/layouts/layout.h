// Layouts in CuTe's notation: functions from coordinates to offsets, written shape:stride, and their algebra.
// Follows CUTLASS 4, media/docs/cpp/cute/02_layout_algebra.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wl::layouts {

// A leaf, or modes that are layouts themselves: ((2,4),8):((1,16),2) has the modes (2,4):(1,16) and 8:2.
struct Layout {
    int64_t shape = 1, stride = 0;  // of a leaf
    std::vector<Layout> modes;
    bool is_leaf() const { return modes.empty(); }
    friend bool operator==(const Layout&, const Layout&) = default;
};

int64_t size(const Layout& l);    // coordinates
int64_t cosize(const Layout& l);  // the largest offset and one
std::string text_of(const Layout& l);

// Coordinates count in the first mode first. One beyond the last mode's extent goes on with its stride.
int64_t offset(const Layout& l, int64_t index);
// Of the coordinate (i, j) of a layout with two modes.
int64_t offset(const Layout& l, int64_t i, int64_t j);

Layout flatten(const Layout& l);
Layout coalesce(const Layout& l);  // the same function of an index with as few leaves as possible
// Throws Error where no layout is the composition a(b(i)).
Layout compose(const Layout& a, const Layout& b);
// What l leaves out of 0 ... target - 1: offsets disjoint from l's, rising. Throws Error where l's offsets
// overlap, or where its strides do not divide and CuTe's formula would leave gaps.
Layout complement(const Layout& l, int64_t target);
Layout divide(const Layout& a, const Layout& b);   // logical_divide: (tile, tiles)
Layout product(const Layout& a, const Layout& b);  // logical_product: (tile, tiles)

// Swizzle<bits, base, shift>: offset ^ the bits `shift` above (below, when negative) moved down (up) onto it.
struct Swizzle {
    int bits = 0, base = 0, shift = 0;
    friend bool operator==(const Swizzle&, const Swizzle&) = default;
};
int64_t apply(const Swizzle& s, int64_t offset);
std::string text_of(const Swizzle& s);

}  // namespace wl::layouts
