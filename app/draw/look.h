// The design's constants: one colour a role and theme, sizes, fonts. Panels use these and no colours of their
// own.
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

// What a colour is for; its value is the present theme's.
enum class Role : uint8_t {
    bar,
    panel,
    raised,
    line,
    strong_line,
    popup,
    text,
    dim,
    faint,
    bright,
    accent,
    bad,
    warning,
    good,
    selection,
    non_finite,
    got,
    reference,
    difference,
    keyword,
    type,
    number,
    string,
    directive,
    teal,
    violet,
    waiting,
    count
};
constexpr int kRoles = 28;
ImU32 of(Role role, bool light);

struct Ink {
    Role role;
    operator ImU32() const;
};
constexpr Ink kBar{Role::bar}, kPanel{Role::panel}, kRaised{Role::raised}, kPopup{Role::popup};
constexpr Ink kLine{Role::line}, kStrongLine{Role::strong_line};
constexpr Ink kText{Role::text}, kDim{Role::dim}, kFaint{Role::faint}, kBright{Role::bright};
constexpr Ink kAccent{Role::accent}, kBad{Role::bad}, kWarning{Role::warning}, kGood{Role::good};
constexpr Ink kSelection{Role::selection}, kNonFinite{Role::non_finite};
constexpr Ink kGot{Role::got}, kReference{Role::reference}, kDifference{Role::difference};
constexpr Ink kKeyword{Role::keyword}, kType{Role::type}, kNumber{Role::number}, kString{Role::string},
    kDirective{Role::directive};
constexpr Ink kTeal{Role::teal}, kViolet{Role::violet};
constexpr Ink kWaiting{Role::waiting};  // a warp that stands at a barrier
constexpr Ink kCount{Role::count};      // bars of a histogram

constexpr unsigned kChipAlpha = 36;  // of a chip's ground, in its text's colour

// WCAG 2.1: from 1 to 21; text can be read from 4.5 on.
double contrast(ImU32 a, ImU32 b);
ImU32 blend(ImU32 over, ImU32 ground);  // by the alpha of `over`
ImU32 ink_on(ImU32 background);         // black or white, whichever can be read; always 4.5 or more
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
bool is_light();                // of the two themes the one that the current context has
Fonts load_fonts();             // into the current Dear ImGui context
void apply_style(float scale);  // colours and metrics of the current Dear ImGui and ImPlot contexts

}  // namespace wl::app
