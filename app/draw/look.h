// The design's constants: one colour a role, sizes, fonts. Panels use these and no colours of their own.
#pragma once

#include "app/draw/palettes.h"

#include <imgui.h>

namespace wl::app {

namespace colour {
constexpr ImU32 hex(unsigned rgb, unsigned alpha = 255) {
    return (alpha << 24) | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16 & 0xff);
}
constexpr ImU32 of(Rgb c) { return IM_COL32(c.r, c.g, c.b, 255); }
constexpr ImU32 with_alpha(ImU32 c, unsigned alpha) { return (c & 0x00ffffffU) | (alpha << 24); }
constexpr ImU32 kBar = hex(0x101215), kPanel = hex(0x15171b), kRaised = hex(0x22262c);
constexpr ImU32 kLine = hex(0x262a31), kStrongLine = hex(0x333941);
constexpr ImU32 kText = hex(0xd4d8de), kDim = hex(0x98a0ab), kFaint = hex(0x666e79), kBright = hex(0xf2f4f7);
constexpr ImU32 kAccent = hex(0x5aa9e6), kBad = hex(0xec6a6a), kWarning = hex(0xe2b15b),
                kGood = hex(0x74c08a);
constexpr ImU32 kSelection = hex(0xffd166), kNonFinite = hex(0xff4fd8);
constexpr ImU32 kGot = hex(0x5aa9e6), kReference = hex(0x98a0ab), kDifference = hex(0xe8913a);
}  // namespace colour

namespace size {  // pixels at scale 1
constexpr float kTopBar = 40, kStatusBar = 26, kHeader = 30, kRow = 22, kPad = 12;
constexpr float kWords = 15, kSmallWords = 13, kNumbers = 14, kSmallNumbers = 12;
}  // namespace size

struct Fonts {
    ImFont* words = nullptr;   // Inter
    ImFont* strong = nullptr;  // Inter, semibold: titles
    ImFont* mono = nullptr;    // JetBrains Mono: numbers
};
Fonts load_fonts();             // into the current Dear ImGui context
void apply_style(float scale);  // colours and metrics of the current Dear ImGui and ImPlot contexts

}  // namespace wl::app
