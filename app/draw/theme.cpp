// The table of colours, and what of it can be read on what.
#include "app/draw/look.h"
#include "app/draw/ui.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wl::app {

bool is_light() {
    return ImGui::GetCurrentContext() != nullptr && ImGui::GetIO().UserData != nullptr && ui().light;
}

namespace colour {

namespace {

struct Row {
    unsigned dark = 0, light = 0;
};
constexpr Row row(unsigned dark, unsigned light) { return {dark, light}; }

// By Role. Text roles reach 4.5:1 on bar, panel, raised and popup; theme_test measures it.
constexpr std::array<Row, kRoles> kTable = {
    row(0x101215, 0xe9ecf0),  // bar
    row(0x15171b, 0xf8f9fb),  // panel
    row(0x22262c, 0xdfe4ea),  // raised
    row(0x262a31, 0xdbe0e6),  // line
    row(0x333941, 0xbcc4ce),  // strong line
    row(0x1b1e23, 0xfdfdfe),  // popup
    row(0xd4d8de, 0x1c2128),  // text
    row(0xa6adb7, 0x414954),  // dim
    row(0x8d95a0, 0x525b66),  // faint
    row(0xf2f4f7, 0x0a0d11),  // bright
    row(0x5aa9e6, 0x0f5c9c),  // accent
    row(0xf07575, 0xab1f1a),  // bad
    row(0xe2b15b, 0x7a4f00),  // warning
    row(0x74c08a, 0x1b6433),  // good
    row(0xffd166, 0x8a5a00),  // selection
    row(0xff5fdb, 0xa3008c),  // non finite
    row(0x5aa9e6, 0x0f5c9c),  // got
    row(0xa6adb7, 0x525b66),  // reference
    row(0xe8913a, 0x96450a),  // difference
    row(0xb994e3, 0x6a35a8),  // keyword
    row(0x6fb7d8, 0x11607f),  // type
    row(0xd8b06a, 0x7a4f00),  // number
    row(0x93b98a, 0x2f6324),  // string
    row(0x96a2ba, 0x4a5878),  // directive
    row(0x55b3b0, 0x0b625f),  // teal
    row(0xb48be0, 0x6a35a8),  // violet
    row(0x3a4049, 0xc6cdd6),  // waiting
    row(0x6d7681, 0x8a93a0),  // count
};

double linear(ImU32 c, int shift) {
    const double v = static_cast<double>(c >> shift & 0xff) / 255;
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
double luminance(ImU32 c) { return 0.2126 * linear(c, 0) + 0.7152 * linear(c, 8) + 0.0722 * linear(c, 16); }

}  // namespace

ImU32 of(Role role, bool light) {
    const Row& of_role = kTable[static_cast<size_t>(role)];
    return hex(light ? of_role.light : of_role.dark);
}

Ink::operator ImU32() const { return of(role, is_light()); }

double contrast(ImU32 a, ImU32 b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

ImU32 blend(ImU32 over, ImU32 ground) {
    const unsigned alpha = over >> 24;
    ImU32 out = 0xff000000u;
    for (const int shift : {0, 8, 16}) {
        const unsigned a = over >> shift & 0xff, b = ground >> shift & 0xff;
        out |= ((a * alpha + b * (255 - alpha) + 127) / 255) << shift;
    }
    return out;
}

ImU32 ink_on(ImU32 background) {
    const ImU32 black = hex(0x000000), white = hex(0xffffff);
    return contrast(black, background) >= contrast(white, background) ? black : white;
}

}  // namespace colour

}  // namespace wl::app
