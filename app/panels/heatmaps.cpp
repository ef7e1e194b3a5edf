// Arranges the panes, and turns the mouse over them into pan, zoom, range and selection.
#include "app/panels/heatmaps.h"

#include "app/draw/numbers.h"
#include "app/session/navigate.h"

#include <algorithm>
#include <cmath>

namespace wl::app {

namespace {

constexpr std::array<const char*, 3> kNames = {"got", "reference", "difference"};
constexpr std::array<colour::Ink, 3> kColours = {colour::kGot, colour::kReference, colour::kDifference};

const Layer& layer_of(const HeatmapsPanel& panel, const TileView& tile, int pane) {
    if (pane == 2) return tile.metric[static_cast<size_t>(panel.metric)];
    const bool got = (pane == 0) != panel.flipped || !has_reference(tile);
    return got ? tile.got : tile.reference;
}

uint64_t content_of(const HeatmapsPanel& panel, const TileView& tile, int pane) {
    const Layer& layer = layer_of(panel, tile, pane);
    const uint64_t which = &layer == &tile.got ? 0
        : &layer == &tile.reference            ? 1
                                               : 2 + static_cast<uint64_t>(panel.metric);
    return tile.content * 8 + which;
}

HeatStyle style_of(const HeatmapsPanel& panel, int pane) {
    if (pane < 2) return value_style(panel);
    HeatStyle style;
    style.map = HeatMap::errors;
    style.neutral = panel.metric == analysis::Metric::ratio ? 1.0F : 0.0F;
    style.lo = style.neutral - panel.error_extent, style.hi = style.neutral + panel.error_extent;
    style.log = panel.log;
    style.colours = panel.tools.error_colours;
    style.overlay = panel.tools.overlay;
    return style;
}

HeatView& view_of(HeatmapsPanel& panel, int pane) {
    return panel.views[panel.linked ? 0 : static_cast<size_t>(pane)];
}

void apply_zoom(HeatmapsPanel& panel, const Selection& selection, const TileView& tile, ImVec2 area) {
    const int rows = tile.data.rows, cols = tile.data.cols;
    if (panel.zoom == Zoom::fit) panel.views.fill(fit_view(rows, cols, area));
    const Element selected = selection.element;
    if (panel.centred == selected || !exists(selected)) return;
    const bool asked = !exists(panel.centred);
    panel.centred = selected;
    if (panel.zoom == Zoom::fit) return;
    for (HeatView& view : panel.views) {
        const double cell = panel.zoom == Zoom::one_to_one ? 1
            : panel.zoom == Zoom::cell && asked            ? px(38)
                                                           : view.cell_width;
        const Element low = element_at_pixel(view, {0, 0}, {0, 0}),
                      high = element_at_pixel(view, {0, 0}, area);
        const bool seen = selected.row > low.row && selected.row < high.row && selected.col > low.col &&
            selected.col < high.col;
        if (asked || !seen) view = centred_view(selected, cell, area, rows, cols);
        keep_in_sight(view, rows, cols, area);
    }
}

// Mouse over one heatmap. The click that ends without a drag selects.
void use_mouse(HeatmapsPanel& panel, const Session& session, Selection& selection, Box heat, int pane) {
    const TileView& tile = session.current;
    ImGui::SetNextItemAllowOverlap();  // figures of a rectangle lie above it
    const bool clicked = press(heat, std::string("heat/") + kNames[static_cast<size_t>(pane)]);
    ImGuiIO& io = ImGui::GetIO();
    HeatView& view = view_of(panel, pane);
    const ImVec2 area(heat.width(), heat.height());
    if (drag_region(panel.tools, tile, view, heat)) return;
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, px(3))) {
        view.col -= io.MouseDelta.x / view.cell_width;
        view.row -= io.MouseDelta.y / view.cell_height;
        panel.zoom = Zoom::free;
        panel.centred = selection.element;
    }
    if (ImGui::IsItemHovered()) {
        const Element at = element_at_pixel(view, heat.low, io.MousePos);
        const bool inside = at.row >= 0 && at.col >= 0 && at.row < tile.data.rows && at.col < tile.data.cols;
        if (inside) selection.hovering = at;
        if (io.MouseWheel != 0) {
            zoom_at(view, heat.low, io.MousePos, std::exp2(io.MouseWheel * 0.25));
            panel.zoom = Zoom::free;
            panel.centred = selection.element;
        }
        if (inside && clicked && ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, px(3)).x == 0) {
            select_element(session, selection, at);
            panel.centred = at;
        }
        if (inside && ImGui::IsItemClicked(ImGuiMouseButton_Right)) open_cell_menu(session, selection, at);
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) panel.zoom = Zoom::fit;
    }
    if (panel.zoom != Zoom::fit) keep_in_sight(view, tile.data.rows, tile.data.cols, area);
}

void drag_handles(HeatmapsPanel& panel, Box bar_box, const ColourBar& bar, int pane) {
    ImGui::SetNextItemAllowOverlap();
    press(
        {
            {bar_box.low.x - px(4),  bar_box.low.y - px(4)                          },
            {bar_box.high.x + px(4), bar_box.low.y + bar_histogram(bar_box) + px(14)}
    },
        std::string("heat/bar/") + kNames[static_cast<size_t>(pane)]
    );
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (!ImGui::IsItemActive()) return;
    const float x = ImGui::GetIO().MousePos.x, value = bar_value_at_x(bar_box, bar, x);
    if (ImGui::IsItemActivated()) {
        const float to_lo = std::abs(x - bar_x_at_value(bar_box, bar, bar.style.lo));
        const float to_hi = std::abs(x - bar_x_at_value(bar_box, bar, bar.style.hi));
        panel.dragged = to_lo <= to_hi ? BarHandle::lo : BarHandle::hi;
        return;
    }
    if (ImGui::GetIO().MouseDelta.x == 0) return;
    panel.autofit = false;
    const float least = (bar.full_hi - bar.full_lo) / 1000;
    if (pane == 2) {
        panel.error_extent = std::max(least, std::abs(value - bar.style.neutral));
    } else if (panel.dragged == BarHandle::lo) {
        panel.lo = std::min(value, panel.hi - least);
    } else {
        panel.hi = std::max(value, panel.lo + least);
    }
}

ColourBar bar_of(const HeatmapsPanel& panel, const TileView& tile, const Selection& selection, int pane) {
    ColourBar bar;
    bar.style = style_of(panel, pane);
    const Layer& layer = layer_of(panel, tile, pane);
    if (pane == 2) {
        const float reach = std::max(
            {panel.error_extent,
             std::abs(layer.lo - bar.style.neutral),
             std::abs(layer.hi - bar.style.neutral)}
        );
        bar.full_lo = bar.style.neutral - reach;
        bar.full_hi = bar.style.neutral + reach;
    } else {
        const auto [lo, hi] = values_between(tile);
        bar.full_lo = std::min(panel.lo, lo), bar.full_hi = std::max(panel.hi, hi);
    }
    const Element at = exists(selection.hovered) ? selection.hovered : selection.element;
    const bool inside = exists(at) && at.row < tile.data.rows && at.col < tile.data.cols;
    bar.marker = inside ? layer.values(at.row, at.col) : absent();
    bar.handles = true;
    bar.layer = &layer;
    return bar;
}

// The words of a pane's header, which Header only views.
struct PaneText {
    std::string title, subtitle, note;
    ImU32 mark = 0, note_colour = colour::kFaint;
};

PaneText error_text(const HeatmapsPanel& panel, const TileView& tile) {
    constexpr std::array<const char*, kMetrics> kTitles = {"difference", "relative", "ratio", "ULP"};
    constexpr std::array<const char*, kMetrics> kMeanings = {
        "got - reference", "of |reference|", "got / reference", "signed distance"};
    constexpr std::array<const char*, kMetrics> kPaired = {"A - B", "of |B|", "A / B", "signed distance"};
    const auto metric = static_cast<size_t>(panel.metric);
    const ImU32 ink = tile.wrong_count > 0 ? colour::kBad : colour::kGood;
    if (!tile.measured) return {kTitles[metric], kMeanings[metric], "counting", kColours[2]};
    const bool paired = tile.names[1][0] == 'B';
    const std::string note = count_text(tile.wrong_count) + (paired ? " differ" : " wrong");
    return {kTitles[metric], (paired ? kPaired : kMeanings)[metric], note, kColours[2], ink};
}

PaneText value_text(const Layer& layer, const TileView& tile, const capture::Probe& probe) {
    const std::string range = layer.figures.finite > 0 ? number(layer.lo, 3) + " .. " + number(layer.hi, 3)
        : layer.figures.nan > 0                        ? count_text(layer.figures.nan) + " NaN"
                                                       : "nothing finite";
    const bool paired = tile.names[1][0] == 'B';
    if (&layer != &tile.got) return {tile.names[1], paired ? "" : "FP64", range, kColours[1]};
    return {
        tile.names[0],
        probe.name + "  " + shape_text(probe, tile.data.rows, tile.data.cols),
        range,
        kColours[0]};
}

void draw_one(HeatmapsPanel& panel, const Session& session, Selection& selection, Box box, int pane) {
    const TileView& tile = session.current;
    const PaneText text = pane == 2
        ? error_text(panel, tile)
        : value_text(layer_of(panel, tile, pane), tile, *probe_of(session, selection));
    const PaneBoxes boxes =
        pane_boxes(draw_header(box, {text.title, text.subtitle, text.note, text.mark, text.note_colour}));
    if (boxes.heat.width() < px(16) || boxes.heat.height() < px(16)) return;
    if (pane == 0 || !panel.linked)
        apply_zoom(panel, selection, tile, {boxes.heat.width(), boxes.heat.height()});
    const bool both = panel.arrange != Arrange::side && has_reference(tile);
    if (both) drag_split(panel, tile.data.cols, boxes.heat);
    use_mouse(panel, session, selection, boxes.heat, pane);
    const HeatPane heat{
        &tile,
        &layer_of(panel, tile, pane),
        style_of(panel, pane),
        content_of(panel, tile, pane),
        view_of(panel, pane),
        selection.element,
        selection.hovered};
    draw_pane(ui().heat, panel.canvases[static_cast<size_t>(pane)], heat, boxes);
    if (both) draw_second(panel, tile, heat, boxes);
    if (panel.tools.profiles) draw_profiles(heat, boxes.heat);
    draw_region_frame(panel.tools, heat.view, boxes.heat);
    draw_overlay_counts(panel.tools, heat, pane, boxes.heat);
    const ColourBar bar = bar_of(panel, tile, selection, pane);
    drag_handles(panel, boxes.bar, bar, pane);
    draw_colour_bar(boxes.bar, bar);
}

void draw_tooltip(const HeatmapsPanel& panel, const Session& session, Element at) {
    const TileView& tile = session.current;
    if (!exists(at) || !ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) ||
        ImGui::IsMouseDown(ImGuiMouseButton_Left))
        return;
    struct Row {
        std::string_view label;
        std::string text;
        ImU32 ink;
    };
    std::vector<Row> rows = {
        {tile.names[0], number(tile.data.got(at.row, at.col)), colour::kGot}
    };
    if (has_reference(tile)) {
        const Layer& error = tile.metric[static_cast<size_t>(panel.metric)];
        rows.push_back({tile.names[1], number(tile.data.reference(at.row, at.col)), colour::kReference});
        const float value = error.values(at.row, at.col);
        rows.push_back(
            {analysis::name_of(panel.metric),
             is_absent(value) ? "not compared" : number(value, 4),
             colour::kDifference}
        );
    }
    if (has_owner(tile)) {
        const capture::Owner owner = tile.data.owner(at.row, at.col);
        const bool nobody = owner.warp == capture::Owner::kNobody;
        rows.push_back(
            {"writer",
             nobody ? "never written"
                    : "warp " + std::to_string(owner.warp) + " lane " + std::to_string(owner.lane),
             colour::kDim}
        );
        if (!nobody)
            rows.push_back({"at", place_text(session.capture, static_cast<int>(owner.site)), colour::kDim});
    }
    ImGui::SetNextWindowSize({px(206), px(34) + px(20) * static_cast<float>(rows.size())});
    if (!ImGui::BeginTooltip()) return;
    const ImVec2 low = ImGui::GetCursorScreenPos();
    put({low.x + px(10), low.y + px(8)},
        {Face::numbers, colour::kBright},
        "[" + std::to_string(at.row) + ", " + std::to_string(at.col) + "]");
    float y = low.y + px(30);
    for (const Row& row : rows) {
        put({low.x + px(10), y}, {Face::small_words, row.ink}, row.label);
        put({low.x + px(84), y + px(1)}, {Face::small_numbers, colour::kText}, row.text);
        y += px(20);
    }
    ImGui::EndTooltip();
}

// Of measuring a big tile, whose preview is shown meanwhile.
void draw_progress(const TileLoad& load, Box toolbar, float height) {
    toolbar.high.y = toolbar.low.y + height;
    const auto share = static_cast<float>(progress_of(load));
    const float width = toolbar.width() * share;
    ImGui::GetWindowDrawList()->AddRectFilled(
        {toolbar.low.x, toolbar.high.y - px(2)}, {toolbar.low.x + width, toolbar.high.y}, colour::kAccent
    );
    put_right(
        {toolbar.high.x - px(size::kPad), toolbar.high.y - px(19)},
        {Face::small_words, colour::kAccent},
        load.reading ? "reading its elements"
                     : "preview, measuring " + std::to_string(static_cast<int>(share * 100)) + " %"
    );
}

// The tile has its elements, and stands against a B that has none of it.
bool has_no_pair(const Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    return session.against.shown && has_other(session.against) && tile != nullptr &&
        tile->values != capture::kNoBlob && !session.loading && !session.worker;
}

// Why there is no heatmap, and what to do.
void draw_nothing(const Session& session, const Selection& selection, Commands& commands, Box box) {
    std::string title = "Run a kernel, or drop a capture here",
                advice = "kernel, fault and parameters are chosen in the bar above";
    if (is_undescribed(session)) {
        title = "It has not run yet";
        advice = "Make a manifest, in the bar above, and it runs";
    }
    if (session.worker) {
        title = "Running " + session.request.kernel;
        advice = "its tiles appear here when it has ended";
    } else if (has_no_pair(session, selection)) {
        title = "B has no such tile";
        advice = session.against.iterations > 0 ? "there is no iteration before it"
                                                : session.against.name + " did not keep it";
    } else if (const capture::Tile* tile = tile_of(session, selection)) {
        title = !session.loading       ? "The elements of this tile were not kept"
            : session.loading->reading ? "Reading the tile"
                                       : "Comparing the tile";
        advice = block_text(session.capture, tile->block) +
            " was not recorded: of its tiles only the verdict is known";
    }
    const ImVec2 centre((box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2);
    put_centred({centre.x, centre.y - px(12)}, {Face::strong, colour::kDim}, title);
    put_centred({centre.x, centre.y + px(12)}, {Face::small_words, colour::kFaint}, advice);
    if (has_no_pair(session, selection)) {
        const char* label = "Against the reference";
        if (button({centre.x - button_width(label) / 2, centre.y + px(30)}, "heat/versus", label))
            commands.acts.push_back(Act::versus);
        return;
    }
    const capture::Tile* tile = tile_of(session, selection);
    if (session.worker || session.loading || tile == nullptr || tile->block < 0 || session.program.empty())
        return;
    const std::string label = "Record " + block_text(session.capture, tile->block);
    const ButtonStyle style{colour::kBright, colour::with_alpha(colour::kAccent, 120)};
    if (button({centre.x - button_width(label) / 2, centre.y + px(30)}, "heat/record", label, style))
        commands.record = tile->block;
}

}  // namespace

HeatStyle value_style(const HeatmapsPanel& panel) {
    HeatStyle style;
    style.lo = panel.lo, style.hi = panel.hi, style.neutral = (panel.lo + panel.hi) / 2;
    style.log = panel.log;
    style.colours = panel.tools.value_colours;
    style.overlay = panel.tools.overlay;
    return style;
}

void draw(HeatmapsPanel& panel, const Session& session, Selection& selection, Commands& commands) {
    const TileView& tile = session.current;
    const Box box = window_box();
    if (!has_values(tile)) {
        draw_nothing(session, selection, commands, box);
        return;
    }
    if (panel.fitted != tile.content && panel.autofit) fit_ranges(panel, tile);
    const ImGuiIO& io = ImGui::GetIO();
    const bool held = !io.WantTextInput && !io.KeyCtrl &&
        (ImGui::IsKeyDown(ImGuiKey_Space) || ImGui::IsKeyDown(ImGuiKey_R));
    panel.flipped = has_reference(tile) && held != panel.swapped;
    const float toolbar = draw_toolbar(panel, session, commands, box);
    if (session.loading) draw_progress(*session.loading, box, toolbar);
    const int panes = has_reference(tile) && panel.arrange == Arrange::side ? 3 : 1;
    const float width = std::floor(box.width() / static_cast<float>(panes));
    for (int pane = 0; pane < panes; ++pane) {
        const float left = box.low.x + width * static_cast<float>(pane);
        draw_one(
            panel,
            session,
            selection,
            {
                {left,         box.low.y + toolbar},
                {left + width, box.high.y         }
        },
            pane
        );
        if (pane > 0) hairline({left, box.low.y + toolbar}, {left, box.high.y});
    }
    draw_region_report(panel.tools, tile, box);
    if (!exists(panel.tools.region)) draw_tooltip(panel, session, selection.hovered);  // else over them
    draw_cell_menu(session, selection, commands);
}

}  // namespace wl::app
