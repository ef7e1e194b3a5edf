// Flat controls drawn by hand over invisible buttons.
#include "app/draw/widgets.h"

#include "app/session/actions.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace wl::app {

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) {
        return std::tolower(c);
    });
    return result;
}

float text_top(ImVec2 at, Face face) { return middle(at.y, px(kControlHeight), face); }

void fill(Box box, ImU32 c, float rounding = 3) {
    ImGui::GetWindowDrawList()->AddRectFilled(box.low, box.high, c, px(rounding));
}

}  // namespace

Box window_box() {
    const ImVec2 low = ImGui::GetCursorScreenPos(), extent = ImGui::GetContentRegionAvail();
    return {
        low, {low.x + extent.x, low.y + extent.y}
    };
}

Box draw_header(Box box, const Header& header) {
    const float height = px(size::kHeader), pad = px(size::kPad);
    float x = box.low.x + pad;
    if (header.mark != 0) {
        const float top = box.low.y + (height - px(13)) / 2;
        ImGui::GetWindowDrawList()->AddRectFilled({x, top}, {x + px(3), top + px(13)}, header.mark);
        x += px(10);
    }
    const float note_width = header.note.empty() ? 0 : measure(Face::small_numbers, header.note).x + pad;
    const float end = box.high.x - pad;
    x = put_clipped(
        {x, middle(box.low.y, height, Face::strong)}, end - x, {Face::strong, colour::kBright}, header.title
    );
    x += px(8);
    const bool note_fits = note_width > 0 && end - x > note_width;
    const float room = end - x - (note_fits ? note_width : 0);
    constexpr float kWorthIt = 64;  // pixels at scale 1: a few words and an ellipsis
    if (room > px(kWorthIt) || measure(Face::small_words, header.subtitle).x <= room) {
        put_clipped(
            {x, middle(box.low.y, height, Face::small_words)},
            room,
            {Face::small_words, colour::kFaint},
            header.subtitle
        );
    }
    if (note_fits) {
        put_right(
            {end, middle(box.low.y, height, Face::small_numbers)},
            {Face::small_numbers, header.note_colour},
            header.note
        );
    }
    return {
        {box.low.x, box.low.y + height},
        box.high
    };
}

bool press(Box box, const std::string& name) {
    if (box.width() <= 0 || box.height() <= 0) return false;
    ImGui::SetCursorScreenPos(box.low);
    const bool pressed = ImGui::InvisibleButton(name.c_str(), {box.width(), box.height()});
    register_control(name, box.low, box.high);
    explain_last_item(name);
    return pressed;
}

void explain_last_item(std::string_view control) {
    if (!ImGui::IsItemHovered()) return;
    const std::string tip = tip_of(control);
    if (tip.empty()) return;
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_DelayNormal)) {
        tooltip(tip);
    } else {
        draw_again_in(0.1F);
    }
}

float segmented_width(std::span<const std::string_view> labels) {
    float width = px(4);
    for (const std::string_view label : labels) width += measure(Face::small_words, label).x + px(18);
    return width;
}

ImVec2 Groups::place(float width) {
    if (at.x > box.low.x && at.x + width > box.high.x) at = {box.low.x, at.y + px(kControlHeight + 6)};
    const ImVec2 here = at;
    at.x += width + px(gap);
    return here;
}

Groups groups_in(Box box) {
    const float pad = px(size::kPad);
    return {
        {{box.low.x + pad, box.low.y}, {box.high.x - pad, box.high.y}},
        {box.low.x + pad,              box.low.y + px(4)             },
        10
    };
}

float toolbar_height(const Groups& groups, Box box) {
    return groups.at.y + px(kControlHeight + 4) - box.low.y;
}

int segmented(ImVec2 at, const Segments& segments) {
    const float height = px(kControlHeight);
    fill(
        {
            at, {at.x + segmented_width(segments.labels), at.y + height}
    },
        colour::kBar,
        4
    );
    int chosen = segments.chosen;
    float x = at.x + px(2);
    for (int i = 0; i < static_cast<int>(segments.labels.size()); ++i) {
        const std::string_view label = segments.labels[static_cast<size_t>(i)];
        const float width = measure(Face::small_words, label).x + px(18);
        const Box box{
            {x,         at.y + px(2)         },
            {x + width, at.y + height - px(2)}
        };
        if (press(box, std::string(segments.name) + "/" + lower(label))) chosen = i;
        const bool on = i == segments.chosen;
        if (on) fill(box, colour::kStrongLine);
        const ImU32 ink = on ? colour::kBright : ImGui::IsItemHovered() ? colour::kText : colour::kDim;
        put({x + px(9), text_top(at, Face::small_words)}, {Face::small_words, ink}, label);
        x += width;
    }
    return chosen;
}

float toggle_width(std::string_view label) { return px(20) + measure(Face::small_words, label).x; }

bool toggle(ImVec2 at, std::string_view name, std::string_view label, bool& on) {
    const float side = px(13), top = at.y + (px(kControlHeight) - side) / 2;
    const Box box{
        at, {at.x + toggle_width(label), at.y + px(kControlHeight)}
    };
    const bool pressed = press(box, std::string(name));
    if (pressed) on = !on;
    const bool hot = ImGui::IsItemHovered();
    fill(
        {
            {at.x,        top       },
            {at.x + side, top + side}
    },
        on ? colour::kAccent : colour::kRaised
    );
    if (on) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        const ImVec2 tick[] = {
            {at.x + side * 0.24F, top + side * 0.52F},
            {at.x + side * 0.43F, top + side * 0.72F},
            {at.x + side * 0.78F, top + side * 0.29F}
        };
        list->AddPolyline(tick, 3, colour::kBar, 0, px(1.8F));
    }
    put({at.x + px(20), text_top(at, Face::small_words)},
        {Face::small_words, hot ? colour::kBright : colour::kText},
        label);
    return pressed;
}

float button_width(std::string_view label) { return measure(Face::small_words, label).x + px(20); }

bool button(ImVec2 at, std::string_view name, std::string_view label, const ButtonStyle& style) {
    const float width = style.width > 0 ? style.width : button_width(label);
    const Box box{
        at, {at.x + width, at.y + px(kControlHeight)}
    };
    const bool pressed = press(box, std::string(name));
    const bool hot = style.enabled && ImGui::IsItemHovered();
    fill(box, style.fill);
    if (hot) ImGui::GetWindowDrawList()->AddRect(box.low, box.high, colour::kFaint, px(3));
    const ImU32 ink = style.enabled ? style.text : colour::kFaint;
    put_centred(
        {(box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2}, {Face::small_words, ink}, label
    );
    return pressed && style.enabled;
}

float chip_width(std::string_view text) { return measure(Face::small_words, text).x + px(16); }

float chip(ImVec2 at, std::string_view text, ImU32 c) {
    const float width = chip_width(text);
    fill(
        {
            at, {at.x + width, at.y + px(kControlHeight)}
    },
        colour::with_alpha(c, colour::kChipAlpha)
    );
    put({at.x + px(8), text_top(at, Face::small_words)}, {Face::small_words, c}, text);
    return width;
}

float say(Box box, ImU32 ink, std::string_view text) {
    const float pad = px(size::kPad);
    return put_wrapped({box.low.x + pad, box.low.y + px(8)}, box.width() - 2 * pad, {Face::words, ink}, text);
}

bool say_and_ask(Box box, std::string_view text, std::string_view name) {
    const float below = say(box, colour::kBad, text) + px(8);
    return button({box.low.x + px(size::kPad), below}, std::string(name) + "/ask-again", "Ask again");
}

void tooltip(const std::string& text) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(8)));
    ImGui::PushFont(ui().fonts.words, size::kSmallWords);
    if (ImGui::BeginTooltip()) {
        const float most = std::min(px(440), ImGui::GetIO().DisplaySize.x - px(40));
        ImGui::PushTextWrapPos(most);
        ImGui::TextUnformatted(text.data(), text.data() + text.size());
        ImGui::PopTextWrapPos();
        ImGui::EndTooltip();
    }
    ImGui::PopFont();
    ImGui::PopStyleVar();
}

void end_popup() {
    if (ImGui::IsKeyPressed(ImGuiKey_Escape)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
}

void push_field_style() {
    const float padding = std::max(0.0F, (px(kControlHeight) - ImGui::GetFontSize()) / 2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(px(7), padding));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(7), px(6)));  // of the list a combo opens
}

void pop_field_style() { ImGui::PopStyleVar(2); }

bool number_field(ImVec2 at, float width, std::string_view name, float& value) {
    ImGui::SetCursorScreenPos(at);
    ImGui::SetNextItemWidth(width);
    ImGui::PushFont(ui().fonts.mono, size::kSmallNumbers);
    push_field_style();
    const std::string id = "##" + std::string(name);
    float edited = value;
    const bool done = ImGui::InputFloat(id.c_str(), &edited, 0, 0, "%.4g", ImGuiInputTextFlags_AutoSelectAll);
    const bool changed = done && std::isfinite(edited) && edited != value;
    if (changed) value = edited;
    register_last_item(std::string(name));
    pop_field_style();
    ImGui::PopFont();
    return changed;
}

bool begin_bar(const char* name, float top, float height) {
    constexpr ImGuiWindowFlags kBarFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
        ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
        ImGuiWindowFlags_NoNav;
    ImGui::SetNextWindowPos({0, top});
    ImGui::SetNextWindowSize({ImGui::GetIO().DisplaySize.x, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
    const bool open = ImGui::Begin(name, nullptr, kBarFlags);
    ImGui::PopStyleVar();
    const ImVec2 low = ImGui::GetWindowPos(), extent = ImGui::GetWindowSize();
    ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + extent.x, low.y + extent.y}, colour::kBar);
    return open;
}

}  // namespace wl::app
