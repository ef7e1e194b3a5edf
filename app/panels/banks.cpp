// A button that counts; then a list of lines, a picture of banks, and what removes the conflicts.
#include "app/panels/banks.h"

#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

constexpr float kRowHeight = 38;  // pixels at scale 1

std::string fixed(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

ImU32 ink_of(const BankLine& line) { return line.wavefronts > line.ideal ? colour::kBad : colour::kGood; }

std::string place_of(const BankLine& line) {
    std::string text = file_name(line.file) + ":" + std::to_string(line.line);
    for (const int call : line.inlined_at) text += ", inlined at " + std::to_string(call);
    return text;
}

// Two lines of text and a bar of wavefronts, the ideal part of it in grey.
bool draw_line(const BankLine& line, uint64_t most, Box box, bool chosen, int index) {
    const bool pressed = press(box, "banks/" + std::to_string(index));
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (chosen || ImGui::IsItemHovered())
        list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kRaised, chosen ? 150 : 70));
    if (chosen) list->AddRectFilled(box.low, {box.low.x + px(3), box.high.y}, ink_of(line));
    const float left = box.low.x + px(size::kPad), right = box.high.x - px(size::kPad);
    const std::string factor =
        "x" + fixed(static_cast<double>(line.wavefronts) / static_cast<double>(line.ideal), 2);
    const float factor_width = measure(Face::small_numbers, factor).x + px(8);
    put_clipped(
        {left, box.low.y + px(4)},
        right - left - factor_width,
        {Face::small_numbers, colour::kAccent},
        place_of(line) + "  " + line.array
    );
    put_right({right, box.low.y + px(4)}, {Face::small_numbers, ink_of(line)}, factor);
    const auto x = [&](uint64_t wavefronts) {
        return left +
            (right - left) * static_cast<float>(static_cast<double>(wavefronts) / static_cast<double>(most));
    };
    const float top = box.high.y - px(12), bottom = box.high.y - px(7);
    list->AddRectFilled({left, top}, {std::max(x(line.wavefronts), left + 1), bottom}, ink_of(line));
    list->AddRectFilled({left, top}, {std::max(x(line.ideal), left + 1), bottom}, colour::kCount);
    return pressed;
}

void draw_list(BanksPanel& panel, const Session& session, Selection& selection, Box box) {
    const BankTable& table = *session.banks.table;
    uint64_t most = 1;
    for (const BankLine& line : table.lines) most = std::max(most, line.wavefronts);
    ImGui::SetCursorScreenPos(box.low);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    if (ImGui::BeginChild("lines", {box.width(), box.height()})) {
        const float width = ImGui::GetContentRegionAvail().x;
        for (int i = 0; i < static_cast<int>(table.lines.size()); ++i) {
            const BankLine& line = table.lines[static_cast<size_t>(i)];
            const ImVec2 low = ImGui::GetCursorScreenPos();
            if (draw_line(
                    line,
                    most,
                    {
                        low, {low.x + width, low.y + px(kRowHeight)}
            },
                    i == panel.chosen,
                    i
                )) {
                panel.chosen = i;
                select_site(session, selection, site_at_line(session.capture, line.file, line.line));
                selection.warp = line.warp;
            }
        }
        ImGui::Dummy({1, 1});
    }
    ImGui::EndChild();
    ImGui::PopStyleVar();
}

// 32 columns of banks; a square a word, marked with the lane that asks for it. Squares of a phase stand on
// each other: their height is the number of wavefronts.
struct BankPicture {
    std::vector<BankWord> words;
    std::vector<int> first;  // level at which each phase begins
    int levels = 0;
};

BankPicture picture_of(const LaneAccesses& request) {
    BankPicture picture{words_by_bank(request), {}, 0};
    int heights[4] = {};
    for (const BankWord& word : picture.words)
        heights[word.phase] = std::max(heights[word.phase], word.level + 1);
    for (const int height : heights) {
        picture.first.push_back(picture.levels);
        picture.levels += height;
    }
    return picture;
}

float draw_picture(const BankLine& line, Selection& selection, Box box) {
    const BankPicture picture = picture_of(line.request);
    const float cell_width = std::floor(box.width() / 32),
                cell_height = std::min(
                    cell_width,
                    std::floor((box.height() - px(20)) / static_cast<float>(std::max(picture.levels, 1)))
                );
    if (cell_height < 2 || picture.levels == 0) return box.low.y;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float top = box.low.y + px(16), bottom = top + cell_height * static_cast<float>(picture.levels);
    for (int bank = 0; bank < 32; ++bank) {
        const float x = box.low.x + cell_width * static_cast<float>(bank);
        if (bank % 2 == 0)
            list->AddRectFilled({x, top}, {x + cell_width, bottom}, colour::with_alpha(colour::kRaised, 110));
        if (bank % 4 == 0) put({x, box.low.y}, {Face::tiny_numbers, colour::kFaint}, std::to_string(bank));
    }
    const OwnerPalette& palette = owner_palette();
    const bool labels = cell_width >= px(11) && cell_height >= px(10);
    for (const BankWord& word : picture.words) {
        const int level = picture.first[static_cast<size_t>(word.phase)] + word.level;
        const ImVec2 low(
            box.low.x + cell_width * static_cast<float>(word.bank),
            top + cell_height * static_cast<float>(level)
        );
        const ImVec2 high(low.x + cell_width - 1, low.y + cell_height - 1);
        const Rgb hue = palette[static_cast<size_t>(line.warp % kOwnerWarps * kOwnerLanes + word.lane)];
        list->AddRectFilled(low, high, colour::of(hue));
        if (labels)
            put_centred(
                {(low.x + high.x) / 2, (low.y + high.y) / 2},
                {Face::tiny_numbers, colour::kBar},
                std::to_string(word.lane)
            );
        if (word.lane == selection.lane) list->AddRect(low, high, colour::kSelection);
        if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, {high.x + 1, high.y + 1})) continue;
        const uint64_t offset = line.request.at[static_cast<size_t>(word.lane)];
        tooltip(
            "lane " + std::to_string(word.lane) + ": bytes from offset " + std::to_string(offset) +
            ", bank " + std::to_string(word.bank)
        );
        if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) selection.lane = word.lane;
    }
    for (size_t phase = 1; phase < picture.first.size(); ++phase) {
        if (picture.first[phase] == picture.levels) break;
        const float y = top + cell_height * static_cast<float>(picture.first[phase]);
        hairline({box.low.x, y - 1}, {box.low.x + cell_width * 32, y - 1}, colour::kAccent);
    }
    register_control("banks/picture", {box.low.x, top}, {box.low.x + cell_width * 32, bottom});
    return bottom;
}

struct Advice {
    std::string text;
    ImU32 ink = colour::kGood;
};

// What removes the conflicts of the line's array, or why nothing is known to.
std::vector<Advice> advice_on(const Session& session, const BankLine& line) {
    std::vector<Advice> advice;
    for (const BankRemedy& remedy : session.banks.table->remedies) {
        if (remedy.array != line.array) continue;
        advice.push_back(
            {remedy.words + ": " + count_text(static_cast<int64_t>(remedy.before)) + " to " +
                 count_text(static_cast<int64_t>(remedy.after)) + " wavefronts, run to see it" +
                 (remedy.same_results ? "" : "; results CHANGED"),
             remedy.same_results ? colour::kGood : colour::kWarning}
        );
    }
    if (!advice.empty() || line.wavefronts <= line.ideal) return advice;
    const bool named = !line.array.empty();
    return {
        {named
             ? "No padding of 1 to 16 elements and no XOR with the row takes fewer wavefronts and keeps the "
               "accesses of " +
                 line.array + " aligned."
             : "Mark this memory with WL_LAYOUT: paddings and swizzles are tried on arrays whose rows are "
               "known.", colour::kDim}
    };
}

float height_of(const std::vector<Advice>& advice, float width) {
    float height = px(8);
    for (const Advice& each : advice) height += wrapped_height(width, Face::small_words, each.text) + px(5);
    return height;
}

void draw_chosen(const Session& session, Selection& selection, const BankLine& line, Box box) {
    const float pad = px(size::kPad), width = box.width() - 2 * pad;
    const std::vector<Advice> advice = advice_on(session, line);
    ImVec2 at(box.low.x + pad, box.low.y + px(8));
    put_clipped(at, width, {Face::small_numbers, colour::kDim}, line.instruction);
    at.y += px(18);
    const std::string request = "warp " + std::to_string(line.warp) + " of " +
        block_text(session.capture, line.block) + ": lanes by bank, degree " + std::to_string(line.degree);
    put_clipped(at, width, {Face::small_words, colour::kText}, request);
    at.y += px(20);
    at.y = draw_picture(
               line,
               selection,
               {
                   at, {box.high.x - pad, std::max(at.y, box.high.y - height_of(advice, width))}
    }
           ) +
        px(7);
    for (const Advice& each : advice)
        at.y = put_wrapped(at, width, {Face::small_words, each.ink}, each.text) + px(5);
}

// List and detail side by side where there is room, else one above the other.
std::pair<Box, Box> split(Box box, size_t lines) {
    if (box.width() > px(640)) {
        const float x = std::floor(box.low.x + box.width() * 0.4F);
        hairline({x, box.low.y}, {x, box.high.y});
        return {
            {{box.low.x, box.low.y + 1}, {x, box.high.y}},
            {{x + 1, box.low.y},         box.high       }
        };
    }
    const float rows = px(kRowHeight) * static_cast<float>(lines);
    const float y = box.low.y + std::max(px(kRowHeight), std::min(box.height() * 0.4F, rows));
    hairline({box.low.x, y}, {box.high.x, y});
    return {
        {{box.low.x, box.low.y + 1}, {box.high.x, y}},
        {{box.low.x, y},             box.high       }
    };
}

void draw_unasked(const Session& session, Commands& commands, Box box) {
    const BanksAnswer& banks = session.banks;
    const float pad = px(size::kPad), width = box.width() - 2 * pad;
    ImVec2 at(box.low.x + pad, box.low.y + px(4));
    if (banks.worker) {
        const Progress& progress = banks.worker->progress;
        put(at,
            {Face::words, colour::kDim},
            "Counting: " + (progress.stage.empty() ? "starting" : progress.stage) + " " +
                fixed(progress.fraction * 100, 0) + " %");
        return;
    }
    const std::string text = !banks.problem.empty() ? banks.problem
                                                    : "The kernel runs once more in a worker; every request "
                                                      "to shared memory is counted, and for each array with "
                                                      "conflicts paddings and swizzles are tried and run.";
    at.y = put_wrapped(
               at, width, {Face::small_words, banks.problem.empty() ? colour::kDim : colour::kBad}, text
           ) +
        px(8);
    const bool ready = !session.capture.launch.kernel.empty() && !session.program.empty();
    const ButtonStyle style{
        colour::kBright, ready ? colour::with_alpha(colour::kAccent, 120) : colour::kRaised, 0, ready};
    if (button(at, "banks/count", "Count bank conflicts", style)) commands.count_banks = true;
}

}  // namespace

void draw(BanksPanel& panel, const Session& session, Selection& selection, Commands& commands) {
    if (panel.capture != session.captures) panel = {0, session.captures};
    const Box box = window_box();
    if (!session.banks.table || session.banks.table->lines.empty()) {
        const std::string_view subtitle =
            session.banks.table ? "no access to shared memory" : "conflicts by line";
        const Box rest = draw_header(box, {.title = "Banks", .subtitle = subtitle});
        if (!session.banks.table) draw_unasked(session, commands, rest);
        return;
    }
    const BankTable& table = *session.banks.table;
    const std::string subtitle = count_text(static_cast<int64_t>(table.wavefronts)) + " wavefronts, " +
        count_text(static_cast<int64_t>(table.ideal)) + " would do";
    const std::string note = "x" +
        fixed(static_cast<double>(table.wavefronts) / static_cast<double>(std::max<uint64_t>(table.ideal, 1)),
              2);
    const bool good = table.wavefronts == table.ideal;
    const Box rest = draw_header(
        box,
        {.title = "Banks",
         .subtitle = subtitle,
         .note = note,
         .note_colour = good ? colour::kGood : colour::kBad}
    );
    hairline(rest.low, {rest.high.x, rest.low.y});
    const auto chosen =
        static_cast<size_t>(std::clamp(panel.chosen, 0, static_cast<int>(table.lines.size()) - 1));
    const auto [list, detail] = split(rest, table.lines.size());
    draw_list(panel, session, selection, list);
    draw_chosen(session, selection, table.lines[chosen], detail);
}

}  // namespace wl::app
