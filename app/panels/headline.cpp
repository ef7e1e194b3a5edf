// One row for the sentence and what can be done, one or two for the change.
#include "app/panels/headline.h"

#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/edit/fix.h"
#include "app/session/headline.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <string>

namespace wl::app {

namespace {

constexpr float kRowHeight = 34, kLine = 21, kSide = 190;  // pixels at scale 1
// Windows below these heights have both lines beside each other, or none.
constexpr float kLowWindow = 800, kLowest = 640;

ImU32 ink_of(const Headline& h) {
    return h.known == "proven" ? colour::kGood : h.known == "witness" ? colour::kAccent : colour::kWarning;
}

const char* meaning_of(const Headline& h) {
    if (h.known == "proven")
        return "The change ran: everything came right, with other inputs and schedules too.";
    if (h.known == "mends")
        return "The change ran and came right here; what else a proof takes did not run, or does not hold.";
    if (h.known == "witness") return "The run itself showed it: the accesses, the values.";
    return "The wrong values follow it; no change of the source was tried.";
}

// Buttons from the right edge to the left; returns where they begin.
float draw_buttons(
    const Session& session, Selection& selection, Commands& commands, const Headline& h, ImVec2 right
) {
    const size_t all = session.capture.findings.size();
    float x = right.x;
    if (all > 1) {
        const std::string label =
            "Next finding  " + std::to_string(h.finding + 1) + " of " + std::to_string(all);
        x -= button_width(label);
        if (button({x, right.y}, "headline/next", label))
            select_finding(session, selection, finding_after(session, h.finding));
        x -= px(8);
    }
    if (!h.has_patch) return x;
    const std::string refusal = fix_refusal(session, h.finding);
    x -= button_width("Try the fix");
    const ButtonStyle style{
        colour::kBright,
        refusal.empty() ? colour::with_alpha(colour::kAccent, 120) : colour::kRaised,
        0,
        refusal.empty()};
    if (button({x, right.y}, "headline/try", "Try the fix", style)) commands.try_fix = h.finding;
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        tooltip(
            refusal.empty()
                ? "A copy of the kernel with this change runs as B, beside A. Your files stay as they are."
                : refusal
        );
    return x - px(8);
}

// One line of the source, on the ground of what happens to it.
void put_line(Box row, char mark, const std::string& text) {
    const ImU32 tint = mark == '-' ? colour::kBad : mark == '+' ? colour::kGood : colour::kDim;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(row.low, row.high, colour::with_alpha(tint, mark == ' ' ? 18 : 34), px(3));
    const float top = middle(row.low.y, row.height(), Face::numbers);
    const std::string sign = mark == '-' ? "−" : std::string(1, mark);
    put({row.low.x + px(8), top}, {Face::numbers, tint}, sign);
    put_clipped(
        {row.low.x + px(26), top},
        row.width() - px(34),
        {Face::numbers, mark == ' ' ? colour::kText : tint},
        text
    );
}

// How it is known and where it is, at the left: under each other, or in one row of `side` pixels.
void draw_side(const Session& session, Selection& selection, const Headline& h, Box box, bool one_row) {
    const float pad = px(size::kPad), left = box.low.x + pad;
    const float after = left + chip({left, box.low.y}, h.known, ink_of(h)) + px(8);
    if (ImGui::IsMouseHoveringRect({left, box.low.y}, {after, box.low.y + px(kControlHeight)}))
        tooltip(meaning_of(h));
    const ImVec2 at = one_row ? ImVec2(after, box.low.y) : ImVec2(left, box.low.y + px(kLine + 1));
    const Box link{
        at, {box.high.x, at.y + px(kLine)}
    };
    if (!h.place.empty() && press(link, "headline/place")) select_finding(session, selection, h.finding);
    put_clipped(
        {link.low.x, middle(link.low.y, px(kLine), Face::small_numbers)},
        link.width() - px(6),
        {Face::small_numbers, colour::kAccent},
        h.place
    );
}

void draw_change(const Session& session, Selection& selection, const Headline& h, Box box, bool one_row) {
    const float pad = px(size::kPad), left = box.low.x + px(one_row ? kSide + 40 : kSide);
    draw_side(
        session,
        selection,
        h,
        {
            box.low, {left - px(6), box.high.y}
    },
        one_row
    );
    const float width = box.high.x - pad - left, half = (width - px(6)) / 2;
    const auto row = [&](int i) {
        const ImVec2 at = one_row ? ImVec2(left + (half + px(6)) * static_cast<float>(i), box.low.y)
                                  : ImVec2(left, box.low.y + px(kLine + 1) * static_cast<float>(i));
        return Box{
            at, {at.x + (one_row ? half : width), at.y + px(kLine)}
        };
    };
    if (h.has_patch) {
        put_line(row(0), '-', h.was.empty() ? "(nothing stands here)" : h.was);
        put_line(row(1), '+', h.now.empty() ? "(the line goes)" : h.now);
    } else {
        put_line(row(0), ' ', h.was);
        const Box below = row(1);
        put_clipped(
            {below.low.x + px(26), middle(below.low.y, px(kLine), Face::small_words)},
            below.width() - px(34),
            {Face::small_words, colour::kDim},
            h.advice
        );
        if (ImGui::IsMouseHoveringRect(below.low, below.high)) tooltip(h.advice);
    }
}

// A chevron that shows the change, or puts it away.
void draw_fold(HeadlinePanel& panel, bool open, ImVec2 at) {
    const Box box{
        at, {at.x + px(kControlHeight), at.y + px(kControlHeight)}
    };
    if (press(box, "headline/fold")) panel.open = !open;
    if (ImGui::IsItemHovered()) tooltip(open ? "one line" : "the line of the source, and what it should be");
    const float r = px(4), x = (box.low.x + box.high.x) / 2, y = (box.low.y + box.high.y) / 2;
    const ImU32 ink = ImGui::IsItemHovered() ? colour::kBright : colour::kDim;
    if (open)
        ImGui::GetWindowDrawList()->AddTriangleFilled(
            {x - r, y - r / 2}, {x + r, y - r / 2}, {x, y + r}, ink
        );
    else
        ImGui::GetWindowDrawList()->AddTriangleFilled(
            {x - r / 2, y - r}, {x + r, y}, {x - r / 2, y + r}, ink
        );
}

void draw_sentence(const Headline& h, Box row) {
    const float top = middle(row.low.y, row.height(), Face::strong);
    const bool tried = !h.outcome.empty();
    const float half = tried ? row.width() * 0.55F : row.width();
    const float after = put_clipped({row.low.x, top}, half, {Face::strong, colour::kBright}, h.sentence);
    const bool cut = measure(Face::strong, h.sentence).x > half;
    if (cut && ImGui::IsMouseHoveringRect(row.low, {row.low.x + half, row.high.y})) tooltip(h.sentence);
    if (!tried) return;
    const float left = after + px(18);
    const ImU32 ink = h.mends ? colour::kGood : colour::kWarning;
    put_clipped(
        {left, middle(row.low.y, row.height(), Face::small_strong)},
        row.high.x - left,
        {Face::small_strong, ink},
        h.outcome
    );
    register_control("headline/outcome", {left, row.low.y}, row.high);
}

}  // namespace

void draw(HeadlinePanel& panel, const Session& session, Selection& selection, Commands& commands, float top) {
    const std::optional<Headline> h = headline_of(session, selection);
    panel.height = 0;
    if (!h) return;
    const float width = ImGui::GetIO().DisplaySize.x, pad = px(size::kPad);
    const float window = ImGui::GetIO().DisplaySize.y;
    const bool open = panel.open.value_or(window >= px(kLowest)), one_row = window < px(kLowWindow);
    panel.height = px(kRowHeight) + (open ? px((one_row ? 1 : 2) * (kLine + 1) + 6) : 0);
    if (begin_bar("##headline", top, panel.height)) {
        const Box box{
            {0,     top               },
            {width, top + panel.height}
        };
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled(
            box.low, box.high, colour::blend(colour::with_alpha(colour::kBad, 22), colour::kBar)
        );
        list->AddRectFilled(box.low, {px(4), box.high.y}, colour::kBad);
        const float control = top + (px(kRowHeight) - px(kControlHeight)) / 2;
        draw_fold(panel, open, {pad - px(4), control});
        const float right = draw_buttons(session, selection, commands, *h, {width - pad, control});
        const Box sentence{
            {pad + px(26), top                 },
            {right,        top + px(kRowHeight)}
        };
        draw_sentence(*h, sentence);
        register_control("headline", box.low, box.high);
        if (open)
            draw_change(
                session,
                selection,
                *h,
                {
                    {0, top + px(kRowHeight)},
                    box.high
            },
                one_row
            );
        hairline({0, box.high.y - 1}, {width, box.high.y - 1});
    }
    ImGui::End();
}

}  // namespace wl::app
