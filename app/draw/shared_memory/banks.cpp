// Rows of 32 banks. Neighbours of one colour are one rectangle; lines between cells come on top.
#include "app/draw/shared_memory/parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace wl::app {

namespace {

constexpr uint32_t kRowBytes = kBanks * kBankBytes;
constexpr float kBars = 16, kLeastRow = 2;  // pixels at scale 1

// Diagonal strokes: what is no element.
void hatch(ImVec2 low, ImVec2 high) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(low, high, colour::kBar);
    const float height = high.y - low.y;
    const auto strokes = static_cast<int>((high.x - low.x + height) / px(5)) + 1;
    for (int k = 0; k < strokes; ++k) {
        const float x = low.x - height + static_cast<float>(k) * px(5);  // of its foot
        const float from = std::max(0.0F, low.x - x), to = std::min(height, high.x - x);
        if (from < to) list->AddLine({x + from, high.y - from}, {x + to, high.y - to}, colour::kStrongLine);
    }
}

struct BankRows {
    ImVec2 low;
    float width = 0, height = 0;  // of a cell of 4 bytes
    uint32_t first = 0;           // byte of the first row that is shown
    int rows = 0;
    float x_of(uint32_t byte) const {
        return low.x + static_cast<float>(byte % kRowBytes) / kBankBytes * width;
    }
    float y_of(uint32_t byte) const {
        const uint32_t row = byte / kRowBytes - first / kRowBytes;
        return low.y + static_cast<float>(row) * height;
    }
    uint32_t end() const { return first + static_cast<uint32_t>(rows) * kRowBytes; }
    ImVec2 high() const { return {low.x + width * kBanks, low.y + height * static_cast<float>(rows)}; }
};

// f(first byte, end) for every part of the bytes that lies in one row which is shown.
template <class F>
void each_row_part(const BankRows& g, uint32_t begin, uint32_t end, const F& f) {
    begin = std::max(begin, g.first), end = std::min(end, g.end());
    while (begin < end) {
        const uint32_t next = std::min(end, (begin / kRowBytes + 1) * kRowBytes);
        f(begin, next);
        begin = next;
    }
}

ImVec2 row_low(const BankRows& g, uint32_t byte) { return {g.x_of(byte), g.y_of(byte)}; }
ImVec2 row_high(const BankRows& g, uint32_t end) {
    return {g.x_of(end - 1) + g.width / kBankBytes, g.y_of(end - 1) + g.height};
}

// A cell a byte: elements may begin at any. By what their runs say; of values by elements.
void draw_runs(TexelGrid& picture, const ShownShared& shown, const BankRows& g, ByteRange bytes) {
    const bool by_value = shown.colour == SharedColour::value;
    const DType dtype = shown.matrix != nullptr ? shown.matrix->matrix.dtype : DType::f32;
    const auto step = static_cast<uint32_t>(size_of(dtype));
    std::vector<ImU32> cells(static_cast<size_t>(g.rows) * kRowBytes, kNeverInk);
    uint32_t at = std::max(bytes.begin, g.first);
    const uint32_t last = std::min({bytes.end, g.end(), static_cast<uint32_t>(shown.view.run_of.size())});
    while (at < last) {
        const capture::SharedRun& run = shown.state.runs[static_cast<size_t>(shown.view.run_of[at])];
        const uint32_t end = std::min(by_value ? at + step : run.begin + run.bytes, last);
        const ImU32 ink = by_value ? shared_fill(shown, at, step, dtype) : shared_fill(shown, run);
        std::fill(cells.begin() + (at - g.first), cells.begin() + (end - g.first), ink);
        at = end;
    }
    draw_texels(picture, std::move(cells), kRowBytes, {g.low, g.high()});
}

// Bytes of the chosen matrix that are no element.
void draw_padding(const ShownShared& shown, const BankRows& g) {
    if (shown.matrix == nullptr) return;
    const SharedMatrix& m = *shown.matrix;
    const auto size = static_cast<uint32_t>(layouts::bytes_of(m.matrix));
    for (uint32_t k = 0; k < m.elements.size();) {
        uint32_t end = k;
        while (end < m.elements.size() && m.elements[end] < 0) ++end;
        if (end > k)
            each_row_part(
                g,
                m.matrix.begin + k * size,
                m.matrix.begin + end * size,
                [&](uint32_t b, uint32_t e) { hatch(row_low(g, b), row_high(g, e)); }
            );
        k = std::max(end, k + 1);
    }
}

void draw_bank_lines(const BankRows& g) {
    const ImVec2 high = g.high();
    for (uint32_t bank = 0; bank <= kBanks; ++bank) {
        const float x = g.low.x + static_cast<float>(bank) * g.width;
        if (g.width >= px(5) || bank % 4 == 0)
            hairline(
                {x, g.low.y},
                {x, high.y},
                bank % 8 == 0 ? colour::kStrongLine : colour::with_alpha(colour::kPanel, 160)
            );
    }
    for (int row = 0; row <= g.rows; ++row)
        if (g.height >= px(6) || row % 8 == 0)
            hairline(
                {g.low.x, g.low.y + static_cast<float>(row) * g.height},
                {high.x, g.low.y + static_cast<float>(row) * g.height},
                colour::with_alpha(colour::kPanel, 160)
            );
    for (uint32_t bank = 0; bank < kBanks; ++bank)
        if (g.width >= px(14) || bank % 4 == 0)
            put_centred(
                {g.low.x + (static_cast<float>(bank) + 0.5F) * g.width, g.low.y - px(7)},
                {Face::tiny_numbers, colour::kFaint},
                std::to_string(bank)
            );
    const int each = std::max(1, static_cast<int>(std::ceil(px(12) / g.height)));
    for (int row = 0; row < g.rows; row += each)
        put_right(
            {g.low.x - px(5),
             g.low.y + static_cast<float>(row) * g.height + std::min(0.0F, (g.height - px(12)) / 2)},
            {Face::tiny_numbers, colour::kFaint},
            std::to_string(g.first + static_cast<uint32_t>(row) * kRowBytes)
        );
}

// How many different words of one phase each bank has to serve: what a conflict is.
void draw_bank_bars(const ServedLanes& l, const BankRows& g, float top) {
    std::array<int, kBanks> most{};
    for (size_t k = 0; k < l.phases.count; ++k) {
        std::array<std::vector<uint64_t>, kBanks> words;
        for (uint32_t rest = l.phases.lanes[k]; rest != 0; rest &= rest - 1) {
            const uint64_t first = l.accesses.at[static_cast<size_t>(std::countr_zero(rest))] / kBankBytes;
            for (uint64_t w = first; w < first + std::max<uint64_t>(l.accesses.bytes / kBankBytes, 1); ++w)
                words[w % kBanks].push_back(w);
        }
        for (size_t bank = 0; bank < kBanks; ++bank) {
            std::sort(words[bank].begin(), words[bank].end());
            const auto end = std::unique(words[bank].begin(), words[bank].end());
            most[bank] = std::max(most[bank], static_cast<int>(end - words[bank].begin()));
        }
    }
    const int highest = std::max(1, *std::max_element(most.begin(), most.end()));
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (size_t bank = 0; bank < kBanks; ++bank) {
        if (most[bank] == 0) continue;
        const float x = g.low.x + static_cast<float>(bank) * g.width,
                    height = std::max(
                        px(2),
                        px(kBars - 4) * static_cast<float>(most[bank]) /
                            static_cast<float>(std::max(highest, 4))
                    );
        list->AddRectFilled(
            {x + 1, top + px(kBars) - height},
            {x + g.width - 1, top + px(kBars)},
            most[bank] > 1 ? colour::kBad : colour::kGood
        );
        if (most[bank] > 1 && g.width >= px(14))
            put_centred(
                {x + g.width / 2, top + px(kBars) - height / 2},
                {Face::tiny_numbers, colour::kBar},
                std::to_string(most[bank])
            );
    }
    register_control("shared/bars", {g.low.x, top}, {g.high().x, top + px(kBars)});
}

void draw_physical_lanes(const ServedLanes& l, const BankRows& g) {
    const ImVec2 high = g.high();
    ImGui::GetWindowDrawList()->AddRectFilled(g.low, high, colour::with_alpha(colour::kPanel, 170));
    each_lane(l, [&](int lane, size_t phase, uint64_t at) {
        const auto begin = static_cast<uint32_t>(at), end = begin + l.accesses.bytes;
        each_row_part(g, begin, end, [&](uint32_t b, uint32_t e) {
            const ImVec2 low = row_low(g, b), to = row_high(g, e);
            draw_served_lane({low.x + 0.5F, low.y + 0.5F}, {to.x - 1, to.y - 1}, lane, phase);
        });
    });
}

// The byte's cell, and all bytes of its element.
void light_physical(SharedHover& hover, const ShownShared& shown, const BankRows& g) {
    if (const ImVec2 mouse = ImGui::GetIO().MousePos; is_mouse_in(g.low, g.high())) {
        const auto row = static_cast<uint32_t>((mouse.y - g.low.y) / g.height);
        const auto in_row = static_cast<uint32_t>((mouse.x - g.low.x) / g.width * kBankBytes);
        const uint32_t byte = g.first + row * kRowBytes + std::min(in_row, kRowBytes - 1);
        if (byte < shown.state.values.size()) hover.next = byte;
    }
    if (hover.now < 0) return;
    auto begin = static_cast<uint32_t>(hover.now), end = begin + 1;
    if (shown.matrix != nullptr)
        if (const auto e = element_at(*shown.matrix, begin)) {
            begin = layouts::byte_of(shown.matrix->matrix, e->row, e->column);
            end = begin + static_cast<uint32_t>(layouts::bytes_of(shown.matrix->matrix));
        }
    each_row_part(g, begin, end, [&](uint32_t b, uint32_t e) {
        frame_around(row_low(g, b), row_high(g, e), colour::kSelection, px(2));
    });
}

uint32_t last_byte(const ShownShared& shown, ByteRange bytes) {
    uint32_t end = bytes.end;
    if (shown.request != nullptr)
        each_lane(served_in(shown), [&](int, size_t, uint64_t at) {
            if (at < bytes.end + (uint64_t{1} << 16)) end = std::max(end, static_cast<uint32_t>(at) + 16);
        });
    return end;
}

// Beside the rows of the whole memory: which matrix begins there. Those at one place share a line.
void draw_region_names(const ShownShared& shown, const BankRows& g, float end) {
    const float x = g.high().x + px(14);
    float free = g.low.y;
    std::string names;
    std::vector<const SharedMatrix*> all;
    for (const SharedMatrix& m : shown.view.matrices) all.push_back(&m);
    std::stable_sort(all.begin(), all.end(), [](const SharedMatrix* a, const SharedMatrix* b) {
        return a->matrix.begin < b->matrix.begin;
    });
    for (size_t k = 0; k < all.size(); ++k) {
        const uint32_t begin = all[k]->matrix.begin, to = layouts::end_of(all[k]->matrix);
        if (to <= g.first || begin >= g.end()) continue;
        const float top = g.y_of(std::max(begin, g.first)),
                    low = g.y_of(std::min(to, g.end()) - 1) + g.height;
        if (x - px(8) < end) {
            const ImU32 ink = colour::with_alpha(colour::kDim, 140);
            hairline({x - px(8), top + 1}, {x - px(8), low - 1}, ink);
            hairline({x - px(11), top + 1}, {x - px(8), top + 1}, ink);
            hairline({x - px(11), low - 1}, {x - px(8), low - 1}, ink);
        }
        names += (names.empty() ? "" : ", ") + all[k]->name;
        const bool shared_place = k + 1 < all.size() && all[k + 1]->matrix.begin == begin;
        if (shared_place) continue;
        const float y = std::max(free, top);
        const float after = put_clipped({x, y}, end - x, {Face::small_words, colour::kText}, names);
        put_clipped(
            {after + px(8), y},
            end - after - px(8),
            {Face::small_words, colour::kFaint},
            layouts::text_of(all[k]->matrix)
        );
        free = y + px(16);
        names.clear();
    }
}

}  // namespace

void draw_physical(SharedHover& hover, TexelGrid& picture, const ShownShared& shown, float& scroll, Box box) {
    const ByteRange bytes = shown_bytes(shown);
    const uint32_t first = bytes.begin / kRowBytes,
                   last = (last_byte(shown, bytes) + kRowBytes - 1) / kRowBytes;
    const auto all = static_cast<float>(last - first);
    const bool bars = shown.request != nullptr;
    BankRows g;
    g.low = {
        box.low.x + px(kSharedSide), box.low.y + px(kSharedHead + kSharedRuler) + (bars ? px(kBars) : 0)};
    const float height = box.high.y - g.low.y;
    const float names = shown.matrix == nullptr ? px(300) : 0;
    g.width = std::clamp((box.high.x - g.low.x - names) / kBanks, px(5), px(26));
    g.height = std::clamp(height / all, px(kLeastRow), px(kMostSharedRow));
    g.rows = std::max(1, std::min(static_cast<int>(all), static_cast<int>(height / g.height)));
    if (is_mouse_in(box.low, box.high)) scroll -= ImGui::GetIO().MouseWheel * 4;
    scroll = std::clamp(scroll, 0.0F, all - static_cast<float>(g.rows));
    g.first = (first + static_cast<uint32_t>(scroll)) * kRowBytes;
    const float after = put(box.low, {Face::small_words, colour::kDim}, "physical");
    put_clipped(
        {after + px(8), box.low.y},
        box.high.x - after - px(8),
        {Face::small_words, colour::kFaint},
        "32 banks of 4 bytes"
    );
    draw_runs(picture, shown, g, bytes);
    draw_padding(shown, g);
    draw_bank_lines(g);
    if (bars) {
        const ServedLanes l = served_in(shown);
        draw_physical_lanes(l, g);
        draw_bank_bars(l, g, box.low.y + px(kSharedHead));
    }
    if (shown.matrix == nullptr) draw_region_names(shown, g, box.high.x);
    light_physical(hover, shown, g);
    register_control("shared/physical", g.low, g.high());
}

}  // namespace wl::app
