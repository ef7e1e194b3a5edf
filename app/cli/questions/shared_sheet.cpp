// Physical rows on the left, matrices beside them.
#include "app/cli/questions/at_shared.h"
#include "app/session/shared/shared_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

constexpr float kMargin = 24, kTitle = 58, kRuler = 44, kBetween = 48, kGap = 1;
constexpr uint32_t kRowBytes = kBanks * kBankBytes;
constexpr Rgb kNever = {0xec, 0xee, 0xf1}, kPale = {0xdd, 0xe1, 0xe6};

// The lane of the first request that touches the bytes, and its phase.
struct Touch {
    int lane = -1;
    size_t phase = 0;
};

std::vector<Touch> touches_of(const SharedAnswer& a) {
    std::vector<Touch> out(a.state.values.size());
    for (const capture::LineRequest& r : a.requests) {
        if (r.global) continue;
        const RequestCost cost = cost_of(r);
        for (size_t k = 0; k < cost.phases.size(); ++k)
            for (uint32_t rest = cost.phases[k]; rest != 0; rest &= rest - 1) {
                const int lane = std::countr_zero(rest);
                const uint64_t at = r.accesses.at[static_cast<size_t>(lane)];
                for (uint64_t byte = at; byte < at + r.accesses.bytes && byte < out.size(); ++byte)
                    out[byte] = {lane, k};
            }
        break;
    }
    return out;
}

struct Painter {
    const SharedAnswer& a;
    Sheet& sheet;
    std::vector<Touch> touches = touches_of(a);
    ValueRange range{};

    Rgb fill(uint32_t at, uint32_t bytes, DType dtype) const {
        const capture::SharedRun& run = telling_run(a.state, a.view, at, bytes);
        if (!a.requests.empty()) return touches[at].lane >= 0 ? phase_colour(touches[at].phase) : kPale;
        const std::optional<Rgb> colour = colour_of(a.state, run, a.colour);
        if (colour && a.colour == SharedColour::value)
            return colour_of(shared_value(a.state, dtype, at), range);
        return colour.value_or(kNever);
    }
    std::string word(uint32_t at) const {
        return touches[at].lane >= 0 ? std::to_string(touches[at].lane) : "";
    }
    void label(float x, float y, Anchor anchor, std::string text) const {
        sheet.texts.push_back({x, y, 10, anchor, false, std::move(text)});
    }
};

float add_physical(const Painter& p, SheetPoint at, uint32_t begin, uint32_t end, DType dtype) {
    constexpr float kWidth = 18, kHeight = 14;
    p.label(at.x + kRuler, at.y - 24, Anchor::left, "physical: 32 banks of 4 bytes");
    for (uint32_t bank = 0; bank < kBanks; ++bank)
        p.label(
            at.x + kRuler + (static_cast<float>(bank) + 0.5F) * kWidth,
            at.y - 8,
            Anchor::middle,
            std::to_string(bank)
        );
    float y = at.y;
    for (uint32_t row = begin / kRowBytes * kRowBytes; row < end; row += kRowBytes, y += kHeight) {
        p.label(at.x + kRuler - 6, y + kHeight / 2, Anchor::right, std::to_string(row));
        for (uint32_t byte = row; byte < row + kRowBytes; byte += kBankBytes) {
            if (byte < begin || byte >= end) continue;
            const uint32_t bank = (byte - row) / kBankBytes;
            const float x = at.x + kRuler + static_cast<float>(bank) * kWidth;
            p.sheet.cells.push_back(
                {x, y, kWidth - kGap, kHeight - kGap, p.fill(byte, kBankBytes, dtype), p.word(byte)}
            );
        }
    }
    p.sheet.height = std::max(p.sheet.height, y + kMargin);
    return kRuler + kWidth * kBanks;
}

float add_logical(const Painter& p, SheetPoint at, const SharedMatrix& m) {
    const bool wide = m.matrix.columns > 64;
    const float width = wide ? 10 : 18, height = wide ? 10 : 14;
    const auto size = static_cast<uint32_t>(layouts::bytes_of(m.matrix));
    p.label(at.x + kRuler, at.y - 24, Anchor::left, m.name + ": " + layouts::text_of(m.matrix));
    for (int64_t j = 0; j < m.matrix.columns; j += wide ? 8 : 4)
        p.label(
            at.x + kRuler + (static_cast<float>(j) + 0.5F) * width,
            at.y - 8,
            Anchor::middle,
            std::to_string(j)
        );
    for (int64_t i = 0; i < m.matrix.rows; ++i) {
        const float y = at.y + static_cast<float>(i) * height;
        if (i % 4 == 0) p.label(at.x + kRuler - 6, y + height / 2, Anchor::right, std::to_string(i));
        for (int64_t j = 0; j < m.matrix.columns; ++j) {
            const uint32_t byte = layouts::byte_of(m.matrix, i, j);
            const float x = at.x + kRuler + static_cast<float>(j) * width;
            p.sheet.cells.push_back(
                {x,
                 y,
                 width - kGap,
                 height - kGap,
                 p.fill(byte, size, m.matrix.dtype),
                 wide ? "" : p.word(byte)}
            );
        }
    }
    p.sheet.height = std::max(p.sheet.height, at.y + static_cast<float>(m.matrix.rows) * height + kMargin);
    return kRuler + static_cast<float>(m.matrix.columns) * width;
}

std::string legend_of(const SharedAnswer& a) {
    for (const capture::LineRequest& r : a.requests)
        if (!r.global)
            return access_words(r) + "; a number is a lane, a colour the lanes that are served together";
    switch (a.colour) {
        case SharedColour::warp: return "a colour is the warp that wrote last; grey: nobody";
        case SharedColour::lane: return "a colour is the lane that wrote last; grey: nobody";
        case SharedColour::age:
            return "bright: written this epoch, dark: 8 epochs ago or more; grey: never written";
        case SharedColour::writers: return "dark: one thread wrote there, bright: 8 or more; grey: nobody";
        case SharedColour::value: return "dark: the lowest value, bright: the highest; grey: never written";
        default: return "green: written this epoch, blue: stale, orange: in flight, grey: never written";
    }
}

}  // namespace

Sheet shared_sheet(const SharedAnswer& a) {
    Sheet sheet;
    Painter p{a, sheet};
    const std::string where = fmt::format(
        "{}: block {}, warp {}, time {}, epoch {}, at {}",
        a.kernel,
        a.state.block,
        a.state.warp,
        a.state.time,
        a.state.epoch,
        a.state.place
    );
    std::vector<SharedMatrix> matrices = a.matrices;
    if (matrices.empty() && a.touched) matrices.push_back(*a.touched);
    uint32_t begin = 0, end = static_cast<uint32_t>(a.state.values.size());
    if (!matrices.empty()) {
        begin = matrices.front().matrix.begin, end = layouts::end_of(matrices.front().matrix);
        p.range = value_range(a.state, matrices.front());
    }
    const DType dtype = matrices.empty() ? DType::f32 : matrices.front().matrix.dtype;
    sheet.texts.push_back({kMargin, kMargin + 4, 18, Anchor::left, true, where});
    sheet.texts.push_back({kMargin, kMargin + 26, 11, Anchor::left, false, legend_of(a)});
    SheetPoint at{kMargin, kMargin + kTitle + 12};
    at.x += add_physical(p, at, begin, end, dtype) + kBetween;
    for (const SharedMatrix& m : matrices) at.x += add_logical(p, at, m) + kBetween;
    sheet.width = std::max(at.x - kBetween + kMargin, 560.0F);
    return sheet;
}

}  // namespace wl::app
