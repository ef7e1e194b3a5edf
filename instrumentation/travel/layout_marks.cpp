// Reading the operands of layout marks, and the elements that they speak of.
#include "instrumentation/travel/layout_marks.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/travel/dataflow.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

namespace wl::travel {
namespace {

constexpr int64_t kMostElements = 1 << 22;

// Operands: address, rows, columns, elements from one line to the next (probe/warplens.cuh).
std::optional<LaidOut> read_layout(const Route& route, const emulator::Here& here) {
    const ptx::Instruction& in = *route.instructions[here.site];
    const ptx::Mark& mark = route.function_of_site[here.site]->marks[static_cast<size_t>(in.mark)];
    const auto lane = static_cast<size_t>(std::countr_zero(here.lanes));
    const auto number = [&](size_t k) { return operand_bits(route, in.operands[k])[lane]; };
    LaidOut out{mark.name, mark.dtype, here.order, 0, 0, {}};
    const auto rows = static_cast<int32_t>(number(1)), cols = static_cast<int32_t>(number(2));
    if (rows <= 0 || cols <= 0 || int64_t{rows} * cols > kMostElements) return std::nullopt;
    out.rows = rows, out.cols = cols;
    const size_t size = size_of(mark.dtype);
    const auto ld = static_cast<uint64_t>(static_cast<int32_t>(number(3)));
    out.values.resize(static_cast<size_t>(rows) * static_cast<size_t>(cols) * size);
    for (int row = 0; row < rows; ++row)
        for (int col = 0; col < cols; ++col) {
            const auto line = static_cast<uint64_t>(mark.order == 0 ? row : col);
            const auto place = static_cast<uint64_t>(mark.order == 0 ? col : row);
            const auto at = static_cast<size_t>(row) * static_cast<size_t>(cols) + static_cast<size_t>(col);
            const emulator::LaneAddress from{
                ptx::Space::generic, static_cast<int>(lane), number(0) + (line * ld + place) * size};
            if (!emulator::read_memory(
                    *route.traveller, from, std::span(out.values).subspan(at * size, size)
                ))
                return std::nullopt;
        }
    return out;
}

}  // namespace

std::vector<LaidOut> laid_out(Route& route, uint64_t before) {
    std::vector<LaidOut> all;
    emulator::run_until(*route.traveller, -1, [&](const emulator::Here& here) {
        if (here.order >= before) return true;
        const ptx::Instruction& in = *route.instructions[here.site];
        if (in.op != ptx::Op::mark || here.lanes == 0) return false;
        const ptx::Mark& mark = route.function_of_site[here.site]->marks[static_cast<size_t>(in.mark)];
        if (mark.kind != ptx::Mark::Kind::layout) return false;
        std::erase_if(all, [&](const LaidOut& l) { return l.name == mark.name; });
        if (auto made = read_layout(route, here)) all.push_back(std::move(*made));
        return false;
    });
    return all;
}

}  // namespace wl::travel
