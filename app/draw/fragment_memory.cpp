// Where the elements lie: in the marked matrix, line by line with its padding, or in the 32 banks.
#include "app/draw/fragment_grids.h"
#include "app/draw/numbers.h"
#include "instrumentation/base/banks.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace wl::app {

namespace {

using fragments::Laid;
using fragments::LaidPlace;

constexpr float kTitle = 18, kRuler = 24;  // pixels at scale 1
constexpr float kBeside = 0.5F;            // size of the other operand's matrix

const Laid& laid_of(const ShownFragment& shown) {
    return shown.live.laid[static_cast<size_t>(shown.view.footprint.laid)];
}

// Lines of a marked matrix: those that the elements lie on, or should, and some around them.
struct Lines {
    int first = 0, end = 0;
    float count() const { return static_cast<float>(end - first); }
};
Lines lines_of(const ShownFragment& shown) {
    constexpr int kStep = 16;
    int low = 1 << 30, high = -1;
    for (const std::vector<LaidPlace>* places : {&shown.view.footprint.places, &shown.view.should_places})
        for (const LaidPlace& p : *places) {
            if (p.line < 0) continue;
            low = std::min(low, p.line), high = std::max(high, p.line);
        }
    const int all = laid_of(shown).lines();
    if (high < 0) return {0, all};
    return {low / kStep * kStep, std::min(all, (high / kStep + 1) * kStep + kStep / 2)};
}

// A marked matrix on the screen: lines down, padding at their right end.
struct MemoryGrid {
    ImVec2 low;
    float cell = 0;
    Lines lines;
    ImVec2 corner(const LaidPlace& p) const {
        return {
            low.x + static_cast<float>(p.at) * cell, low.y + static_cast<float>(p.line - lines.first) * cell};
    }
    ImVec2 centre(const LaidPlace& p) const {
        const ImVec2 at = corner(p);
        return {at.x + cell / 2, at.y + cell / 2};
    }
};

void draw_ground(const MemoryGrid& g, const Laid& laid) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end = g.corner({g.lines.end, laid.ld}), pad(g.corner({0, laid.width()}).x, g.low.y);
    list->AddRectFilled(g.low, {pad.x, end.y}, colour::kRaised);
    list->AddRectFilled(pad, end, colour::kBar);
    list->PushClipRect(pad, end, true);
    const float high = end.y - pad.y;
    const auto strokes = static_cast<int>((end.x - pad.x + high) / px(6)) + 1;
    for (int k = 0; k < strokes; ++k) {
        const float x = pad.x - high + static_cast<float>(k) * px(6);
        list->AddLine({x, end.y}, {x + high, pad.y}, colour::kLine);
    }
    list->PopClipRect();
    for (int at = 16; at < laid.ld; at += 16)
        hairline(
            {g.corner({0, at}).x, g.low.y},
            {g.corner({0, at}).x, end.y},
            colour::with_alpha(colour::kStrongLine, 120)
        );
    for (int line = g.lines.first + 16; line < g.lines.end; line += 16)
        hairline(
            {g.low.x, g.corner({line, 0}).y},
            {end.x, g.corner({line, 0}).y},
            colour::with_alpha(colour::kStrongLine, 120)
        );
    list->AddRect(g.low, end, colour::kStrongLine);
}

void draw_memory_rulers(const MemoryGrid& g, const Laid& laid) {
    for (int at = 0; at < laid.ld; at += 16)
        if (g.cell * 16 >= px(18) || at % 64 == 0)
            put({g.corner({g.lines.first, at}).x, g.low.y - px(14)},
                {Face::tiny_numbers, at >= laid.width() ? colour::kStrongLine : colour::kFaint},
                std::to_string(at));
    for (int line = g.lines.first; line < g.lines.end; line += 16)
        if (g.cell * 16 >= px(12))
            put_right(
                {g.low.x - px(5), g.corner({line, 0}).y},
                {Face::tiny_numbers, colour::kFaint},
                std::to_string(line)
            );
}

// Each element's cell, in its colour, with a frame where it is lit.
void draw_elements(FragmentHover& hover, const ShownFragment& shown, const MemoryGrid& g, bool chosen) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const FragmentLayout& l = shown.operand.map.layout;
    for (const FragmentCell& cell : shown.view.cells) {
        if (cell.lane < 0) continue;
        const LaidPlace& p =
            shown.view.footprint.places[fragment_index(shown.operand.map, cell.lane, cell.element)];
        if (p.line < 0) continue;
        const ImVec2 low = g.corner(p), end = g.corner({p.line + 1, p.at + 1});
        const float gap = g.cell >= 5 ? 1 : 0;
        list->AddRectFilled(low, {end.x - gap, end.y - gap}, fill_of(shown, cell.lane, cell.element));
        if (!chosen) continue;
        const FragmentPlace& place = l.at(cell.lane, cell.element);
        if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, end)) hover.next = place;
        if (place == hover.now)
            list->AddRect({low.x - 1, low.y - 1}, {end.x + 1, end.y + 1}, colour::kSelection, 0, 0, px(2));
    }
}

// What would have been read: one frame where it is a rectangle, else a frame a cell.
void draw_should(const ShownFragment& shown, const MemoryGrid& g) {
    LaidPlace first{1 << 30, 1 << 30}, last{-1, -1};
    for (const FragmentCell& cell : shown.view.cells) {
        if (cell.lane < 0) continue;
        const LaidPlace& p =
            shown.view.should_places[fragment_index(shown.operand.map, cell.lane, cell.element)];
        if (p.line < 0) continue;
        first = {std::min(first.line, p.line), std::min(first.at, p.at)};
        last = {std::max(last.line, p.line), std::max(last.at, p.at)};
    }
    if (last.line < 0) return;
    ImGui::GetWindowDrawList()->AddRect(
        g.corner(first), g.corner({last.line + 1, last.at + 1}), colour::kGood, 0, 0, px(2)
    );
}

// From the lit element to where it would have been read.
void draw_link(const FragmentHover& hover, const ShownFragment& shown, const MemoryGrid& g) {
    const std::vector<fragments::Holder> holders = fragments::holders(shown.operand.map, hover.now);
    if (holders.empty()) return;
    const size_t k = fragment_index(shown.operand.map, holders.front().lane, holders.front().element);
    const LaidPlace &from = shown.view.footprint.places[k], &to = shown.view.should_places[k];
    if (from.line < 0 || to.line < 0 || from == to) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddLine(g.centre(from), g.centre(to), colour::kSelection, px(1.5F));
    const ImVec2 low = g.corner(to), high = g.corner({to.line + 1, to.at + 1});
    list->AddRectFilled(low, high, colour::kGood);
    list->AddRect({low.x - 1, low.y - 1}, {high.x + 1, high.y + 1}, colour::kSelection, 0, 0, px(2));
}

struct Arrow {
    ImU32 ink = 0;
    float width = 2;
    const char* label = "";
};

void draw_path(const MemoryGrid& g, const std::vector<LaidPlace>& path, const Arrow& arrow) {
    std::vector<ImVec2> points;
    for (const LaidPlace& p : path)
        if (p.line >= 0) points.push_back(g.centre(p));
    if (points.size() < 2) return;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto count = static_cast<int>(points.size());
    list->AddPolyline(points.data(), count, colour::with_alpha(colour::kBar, 200), 0, px(arrow.width + 2));
    list->AddPolyline(points.data(), count, arrow.ink, 0, px(arrow.width));
    const ImVec2 end = points.back(), before = points[points.size() - 2];
    const float dx = end.x - before.x, dy = end.y - before.y, length = std::max(std::hypot(dx, dy), 1e-3F);
    const ImVec2 along(dx / length * px(7), dy / length * px(7));
    const ImVec2 tip(end.x + along.x, end.y + along.y);
    list->AddTriangleFilled(
        tip,
        {end.x - along.y * 0.6F, end.y + along.x * 0.6F},
        {end.x + along.y * 0.6F, end.y - along.x * 0.6F},
        arrow.ink
    );
    const ImVec2 at(tip.x + along.x * 0.9F, tip.y + along.y * 0.9F),
        extent = measure(Face::small_strong, arrow.label);
    covers({at.x - extent.x / 2 - 2, at.y - extent.y / 2}, {at.x + extent.x / 2 + 2, at.y + extent.y / 2});
    list->AddRectFilled(
        {at.x - extent.x / 2 - 2, at.y - extent.y / 2},
        {at.x + extent.x / 2 + 2, at.y + extent.y / 2},
        colour::with_alpha(colour::kBar, 200),
        px(3)
    );
    put_centred(at, {Face::small_strong, arrow.ink}, arrow.label);
}

// The index that is summed over has the strong arrow, in a and in b alike.
void draw_paths(const ShownFragment& shown, const MemoryGrid& g) {
    const fragments::Map& map = shown.operand.map;
    const Footprint& f = shown.view.footprint;
    const bool k_down = map.row_axis == "k";
    const bool other = shown.view.wrong_count > 0 && !f.should_down.empty();
    const auto label = [](const std::string& axis) { return axis.size() == 1 ? axis.c_str() : ""; };
    const char *down = label(map.row_axis), *across = label(map.column_axis);
    draw_path(g, k_down ? f.across : f.down, {colour::kDim, 1, k_down ? across : down});
    if (other) {
        draw_path(g, k_down ? f.should_across : f.should_down, {colour::kGood, 1, k_down ? across : down});
        draw_path(g, k_down ? f.should_down : f.should_across, {colour::kGood, 2, k_down ? down : across});
    }
    const ImU32 ink = other ? colour::kBad : colour::kBright;
    draw_path(g, k_down ? f.down : f.across, {ink, 2, k_down ? down : across});
}

std::string laid_title(const ShownFragment& shown) {
    const Laid& laid = laid_of(shown);
    std::string text = laid.name + "   " + std::to_string(laid.rows) + " × " + std::to_string(laid.cols) +
        " " + std::string(name_of(laid.dtype)) + ", rows " + std::to_string(laid.ld) + " apart";
    if (laid.column) text.replace(text.find("rows"), 4, "columns");
    return text;
}

void draw_laid(FragmentHover& hover, const ShownFragment& shown, const MemoryGrid& g, Box box, bool chosen) {
    const Laid& laid = laid_of(shown);
    const bool off = shown.operand.ld != 0 && shown.operand.ld != laid.ld && !shown.operand.stored;
    const float after = put_clipped(
        box.low,
        box.width(),
        {Face::small_words, chosen ? colour::kText : colour::kFaint},
        shown.operand.name + ": " + laid_title(shown)
    );
    if (off && chosen)
        put_clipped(
            {after + px(8), box.low.y},
            box.high.x - after - px(8),
            {Face::small_strong, colour::kBad},
            "read with " + std::to_string(shown.operand.ld)
        );
    draw_ground(g, laid);
    draw_memory_rulers(g, laid);
    draw_elements(hover, shown, g, chosen);
    if (!shown.view.should_places.empty()) draw_should(shown, g);
    draw_paths(shown, g);
    if (chosen && !shown.view.should_places.empty()) draw_link(hover, shown, g);
    register_control(
        "fragments/memory/" + shown.operand.name,
        g.corner({g.lines.first, 0}),
        g.corner({g.lines.end, laid.ld})
    );
}

// The other operand of the product that came from memory, beside this one.
std::optional<ShownFragment> companion(const ShownFragment& shown) {
    const std::string other = shown.operand.name == "a" ? "b" : shown.operand.name == "b" ? "a" : "";
    for (const FragmentOperandView& view : shown.all.operands) {
        const fragments::Operand& o = shown.live.operands[static_cast<size_t>(view.operand)];
        if (o.name == other && view.footprint.laid >= 0)
            return ShownFragment{shown.live, shown.all, view, o, shown.colour};
    }
    return {};
}

// Sizes of the chosen matrix's cells with the other one beside it, or below.
struct Arrangement {
    float cell = 0;
    bool below = false;
};
Arrangement arrange(const ShownFragment& shown, const ShownFragment* other, Box box) {
    const float head = px(kTitle + 20), width = box.width() - px(kRuler), height = box.height() - head;
    const float ld = static_cast<float>(laid_of(shown).ld), lines = lines_of(shown).count();
    const float most = px(22);
    if (other == nullptr) return {std::min({width / ld, height / lines, most}), false};
    const float other_ld = kBeside * static_cast<float>(laid_of(*other).ld),
                other_lines = kBeside * lines_of(*other).count();
    const float beside =
        std::min((width - px(kRuler + 14)) / (ld + other_ld), height / std::max(lines, other_lines));
    const float below = std::min(width / std::max(ld, other_ld), (height - head) / (lines + other_lines));
    return {std::min(std::max(beside, below), most), below > beside};
}

void draw_as_laid(FragmentHover& hover, const ShownFragment& shown, Box box) {
    const std::optional<ShownFragment> other = companion(shown);
    const Arrangement a = arrange(shown, other ? &*other : nullptr, box);
    const auto grid_at = [](const ShownFragment& of, ImVec2 low, float cell) {
        return MemoryGrid{
            {low.x + px(kRuler), low.y + px(kTitle + 16)},
            cell, lines_of(of)
        };
    };
    const MemoryGrid g = grid_at(shown, box.low, a.cell);
    const ImVec2 end = g.corner({g.lines.end, laid_of(shown).ld});
    const ImVec2 next = a.below ? ImVec2(box.low.x, end.y + px(10)) : ImVec2(end.x + px(14), box.low.y);
    draw_laid(
        hover,
        shown,
        g,
        {
            box.low, {other && !a.below ? next.x - px(6) : box.high.x, box.high.y}
    },
        true
    );
    if (other) draw_laid(hover, *other, grid_at(*other, next, a.cell * kBeside), {next, box.high}, false);
}

// ---- banks

struct BankGrid {
    ImVec2 low;
    float width = 0, height = 0;  // of a word
    uint64_t first = 0;           // offset of the first row
    ImVec2 corner(uint64_t offset, float part) const {
        const uint64_t word = (offset - first) / kBankBytes, bank = word % kBanks, row = word / kBanks;
        return {low.x + (static_cast<float>(bank) + part) * width, low.y + static_cast<float>(row) * height};
    }
};

void draw_bank_rulers(const BankGrid& g, uint64_t rows) {
    for (uint32_t bank = 0; bank < kBanks; ++bank)
        if (g.width >= px(15) || bank % 4 == 0)
            put_centred(
                {g.low.x + (static_cast<float>(bank) + 0.5F) * g.width, g.low.y - px(8)},
                {Face::tiny_numbers, colour::kFaint},
                std::to_string(bank)
            );
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 end(g.low.x + g.width * kBanks, g.low.y + g.height * static_cast<float>(rows));
    list->AddRectFilled(g.low, end, colour::kRaised);
    for (uint32_t bank = 0; bank <= kBanks; ++bank)
        hairline(
            {g.low.x + static_cast<float>(bank) * g.width, g.low.y},
            {g.low.x + static_cast<float>(bank) * g.width, end.y}
        );
    for (uint64_t row = 0; row < rows; ++row)
        if (g.height >= px(11) || row % 4 == 0)
            put_right(
                {g.low.x - px(5), g.low.y + static_cast<float>(row) * g.height},
                {Face::tiny_numbers, colour::kFaint},
                std::to_string(g.first + row * kBankBytes * kBanks)
            );
}

void draw_banks(FragmentHover& hover, const ShownFragment& shown, Box box) {
    const fragments::Map& map = shown.operand.map;
    uint64_t low = UINT64_MAX, high = 0;
    for (const uint64_t address : shown.operand.addresses) {
        if (address < shown.live.shared_base) continue;
        low = std::min(low, address - shown.live.shared_base),
        high = std::max(high, address - shown.live.shared_base);
    }
    if (low == UINT64_MAX) {
        say(box, colour::kDim, "This operand does not lie in shared memory.");
        return;
    }
    constexpr uint64_t kRow = uint64_t{kBankBytes} * kBanks;
    put(box.low, {Face::small_words, colour::kDim}, "shared memory   32 banks of 4 bytes, a row 128 bytes");
    BankGrid g{
        {box.low.x + px(44), box.low.y + px(kTitle + 16)},
        0, 0, low / kRow * kRow
    };
    const uint64_t rows = (high - g.first) / kRow + 1;
    g.width = (box.high.x - g.low.x) / kBanks;
    g.height = std::min({(box.high.y - g.low.y) / static_cast<float>(rows), g.width, px(22)});
    draw_bank_rulers(g, rows);
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (const FragmentCell& cell : shown.view.cells) {
        if (cell.lane < 0) continue;
        const uint64_t address = shown.operand.addresses[fragment_index(map, cell.lane, cell.element)];
        if (address < shown.live.shared_base) continue;
        const uint64_t offset = address - shown.live.shared_base;
        const float bytes = static_cast<float>(map.layout.bits) / 8;
        const float from = static_cast<float>(offset % kBankBytes) / kBankBytes;
        const ImVec2 at = g.corner(offset, from);
        const ImVec2 end(at.x + std::max(1.0F, bytes / kBankBytes * g.width - 1), at.y + g.height - 1);
        list->AddRectFilled(at, end, fill_of(shown, cell.lane, cell.element));
        const FragmentPlace& place = map.layout.at(cell.lane, cell.element);
        if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, end)) hover.next = place;
        if (place == hover.now)
            list->AddRect({at.x - 1, at.y - 1}, {end.x + 1, end.y + 1}, colour::kSelection, 0, 0, px(2));
    }
    register_control("fragments/banks", g.low, {box.high.x, g.low.y + g.height * static_cast<float>(rows)});
}

}  // namespace

void draw_memory(FragmentHover& hover, const ShownFragment& shown, bool as_banks, Box box) {
    if (as_banks || shown.view.footprint.laid < 0)  // no mark says how the memory is laid out
        draw_banks(hover, shown, box);
    else
        draw_as_laid(hover, shown, box);
}

}  // namespace wl::app
