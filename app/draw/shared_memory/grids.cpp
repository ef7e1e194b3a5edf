// What all grids draw alike, the strip of the whole memory, and bytes in words.
#include "app/draw/shared_memory/grids.h"

#include "app/draw/numbers.h"
#include "app/draw/shared_memory/parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace wl::app {

ImU32 shared_fill(const ShownShared& shown, const capture::SharedRun& run) {
    const std::optional<Rgb> c = colour_of(shown.state, run, shown.colour);
    return c ? colour::of(*c) : kNeverInk;
}

ImU32 shared_fill(const ShownShared& shown, uint32_t at, uint32_t bytes, DType dtype) {
    const capture::SharedRun& run = telling_run(shown.state, shown.view, at, bytes);
    if (shown.colour == SharedColour::value && (run.write >= 0 || run.flight >= 0))
        return colour::of(colour_of(shared_value(shown.state, dtype, at), shown.range));
    return shared_fill(shown, run);
}

void frame_around(ImVec2 low, ImVec2 high, ImU32 ink, float width) {
    ImGui::GetWindowDrawList()->AddRect({low.x - 1, low.y - 1}, {high.x + 1, high.y + 1}, ink, 0, 0, width);
}

bool is_mouse_in(ImVec2 low, ImVec2 high) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    return ImGui::IsWindowHovered() && mouse.x >= low.x && mouse.x < high.x && mouse.y >= low.y &&
        mouse.y < high.y;
}

ServedLanes served(const LaneAccesses& accesses) { return {accesses, phases_of(accesses)}; }
ServedLanes served_in(const ShownShared& shown) {
    return served(shown.changed != nullptr ? shown.changed->accesses : shown.request->accesses);
}

void draw_served_lane(ImVec2 low, ImVec2 high, int lane, size_t phase) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const Rgb fill = phase_colour(phase);
    list->AddRectFilled(low, high, colour::of(fill), px(2));
    const std::string text = std::to_string(lane);
    const ImVec2 extent = measure(Face::tiny_numbers, text);
    if (high.x - low.x >= extent.x + 2 && high.y - low.y >= extent.y - px(4))
        put_centred({(low.x + high.x) / 2, (low.y + high.y) / 2}, {Face::tiny_numbers, colour::kBar}, text);
}

ByteRange shown_bytes(const ShownShared& shown) {
    if (shown.matrix == nullptr) return {0, static_cast<uint32_t>(shown.state.values.size())};
    return {shown.matrix->matrix.begin, layouts::end_of(shown.matrix->matrix)};
}

int64_t draw_strip(SharedHover& hover, TexelGrid& picture, const ShownShared& shown, Box box) {
    const auto bytes = static_cast<float>(shown.state.values.size());
    std::vector<ImU32> cells(static_cast<size_t>(std::max(1.0F, box.height())), kNeverInk);
    for (size_t row = 0; row < cells.size(); ++row) {
        const auto at = static_cast<uint32_t>(static_cast<float>(row) / box.height() * bytes);
        if (at < shown.state.values.size()) cells[row] = shared_fill(shown, at / 4 * 4, 4, DType::f32);
    }
    draw_texels(picture, std::move(cells), 1, box);
    const auto y_of = [&](int64_t byte) {
        return box.low.y + static_cast<float>(byte) / bytes * box.height();
    };
    const ByteRange range = shown_bytes(shown);
    if (shown.matrix != nullptr)
        frame_around(
            {box.low.x, y_of(range.begin)}, {box.high.x, y_of(range.end)}, colour::kBright, px(1.5F)
        );
    if (hover.now >= 0)
        hairline(
            {box.low.x - px(3), y_of(hover.now)}, {box.high.x + px(3), y_of(hover.now)}, colour::kSelection
        );
    const bool pressed = press(box, "shared/strip");
    if (!is_mouse_in(box.low, box.high)) return -1;
    const auto byte = static_cast<int64_t>((ImGui::GetIO().MousePos.y - box.low.y) / box.height() * bytes);
    hover.next = byte;
    return pressed ? byte : -1;
}

std::string byte_text(const ShownShared& shown, int64_t byte) {
    const auto at = static_cast<uint32_t>(byte);
    if (at >= shown.view.run_of.size()) return "";
    std::string text;
    const SharedMatrix* m = shown.matrix;
    if (m == nullptr || at < m->matrix.begin || at >= layouts::end_of(m->matrix)) {
        m = nullptr;
        for (const SharedMatrix& each : shown.view.matrices)
            if (m == nullptr && element_at(each, at)) m = &each;
    }
    if (m != nullptr) {
        if (const auto e = element_at(*m, at))
            text = fmt::format(
                "{}[{}][{}] = {}   ",
                m->name,
                e->row,
                e->column,
                number(
                    shared_value(shown.state, m->matrix.dtype, layouts::byte_of(m->matrix, e->row, e->column))
                )
            );
        else
            text = "padding of " + m->name + "   ";
    }
    const capture::SharedRun& run = shown.state.runs[static_cast<size_t>(shown.view.run_of[at])];
    text += fmt::format("byte {}, bank {}   {}", at, bank_of_address(at), history_text(shown.state, run));
    if (run.times > 0)
        text += fmt::format(
            "; written {} time{}, by {} thread{}",
            run.times,
            run.times == 1 ? "" : "s",
            run.writers,
            run.writers == 1 ? "" : "s"
        );
    return text;
}

}  // namespace wl::app
