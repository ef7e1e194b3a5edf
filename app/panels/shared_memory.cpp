// The selection becomes a question; of the answer one matrix is shown in several ways.
#include "app/panels/shared_memory.h"

#include "app/draw/numbers.h"
#include "app/session/shared/shared_question.h"
#include "app/session/shared/shared_words.h"
#include "instrumentation/base/error.h"

#include <imgui.h>

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string_view>

namespace wl::app {

namespace {

using layouts::Change;

// What is shown of the report.
struct Scene {
    const SharedAnswered& answer;
    const SharedReport& report;
    const SharedMatrix* matrix = nullptr;
    const capture::LineRequest* request = nullptr;  // the chosen one
    const capture::LineRequest* shared = nullptr;   // the same, where it is of shared memory
    std::optional<Change> change;
    std::optional<layouts::Changed> changed;
};

const SharedMatrix* chosen_matrix(const SharedMemoryPanel& panel, const SharedView& view) {
    if (panel.whole) return nullptr;
    const SharedMatrix* first = nullptr;
    for (const SharedMatrix& m : view.matrices) {
        if (m.name != panel.region) continue;
        if (m.matrix.begin == panel.begin) return &m;
        if (first == nullptr) first = &m;  // another time's place
    }
    if (first == nullptr && panel.region.empty() && !view.matrices.empty()) first = &view.matrices.front();
    return first;
}

void choose(SharedMemoryPanel& panel, const SharedMatrix& m) {
    panel.whole = false;
    panel.region = m.name, panel.begin = m.matrix.begin;
    panel.scroll = 0;
}

// The matrix read as the field says.
void follow_notation(SharedMemoryPanel& panel, const SharedAnswered& answer, const SharedMatrix* base) {
    const std::string text = panel.as.data();
    const std::string key =
        text + "|" + (base != nullptr ? base->name : "") + "|" + std::to_string(answer.content);
    if (key == panel.custom_of) return;
    panel.custom_of = key;
    panel.custom.reset(), panel.as_problem.clear();
    if (text.empty()) return;
    try {
        panel.custom =
            shared_matrix(answer.report->state, answer.view, base != nullptr ? base->name : "", text);
    } catch (const Error& problem) { panel.as_problem = problem.what(); }
}

bool touches(const capture::LineRequest& r, const SharedMatrix& m) {
    if (r.global || r.accesses.mask == 0) return false;
    const uint64_t at = r.accesses.at[static_cast<size_t>(std::countr_zero(r.accesses.mask))];
    return at >= m.matrix.begin && at < layouts::end_of(m.matrix);
}

// A newly selected access is shown on the matrix that it touches. True: there is one.
bool follow_access(SharedMemoryPanel& panel, const SharedAnswered& answer) {
    const std::vector<capture::LineRequest>& requests = answer.report->requests;
    const std::string access = requests.empty() ? "" : requests.front().place;
    if (access == panel.access) return false;
    panel.access = access;
    panel.request = 0;
    for (const capture::LineRequest& r : requests)
        for (const SharedMatrix& m : answer.view.matrices)
            if (touches(r, m)) {
                choose(panel, m);
                return true;
            }
    return false;
}

// A newly selected access, else a newly selected tile, is what the panel shows.
void follow_selection(
    SharedMemoryPanel& panel, const SharedAnswered& answer, const Session& session, const Selection& selection
) {
    const bool fresh = answer.content != panel.content, other_tile = selection.tile != panel.tile;
    panel.content = answer.content, panel.tile = selection.tile;
    if (fresh && follow_access(panel, answer)) return;
    const capture::Probe* probe = probe_of(session, selection);
    if (!other_tile || probe == nullptr) return;
    for (const SharedMatrix& m : answer.view.matrices)
        if (m.name == probe->name) return choose(panel, m);
}

Scene scene_of(SharedMemoryPanel& panel, const SharedAnswered& answer) {
    Scene s{answer, *answer.report, chosen_matrix(panel, answer.view), nullptr, nullptr, {}, {}};
    follow_notation(panel, answer, s.matrix);
    if (panel.custom) s.matrix = &*panel.custom;
    const auto count = static_cast<int>(s.report.requests.size());
    panel.request = std::clamp(panel.request, 0, std::max(0, count - 1));
    if (count == 0 || !panel.lanes) return s;
    const capture::LineRequest& r = s.report.requests[static_cast<size_t>(panel.request)];
    s.request = &r;
    if (r.global) return s;
    s.shared = &r;
    if (panel.what_if == 0 || s.matrix == nullptr) return s;
    s.change.emplace();
    if (panel.what_if == 1) s.change->pad = static_cast<int>(panel.pad);
    if (panel.what_if == 2)
        s.change->swizzle = layouts::Swizzle{panel.swizzle[0], panel.swizzle[1], panel.swizzle[2]};
    s.changed = layouts::changed(r.accesses, s.matrix->matrix, *s.change);
    return s;
}

// ---- above the grids

// The field for a notation, at the right end of the row of names. Returns where it begins.
float draw_notation(SharedMemoryPanel& panel, Box row) {
    const float width = std::min(px(250), row.width() * 0.34F), left = row.high.x - width - px(size::kPad);
    push_field_style();
    ImGui::SetCursorScreenPos({left, row.low.y});
    ImGui::SetNextItemWidth(width);
    const std::string hint = shortened(Face::words, "read as another layout…", width - px(14));
    ImGui::InputTextWithHint("##shared/as", hint.c_str(), panel.as.data(), panel.as.size());
    register_last_item("shared/as");
    if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
        tooltip(
            "Shows the same bytes in a layout of your own. For example\n"
            "f16 64x64:ld=72    rows that lie 72 elements apart\n"
            "f32 (8,4):(4,1)    a layout in CuTe's notation"
        );
    pop_field_style();
    return left - px(8);
}

struct Name {
    std::string text, control;
    bool lit = false, dim = false;
};
// True: pressed. Moves `x` behind it; false as well where there is no room.
bool draw_name(const Name& name, float& x, float end, Box row) {
    const float width = measure(Face::small_words, name.text).x + px(12);
    if (x + width > end) return false;
    const Box chip{
        {x,         row.low.y + px(1) },
        {x + width, row.low.y + px(21)}
    };
    const bool pressed = press(chip, name.control);
    if (name.lit || ImGui::IsItemHovered())
        ImGui::GetWindowDrawList()->AddRectFilled(chip.low, chip.high, colour::kRaised, px(4));
    put({x + px(6), middle(chip.low.y, chip.height(), Face::small_words)},
        {Face::small_words,
         name.lit       ? colour::kSelection
             : name.dim ? colour::kFaint
                        : colour::kDim},
        name.text);
    x += width + px(2);
    return pressed;
}

void draw_names(SharedMemoryPanel& panel, const Scene& scene, Box row) {
    const float end = draw_notation(panel, row);
    float x = row.low.x + px(size::kPad);
    if (draw_name({"all", "shared/region/all", panel.whole}, x, end, row))
        panel.whole = true, panel.scroll = 0;
    for (const SharedMatrix& m : scene.answer.view.matrices) {
        const capture::NamedRegion& r = scene.report.state.regions[static_cast<size_t>(m.region)];
        const bool lit = !panel.whole && scene.matrix != nullptr && scene.matrix->name == m.name &&
            scene.matrix->matrix.begin == m.matrix.begin;
        if (r.warp >= 0 && r.warp != scene.report.state.warp) continue;  // another warp's own tile
        const std::string text = r.current ? m.name : fmt::format("{}@{}", m.name, m.matrix.begin);
        if (draw_name({text, "shared/region/" + text, lit, !r.current}, x, end, row)) choose(panel, m);
    }
}

// ---- below the grids

void draw_foot(
    const SharedMemoryPanel& panel,
    const Scene& scene,
    const ShownShared& shown,
    const Session& session,
    Box box
) {
    ImVec2 at(box.low.x + px(size::kPad), box.low.y + px(2));
    const float width = box.width() - 2 * px(size::kPad);
    const bool two = box.height() > px(30);  // lines
    if (scene.request != nullptr && (two || panel.hover.now < 0)) {
        const RequestCost cost = cost_of(*scene.request);
        const bool conflict = cost.bank.degree > 1 || cost.sector.sectors > cost.sector.ideal;
        put_clipped(
            at,
            width,
            {Face::small_words, conflict ? colour::kBad : colour::kText},
            access_words(*scene.request)
        );
        if (!two) return;
        at.y += px(18);
    }
    if (!panel.as_problem.empty())
        put_clipped(at, width, {Face::small_words, colour::kBad}, panel.as_problem);
    else if (panel.hover.now >= 0)
        put_clipped(at, width, {Face::small_numbers, colour::kText}, byte_text(shown, panel.hover.now));
    else if (scene.changed) {
        const SharedAdvice advice = shared_advice(
            scene.report, {*scene.matrix, *scene.change, *scene.changed}, session.capture.sources
        );
        put_clipped(
            at, width, {Face::small_words, advice.helps ? colour::kGood : colour::kWarning}, advice.text
        );
    } else if (!scene.report.access_problem.empty() && scene.matrix == nullptr)
        put_clipped(at, width, {Face::small_words, colour::kFaint}, scene.report.access_problem);
    else
        draw_shared_legend(shown, at, box.high.x);
}

// ---- the grids

void draw_logicals(SharedMemoryPanel& panel, const ShownShared& shown, Box box) {
    const SharedMatrix& m = *shown.matrix;
    const bool both = panel.transposed && m.matrix.rows > 1 && m.matrix.columns > 1;
    const LogicalLook plain{m, false, "shared/logical"}, turned{m, true, "shared/transpose"};
    if (!both) {
        draw_logical(panel.hover, panel.pictures.logical, shown, plain, box);
        return;
    }
    const auto [first, second] = boxes_of_both(m, box);
    draw_logical(panel.hover, panel.pictures.logical, shown, plain, first);
    draw_logical(panel.hover, panel.pictures.transposed, shown, turned, second);
}

void draw_grids(SharedMemoryPanel& panel, const ShownShared& shown, Box box) {
    const float pad = px(size::kPad), strip = px(16);
    const Box body{
        {box.low.x + pad,  box.low.y + px(4) },
        {box.high.x - pad, box.high.y - px(2)}
    };
    const int64_t byte = draw_strip(
        panel.hover,
        panel.pictures.strip,
        shown,
        {
            {body.low.x,         body.low.y + px(2)},
            {body.low.x + strip, body.high.y       }
    }
    );
    if (byte >= 0)
        for (const SharedMatrix& m : shown.view.matrices)
            if (byte >= m.matrix.begin && byte < layouts::end_of(m.matrix)) {
                choose(panel, m);
                break;
            }
    const float left = body.low.x + strip + px(12), wide = body.high.x - left;
    const float physical = shown.matrix == nullptr ? wide : std::clamp(wide * 0.36F, px(180), px(720));
    draw_physical(
        panel.hover,
        panel.pictures.physical,
        shown,
        panel.scroll,
        {
            {left,            body.low.y },
            {left + physical, body.high.y}
    }
    );
    if (shown.matrix != nullptr)
        draw_logicals(
            panel,
            shown,
            {
                {left + physical + px(18), body.low.y},
                body.high
        }
        );
}

void draw_body(SharedMemoryPanel& panel, const Session& session, Box box) {
    const SharedAnswered& answer = session.shared;
    if (!answer.talk.problem.empty()) {
        if (say_and_ask(box, answer.talk.problem, "shared")) panel.question.clear();
        return;
    }
    if (!answer.report) {
        say(box, colour::kDim, "Running the block...");
        return;
    }
    if (!answer.report->problem.empty()) {
        if (answer.talk.asked.empty()) say(box, colour::kWarning, answer.report->problem);
        return;
    }
    const Scene scene = scene_of(panel, answer);
    draw_names(panel, scene, box);
    ShownShared shown{scene.report.state, answer.view, panel.colour, scene.matrix, scene.shared, nullptr, {}};
    if (scene.changed && scene.changed->problem.empty()) shown.changed = &*scene.changed;
    if (panel.colour == SharedColour::value && scene.matrix != nullptr)
        shown.range = value_range(scene.report.state, *scene.matrix);
    else if (panel.colour == SharedColour::value)
        for (const SharedMatrix& m : answer.view.matrices) {
            const ValueRange r = value_range(scene.report.state, m);
            shown.range = {std::min(shown.range.low, r.low), std::max(shown.range.high, r.high)};
        }
    constexpr float kLeast = 130;  // pixels at scale 1: names, some rows, the legend
    if (box.height() < px(kLeast)) {
        const Box below{
            {box.low.x, box.low.y + px(24)},
            box.high
        };
        say(below, colour::kDim, "Too low to be drawn: a double click on the title shows this panel alone.");
        return;
    }
    const bool two = scene.request != nullptr && (box.height() > px(240) || scene.changed);
    const float foot = px(two ? 42 : 24);
    draw_grids(
        panel,
        shown,
        {
            {box.low.x,  box.low.y + px(26)},
            {box.high.x, box.high.y - foot }
    }
    );
    draw_foot(
        panel,
        scene,
        shown,
        session,
        {
            {box.low.x, box.high.y - foot},
            box.high
    }
    );
}

}  // namespace

void draw(SharedMemoryPanel& panel, const Session& session, Selection& selection, Commands& commands) {
    if (panel.capture != session.captures) {
        panel = {};
        panel.capture = session.captures;
    }
    const Box box = window_box();
    const capture::Launch& launch = session.capture.launch;
    if (launch.kernel.empty() || launch.static_shared + launch.dynamic_shared == 0) {
        const std::string_view why =
            launch.kernel.empty() ? "no kernel is loaded" : "this kernel has no shared memory";
        draw_header(box, {.title = "Shared memory", .subtitle = why});
        return;
    }
    panel.hover = {panel.hover.next, -1};
    const std::string question = shared_question(session, selection);
    if (question != panel.question && !session.program.empty()) {
        panel.question = question;
        commands.ask_shared = question;
    }
    const SharedAnswered& answer = session.shared;
    const bool there = answer.report && answer.report->problem.empty();
    // The answer to a newly selected tile is awaited: its access comes with it.
    if (there && answer.talk.asked.empty() &&
        (answer.content != panel.content || selection.tile != panel.tile))
        follow_selection(panel, answer, session, selection);
    const std::string subtitle = !there ? "of a block"
                                        : fmt::format(
                                              "{}, warp {}, time {}, epoch {}, simulated",
                                              block_text(session.capture, answer.report->state.block),
                                              answer.report->state.warp,
                                              count_text(static_cast<int64_t>(answer.report->state.time)),
                                              answer.report->state.epoch
                                          );
    const std::string note = !there  ? ""
        : !answer.talk.asked.empty() ? "on the way..."
                                     : answer.report->state.place;
    const Box rest = draw_header(box, {.title = "Shared memory", .subtitle = subtitle, .note = note});
    hairline(rest.low, {rest.high.x, rest.low.y});
    const float toolbar = draw_toolbar(panel, there ? &*answer.report : nullptr, rest);
    draw_body(
        panel,
        session,
        {
            {rest.low.x, rest.low.y + toolbar},
            rest.high
    }
    );
}

}  // namespace wl::app
