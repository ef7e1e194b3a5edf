// Histogram by ImPlot on a logarithmic axis, and a clipped table of wrong elements.
#include "app/panels/errors.h"

#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace wl::app {

namespace {

int decade_label(double value, char* text, int size, void*) {
    return std::snprintf(text, static_cast<size_t>(size), "1e%d", static_cast<int>(std::lround(value)));
}

void draw_bars(
    const ErrorHistogram& errors, const std::vector<double>& counts, std::vector<double> base, ImU32 ink
) {
    ImDrawList* list = ImPlot::GetPlotDrawList();
    for (size_t bin = 0; bin < counts.size(); ++bin) {
        if (counts[bin] == 0) continue;
        const double left = errors.first + errors.width * static_cast<double>(bin);
        // Counts on a logarithmic scale: one wrong element must be seen beside four thousand good ones.
        const auto height = [](double count) { return count > 0 ? std::log10(count) + 0.35 : 0; };
        const ImVec2 low = ImPlot::PlotToPixels(left, height(base[bin])),
                     high = ImPlot::PlotToPixels(left + errors.width, height(base[bin] + counts[bin]));
        list->AddRectFilled({low.x + 0.5F, high.y}, {std::max(low.x + 1.5F, high.x - 1), low.y}, ink);
    }
}

void draw_bound(const ErrorHistogram& errors) {
    if (errors.bound <= 0) return;
    const ImVec2 low = ImPlot::GetPlotPos(), extent = ImPlot::GetPlotSize();
    const float x = ImPlot::PlotToPixels(std::log10(errors.bound), 0).x;
    ImDrawList* list = ImPlot::GetPlotDrawList();
    list->AddRectFilled(
        {x, low.y}, {low.x + extent.x, low.y + extent.y}, colour::with_alpha(colour::kBad, 14)
    );
    list->AddRectFilled({std::floor(x), low.y}, {std::floor(x) + 1, low.y + extent.y}, colour::kWarning);
    const std::string label = "bound " + number(errors.bound, 3);
    const float width = measure(Face::small_words, label).x;
    const bool right = x + width + px(10) < low.x + extent.x;
    put({right ? x + px(5) : x - width - px(5), low.y + px(3)}, {Face::small_words, colour::kWarning}, label);
}

void draw_histogram(const ErrorHistogram& errors, Box box) {
    if (errors.good.empty() || box.height() < px(50)) return;
    double top = 1;
    for (size_t bin = 0; bin < errors.good.size(); ++bin)
        top = std::max(top, std::log10(errors.good[bin] + errors.bad[bin] + 1) + 0.35);
    ImGui::SetCursorScreenPos(box.low);
    ImGui::PushFont(ui().fonts.mono, size::kSmallNumbers);
    const ImPlotFlags flags = ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs;
    if (ImPlot::BeginPlot("##errors", {box.width(), box.height()}, flags)) {
        const ImPlotAxisFlags bare =
            ImPlotAxisFlags_NoLabel | ImPlotAxisFlags_NoTickMarks | ImPlotAxisFlags_NoHighlight;
        ImPlot::SetupAxes(
            nullptr, nullptr, bare, bare | ImPlotAxisFlags_NoTickLabels | ImPlotAxisFlags_NoGridLines
        );
        const double last = errors.first + errors.width * static_cast<double>(errors.good.size());
        ImPlot::SetupAxesLimits(errors.first, last, 0, top * 1.3, ImPlotCond_Always);
        ImPlot::SetupAxisFormat(ImAxis_X1, decade_label);
        std::vector<double> ticks;
        const int from = static_cast<int>(std::ceil(errors.first)), to = static_cast<int>(std::floor(last)),
                  every = std::max(1, (to - from + 1) / 5);
        for (int decade = from; decade <= to; decade += every) ticks.push_back(decade);
        if (!ticks.empty()) ImPlot::SetupAxisTicks(ImAxis_X1, ticks.data(), static_cast<int>(ticks.size()));
        ImPlot::SetupFinish();
        ImPlot::PushPlotClipRect();
        draw_bars(errors, errors.good, std::vector<double>(errors.good.size()), colour::kCount);
        draw_bars(errors, errors.bad, errors.good, colour::kBad);
        draw_bound(errors);
        ImPlot::PopPlotClipRect();
        ImPlot::EndPlot();
    }
    ImGui::PopFont();
    register_control("errors/histogram", box.low, box.high);
}

constexpr int kColumns = 7;
enum Column : uint8_t { kRow, kCol, kGotten, kWanted, kDifferent, kExcess, kWriter };
// Right edges, of the width; where it is narrow the reference is left out, as got and difference say it, and
// where it is narrower still what was got: Element says it.
using Ends = std::array<float, kColumns>;
constexpr Ends kWideEnds = {0.09F, 0.18F, 0.35F, 0.52F, 0.67F, 0.82F, 1.0F},
               kNarrowEnds = {0.11F, 0.22F, 0.41F, -1, 0.58F, 0.75F, 1.0F},
               kSlimEnds = {0.14F, 0.28F, -1, -1, 0.5F, 0.72F, 1.0F};
const Ends& column_ends(float width) {
    return width < px(265) ? kSlimEnds : width < px(340) ? kNarrowEnds : kWideEnds;
}

void put_cells(
    Box row,
    const std::array<std::string, kColumns>& cells,
    const std::array<ImU32, kColumns>& inks,
    Face face
) {
    const float top = middle(row.low.y, row.height(), face);
    const Ends& ends = column_ends(row.width());
    for (size_t i = 0; i < kColumns; ++i)
        if (ends[i] > 0)
            put_right({row.low.x + row.width() * ends[i] - px(4), top}, {face, inks[i]}, cells[i]);
}

// With as many digits as its column has room for.
std::string cell_text(double value, Column column, float width) {
    const Ends& ends = column_ends(width);
    float left = 0;
    for (size_t before = 0; before < column; ++before) left = std::max(left, ends[before]);
    const float room = (ends[column] - left) * width - px(8);
    const auto characters = static_cast<int>(room / measure(Face::small_numbers, "0").x);
    return characters < 2 ? "" : cell_number(value, std::min(characters, 9));
}

// What the rows are in the order of: the difference in bounds.
std::string excess_text(const TileView& tile, Element at, float width) {
    const double got = tile.data.got(at.row, at.col), reference = tile.data.reference(at.row, at.col);
    const double excess = std::abs(got - reference) / static_cast<double>(tile.data.bound(at.row, at.col));
    return std::isfinite(excess) ? cell_text(excess, kExcess, width) : "-";
}

void draw_worst(const Session& session, Selection& selection, float width) {
    const TileView& tile = session.current;
    const float height = px(19);
    ImGuiListClipper clipper;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
    clipper.Begin(static_cast<int>(tile.worst.size()), height);
    while (clipper.Step()) {
        for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
            const Element at = tile.worst[static_cast<size_t>(i)];
            const ImVec2 low = ImGui::GetCursorScreenPos();
            const Box box{
                low, {low.x + width, low.y + height}
            };
            if (press(box, "errors/" + std::to_string(i))) select_element(session, selection, at);
            if (ImGui::IsItemHovered()) selection.hovering = at;
            ImDrawList* list = ImGui::GetWindowDrawList();
            if (at == selection.element) {
                list->AddRectFilled(box.low, box.high, colour::with_alpha(colour::kSelection, 30));
                list->AddRectFilled(box.low, {box.low.x + px(3), box.high.y}, colour::kSelection);
            }
            const double got = tile.data.got(at.row, at.col), reference = tile.data.reference(at.row, at.col);
            std::string writer = "-";
            if (has_owner(tile)) {
                const capture::Owner owner = tile.data.owner(at.row, at.col);
                const bool nobody = owner.warp == capture::Owner::kNobody;
                writer =
                    nobody ? "never" : "w" + std::to_string(owner.warp) + ".l" + std::to_string(owner.lane);
                if (!nobody)
                    swatch(
                        {box.high.x - measure(Face::small_numbers, writer).x - px(18), low.y + px(6)},
                        px(8),
                        colour::of(warp_colour(owner.warp))
                    );
            }
            put_cells(
                box,
                {std::to_string(at.row),
                 std::to_string(at.col),
                 cell_text(got, kGotten, width),
                 cell_text(reference, kWanted, width),
                 cell_text(std::abs(got - reference), kDifferent, width),
                 excess_text(tile, at, width),
                 writer},
                {colour::kText,
                 colour::kText,
                 colour::kText,
                 colour::kDim,
                 colour::kBad,
                 colour::kText,
                 colour::kDim},
                Face::small_numbers
            );
        }
    }
    ImGui::PopStyleVar();
}

struct Figure {
    const char* label;
    std::string text;
    ImU32 ink;
};

// min, mean, max and what is not finite: of the difference, or of what the kernel got where there is nothing
// to compare it with.
std::vector<Figure> figures_of(const TileView& tile, const capture::Tile& of) {
    const bool compared = has_reference(tile);
    const Layer& layer = compared ? tile.metric[static_cast<size_t>(analysis::Metric::difference)] : tile.got;
    const auto count_ink = [](int64_t count) { return count > 0 ? colour::kNonFinite : colour::kDim; };
    const auto text = [](double value) { return number(value == 0 ? 0 : value, 3); };
    std::vector<Figure> figures = {
        {"min",  text(static_cast<double>(layer.lo)), colour::kDim},
        {"mean", text(layer.mean),                    colour::kDim},
        {"max",  text(static_cast<double>(layer.hi)), colour::kDim},
    };
    // Counts first where there are any: what has no room at the end is left out.
    const auto count = [&](const char* label, int64_t n) {
        figures.insert(n > 0 ? figures.begin() : figures.end(), {label, count_text(n), count_ink(n)});
    };
    count("Inf", of.inf);
    count("NaN", of.nan);
    return figures;
}

float draw_figures(const std::vector<Figure>& figures, Box box) {
    float x = box.low.x;
    for (const Figure& figure : figures) {
        const float width =
            measure(Face::small_words, figure.label).x + px(5) + measure(Face::small_numbers, figure.text).x;
        if (x + width > box.high.x) break;
        put({x, box.low.y}, {Face::small_words, colour::kFaint}, figure.label);
        put_right({x + width, box.low.y + px(1)}, {Face::small_numbers, figure.ink}, figure.text);
        x += width + px(13);
    }
    return box.low.y + px(20);
}

void draw_table(const Session& session, Selection& selection, Box box) {
    hairline(box.low, {box.high.x, box.low.y});
    // As wide as its rows, with or without a scrollbar beside them.
    const Box titles{
        box.low, {box.high.x - ImGui::GetStyle().ScrollbarSize, box.low.y + px(19)}
    };
    const TileView& tile = session.current;
    std::array<ImU32, kColumns> faint;
    faint.fill(colour::kFaint);
    put_cells(
        titles,
        {"row", "col", tile.names[0], tile.names[1], "|diff|", "bounds", "writer"},
        faint,
        Face::small_words
    );
    ImGui::SetCursorScreenPos({titles.low.x, titles.high.y});
    if (ImGui::BeginChild("worst", {box.width(), box.high.y - titles.high.y}))
        draw_worst(session, selection, titles.width());
    ImGui::EndChild();
}

}  // namespace

void draw(ErrorsPanel& panel, const Session& session, Selection& selection) {
    const TileView& tile = session.current;
    const capture::Tile* of = tile_of(session, selection);
    const Box box = window_box();
    if (!has_values(tile) || of == nullptr) {
        const char* why = "nothing was kept of this tile";
        draw_header(box, {.title = "Errors", .subtitle = why});
        return;
    }
    const bool paired = tile.names[1][0] == 'B';
    const int64_t all = paired ? int64_t{tile.data.rows} * tile.data.cols : of->compared;
    const int64_t bad = paired ? tile.wrong_count : of->bad;
    const double share = all > 0 ? 100.0 * static_cast<double>(bad) / static_cast<double>(all) : 0;
    const bool compared = has_reference(tile);
    const std::string note =
        compared ? count_text(bad) + " of " + count_text(all) + " (" + number(share, 3) + " %)" : "";
    const ImU32 ink = !compared ? colour::kFaint : bad > 0 ? colour::kBad : colour::kGood;
    const char* subtitle = compared                   ? (paired ? "|A - B|" : "|got - reference|")
        : session.loading && session.loading->reading ? "its reference is being read"
                                                      : "no reference to compare with";
    const Box rest = draw_header(
        box, {.title = "Errors", .subtitle = subtitle, .note = note, .mark = ink, .note_colour = ink}
    );
    const float pad = px(size::kPad);
    const float top = draw_figures(
        figures_of(tile, *of),
        {
            {rest.low.x + pad,  rest.low.y },
            {rest.high.x - pad, rest.high.y}
    }
    );
    const float table = tile.worst.empty() ? 0 : std::max(px(60), (rest.high.y - top) * (1 - panel.share));
    draw_histogram(
        tile.errors,
        {
            {rest.low.x + pad,  top                        },
            {rest.high.x - pad, rest.high.y - table - px(4)}
    }
    );
    if (!tile.worst.empty()) {
        draw_table(
            session,
            selection,
            {
                {rest.low.x + pad,  rest.high.y - table},
                {rest.high.x - pad, rest.high.y        }
        }
        );
    }
}

}  // namespace wl::app
