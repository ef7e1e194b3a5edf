// Bits, history over iterations, and neighbours of the inspected element.
#include "app/draw/element/sections.h"

#include "app/draw/heat_pane.h"
#include "app/draw/numbers.h"
#include "app/draw/widgets.h"
#include "app/session/navigate.h"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace wl::app {

namespace {

// One row of bits; `other` marks those that differ.
void draw_bit_row(ElementColumn& column, uint64_t bits, uint64_t other, BitFields fields) {
    const int count = fields.sign + fields.exponent + fields.mantissa;
    const float gap = px(4), cell = std::min(px(11), (column.width() - 2 * gap) / static_cast<float>(count));
    float x = column.left;
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int bit = count - 1; bit >= 0; --bit) {
        const bool set = (bits >> bit & 1) != 0, differs = ((bits ^ other) >> bit & 1) != 0;
        const bool exponent = bit >= fields.mantissa && bit < count - fields.sign;
        const ImU32 ink = differs ? colour::kBad
            : bit == count - 1    ? colour::kViolet
            : exponent            ? colour::kGood
                                  : colour::kAccent;
        list->AddRectFilled(
            {x, column.y},
            {x + cell - 1, column.y + px(11)},
            set           ? ink
                : differs ? colour::with_alpha(ink, 110)
                          : colour::with_alpha(ink, 38),
            px(1)
        );
        x += cell;
        if (bit == count - fields.sign || bit == fields.mantissa) x += gap;
    }
    column.y += px(13);
}

// Both curves, the present iteration, and a dot an iteration in the colour of its verdict.
void draw_curves(const std::vector<HistoryPoint>& history, int iteration, Box box) {
    ImGui::SetCursorScreenPos(box.low);
    ImPlot::PushStyleVar(ImPlotStyleVar_FitPadding, ImVec2(0.04F, 0.2F));
    const ImPlotFlags flags = ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs;
    if (ImPlot::BeginPlot("##history", {box.width(), box.height()}, flags)) {
        const ImPlotAxisFlags bare = ImPlotAxisFlags_NoDecorations | ImPlotAxisFlags_AutoFit;
        ImPlot::SetupAxes(nullptr, nullptr, bare, bare);
        const auto plot = [&history](const char* name, double HistoryPoint::*value, ImU32 ink) {
            std::vector<double> at, values;
            for (const HistoryPoint& point : history) {
                at.push_back(point.iteration);
                values.push_back(point.*value);
            }
            const ImPlotSpec look(ImPlotProp_LineColor, ImGui::ColorConvertU32ToFloat4(ink));
            ImPlot::PlotLine(name, at.data(), values.data(), static_cast<int>(at.size()), look);
        };
        plot("reference", &HistoryPoint::reference, colour::kReference);
        plot("got", &HistoryPoint::got, colour::kGot);
        ImPlot::PushPlotClipRect();
        const float now = ImPlot::PlotToPixels(iteration, 0).x;
        hairline({now, box.low.y}, {now, box.high.y}, colour::with_alpha(colour::kSelection, 170));
        for (const HistoryPoint& point : history) {
            if (!std::isfinite(point.got)) continue;
            const ImU32 ink = point.verdict == capture::Verdict::bad ? colour::kBad : colour::kGot;
            dot(ImPlot::PlotToPixels(point.iteration, point.got), px(2.8F), ink);
        }
        ImPlot::PopPlotClipRect();
        ImPlot::EndPlot();
    }
    ImPlot::PopStyleVar();
}

}  // namespace

BitFields bit_fields(DType dtype) {
    switch (dtype) {
        case DType::f16: return {1, 5, 10};
        case DType::bf16: return {1, 8, 7};
        case DType::f32:
        case DType::tf32: return {1, 8, 23};
        case DType::f64: return {1, 11, 52};
        case DType::e4m3: return {1, 4, 3};
        case DType::e5m2: return {1, 5, 2};
        default: return {};
    }
}

void draw_rule(ElementColumn& column) {
    column.y += px(4);
    hairline({column.left, column.y}, {column.right, column.y});
    column.y += px(7);
}

void draw_bits(ElementColumn& column, const TileView& tile, const ElementFacts& facts) {
    const DType dtype = tile.data.dtype;
    const BitFields fields = bit_fields(dtype);
    if (fields.mantissa == 0) return;
    const size_t at = tile.data.index(facts.at.row, facts.at.col) * size_of(dtype);
    const uint64_t bits = bits_of(dtype, tile.data.raw.data() + at);
    uint64_t other = bits;
    if (facts.compared) {
        std::byte rounded[8] = {};
        from_double(dtype, facts.reference, rounded);
        other = bits_of(dtype, rounded);
    }
    draw_bit_row(column, bits, other, fields);
    if (facts.compared) draw_bit_row(column, other, bits, fields);
    column.y += px(1);
    const TextStyle faint{Face::small_words, colour::kFaint};
    put({column.left, column.y}, faint, "s exponent mantissa");
    if (other != bits) {
        put_right({column.right, column.y}, {Face::small_words, colour::kBad}, "differing bits");
    } else {
        put_right({column.right, column.y}, faint, name_of(dtype));
    }
    column.y += px(23);
}

void draw_history(
    ElementColumn& column, const Session& session, Selection& selection, const ElementFacts& facts
) {
    const std::vector<HistoryPoint> history = element_history(session.capture, selection.tile, facts.at);
    if (history.size() < 2) return;
    draw_rule(column);
    const std::string range =
        std::to_string(history.front().iteration) + " .. " + std::to_string(history.back().iteration);
    put({column.left, column.y}, {Face::small_words, colour::kText}, "across iterations");
    put_right({column.right, column.y}, {Face::small_numbers, colour::kFaint}, range);
    column.y += px(20);
    const Box box{
        {column.left,  column.y         },
        {column.right, column.y + px(76)}
    };
    draw_curves(history, selection.iteration, box);
    if (press(box, "element/history")) {
        const auto last = static_cast<long>(history.size()) - 1;
        const float share = (ImGui::GetIO().MousePos.x - box.low.x) / box.width();
        const long nearest = std::clamp(std::lround(share * static_cast<float>(last)), 0L, last);
        const Element kept = selection.element;
        select_tile(session, selection, history[static_cast<size_t>(nearest)].tile);
        select_element(session, selection, kept);
    }
    column.y += box.height() + px(4);
}

void draw_neighbours(
    ElementColumn& column, const Session& session, Selection& selection, const ElementFacts& facts
) {
    constexpr int kRows = 5, kCols = 7;
    const TileView& tile = session.current;
    draw_rule(column);
    const Layer& layer = has_reference(tile) ? tile.metric[0] : tile.got;
    put({column.left, column.y}, {Face::small_words, colour::kText}, "neighbourhood");
    put_right(
        {column.right, column.y},
        {Face::small_words, colour::kFaint},
        has_reference(tile) ? std::string(tile.names[0]) + " - " + tile.names[1] : tile.names[0]
    );
    column.y += px(21);
    const float reach =
        std::max({std::abs(layer.lo), std::abs(layer.hi), static_cast<float>(tile.errors.bound), 1e-30F});
    const HeatStyle style = has_reference(tile) ? HeatStyle{HeatMap::errors, -reach, reach, 0, false}
                                                : HeatStyle{HeatMap::values, layer.lo, layer.hi, 0, false};
    const float width = column.width() / kCols, height = px(21);
    const int room = std::max(3, static_cast<int>((width - px(4)) / measure(Face::tiny_numbers, "0").x));
    // At an edge the window stays inside and the element leaves its middle.
    const int first_row = std::clamp(facts.at.row - kRows / 2, 0, std::max(0, tile.data.rows - kRows));
    const int first_col = std::clamp(facts.at.col - kCols / 2, 0, std::max(0, tile.data.cols - kCols));
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int r = 0; r < kRows; ++r) {
        for (int c = 0; c < kCols; ++c) {
            const Element at{first_row + r, first_col + c};
            if (at.row >= tile.data.rows || at.col >= tile.data.cols) continue;
            const ImVec2 low(
                column.left + width * static_cast<float>(c), column.y + height * static_cast<float>(r)
            );
            const Box box{
                low, {low.x + width - 1, low.y + height - 1}
            };
            const float value = layer.values(at.row, at.col);
            const ImU32 fill = heat_colour(style, value);
            list->AddRectFilled(box.low, box.high, fill);
            if (!is_absent(value))
                put_centred(
                    {(box.low.x + box.high.x) / 2, (box.low.y + box.high.y) / 2},
                    {Face::tiny_numbers, colour::ink_on(fill)},
                    cell_number(value, room)
                );
            if (at == facts.at)
                list->AddRect(
                    {box.low.x - 1, box.low.y - 1},
                    {box.high.x + 1, box.high.y + 1},
                    colour::kSelection,
                    px(2),
                    0,
                    px(1.5F)
                );
            if (press(box, "element/neighbour/" + std::to_string(r) + "/" + std::to_string(c)))
                select_element(session, selection, at);
        }
    }
    column.y += height * kRows + px(8);
}

}  // namespace wl::app
