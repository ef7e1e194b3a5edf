// Where a flag stands is asked of the same functions that a click calls.
#include "app/draw/timeline/flags.h"

#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace wl::app {

namespace {

constexpr size_t kMost = 64;  // findings; what is beyond is in the list of findings

void add(TimelineFlags& flags, const Session& session, int finding, int witness) {
    const capture::Finding& found = session.capture.findings[static_cast<size_t>(finding)];
    const capture::Where& where = witness == 0 ? found.where : found.other;
    const int64_t block = session.capture.records[static_cast<size_t>(flags.record)].block;
    if (where.line <= 0 || where.block != block) return;
    if (const std::optional<uint32_t> time = time_of_witness(session, finding, witness))
        flags.all.push_back({finding, witness, where.warp, *time});
}

ImVec2 place_of(const TimelineRows& rows, const TimelineFlag& flag) {
    // That of a warp out of sight stands at the edge behind which the warp is.
    const float top = flag.warp >= 0
        ? std::clamp(rows.y(flag.warp), rows.box.low.y, std::max(rows.box.low.y, rows.marks() - rows.height))
        : rows.marks();
    return {std::floor(x_at_time(rows.scale, flag.time)), top + rows.height / 2};
}

bool is_visible(const TimelineRows& rows, const TimelineFlag& flag) {
    const float x = x_at_time(rows.scale, flag.time);
    return x >= rows.scale.left && x <= rows.scale.right;
}

// A race goes from its first access to its second.
void draw_joint(const TimelineRows& rows, const TimelineFlag& from, const TimelineFlag& to) {
    if (from.finding != to.finding || from.witness != 0 || to.witness != 1) return;
    ImGui::GetWindowDrawList()->AddLine(place_of(rows, from), place_of(rows, to), colour::kBad, px(1.5F));
}

}  // namespace

void update(TimelineFlags& flags, const Session& session, int record) {
    if (flags.capture == session.captures && flags.record == record) return;
    flags = {session.captures, record, {}};
    const size_t count = std::min(session.capture.findings.size(), kMost);
    for (size_t finding = 0; finding < count; ++finding)
        for (const int witness : {0, 1}) add(flags, session, static_cast<int>(finding), witness);
}

const TimelineFlag* draw_flags(
    const TimelineRows& rows, const Session& session, const Selection& selection, const TimelineFlags& flags
) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const TimelineFlag* under = nullptr;
    for (const TimelineFlag& flag : flags.all) {
        if (!is_visible(rows, flag)) continue;
        const float x = place_of(rows, flag).x;
        hairline({x, rows.box.low.y}, {x, rows.box.high.y}, colour::with_alpha(colour::kBad, 110));
    }
    for (size_t i = 1; i < flags.all.size(); ++i) draw_joint(rows, flags.all[i - 1], flags.all[i]);
    for (const TimelineFlag& flag : flags.all) {
        if (!is_visible(rows, flag)) continue;
        const ImVec2 at = place_of(rows, flag);
        const std::string number = std::to_string(flag.finding + 1);
        const ImVec2 half(
            measure(Face::tiny_numbers, number).x / 2 + px(4), std::min(px(7), rows.height / 2)
        );
        const float left = std::min(at.x, rows.scale.right - 2 * half.x);
        const ImVec2 low(left, at.y - half.y), high(left + 2 * half.x, at.y + half.y);
        const bool chosen = flag.finding == selection.finding;
        covers(low, high);
        list->AddRectFilled(low, high, colour::kBad, px(2), ImDrawFlags_RoundCornersRight);
        if (chosen)
            list->AddRect(
                {low.x - 1, low.y - 1}, {high.x + 1, high.y + 1}, colour::kSelection, px(2), 0, px(1.5F)
            );
        put_centred({(low.x + high.x) / 2, at.y}, {Face::tiny_numbers, colour::ink_on(colour::kBad)}, number);
        register_control(
            "timeline/finding/" + std::to_string(flag.finding) + (flag.witness == 0 ? "" : "/other"),
            low,
            high
        );
        const bool over =
            mouse.x >= low.x - px(2) && mouse.x <= high.x && mouse.y >= low.y && mouse.y <= high.y;
        if (over && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) under = &flag;
    }
    if (under != nullptr) tooltip(session.capture.findings[static_cast<size_t>(under->finding)].title);
    return under;
}

}  // namespace wl::app
