// A rectangle of elements: chosen, counted, copied.
#include "app/draw/numbers.h"
#include "app/panels/heat/tools.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

constexpr int64_t kMostRead = 4 << 20, kMostCopied = 1 << 20;  // elements

struct Sums {
    double sum = 0, squares = 0;
    RegionFigures figures;
    Sums() { figures.least = std::numeric_limits<double>::infinity(), figures.largest = -figures.least; }
    void take(float v) {
        if (is_absent(v)) return;
        if (!std::isfinite(v)) {
            ++(std::isnan(v) ? figures.nan : figures.inf);
            return;
        }
        const auto value = static_cast<double>(v);
        ++figures.finite;
        sum += value, squares += value * value;
        figures.least = std::min(figures.least, value);
        figures.largest = std::max(figures.largest, value);
    }
    RegionFigures finished() {
        if (figures.finite == 0) return {0, 0, 0, 0, 0, figures.nan, figures.inf};
        const auto count = static_cast<double>(figures.finite);
        figures.mean = sum / count;
        figures.deviation = std::sqrt(std::max(0.0, squares / count - figures.mean * figures.mean));
        return figures;
    }
};

RegionFigures figures_of(const Plane& plane, const Region& region, int every) {
    Sums sums;
    std::vector<float> row(static_cast<size_t>(region.cols));
    for (int r = 0; r < region.rows; r += every) {
        plane.read(region.row + r, region.col, region.cols, row.data());
        for (const float v : row) sums.take(v);
    }
    return sums.finished();
}

Box box_of(const Region& region, const HeatView& view, Box heat) {
    return {
        {x_at_col(view, heat.low, region.col),               y_at_row(view, heat.low, region.row)              },
        {x_at_col(view, heat.low, region.col + region.cols),
         y_at_row(view,                                                     heat.low, region.row + region.rows)}
    };
}

std::string shape_of(const Region& region) {
    const auto range = [](int first, int count) {
        return std::to_string(first) + (count > 1 ? ":" + std::to_string(first + count) : "");
    };
    return "[" + range(region.row, region.rows) + ", " + range(region.col, region.cols) + "]";
}

constexpr float kColumns[] = {96, 168, 240, 312};  // right edges of least, mean, largest, deviation

void put_figures(ImVec2 at, std::string_view name, ImU32 ink, const RegionFigures& figures) {
    put(at, {Face::small_words, ink}, name);
    const double values[] = {figures.least, figures.mean, figures.largest, figures.deviation};
    for (size_t i = 0; i < 4; ++i)
        put_right(
            {at.x + px(60 + kColumns[i]), at.y + 1},
            {Face::small_numbers, colour::kText},
            figures.finite > 0 ? number(values[i], 4) : "-"
        );
}

// "got 536 NaN, 2 Inf   reference all finite"
void put_others(ImVec2 at, const TileView& tile, const RegionReport& report) {
    const auto text_of = [](const RegionFigures& figures) -> std::string {
        if (figures.nan + figures.inf == 0) return " all finite";
        return " " + count_text(figures.nan) + " NaN, " + count_text(figures.inf) + " Inf";
    };
    const auto ink_of = [](const RegionFigures& figures) {
        return figures.nan + figures.inf > 0 ? colour::kNonFinite : colour::kFaint;
    };
    const float x = put(at, {Face::small_words, ink_of(report.got)}, tile.names[0] + text_of(report.got));
    if (has_reference(tile))
        put({x + px(18), at.y},
            {Face::small_words, ink_of(report.reference)},
            tile.names[1] + text_of(report.reference));
}

}  // namespace

Region region_between(Element a, Element b, const TileSource& tile) {
    const auto span = [](int x, int y, int extent) {
        const int low = std::clamp(std::min(x, y), 0, extent - 1),
                  high = std::clamp(std::max(x, y), 0, extent - 1);
        return std::pair(low, high - low + 1);
    };
    const auto [row, rows] = span(a.row, b.row, tile.rows);
    const auto [col, cols] = span(a.col, b.col, tile.cols);
    return {row, col, rows, cols};
}

RegionReport report_of(const TileView& tile, const Region& region) {
    RegionReport report;
    report.elements = int64_t{region.rows} * region.cols;
    report.every = static_cast<int>(1 + report.elements / kMostRead);
    report.got = figures_of(tile.got.values, region, report.every);
    if (!has_reference(tile)) return report;
    report.reference = figures_of(tile.reference.values, region, report.every);
    report.difference = figures_of(tile.metric[0].values, region, report.every);
    for (int r = 0; r < region.rows; r += report.every)
        for (int c = 0; c < region.cols; ++c)
            report.wrong += is_wrong(tile.data, region.row + r, region.col + c) ? 1 : 0;
    return report;
}

std::string copy_text(const Plane& plane, const Region& region, CopyAs as) {
    const int rows =
        static_cast<int>(std::min<int64_t>(region.rows, std::max<int64_t>(1, kMostCopied / region.cols)));
    const auto word = [as](float v) -> std::string {
        if (std::isnan(v)) return as == CopyAs::numpy ? "np.nan" : "nan";
        if (std::isinf(v)) return std::string(v < 0 ? "-" : "") + (as == CopyAs::numpy ? "np.inf" : "inf");
        return number(static_cast<double>(v), 9);
    };
    const std::string_view between = as == CopyAs::text ? "\t" : as == CopyAs::csv ? "," : ", ";
    std::string text = as == CopyAs::numpy ? "np.array([" : "";
    std::vector<float> row(static_cast<size_t>(region.cols));
    for (int r = 0; r < rows; ++r) {
        plane.read(region.row + r, region.col, region.cols, row.data());
        if (as == CopyAs::numpy) text += r == 0 ? "[" : ",\n          [";
        for (size_t c = 0; c < row.size(); ++c) text.append(c == 0 ? "" : between).append(word(row[c]));
        text += as == CopyAs::numpy ? "]" : "\n";
    }
    return as == CopyAs::numpy ? text + "])\n" : text;
}

bool drag_region(HeatTools& tools, const TileView& tile, const HeatView& view, Box heat) {
    if (tools.content != tile.content) {
        tools.region = tools.reported = {};
        tools.anchor = {};
        tools.content = tile.content;
    }
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsItemActivated()) {
        tools.region = {};
        tools.anchor = io.KeyShift ? element_at_pixel(view, heat.low, io.MousePos) : Element{};
    }
    if (!ImGui::IsItemActive() || tools.anchor == Element{}) return false;
    tools.region = region_between(tools.anchor, element_at_pixel(view, heat.low, io.MousePos), tile.data);
    return true;
}

void draw_region_frame(const HeatTools& tools, const HeatView& view, Box heat) {
    if (!exists(tools.region)) return;
    const Box box = box_of(tools.region, view, heat);
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImGui::PushClipRect(heat.low, heat.high, true);
    list->AddRect(
        {box.low.x - 1, box.low.y - 1},
        {box.high.x + 1, box.high.y + 1},
        colour::hex(0x000000, 170),
        0,
        0,
        px(3)
    );
    list->AddRect(box.low, box.high, colour::kAccent, 0, 0, px(1.5F));
    ImGui::PopClipRect();
}

void draw_region_report(HeatTools& tools, const TileView& tile, Box within) {
    if (!exists(tools.region) || tools.content != tile.content) return;
    if (tools.reported != tools.region) {
        tools.report = report_of(tile, tools.region);
        tools.reported = tools.region;
    }
    const RegionReport& report = tools.report;
    const bool compared = has_reference(tile);
    const float width = px(396), line = px(19), height = px(compared ? 161 : 119);
    const ImVec2 low(within.high.x - width - px(size::kPad), within.high.y - height - px(10));
    ImDrawList* list = ImGui::GetWindowDrawList();
    covers(low, {low.x + width, low.y + height});
    list->AddRectFilled(low, {low.x + width, low.y + height}, colour::kPopup, px(4));
    list->AddRect(low, {low.x + width, low.y + height}, colour::kStrongLine, px(4));
    ImVec2 at(low.x + px(12), low.y + px(8));
    const std::string every = report.every > 1 ? ", every " + std::to_string(report.every) + "th row" : "";
    put(at, {Face::small_strong, colour::kBright}, shape_of(tools.region));
    put_right(
        {low.x + width - px(12), at.y},
        {Face::small_words, report.wrong > 0 ? colour::kBad : colour::kDim},
        count_text(report.elements) + (report.elements == 1 ? " element" : " elements") + every +
            (compared ? ", " + count_text(report.wrong) + " wrong" : "")
    );
    at.y += line + px(2);
    constexpr std::string_view kNames[] = {"least", "mean", "largest", "deviation"};
    for (size_t i = 0; i < 4; ++i)
        put_right({at.x + px(60 + kColumns[i]), at.y}, {Face::small_words, colour::kFaint}, kNames[i]);
    at.y += line;
    put_figures(at, tile.names[0], colour::kGot, report.got);
    if (compared) {
        at.y += line;
        put_figures(at, tile.names[1], colour::kReference, report.reference);
        at.y += line;
        put_figures(at, "difference", colour::kDifference, report.difference);
    }
    at.y += line;
    put_others(at, tile, report);
    at.y += line + px(6);
    const std::pair<const char*, CopyAs> copies[] = {
        {"Text",  CopyAs::text },
        {"CSV",   CopyAs::csv  },
        {"NumPy", CopyAs::numpy}
    };
    float x = put({at.x, middle(at.y, px(kControlHeight), Face::small_words)},
                  {Face::small_words, colour::kFaint},
                  std::string("Copy ") + tile.names[0] + " as") +
        px(8);
    for (const auto& [label, as] : copies) {
        if (button({x, at.y}, std::string("heat/copy/") + label, label))
            ImGui::SetClipboardText(copy_text(tile.got.values, tools.region, as).c_str());
        x += button_width(label) + px(6);
    }
}

}  // namespace wl::app
