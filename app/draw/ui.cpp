// Text and marks straight into the window's draw list: no layout, no state.
#include "app/draw/ui.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace wl::app {

namespace {

void keep(ImVec2 at, Face face, std::string_view text, float wrap) {
    const ImDrawList* list = ImGui::GetWindowDrawList();
    const ImRect window = ImGui::GetCurrentWindow()->InnerClipRect;
    const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
    const ImVec2 extent = wrap > 0 ? ImVec2(wrap, wrapped_height(wrap, face, text))
                                   : ImVec2(measure(face, text).x, font_size(face));
    const bool scrolls = low.x > window.Min.x || high.x < window.Max.x;
    ui().written.push_back({
        std::string(text), at, {at.x + extent.x, at.y + extent.y},
          low, high, scrolls, list
    });
}

// At whole pixels, which it returns; `wrap` 0: on one line.
ImVec2 add_text(ImVec2 at, TextStyle style, std::string_view text, float wrap) {
    const ImVec2 whole(std::floor(at.x), std::floor(at.y));
    if (ui().watched) keep(whole, style.face, text, wrap);
    ImGui::GetWindowDrawList()->AddText(
        font_of(style.face),
        font_size(style.face),
        whole,
        style.colour,
        text.data(),
        text.data() + text.size(),
        wrap
    );
    return whole;
}

}  // namespace

Ui& ui() { return *static_cast<Ui*>(ImGui::GetIO().UserData); }

void draw_again_in(float seconds) {
    float& due = ui().due;
    due = due < 0 ? seconds : std::min(due, seconds);
}

void register_control(std::string name, ImVec2 low, ImVec2 high) {
    ui().controls.push_back({std::move(name), low, high});
}
void register_last_item(std::string name) {
    register_control(std::move(name), ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

ImFont* font_of(Face face) {
    const Fonts& fonts = ui().fonts;
    switch (face) {
        case Face::words:
        case Face::small_words: return fonts.words;
        case Face::strong:
        case Face::small_strong: return fonts.strong;
        default: return fonts.mono;
    }
}

float font_size(Face face) {
    switch (face) {
        case Face::words:
        case Face::strong: return px(size::kWords);
        case Face::small_words:
        case Face::small_strong: return px(size::kSmallWords);
        case Face::numbers: return px(size::kNumbers);
        case Face::small_numbers: return px(size::kSmallNumbers);
        case Face::tiny_numbers: return px(10);
        case Face::big_numbers: return px(20);
    }
    return px(size::kWords);
}

float line_height(Face face) { return std::round(font_size(face) * 1.2F); }

ImVec2 measure(Face face, std::string_view text) {
    if (text.empty()) return {0, font_size(face)};  // a null begin would be taken for a C string
    return font_of(face)->CalcTextSizeA(font_size(face), 1e9F, 0, text.data(), text.data() + text.size());
}

float put(ImVec2 at, TextStyle style, std::string_view text) {
    if (text.empty()) return at.x;
    const ImVec2 whole = add_text(at, style, text, 0);
    return whole.x + measure(style.face, text).x;
}

void put_right(ImVec2 right, TextStyle style, std::string_view text) {
    put({right.x - measure(style.face, text).x, right.y}, style, text);
}

void put_centred(ImVec2 centre, TextStyle style, std::string_view text) {
    const ImVec2 extent = measure(style.face, text);
    put({centre.x - extent.x / 2, centre.y - line_height(style.face) / 2}, style, text);
}

namespace {

// Folders give way before what stands after them: of "/home/me/gemm.cu:31: error" the name, line and words
// stay.
std::string without_folders(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find_first_of(" \n", at), text.size());
        const std::string_view word = text.substr(at, end - at);
        const size_t last = word.rfind('/', word.size() > 1 ? word.size() - 2 : 0);
        const bool is_path = last != word.npos && last > 0 && word.find('/') != last;
        out += is_path ? "…" + std::string(word.substr(last)) : std::string(word);
        if (end < text.size()) out += text[end];
        at = end + 1;
    }
    return out;
}

}  // namespace

std::string shortened(Face face, std::string_view whole, float width) {
    if (measure(face, whole).x <= width) return std::string(whole);
    std::string text = without_folders(whole);
    if (measure(face, text).x <= width) return text;
    const std::string_view ellipsis = "…";
    const float room = width - measure(face, ellipsis).x;
    const char *const begin = text.data(), *end = begin;  // of the last whole character that fits
    font_of(face)->CalcTextSizeA(font_size(face), room, 0, begin, begin + text.size(), &end);
    return end == begin ? "" : std::string(begin, end) + std::string(ellipsis);
}

float put_clipped(ImVec2 at, float width, TextStyle style, std::string_view text) {
    return measure(style.face, text).x <= width ? put(at, style, text)
                                                : put(at, style, shortened(style.face, text, width));
}

void covers(ImVec2 low, ImVec2 high) {
    const void* layer = ImGui::GetWindowDrawList();
    std::erase_if(ui().written, [&](const Written& w) {
        return w.layer == layer && w.low.x < high.x && w.high.x > low.x && w.low.y < high.y &&
            w.high.y > low.y;
    });
}

float wrapped_height(float width, Face face, std::string_view text) {
    if (text.empty()) return 0;
    return font_of(face)
        ->CalcTextSizeA(font_size(face), 1e9F, width, text.data(), text.data() + text.size())
        .y;
}

float put_wrapped(ImVec2 at, float width, TextStyle style, std::string_view text) {
    if (text.empty()) return at.y;
    const ImVec2 whole = add_text(at, style, text, width);
    return whole.y + wrapped_height(width, style.face, text);
}

void hairline(ImVec2 from, ImVec2 to, ImU32 c) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (from.x == to.x) {
        list->AddRectFilled({std::floor(from.x), from.y}, {std::floor(from.x) + 1, to.y}, c);
    } else {
        list->AddRectFilled({from.x, std::floor(from.y)}, {to.x, std::floor(from.y) + 1}, c);
    }
}

void dot(ImVec2 centre, float radius, ImU32 c) {
    ImGui::GetWindowDrawList()->AddCircleFilled(centre, radius, c, 16);
}

void swatch(ImVec2 low, float side, ImU32 c) {
    ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + side, low.y + side}, c, px(2));
}

void diamond(ImVec2 centre, float radius, ImU32 c) {
    ImGui::GetWindowDrawList()->AddQuadFilled(
        {centre.x, centre.y - radius},
        {centre.x + radius, centre.y},
        {centre.x, centre.y + radius},
        {centre.x - radius, centre.y},
        c
    );
}

}  // namespace wl::app
