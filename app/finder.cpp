// A field, the best matches below it; and the cheat sheet, which is the table of actions as it stands.
#include "app/finder.h"

#include "app/allowed.h"
#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"
#include "app/workspace.h"

#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <tuple>

namespace wl::app {

namespace {

constexpr size_t kMostTiles = 20000, kMostShown = 14;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
    return out;
}

std::vector<std::string> words_of(std::string_view query) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : lower(query) + " ") {
        if (c != ' ') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    return words;
}

void add_lines(std::vector<FinderEntry>& entries, const capture::Source& source, int index) {
    const std::string name = file_name(source.path);
    int line = 0;
    for (size_t at = 0; at < source.text.size();) {
        const size_t end = std::min(source.text.find('\n', at), source.text.size());
        const std::string text = source.text.substr(at, end - at);
        const size_t first = text.find_first_not_of(" \t");
        ++line, at = end + 1;
        if (first == std::string::npos) continue;
        entries.push_back({Goal::line, index, line, text.substr(first), name + ":" + std::to_string(line)});
    }
}

void fill(Finder& finder, const Session& session) {
    const capture::Capture& c = session.capture;
    finder.entries.clear();
    for (size_t i = 0; i < actions().size(); ++i)
        finder.entries.push_back({Goal::action, static_cast<int>(i), 0, actions()[i].name, actions()[i].keys}
        );
    for (int panel = 0; panel < kPanels; ++panel)
        finder.entries.push_back({Goal::panel, panel, 0, panel_title(panel), "panel"});
    for (size_t i = 0; i < c.findings.size(); ++i)
        finder.entries.push_back({Goal::finding, static_cast<int>(i), 0, c.findings[i].title, "finding"});
    for (size_t i = 0; i < std::min(c.tiles.size(), kMostTiles); ++i) {
        const capture::Tile& t = c.tiles[i];
        const std::string& name = c.probes[static_cast<size_t>(t.probe)].name;
        const std::string text = t.block < 0
            ? name
            : name + "  iteration " + std::to_string(t.iteration) + "  " + block_text(c, t.block);
        const char* note = t.verdict == capture::Verdict::bad ? "wrong tile" : "tile";
        finder.entries.push_back({Goal::tile, static_cast<int>(i), 0, text, note});
    }
    for (size_t i = 0; i < c.sources.size(); ++i)
        add_lines(finder.entries, c.sources[i], static_cast<int>(i));
    finder.capture = session.captures;
    finder.matched = "\n";
}

void go_to(const FinderEntry& entry, const Session& session, Selection& selection, Commands& commands) {
    switch (entry.goal) {
        case Goal::action: commands.acts.push_back(actions()[static_cast<size_t>(entry.index)].act); return;
        case Goal::panel: commands.panel = panel_title(entry.index); return;
        case Goal::finding: select_finding(session, selection, entry.index); return;
        case Goal::tile: select_tile(session, selection, entry.index); return;
        case Goal::line:
            select_line(session, selection, entry.index, entry.line);
            commands.panel = "Source";
            return;
    }
}

bool is_enabled(const FinderEntry& entry, const Session& session, const Selection& selection) {
    return entry.goal != Goal::action ||
        can(actions()[static_cast<size_t>(entry.index)].act, session, selection);
}

ImU32 ink_of(Goal goal) {
    switch (goal) {
        case Goal::finding: return colour::kBad;
        case Goal::tile: return colour::kGot;
        case Goal::line: return colour::kSelection;
        case Goal::panel: return colour::kGood;
        default: return colour::kDim;
    }
}

// True: the entry was clicked.
bool draw_row(const FinderEntry& entry, Box box, bool chosen, bool enabled, const std::string& name) {
    const bool pressed = press(box, name);
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (chosen || ImGui::IsItemHovered())
        list->AddRectFilled(box.low, box.high, chosen ? colour::kStrongLine : colour::kRaised, px(4));
    list->AddRectFilled(
        {box.low.x + px(8), box.low.y + px(7)}, {box.low.x + px(11), box.high.y - px(7)}, ink_of(entry.goal)
    );
    const Face note = entry.goal == Goal::action ? Face::small_numbers : Face::small_words;
    const float width = measure(note, entry.note).x;
    put_clipped(
        {box.low.x + px(20), middle(box.low.y, box.height(), Face::words)},
        box.width() - width - px(44),
        {entry.goal == Goal::line ? Face::small_numbers : Face::words,
         enabled ? colour::kText : colour::kFaint},
        entry.text
    );
    put_right({box.high.x - px(10), middle(box.low.y, box.height(), note)}, {note, colour::kDim}, entry.note);
    return pressed;
}

void choose(Finder& finder) {
    const int count = static_cast<int>(finder.matches.size());
    if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) ++finder.chosen;
    if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) --finder.chosen;
    finder.chosen = count > 0 ? (finder.chosen + count) % count : 0;
}

void draw_matches(
    Finder& finder, const Session& session, Selection& selection, Commands& commands, bool enter
) {
    const float width = ImGui::GetContentRegionAvail().x, height = px(28);
    for (int i = 0; i < static_cast<int>(finder.matches.size()); ++i) {
        const FinderEntry& entry =
            finder.entries[static_cast<size_t>(finder.matches[static_cast<size_t>(i)])];
        const bool enabled = is_enabled(entry, session, selection), chosen = i == finder.chosen;
        const ImVec2 low = ImGui::GetCursorScreenPos();
        const Box row{
            low, {low.x + width, low.y + height}
        };
        const bool pressed = draw_row(entry, row, chosen, enabled, "palette/" + std::to_string(i));
        if (!enabled || !(pressed || (chosen && enter))) continue;
        go_to(entry, session, selection, commands);
        ImGui::CloseCurrentPopup();
    }
    if (finder.matches.empty()) ImGui::TextDisabled("Nothing is called that.");
}

void draw_search(Finder& finder, const Session& session, Selection& selection, Commands& commands) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float width = std::min(px(680), screen.x - px(40));
    ImGui::SetNextWindowPos({screen.x / 2, px(64)}, ImGuiCond_Always, {0.5F, 0});
    ImGui::SetNextWindowSize({width, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(px(10), px(10)));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    if (ImGui::BeginPopup("palette")) {
        ImGui::SetNextItemWidth(-1);
        if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
        push_field_style();
        const bool enter = ImGui::InputTextWithHint(
            "##query",
            "an action, a tile, a line, a finding, a panel",
            finder.query.data(),
            finder.query.size(),
            ImGuiInputTextFlags_EnterReturnsTrue
        );
        pop_field_style();
        register_last_item("palette/query");
        if (finder.matched != finder.query.data()) {
            finder.matched = finder.query.data();
            finder.matches = best_matches(finder.entries, finder.matched, kMostShown);
            finder.chosen = 0;
        }
        choose(finder);
        ImGui::Dummy({1, px(6)});
        draw_matches(finder, session, selection, commands, enter);
        end_popup();
    }
    ImGui::PopStyleVar(2);
}

// A heading and its rows, the words as far left as the keys leave room; returns the height they take.
float draw_section(ImVec2 at, float width, const char* menu) {
    std::vector<std::pair<std::string_view, std::string_view>> rows;  // keys and words
    if (std::string_view(menu) == "Mouse") {
        for (const Gesture& gesture : gestures()) rows.emplace_back(gesture.how, gesture.what);
    } else {
        for (const Action& action : actions())
            if (std::string_view(action.menu) == menu && action.keys[0] != '\0')
                rows.emplace_back(action.keys, action.name);
    }
    float room = 0;
    for (const auto& [keys, words] : rows) room = std::max(room, measure(Face::small_numbers, keys).x);
    room = std::min(room, px(148));
    float y = put({at.x, at.y}, {Face::strong, colour::kBright}, menu) > 0 ? at.y + px(24) : at.y;
    for (const auto& [keys, words] : rows) {
        put_clipped({at.x, y}, room, {Face::small_numbers, colour::kAccent}, keys);
        const float left = room + px(12);
        put_clipped({at.x + left, y}, width - left - px(6), {Face::small_words, colour::kText}, words);
        y += px(19);
    }
    return y - at.y + px(14);
}

void draw_cheat_sheet(bool& open) {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5F, 0.5F});
    const float width = std::min(px(1500), screen.x - px(40)), height = std::min(px(900), screen.y - px(80));
    ImGui::SetNextWindowSize({width, height});
    ImGui::SetNextWindowFocus();
    ImGui::PushStyleColor(ImGuiCol_WindowBg, colour::kBar);
    if (ImGui::Begin(
            "Keys",
            &open,
            ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoResize
        )) {
        const Box box = window_box();
        const float pad = px(14), column = std::max(px(300), (box.width() - pad) / 3);
        const auto columns = static_cast<size_t>(std::clamp(box.width() / column, 1.0F, 3.0F));
        std::vector<float> ends(columns, box.low.y + px(8) - ImGui::GetScrollY());
        const auto section = [&](const char* menu) {
            const auto least = std::ranges::min_element(ends);
            const float x = box.low.x + pad + column * static_cast<float>(least - ends.begin());
            *least += draw_section({x, *least}, column, menu);
        };
        for (const char* menu : kMenus) section(menu);
        section("Mouse");
        ImGui::SetCursorScreenPos({box.low.x, *std::ranges::max_element(ends)});
        ImGui::Dummy({1, 1});
        register_control("keys/sheet", box.low, box.high);
    }
    ImGui::End();
    ImGui::PopStyleColor();
    if (ImGui::IsKeyPressed(ImGuiKey_Escape)) open = false;
}

}  // namespace

std::vector<int> best_matches(const std::vector<FinderEntry>& entries, std::string_view query, size_t most) {
    const std::vector<std::string> words = words_of(query);
    std::vector<std::tuple<int, int, size_t, int>> found;  // not at a beginning, goal, length, index
    for (size_t i = 0; i < entries.size(); ++i) {
        const FinderEntry& entry = entries[i];
        if (words.empty() && entry.goal != Goal::action && entry.goal != Goal::finding) continue;
        const std::string text = lower(entry.text + " " + entry.note);
        int inside = 0;
        const bool all = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
            const size_t at = text.find(word);
            inside += at != 0 && at != std::string::npos && text[at - 1] != ' ' ? 1 : 0;
            return at != std::string::npos;
        });
        if (!all) continue;
        const size_t length = words.empty() ? 0 : entry.text.size();
        found.emplace_back(inside, static_cast<int>(entry.goal), length, static_cast<int>(i));
    }
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(std::min(most, found.size()));
    std::partial_sort(found.begin(), end, found.end());
    std::vector<int> out;
    for (auto it = found.begin(); it != end; ++it) out.push_back(std::get<3>(*it));
    return out;
}

void draw_finder(Finder& finder, const Session& session, Selection& selection, Commands& commands) {
    if (finder.opens) {
        finder.opens = false;
        finder.query.fill('\0');
        fill(finder, session);
        ImGui::OpenPopup("palette");
    }
    draw_search(finder, session, selection, commands);
    if (finder.cheat_sheet) draw_cheat_sheet(finder.cheat_sheet);
}

}  // namespace wl::app
