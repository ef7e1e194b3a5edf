// Three parts from top to bottom: buttons and the sentence, a row a mark, the changed lines.
#include "app/panels/compare.h"

#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/edit/rerun.h"
#include "app/session/navigate.h"

#include <imgui.h>

#include <algorithm>
#include <array>

namespace wl::app {

namespace {

struct Entry {
    Act act;
    const char *control, *label;
};

// Buttons in a flow; returns the y below.
float draw_buttons(const std::vector<Entry>& entries, Box box, Commands& commands) {
    const float pad = px(size::kPad);
    ImVec2 at(box.low.x + pad, box.low.y + px(4));
    for (const Entry& entry : entries) {
        const float width = button_width(entry.label);
        if (at.x > box.low.x + pad && at.x + width > box.high.x - pad)
            at = {box.low.x + pad, at.y + px(kControlHeight + 5)};
        if (button(at, entry.control, entry.label)) commands.acts.push_back(entry.act);
        at.x += width + px(6);
    }
    return at.y + px(kControlHeight + 8);
}

void draw_nothing(const Session& session, Box box, Commands& commands) {
    const bool loaded = !session.capture.launch.kernel.empty();
    const float y =
        say(box,
            colour::kDim,
            loaded ? "Save a changed source, and the run before it becomes B. Or choose one:"
                   : "Open a capture or run a kernel first; then choose what it is compared with.");
    if (!loaded) return;
    draw_buttons(
        {
            {Act::run_b,     "compare/run",     "Run as B"                 },
            {Act::open_b,    "compare/open",    "Open as B…"             },
            {Act::keep_as_b, "compare/keep",    "Keep this as B"           },
            {Act::earlier,   "compare/earlier", "With the iteration before"}
    },
        {{box.low.x, y + px(6)}, box.high},
        commands
    );
}

void take_changes(ComparePanel& panel, const Session& session) {
    const Against& against = session.against;
    const bool counted = against.counted.answer.has_value();
    if (panel.number == against.number && panel.counted == counted) return;
    panel.number = against.number, panel.counted = counted;
    panel.changes.clear();
    if (!counted) return;
    const bool to_a = against.made == Made::before;
    const auto add = [&](const std::vector<analysis::Hunk>& hunks) {
        for (const analysis::Hunk& hunk : hunks) {
            const analysis::Hunk shown = to_a ? analysis::reversed(hunk) : hunk;
            const std::string text = analysis::unified(shown);
            panel.changes.push_back({'@', 0, text.substr(0, text.find('\n'))});
            for (const analysis::HunkLine& line : shown)
                panel.changes.push_back({line.mark, to_a ? line.b : line.a, line.text});
        }
    };
    add(against.counted.answer->near);
    add(against.counted.answer->far);
}

constexpr size_t kColumns = 6;
void put_cells(
    Box row, const std::array<std::string, kColumns>& cells, const std::array<ImU32, kColumns>& inks
) {
    const float pad = px(size::kPad), width = row.width() - 2 * pad;
    // A narrow panel leaves out how those that agree do.
    const bool narrow = row.width() < px(430);
    constexpr std::array<float, kColumns> kEnds = {0.28F, 0.39F, 0.54F, 0.69F, 0.79F, 1.0F};
    constexpr std::array<float, kColumns> kNarrow = {0.36F, 0.5F, 0, 0, 0.68F, 1.0F};
    const auto& ends = narrow ? kNarrow : kEnds;
    for (size_t i = 0; i < kColumns; ++i) {
        if (ends[i] == 0) continue;
        const float y = middle(row.low.y, row.height(), Face::small_numbers);
        if (i == 0) {
            put_clipped(
                {row.low.x + pad + px(12), y},
                width * ends[0] - px(14),
                {Face::small_words, inks[i]},
                cells[i]
            );
        } else {
            put_right({row.low.x + pad + width * ends[i], y}, {Face::small_numbers, inks[i]}, cells[i]);
        }
    }
}

// A row a mark; a click goes to its first tile that differs.
float draw_marks(const Session& session, const Selection& selection, Commands& commands, Box box) {
    const analysis::CaptureComparison& c = *session.against.counted.answer;
    const float height = px(20);
    Box row{
        box.low, {box.high.x, box.low.y + height}
    };
    std::array<ImU32, kColumns> inks{};
    inks.fill(colour::kFaint);
    put_cells(row, {"mark", "pairs", "identical", "rounding", "differ", "max |A - B|"}, inks);
    for (const analysis::ProbePairs& probe : c.probes) {
        row = {
            {row.low.x,  row.high.y         },
            {row.high.x, row.high.y + height}
        };
        const bool parts = probe.differ > 0;
        if (press(row, "compare/mark/" + probe.name)) commands.find_difference = probe.a;
        ImDrawList* list = ImGui::GetWindowDrawList();
        const bool chosen = selection.probe == probe.a;
        if (chosen || ImGui::IsItemHovered())
            list->AddRectFilled(
                row.low, row.high, chosen ? colour::with_alpha(colour::kAccent, 36) : colour::kRaised
            );
        const ImU32 mark = parts ? colour::kBad : probe.rounding > 0 ? colour::kDim : colour::kGood;
        dot({row.low.x + px(size::kPad + 4), (row.low.y + row.high.y) / 2}, px(3), mark);
        inks = {
            colour::kText,
            colour::kDim,
            colour::kDim,
            colour::kDim,
            parts ? colour::kBad : colour::kDim,
            parts ? colour::kText : colour::kDim};
        put_cells(
            row,
            {probe.name,
             count_text(probe.pairs),
             count_text(probe.identical),
             count_text(probe.rounding),
             count_text(probe.differ),
             number(probe.max_difference, 3)},
            inks
        );
    }
    return row.high.y;
}

// Which of both a sign means: "-  B, before v2c_3.cu was saved     +  A, shown".
void draw_signs(const Session& session, Box row) {
    const Against& against = session.against;
    const std::string b = "B, " + against.name, a = "A, shown";
    const bool to_a = against.made == Made::before;
    const float top = middle(row.low.y, row.height(), Face::small_words), half = row.width() / 2;
    float x = row.low.x + px(size::kPad);
    x = put_clipped({x, top}, half, {Face::small_words, colour::kBad}, "−  " + (to_a ? b : a)) + px(24);
    put_clipped({x, top}, row.high.x - x, {Face::small_words, colour::kGood}, "+  " + (to_a ? a : b));
    register_control("compare/signs", row.low, row.high);
}

float draw_changes(const ComparePanel& panel, const Session& session, Selection& selection, Box box) {
    float y = box.low.y;
    if (panel.changes.empty()) {
        put({box.low.x + px(size::kPad), y + px(4)},
            {Face::small_words, colour::kFaint},
            "the sources are the same");
        return y + px(22);
    }
    const float height = px(18);
    draw_signs(
        session,
        {
            box.low, {box.high.x, box.low.y + px(20)}
    }
    );
    y += px(20);
    for (size_t i = 0; i < panel.changes.size(); ++i, y += height) {
        const ChangedLine& line = panel.changes[i];
        const bool head = line.mark == '@';
        const Box row{
            {box.low.x,  y         },
            {box.high.x, y + height}
        };
        ImDrawList* list = ImGui::GetWindowDrawList();
        const ImU32 tint = line.mark == '+' ? colour::kGood : line.mark == '-' ? colour::kBad : 0;
        if (tint != 0) list->AddRectFilled(row.low, row.high, colour::with_alpha(tint, 34));
        if (line.line_of_a > 0 && press(row, "compare/change/" + std::to_string(i)))
            select_line(session, selection, session.against.counted.answer->source_a, line.line_of_a);
        put_clipped(
            {row.low.x + px(size::kPad), middle(y, height, Face::small_numbers)},
            row.width() - px(2 * size::kPad),
            {Face::small_numbers,
             head            ? colour::kFaint
                 : tint != 0 ? tint
                             : colour::kText},
            head ? line.text : line.mark + line.text
        );
    }
    return y;
}

// The sentence, marks and changes; returns the y below.
float draw_answer(
    const ComparePanel& panel, const Session& session, Selection& selection, Commands& commands, Box box
) {
    const Against& against = session.against;
    const float top = box.low.y;
    const auto tell = [&](ImU32 ink, std::string_view text) {
        const float below = say(box, ink, text);
        register_control("compare/said", {box.low.x, top}, {box.high.x, below});
        return below;
    };
    if (is_counting(against)) return tell(colour::kDim, "Comparing …");
    if (!against.counted.problem.empty()) return tell(colour::kWarning, against.counted.problem);
    if (!against.counted.answer)
        return tell(colour::kDim, "Every tile stands against the same mark one iteration earlier.");
    const analysis::CaptureComparison& c = *against.counted.answer;
    const std::string stage = c.first && !c.first->stage.empty() ? ", stage " + c.first->stage : "";
    box.low.y =
        tell(c.first ? colour::kBright : colour::kGood, "A " + first_words(c, session.capture) + stage) +
        px(8);
    box.low.y = draw_marks(session, selection, commands, box) + px(8);
    return draw_changes(panel, session, selection, box);
}

}  // namespace

void draw(ComparePanel& panel, const Session& session, Selection& selection, Commands& commands) {
    const Against& against = session.against;
    const Box box = window_box();
    const std::string subtitle =
        has_other(against) ? "A is shown, B is " + against.name : "two of anything in the same heatmaps";
    const Box rest =
        draw_header(box, {.title = "Compare", .subtitle = subtitle, .mark = colour::kDifference});
    hairline(rest.low, {rest.high.x, rest.low.y});
    ImGui::SetCursorScreenPos({rest.low.x, rest.low.y + 1});
    if (!ImGui::BeginChild("comparison", {rest.width(), rest.height() - 1})) return ImGui::EndChild();
    Box inner = window_box();
    if (!has_other(against)) {
        draw_nothing(session, inner, commands);
        return ImGui::EndChild();
    }
    take_changes(panel, session);
    const char* what = against.shown ? "Against the reference" : "Against B";
    inner.low.y = draw_buttons(
        {
            {Act::versus,          "compare/versus", what             },
            {Act::next_difference, "compare/next",   "Next difference"},
            {Act::swap,            "compare/swap",   "Swap"           },
            {Act::drop_b,          "compare/drop",   "Stop"           }
    },
        inner,
        commands
    );
    inner.low.y = draw_answer(panel, session, selection, commands, inner);
    ImGui::SetCursorScreenPos(inner.low);  // what does not fit is scrolled to
    ImGui::Dummy({1, px(4)});
    ImGui::EndChild();
}

}  // namespace wl::app
