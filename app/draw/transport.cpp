// A step is words of `warplens at --step`; a search is options of `warplens at`.
#include "app/draw/transport.h"

#include "app/session/clock.h"
#include "app/session/navigate.h"
#include "instrumentation/base/block_text.h"

#include <imgui.h>

#include <array>
#include <string>

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
    if (tile == nullptr || tile->ld == 0 || !exists(selection.element)) return "";
    return probe_of(session, selection)->name + "[" + std::to_string(selection.element.row) + "][" +
        std::to_string(selection.element.col) + "]";
}

namespace {

std::string way_words(int way, const std::string& words) { return way < 0 ? "back " + words : words; }

// What made the first wrong element: the write behind which its tile was taken, or its mark.
std::string bad_words(const Session& session) {
    if (session.first_bad < 0) return "";
    const capture::Tile& tile = session.capture.tiles[static_cast<size_t>(session.first_bad)];
    if (tile.block < 0) return "";
    const std::string& name = session.capture.probes[static_cast<size_t>(tile.probe)].name;
    const std::string iteration = " --iteration " + std::to_string(tile.iteration) + " --block " +
        block_words(tile.block, session.capture.launch.grid);
    if (tile.ld == 0) return "--tile \"" + name + "\"" + iteration + " --warp " + std::to_string(tile.warp);
    return "--last-write \"" + name + "[" + std::to_string(tile.first_bad_row) + "][" +
        std::to_string(tile.first_bad_col) + "]\"" + iteration;
}

void draw_searches(const Session& session, Commands& commands, ImVec2& at, float right) {
    struct Search {
        const char *name, *label, *tip;
        std::string options;
    };
    const std::array<Search, 3> searches{
        {{"step/first-nan", "NaN", "the first instruction that makes a NaN", "--first nan"},
         {"step/first-inf", "Inf", "the first instruction that makes an infinity", "--first inf"},
         {"step/first-bad", "wrong", "what wrote the first wrong element", bad_words(session)}}
    };
    for (const Search& each : searches) {
        const float width = button_width(each.label);
        if (each.options.empty() || at.x + width > right) continue;
        if (button(at, each.name, each.label)) commands.seek = each.options;
        if (ImGui::IsItemHovered()) tooltip(each.tip);
        at.x += width + px(4);
    }
}

}  // namespace

float draw_transport(
    const Session& session, const Selection& selection, Commands& commands, ImVec2 at, float right
) {
    if (session.program.empty()) return at.x;
    for (const Step& each : kSteps) {
        if (at.x + capsule_width(each.label) > right) return at.x;
        const int way = capsule(at, std::string("step/") + each.words, each.label, each.tip);
        if (way != 0) commands.step = way_words(way, each.words);
        at.x += capsule_width(each.label) + px(4);
    }
    const std::string element = element_name(session, selection);
    if (!element.empty() && at.x + capsule_width("write") <= right) {
        const int way = capsule(at, "step/write", "write", "");
        if (way != 0) commands.step = way_words(way, "write " + element);
        at.x += capsule_width("write") + px(4);
        bool breaks = breaks_on(session, element);
        if (at.x + toggle_width("stop") <= right) {
            if (toggle(at, "step/break-write", "stop", breaks)) commands.acts.push_back(Act::break_write);
            at.x += toggle_width("stop") + px(6);
        }
    }
    for (const Breakpoint& b : session.breakpoints) {
        const std::string label = b.element + " ×";
        if (b.element.empty() || b.element == element || at.x + button_width(label) > right) continue;
        if (button(at, "step/breaks/" + b.element, label)) commands.no_breakpoint = b;
        if (ImGui::IsItemHovered()) tooltip("F5 stops where it is written; a click takes that away");
        at.x += button_width(label) + px(4);
    }
    if (has_race(session) && at.x + capsule_width("race") <= right) {
        const int way = capsule(at, "step/race", "race", "");
        if (way != 0) commands.step = way_words(way, "race");
        at.x += capsule_width("race") + px(4);
    }
    at.x += px(4);
    draw_searches(session, commands, at, right);
    return at.x;
}

}  // namespace wl::app
