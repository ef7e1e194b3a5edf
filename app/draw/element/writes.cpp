// Rows out of sight take their place only.
#include "app/draw/element/writes.h"

#include "app/draw/palettes.h"
#include "app/draw/widgets.h"

#include <imgui.h>

#include <algorithm>
#include <string>

namespace wl::app {

namespace {

constexpr float kRow = 19;  // pixels at scale 1

// Left edges, and the right one of the value.
struct Places {
    float iteration, writer, value, line;
};
Places places_of(const ElementColumn& column) {
    const float width = column.width();
    return {
        column.left,
        column.left + px(30),
        column.left + std::max(px(158), width * 0.6F),
        column.left + std::max(px(164), width * 0.6F + px(10))};
}

std::string writer_text(const WriteRow& row) {
    const std::string more = row.lanes > 1 ? "+" + std::to_string(row.lanes - 1) : "";
    return "w" + std::to_string(row.warp) + " l" + std::to_string(row.lane) + more;
}

std::string words_of(const WriteRow& row) {
    std::string text = "warp " + std::to_string(row.warp) + " lane " + std::to_string(row.lane);
    if (row.lanes > 1) text += " and " + std::to_string(row.lanes - 1) + " more at once";
    text += ", " + std::to_string(row.epoch) + " barriers before";
    if (!row.stage.empty()) text += ", " + row.stage + " of iteration " + std::to_string(row.iteration);
    if (row.copy) text += "; a copy, which lands later";
    return text + "\na click goes to that instant";
}

bool draw_row(const WriteRow& row, const Places& at, Box box, const std::string& name, bool here) {
    const bool pressed = press(box, name), hot = ImGui::IsItemHovered();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (here || hot)
        list->AddRectFilled(
            box.low, box.high, here ? colour::with_alpha(colour::kSelection, 46) : colour::kRaised, px(2)
        );
    if (hot) tooltip(words_of(row));
    const float y = middle(box.low.y, box.height(), Face::small_numbers);
    const std::string iteration = row.iteration < 0 ? "-" : std::to_string(row.iteration);
    put({at.iteration, y}, {Face::small_numbers, colour::kDim}, iteration);
    swatch({at.writer, box.low.y + px(5)}, px(9), colour::of(warp_colour(row.warp)));
    put({at.writer + px(14), y}, {Face::small_numbers, colour::kText}, writer_text(row));
    const std::string left = row.copy && row.left.empty() ? "in flight" : row.left.empty() ? "-" : row.left;
    put_right({at.value, y}, {Face::small_numbers, here ? colour::kBright : colour::kText}, left);
    const std::string line = row.line == 0 ? row.file : row.file + ":" + std::to_string(row.line);
    put_clipped({at.line, y}, box.high.x - at.line, {Face::small_numbers, colour::kAccent}, line);
    return pressed;
}

}  // namespace

int draw_write_rows(ElementColumn& column, const WritesReport& report, int here) {
    const Places at = places_of(column);
    const TextStyle faint{Face::small_words, colour::kFaint};
    put({at.iteration, column.y}, faint, "iter");
    put({at.writer, column.y}, faint, "warp, lane");
    put_right({at.value, column.y}, faint, "leaves");
    put({at.line, column.y}, faint, "line");
    column.y += px(18);
    int chosen = -1;
    const ImVec2 low = ImGui::GetWindowDrawList()->GetClipRectMin(),
                 high = ImGui::GetWindowDrawList()->GetClipRectMax();
    for (size_t i = 0; i < report.rows.size(); ++i, column.y += px(kRow)) {
        if (column.y + px(kRow) < low.y || column.y > high.y) continue;
        const Box box{
            {column.left - px(3),  column.y           },
            {column.right + px(3), column.y + px(kRow)}
        };
        const int index = static_cast<int>(i);
        if (draw_row(report.rows[i], at, box, "element/write/" + std::to_string(i), index == here))
            chosen = index;
    }
    return chosen;
}

}  // namespace wl::app
