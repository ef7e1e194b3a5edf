// A step is words of `warplens at --step`; a search is options of `warplens at`.
#include "app/draw/transport.h"

#include "app/session/clock.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

// Without a tip: the table of actions has it.
struct Step {
    const char *words, *label, *tip;
};
constexpr std::array<Step, 7> kSteps{
    {{"over", "over", ""},
     {"into", "into", ""},
     {"out", "out", ""},
     {"mark", "mark", "to a mark of a tile"},
     {"barrier", "barrier", "to a barrier of the block"},
     {"iteration", "iteration", ""},
     {"go", "break", ""}}
};

constexpr const char* kMore = "more";

// ‹ label ›; -1: back, 1: on, 0: neither.
int capsule(ImVec2 at, const std::string& name, std::string_view label, const std::string& tip) {
    const float side = px(17), middle_width = measure(Face::small_words, label).x + px(4);
    const float height = px(kControlHeight);
    const Box whole{
        at, {at.x + 2 * side + middle_width, at.y + height}
    };
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(whole.low, whole.high, colour::kRaised, px(4));
    int way = 0;
    for (const bool back : {true, false}) {
        const Box part{
            {back ? at.x : at.x + side,         at.y         },
            {back ? at.x + side : whole.high.x, at.y + height}
        };
        if (press(part, name + (back ? "/back" : ""))) way = back ? -1 : 1;
        const bool hot = ImGui::IsItemHovered();
        if (hot) {
            list->AddRectFilled(part.low, part.high, colour::kStrongLine, px(4));
            if (!tip.empty()) tooltip(tip);
        }
        const float x = back ? at.x + side / 2 : whole.high.x - side / 2, y = at.y + height / 2;
        const float r = px(3), towards = back ? -1.0F : 1.0F;
        const ImU32 ink = hot ? colour::kBright : colour::kDim;
        list->AddLine({x - towards * r / 2, y - r}, {x + towards * r / 2, y}, ink, px(1.4F));
        list->AddLine({x + towards * r / 2, y}, {x - towards * r / 2, y + r}, ink, px(1.4F));
    }
    put({at.x + side + px(2), middle(at.y, height, Face::small_words)},
        {Face::small_words, colour::kText},
        label);
    return way;
}
float capsule_width(std::string_view label) { return px(38) + measure(Face::small_words, label).x; }

}  // namespace

std::string element_name(const Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    const bool memory = tile != nullptr && (tile->block < 0 || tile->ld != 0);
    if (!memory || !exists(selection.element)) return "";
    return probe_of(session, selection)->name + "[" + std::to_string(selection.element.row) + "][" +
        std::to_string(selection.element.col) + "]";
}

namespace {

std::string way_words(int way, const std::string& words) { return way < 0 ? "back " + words : words; }

enum class Kind { ways, push, flag };
struct Item {
    Kind kind = Kind::push;
    std::string name, label, tip;  // without a tip: the table of actions has it, or none
    bool on = false;               // of a flag
    std::function<void(int way)> act;
};

float width_of(const Item& item) {
    if (item.kind == Kind::ways) return capsule_width(item.label);
    return item.kind == Kind::flag ? toggle_width(item.label) : button_width(item.label);
}

void add_searches(const Session& session, Commands& commands, std::vector<Item>& items) {
    const auto add = [&](const char* name, const char* label, const char* tip, std::function<void(int)> act) {
        items.push_back({Kind::push, name, label, tip, false, std::move(act)});
    };
    add("step/first-nan", "NaN", "the first instruction that makes a NaN", [&commands](int) {
        commands.seek = "--first nan";
    });
    add("step/first-inf", "Inf", "the first instruction that makes an infinity", [&commands](int) {
        commands.seek = "--first inf";
    });
    if (!first_wrong_words(session).empty())
        add("step/first-bad", "wrong", "the first wrong element, and what wrote it", [&commands](int) {
            commands.seek_wrong = true;
        });
}

std::vector<Item> items_of(const Session& session, const Selection& selection, Commands& commands) {
    std::vector<Item> items;
    const auto add = [&](const std::string& name, const char* label, const char* tip, std::string words) {
        const auto step = [&commands, words = std::move(words)](int way) {
            commands.step = way_words(way, words);
        };
        items.push_back({Kind::ways, "step/" + name, label, tip, false, step});
    };
    for (const Step& each : kSteps) add(each.words, each.label, each.tip, each.words);
    const std::string element = element_name(session, selection);
    if (!element.empty()) {
        add("write", "write", "", "write " + element);
        const auto flip = [&commands](int) { commands.acts.push_back(Act::break_write); };
        items.push_back({Kind::flag, "step/break-write", "stop", "", breaks_on(session, element), flip});
    }
    for (const Breakpoint& b : session.breakpoints) {
        if (b.element.empty() || b.element == element) continue;
        const auto drop = [&commands, b](int) { commands.no_breakpoint = b; };
        const char* tip = "F5 stops where it is written; a click takes that away";
        items.push_back({Kind::push, "step/breaks/" + b.element, b.element + " ×", tip, false, drop});
    }
    if (has_race(session)) add("race", "race", "", "race");
    add_searches(session, commands, items);
    return items;
}

void draw_item(const Item& item, ImVec2 at) {
    if (item.kind == Kind::ways) {
        const int way = capsule(at, item.name, item.label, item.tip);
        if (way != 0) item.act(way);
        return;
    }
    bool on = item.on;
    const bool used =
        item.kind == Kind::flag ? toggle(at, item.name, item.label, on) : button(at, item.name, item.label);
    if (used) item.act(1);
    if (item.kind == Kind::push && ImGui::IsItemHovered()) tooltip(item.tip);
}

// What the row has no room for, as a menu: a way on and a way back are an entry each. It
// opens to that side of the button where there is more of the window.
void draw_folded(const std::vector<Item>& items, size_t from, ImVec2 button_low) {
    const bool up = button_low.y > ImGui::GetIO().DisplaySize.y / 2;
    const ImVec2 high(button_low.x + button_width(kMore), button_low.y + px(kControlHeight));
    ImGui::SetNextWindowPos(
        {high.x, up ? button_low.y - px(4) : high.y + px(4)}, ImGuiCond_Always, {1, up ? 1.0F : 0.0F}
    );
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(8), px(8)));
    if (ImGui::BeginPopup("more steps")) {
        for (size_t i = from; i < items.size(); ++i) {
            const Item& item = items[i];
            const auto entry = [&item](const std::string& name, const std::string& label, int way) {
                if (ImGui::MenuItem(label.c_str(), nullptr, item.on)) item.act(way);
                register_last_item(name);
                explain_last_item(name);
                if (!item.tip.empty() && ImGui::IsItemHovered()) tooltip(item.tip);
            };
            entry(item.name, item.label, 1);
            if (item.kind == Kind::ways) entry(item.name + "/back", "back: " + item.label, -1);
        }
        end_popup();
    }
    ImGui::PopStyleVar();
}

// How many of them stand in the row; fewer than all leave room for the button that opens the rest.
size_t count_in_row(const std::vector<Item>& items, float room, float gap) {
    float all = -gap;
    for (const Item& item : items) all += width_of(item) + gap;
    if (all <= room) return items.size();
    float left = room - button_width(kMore);
    size_t count = 0;
    while (count < items.size() && (left -= width_of(items[count]) + gap) >= 0) ++count;
    return count;
}

}  // namespace

float draw_transport(
    const Session& session, const Selection& selection, Commands& commands, ImVec2 at, float right
) {
    if (session.program.empty()) return at.x;
    const std::vector<Item> items = items_of(session, selection, commands);
    const float gap = px(4);
    const size_t count = count_in_row(items, right - at.x, gap);
    for (size_t i = 0; i < count; ++i) {
        draw_item(items[i], at);
        at.x += width_of(items[i]) + gap;
    }
    if (count == items.size()) return at.x;
    if (button(at, "step/more", kMore)) ImGui::OpenPopup("more steps");
    if (ImGui::IsItemHovered() && !ImGui::IsPopupOpen("more steps"))
        tooltip("the steps and searches that this row has no room for");
    draw_folded(items, count, at);
    return at.x + button_width(kMore);
}

}  // namespace wl::app
