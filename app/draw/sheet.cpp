// SVG by hand: rectangles and words are all there is.
#include "app/draw/sheet.h"

#include "app/draw/ui.h"
#include "instrumentation/base/output/visible.h"

#include <imgui.h>

#include <fmt/format.h>

namespace wl::app {

namespace {

constexpr float kCellText = 10;

std::string colour_text(Rgb c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

const char* anchor_text(Anchor anchor) {
    return anchor == Anchor::left ? "start" : anchor == Anchor::middle ? "middle" : "end";
}

std::string cell_svg(const SheetCell& c) {
    std::string svg = fmt::format(
        "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"{}\"/>\n",
        c.x,
        c.y,
        c.width,
        c.height,
        colour_text(c.fill)
    );
    if (c.text.empty()) return svg;
    return svg +
        fmt::format(
               "<text x=\"{:g}\" y=\"{:g}\" font-size=\"{:g}\" text-anchor=\"middle\" "
               "fill=\"{}\">{}</text>\n",
               c.x + c.width / 2,
               c.y + c.height / 2 + kCellText * 0.35F,
               kCellText,
               colour_text(wants_pale_ink(c.fill) ? kPaleInk : kInk),
               escape_markup(c.text)
        );
}

std::string text_svg(const SheetText& t) {
    return fmt::format(
        "<text x=\"{:g}\" y=\"{:g}\" font-size=\"{:g}\" text-anchor=\"{}\"{} fill=\"{}\">{}</text>\n",
        t.x,
        t.y + t.size * 0.35F,
        t.size,
        anchor_text(t.anchor),
        t.strong ? " font-weight=\"600\"" : "",
        colour_text(kInk),
        escape_markup(t.text)
    );
}

void paint_text(const SheetText& t, ImU32 ink) {
    ImFont* font = t.strong ? ui().fonts.strong : ui().fonts.mono;
    const ImVec2 extent = font->CalcTextSizeA(t.size, 1e9F, 0, t.text.c_str());
    const float share = t.anchor == Anchor::left ? 0 : t.anchor == Anchor::middle ? 0.5F : 1;
    ImGui::GetWindowDrawList()->AddText(
        font, t.size, {t.x - share * extent.x, t.y - extent.y / 2}, ink, t.text.c_str()
    );
}

}  // namespace

bool wants_pale_ink(Rgb fill) { return 0.3F * fill.r + 0.59F * fill.g + 0.11F * fill.b < 120; }

std::string svg_of(const Sheet& sheet) {
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} "
        "{1:g}\" "
        "font-family=\"JetBrains Mono, monospace\">\n<rect width=\"100%\" height=\"100%\" fill=\"{2}\"/>\n",
        sheet.width,
        sheet.height,
        colour_text(kPaper)
    );
    for (const SheetCell& cell : sheet.cells) svg += cell_svg(cell);
    for (const SheetText& text : sheet.texts) svg += text_svg(text);
    return svg + "</svg>\n";
}

void paint(const Sheet& sheet) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({0, 0}, {sheet.width, sheet.height}, colour::of(kPaper));
    for (const SheetCell& c : sheet.cells) {
        list->AddRectFilled({c.x, c.y}, {c.x + c.width, c.y + c.height}, colour::of(c.fill));
        const SheetText text{c.x + c.width / 2, c.y + c.height / 2, kCellText, Anchor::middle, false, c.text};
        if (!c.text.empty()) paint_text(text, colour::of(wants_pale_ink(c.fill) ? kPaleInk : kInk));
    }
    for (const SheetText& text : sheet.texts) paint_text(text, colour::of(kInk));
}

}  // namespace wl::app
