// Sections from top to bottom in a scrolling column.
#include "app/panels/element.h"

#include "app/heat_pane.h"
#include "app/navigate.h"
#include "app/numbers.h"
#include "app/widgets.h"

#include <imgui.h>
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace wl::app {

namespace {

// Where the next section begins.
struct Column {
    float left = 0, right = 0, y = 0;
    float width() const { return right - left; }
};

struct Facts {
    Element at;
    double got = 0, reference = std::numeric_limits<double>::quiet_NaN();
    float bound = 0;
    bool compared = false, wrong = false;
};

Facts facts_of(const TileView& tile, Element at) {
    Facts facts;
    facts.at = at;
    facts.got = tile.data.got(at.row, at.col);
    if (!has_reference(tile)) return facts;
    facts.reference = tile.data.reference(at.row, at.col);
    facts.bound = tile.data.bound(at.row, at.col);
    facts.compared = !std::isnan(facts.reference);
    facts.wrong = tile.wrong(at.row, at.col) != 0;
    return facts;
}

void draw_values(Column& column, const Facts& facts) {
    const float half = column.width() / 2;
    const Face face = half > px(150) ? Face::big_numbers : Face::numbers;
    put({column.left, column.y}, {Face::small_words, colour::kGot}, "got");
    put({column.left, column.y + px(17)}, {face, colour::kBright}, number(facts.got));
    if (facts.compared) {
        put({column.left + half, column.y}, {Face::small_words, colour::kReference}, "reference");
        put({column.left + half, column.y + px(17)}, {face, colour::kDim}, number(facts.reference));
    }
    column.y += px(46);
}

// One row of bits; `other` marks those that differ.
void draw_bit_row(Column& column, uint64_t bits, uint64_t other, BitFields fields) {
    const int count = fields.sign + fields.exponent + fields.mantissa;
    const float gap = px(4), cell = std::min(px(11), (column.width() - 2 * gap) / static_cast<float>(count));
    float x = column.left;
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int bit = count - 1; bit >= 0; --bit) {
        const bool set = (bits >> bit & 1) != 0, differs = ((bits ^ other) >> bit & 1) != 0;
        const bool exponent = bit >= fields.mantissa && bit < count - fields.sign;
        const ImU32 ink = differs ? colour::kBad
            : bit == count - 1    ? colour::hex(0xc98aa2)
            : exponent            ? colour::hex(0x8fae74)
                                  : colour::hex(0x5f86bd);
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

void draw_bits(Column& column, const TileView& tile, const Facts& facts) {
    const DType dtype = tile.data.dtype;
    const BitFields fields = bit_fields(dtype);
    if (fields.mantissa == 0) return;
    const size_t at = tile.data.got.index(facts.at.row, facts.at.col) * size_of(dtype);
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
        put_right({column.right, column.y}, faint, std::string(name_of(dtype)));
    }
    column.y += px(23);
}

void line(Column& column, std::string_view label, const std::string& text, ImU32 ink = colour::kText) {
    put({column.left, column.y}, {Face::small_words, colour::kDim}, label);
    put_clipped(
        {column.left + px(86), column.y + px(1)}, column.width() - px(86), {Face::small_numbers, ink}, text
    );
    column.y += px(20);
}

void rule(Column& column) {
    column.y += px(4);
    hairline({column.left, column.y}, {column.right, column.y});
    column.y += px(7);
}

void draw_errors(Column& column, const TileView& tile, const Facts& facts) {
    if (!facts.compared) {
        line(
            column,
            "reference",
            has_reference(tile) ? "not compared: outside the tensor" : "none for this tile",
            colour::kFaint
        );
        return;
    }
    const ImU32 ink = facts.wrong ? colour::kBad : colour::kGood;
    const auto metric = [&](analysis::Metric which) {
        return static_cast<double>(tile.metric[static_cast<size_t>(which)].values(facts.at.row, facts.at.col)
        );
    };
    const double excess =
        facts.bound > 0 ? std::abs(facts.got - facts.reference) / static_cast<double>(facts.bound) : 0;
    line(column, "difference", number(facts.got - facts.reference, 5), ink);
    line(
        column,
        "bound",
        number(static_cast<double>(facts.bound), 3) +
            (facts.wrong ? "   exceeded " + number(excess, 3) + "x" : "   kept"),
        facts.wrong ? colour::kBad : colour::kDim
    );
    line(column, "ratio", number(metric(analysis::Metric::ratio), 6), ink);
    line(column, "relative", number(metric(analysis::Metric::relative), 4), ink);
    line(
        column,
        "ULP",
        number(metric(analysis::Metric::ulp), 9) + " of " + std::string(name_of(tile.data.dtype)),
        ink
    );
}

void draw_writer(Column& column, const Session& session, Selection& selection, const Facts& facts) {
    const TileView& tile = session.current;
    if (!has_owner(tile)) {
        line(column, "writer", "not recorded", colour::kFaint);
        return;
    }
    const capture::Owner& owner = tile.data.owner(facts.at.row, facts.at.col);
    if (owner.warp == capture::Owner::kNobody) {
        line(column, "writer", "never written", colour::kWarning);
        return;
    }
    swatch({column.left + px(86), column.y + px(4)}, px(9), colour::of(warp_colour(owner.warp)));
    put({column.left, column.y}, {Face::small_words, colour::kDim}, "writer");
    put({column.left + px(101), column.y + px(1)},
        {Face::small_numbers, colour::kText},
        "warp " + std::to_string(owner.warp) + " lane " + std::to_string(owner.lane));
    column.y += px(20);
    line(column, "epoch", std::to_string(owner.epoch) + " barriers before");
    const int site = static_cast<int>(owner.site);
    const std::string place = place_text(session.capture, site);
    if (place.empty()) return;
    if (press(
            {
                {column.left,  column.y         },
                {column.right, column.y + px(20)}
    },
            "element/writer"
        ))
        selection.site = site;
    line(column, "written at", place, colour::kAccent);
}

void draw_history(Column& column, const Session& session, Selection& selection, const Facts& facts) {
    const std::vector<HistoryPoint> history = element_history(session.capture, selection.tile, facts.at);
    if (history.size() < 2) return;
    rule(column);
    put({column.left, column.y}, {Face::small_words, colour::kText}, "across iterations");
    put_right(
        {column.right, column.y},
        {Face::small_numbers, colour::kFaint},
        std::to_string(history.front().iteration) + " .. " + std::to_string(history.back().iteration)
    );
    column.y += px(20);
    std::vector<double> at, got, reference;
    for (const HistoryPoint& point : history) {
        at.push_back(point.iteration);
        got.push_back(point.got);
        reference.push_back(point.reference);
    }
    ImGui::SetCursorScreenPos({column.left, column.y});
    const ImVec2 extent(column.width(), px(76));
    const ImPlotAxisFlags bare = ImPlotAxisFlags_NoDecorations | ImPlotAxisFlags_AutoFit;
    const ImVec2 low(column.left, column.y);
    ImPlot::PushStyleVar(ImPlotStyleVar_FitPadding, ImVec2(0.04F, 0.2F));
    if (ImPlot::BeginPlot("##history", extent, ImPlotFlags_CanvasOnly | ImPlotFlags_NoInputs)) {
        ImPlot::SetupAxes(nullptr, nullptr, bare, bare);
        ImPlot::PlotLine(
            "reference",
            at.data(),
            reference.data(),
            static_cast<int>(at.size()),
            {ImPlotProp_LineColor, ImGui::ColorConvertU32ToFloat4(colour::kReference)}
        );
        ImPlot::PlotLine(
            "got",
            at.data(),
            got.data(),
            static_cast<int>(at.size()),
            {ImPlotProp_LineColor, ImGui::ColorConvertU32ToFloat4(colour::kGot)}
        );
        ImPlot::PushPlotClipRect();
        const float now = ImPlot::PlotToPixels(selection.iteration, 0).x;
        hairline({now, low.y}, {now, low.y + extent.y}, colour::with_alpha(colour::kSelection, 170));
        for (const HistoryPoint& point : history) {
            const ImU32 ink = point.verdict == capture::Verdict::bad ? colour::kBad : colour::kGot;
            if (std::isfinite(point.got))
                ImPlot::GetPlotDrawList()->AddCircleFilled(
                    ImPlot::PlotToPixels(point.iteration, point.got), px(2.8F), ink
                );
        }
        ImPlot::PopPlotClipRect();
        ImPlot::EndPlot();
    }
    ImPlot::PopStyleVar();
    if (press(
            {
                low, {low.x + extent.x, low.y + extent.y}
    },
            "element/history"
        )) {
        const float share = (ImGui::GetIO().MousePos.x - low.x) / extent.x;
        const auto nearest = static_cast<size_t>(std::clamp(
            std::lround(share * static_cast<float>(history.size() - 1)),
            0L,
            static_cast<long>(history.size()) - 1
        ));
        const Element kept = selection.element;
        select_tile(session, selection, history[nearest].tile);
        selection.element = kept;
    }
    column.y += extent.y + px(4);
}

void draw_neighbours(Column& column, const TileView& tile, Selection& selection, const Facts& facts) {
    constexpr int kRows = 5, kCols = 7;
    rule(column);
    const Layer& layer = has_reference(tile) ? tile.metric[0] : tile.got;
    put({column.left, column.y}, {Face::small_words, colour::kText}, "neighbourhood");
    put_right(
        {column.right, column.y},
        {Face::small_words, colour::kFaint},
        has_reference(tile) ? "got - reference" : "got"
    );
    column.y += px(21);
    const float reach =
        std::max({std::abs(layer.lo), std::abs(layer.hi), static_cast<float>(tile.errors.bound), 1e-30F});
    const HeatStyle style = has_reference(tile) ? HeatStyle{HeatMap::errors, -reach, reach, 0, false}
                                                : HeatStyle{HeatMap::values, layer.lo, layer.hi, 0, false};
    const float width = column.width() / kCols, height = px(21);
    const int room = std::max(3, static_cast<int>((width - px(3)) / measure(Face::tiny_numbers, "0").x));
    ImDrawList* list = ImGui::GetWindowDrawList();
    for (int r = 0; r < kRows; ++r) {
        for (int c = 0; c < kCols; ++c) {
            const Element at{facts.at.row - kRows / 2 + r, facts.at.col - kCols / 2 + c};
            if (at.row < 0 || at.col < 0 || at.row >= tile.data.rows || at.col >= tile.data.cols) continue;
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
                    {Face::tiny_numbers, ink_on(fill)},
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
                selection.element = at;
        }
    }
    column.y += height * kRows + px(8);
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

void draw(ElementPanel&, const Session& session, Selection& selection) {
    const TileView& tile = session.current;
    const Element at = selection.element;
    const capture::Probe* probe = probe_of(session, selection);
    const bool inside = probe != nullptr && exists(at) && at.row < tile.data.rows && at.col < tile.data.cols;
    const Box box = window_box();
    if (!inside) {
        draw_header(
            box, {.title = "Element", .subtitle = "click one in a heatmap", .mark = colour::kSelection}
        );
        return;
    }
    const std::string name = probe->name + "[" + std::to_string(at.row) + ", " + std::to_string(at.col) + "]";
    const Box rest = draw_header(
        box, {.title = "Element", .subtitle = name, .note = probe->memory, .mark = colour::kSelection}
    );
    ImGui::SetCursorScreenPos(rest.low);
    if (ImGui::BeginChild("inspector", {rest.width(), rest.height()})) {
        const ImVec2 low = ImGui::GetCursorScreenPos();
        Column column{
            low.x + px(size::kPad), low.x + ImGui::GetContentRegionAvail().x - px(size::kPad), low.y};
        const Facts facts = facts_of(tile, at);
        draw_values(column, facts);
        draw_bits(column, tile, facts);
        draw_errors(column, tile, facts);
        rule(column);
        draw_writer(column, session, selection, facts);
        draw_history(column, session, selection, facts);
        draw_neighbours(column, tile, selection, facts);
        ImGui::SetCursorScreenPos({low.x, column.y});
        ImGui::Dummy({1, 1});
    }
    ImGui::EndChild();
}

}  // namespace wl::app
