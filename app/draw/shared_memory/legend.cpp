// A legend per way of colouring: swatches of what there is, or the scale with its ends.
#include "app/draw/numbers.h"
#include "app/draw/shared_memory/parts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

struct Entry {
    std::string words;
    ImU32 ink;
    bool there = true;  // some of the shown bytes have it
};

// Swatches with their words, as far as there is room; returns the x after them.
float put_entries(const std::vector<Entry>& entries, ImVec2 at, float end) {
    for (const Entry& e : entries) {
        const float width = measure(Face::small_words, e.words).x + px(30);
        if (at.x + width > end) break;
        const float side = px(10), top = at.y + (line_height(Face::small_words) - side) / 2;
        swatch({at.x, top}, side, e.ink);
        ImGui::GetWindowDrawList()->AddRect({at.x, top}, {at.x + side, top + side}, colour::kStrongLine);
        put({at.x + px(15), at.y}, {Face::small_words, e.there ? colour::kDim : colour::kFaint}, e.words);
        at.x += width;
    }
    return at.x;
}

// A scale between its ends' words; returns the x after it.
template <class Ink>
float put_scale(const std::string& low, const std::string& high, int steps, ImVec2 at, const Ink& ink) {
    const float top = at.y + (line_height(Face::small_words) - px(10)) / 2, width = px(160);
    at.x = put(at, {Face::small_words, colour::kDim}, low) + px(8);
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int k = 0; k < steps; ++k) {
        const float left = at.x + width * static_cast<float>(k) / static_cast<float>(steps),
                    right = at.x + width * static_cast<float>(k + 1) / static_cast<float>(steps);
        list->AddRectFilled({left, top}, {right, top + px(10)}, ink(k));
    }
    list->AddRect({at.x, top}, {at.x + width, top + px(10)}, colour::kStrongLine);
    return put({at.x + width + px(8), at.y}, {Face::small_words, colour::kDim}, high) + px(20);
}

std::vector<Entry> entries_of_state(const FreshnessCounts& c) {
    using capture::Freshness;
    const auto entry = [](const char* words, uint32_t bytes, Rgb ink) {
        return Entry{fmt::format("{}  {} B", words, count_text(bytes)), colour::of(ink), bytes > 0};
    };
    return {
        entry("written this epoch", c.now, state_colour(Freshness::now, 0)),
        entry("stale, older is darker", c.stale, state_colour(Freshness::stale, 1)),
        entry("in flight, not waited for", c.flying, state_colour(Freshness::flying, 0))};
}

// The warps whose bytes these are, in their colours.
std::vector<Entry> entries_of_warps(const ShownShared& shown, const ByteRange& range) {
    std::vector<int> warps;
    for (uint32_t byte = range.begin; byte < std::min<size_t>(range.end, shown.view.run_of.size()); ++byte) {
        const auto& run = shown.state.runs[static_cast<size_t>(shown.view.run_of[byte])];
        const int write = run.write >= 0 ? run.write : run.flight;
        if (write < 0) continue;
        const int warp = shown.state.writes[static_cast<size_t>(write)].warp;
        if (std::ranges::find(warps, warp) == warps.end()) warps.push_back(warp);
    }
    std::ranges::sort(warps);
    std::vector<Entry> entries;
    for (const int warp : warps)
        entries.push_back({"w" + std::to_string(warp), colour::of(warp_colour(warp))});
    return entries;
}

float put_legend(
    const ShownShared& shown, const ByteRange& range, const FreshnessCounts& c, ImVec2 at, float end
) {
    constexpr int kSteps = 64;
    const auto share = [](int k) { return static_cast<double>(k) / (kSteps - 1); };
    switch (shown.colour) {
        case SharedColour::state: return put_entries(entries_of_state(c), at, end);
        case SharedColour::warp: {
            at.x = put(at, {Face::small_words, colour::kDim}, "last writer") + px(12);
            return put_entries(entries_of_warps(shown, range), at, end);
        }
        case SharedColour::lane:
            return put_scale("last writer: lane 0", "lane 31", 32, at, [](int lane) {
                return colour::of(lane_colour(lane));
            });
        case SharedColour::age:
            return put_scale("written this epoch", "8 epochs ago or more", 9, at, [](int age) {
                return colour::of(age_colour(age));
            });
        case SharedColour::writers:
            return put_scale("written by 1 thread", "by 8 or more", 8, at, [](int k) {
                return colour::of(writers_colour(k + 1));
            });
        case SharedColour::value: break;
    }
    const double low = shown.range.low, high = shown.range.high;
    at.x = put_scale(number(low, 4), number(high, 4), kSteps, at, [&](int k) {
        return colour::of(colour_of(low + (high - low) * share(k), shown.range));
    });
    return put_entries(
        {
            {"NaN", colour::of(kNotANumber)}
    },
        at,
        end
    );
}

}  // namespace

void draw_shared_legend(const ShownShared& shown, ImVec2 at, float end) {
    const ByteRange range = shown_bytes(shown);
    const FreshnessCounts c = count_bytes(shown.state, range.begin, range.end);
    const float left = at.x;
    at.x = put_legend(shown, range, c, at, end);
    at.x = put_entries(
        {
            {fmt::format("never written  {} B", count_text(c.never)), kNeverInk, c.never > 0}
    },
        at,
        end
    );
    constexpr std::array<const char*, 6> kNames = {"state", "warp", "lane", "age", "writers", "value"};
    register_control(
        std::string("shared/legend/") + kNames[static_cast<size_t>(shown.colour)],
        {left, at.y},
        {at.x, at.y + line_height(Face::small_words)}
    );
}

}  // namespace wl::app
