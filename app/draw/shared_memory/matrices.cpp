// Matrices of the same bytes, element by element, as they are written or transposed.
#include "app/draw/numbers.h"
#include "app/draw/shared_memory/parts.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace wl::app {

namespace {

struct Cells {
    ImVec2 low;
    float width = 0, height = 0;
    int64_t rows = 0, columns = 0;  // as they are drawn
    ImVec2 at(int64_t row, int64_t column) const {
        return {low.x + static_cast<float>(column) * width, low.y + static_cast<float>(row) * height};
    }
    ImVec2 high() const { return at(rows, columns); }
};

Cells cells_of(const LogicalLook& look, Box box) {
    Cells c;
    c.rows = look.transposed ? look.matrix.matrix.columns : look.matrix.matrix.rows;
    c.columns = look.transposed ? look.matrix.matrix.rows : look.matrix.matrix.columns;
    c.low = {box.low.x + px(kSharedSide - 10), box.low.y + px(kSharedHead + kSharedRuler)};
    const float width = (box.high.x - c.low.x) / static_cast<float>(c.columns),
                height = (box.high.y - c.low.y) / static_cast<float>(c.rows);
    const float side = std::min({width, height, px(kMostSharedRow)});
    c.width = std::min(width, std::max(side, px(5))), c.height = std::min(height, std::max(side, px(4)));
    c.width = std::min(c.width, 4 * c.height);
    return c;
}

SharedElement element_of(const LogicalLook& look, int64_t row, int64_t column) {
    return look.transposed ? SharedElement{column, row} : SharedElement{row, column};
}

uint32_t byte_at(const LogicalLook& look, int64_t row, int64_t column) {
    const SharedElement e = element_of(look, row, column);
    return layouts::byte_of(look.matrix.matrix, e.row, e.column);
}

void draw_elements(TexelGrid& picture, const ShownShared& shown, const LogicalLook& look, const Cells& c) {
    const auto size = static_cast<uint32_t>(layouts::bytes_of(look.matrix.matrix));
    std::vector<ImU32> cells;
    cells.reserve(static_cast<size_t>(c.rows * c.columns));
    for (int64_t i = 0; i < c.rows; ++i)
        for (int64_t j = 0; j < c.columns; ++j)
            cells.push_back(shared_fill(shown, byte_at(look, i, j), size, look.matrix.matrix.dtype));
    draw_texels(picture, std::move(cells), static_cast<int>(c.columns), {c.low, c.high()});
}

void draw_values(const ShownShared& shown, const LogicalLook& look, const Cells& c) {
    if (c.width < px(24) || c.height < px(12)) return;
    const int characters = static_cast<int>(c.width / measure(Face::tiny_numbers, "0").x);
    for (int64_t i = 0; i < c.rows; ++i)
        for (int64_t j = 0; j < c.columns; ++j) {
            const double value = shared_value(shown.state, look.matrix.matrix.dtype, byte_at(look, i, j));
            const ImVec2 at = c.at(i, j);
            put_centred(
                {at.x + c.width / 2, at.y + c.height / 2},
                {Face::tiny_numbers, colour::kBright},
                cell_number(value, characters)
            );
        }
}

void draw_cell_lines(const Cells& c) {
    const ImVec2 high = c.high();
    const ImU32 fine = colour::with_alpha(colour::kPanel, 120),
                strong = colour::with_alpha(colour::kPanel, 220);
    for (int64_t j = 0; j <= c.columns; ++j)
        if (c.width >= px(5) || j % 8 == 0)
            hairline({c.at(0, j).x, c.low.y}, {c.at(0, j).x, high.y}, j % 8 == 0 ? strong : fine);
    for (int64_t i = 0; i <= c.rows; ++i)
        if (c.height >= px(5) || i % 8 == 0)
            hairline({c.low.x, c.at(i, 0).y}, {high.x, c.at(i, 0).y}, i % 8 == 0 ? strong : fine);
    for (int64_t j = 0; j < c.columns; j += 8)
        if (c.width * 8 >= px(18) || j % 32 == 0)
            put({c.at(0, j).x, c.low.y - px(13)}, {Face::tiny_numbers, colour::kFaint}, std::to_string(j));
    const int64_t each = c.height * 8 >= px(11) ? 8 : 32;
    for (int64_t i = 0; i < c.rows; i += each)
        put_right(
            {c.low.x - px(4), c.at(i, 0).y - px(1)}, {Face::tiny_numbers, colour::kFaint}, std::to_string(i)
        );
}

void draw_logical_lanes(const ShownShared& shown, const LogicalLook& look, const Cells& c) {
    const ServedLanes l = served(shown.request->accesses);  // the elements stay those that are asked for
    ImGui::GetWindowDrawList()->AddRectFilled(c.low, c.high(), colour::with_alpha(colour::kPanel, 170));
    const auto size = static_cast<uint32_t>(layouts::bytes_of(look.matrix.matrix));
    each_lane(l, [&](int lane, size_t phase, uint64_t at) {
        const auto first = element_at(look.matrix, static_cast<uint32_t>(at)),
                   last = element_at(
                       look.matrix,
                       static_cast<uint32_t>(at) + std::max<uint32_t>(l.accesses.bytes, size) - size
                   );
        if (!first) return;
        const SharedElement a = look.transposed ? SharedElement{first->column, first->row} : *first;
        SharedElement b = last ? *last : *first;
        if (look.transposed) std::swap(b.row, b.column);
        const bool whole = b.row >= a.row && b.column >= a.column;
        const ImVec2 low = c.at(a.row, a.column),
                     high = c.at((whole ? b.row : a.row) + 1, (whole ? b.column : a.column) + 1);
        draw_served_lane(low, {high.x - 0.5F, high.y - 0.5F}, lane, phase);
    });
}

void light_logical(SharedHover& hover, const LogicalLook& look, const Cells& c) {
    if (const ImVec2 mouse = ImGui::GetIO().MousePos; is_mouse_in(c.low, c.high())) {
        const auto row = static_cast<int64_t>((mouse.y - c.low.y) / c.height),
                   column = static_cast<int64_t>((mouse.x - c.low.x) / c.width);
        if (row < c.rows && column < c.columns) hover.next = byte_at(look, row, column);
    }
    if (hover.now < 0) return;
    auto e = element_at(look.matrix, static_cast<uint32_t>(hover.now));
    if (!e) return;
    if (look.transposed) std::swap(e->row, e->column);
    const ImVec2 low = c.at(e->row, e->column), high = c.at(e->row + 1, e->column + 1);
    const ImU32 faint = colour::with_alpha(colour::kSelection, 70);
    hairline({c.low.x, (low.y + high.y) / 2}, {low.x, (low.y + high.y) / 2}, faint);
    hairline({(low.x + high.x) / 2, c.low.y}, {(low.x + high.x) / 2, low.y}, faint);
    frame_around(low, high, colour::kSelection, px(2));
}

}  // namespace

std::pair<Box, Box> boxes_of_both(const SharedMatrix& matrix, Box box) {
    constexpr float kGap = 16, kNarrow = 110;  // pixels at scale 1
    const auto rows = static_cast<float>(matrix.matrix.rows),
               columns = static_cast<float>(matrix.matrix.columns);
    const float share = std::clamp(columns / (columns + rows), 0.25F, 0.75F), room = box.width() - px(kGap);
    Box first = box, second = box;
    if (room * std::min(share, 1 - share) < px(kNarrow)) {
        const float split = box.low.y + std::floor((box.height() - px(kGap)) / 2);
        first.high.y = split, second.low.y = split + px(kGap);
    } else {
        const float split = box.low.x + room * share;
        first.high.x = split, second.low.x = split + px(kGap);
    }
    return {first, second};
}

void draw_logical(
    SharedHover& hover, TexelGrid& picture, const ShownShared& shown, const LogicalLook& look, Box box
) {
    const Cells c = cells_of(look, box);
    const float after = put_clipped(
        box.low,
        box.high.x - box.low.x,
        {Face::small_words, colour::kText},
        look.matrix.name + (look.transposed ? " transposed" : "")
    );
    put_clipped(
        {after + px(8), box.low.y},
        box.high.x - after - px(8),
        {Face::small_words, colour::kFaint},
        layouts::text_of(look.matrix.matrix)
    );
    draw_elements(picture, shown, look, c);
    draw_cell_lines(c);
    if (shown.request != nullptr)
        draw_logical_lanes(shown, look, c);
    else
        draw_values(shown, look, c);
    light_logical(hover, look, c);
    register_control(look.name, c.low, c.high());
}

}  // namespace wl::app
