// Reading the operands of layout marks, and the elements that they speak of.
#include "instrumentation/travel/layout_marks.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/travel/dataflow.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string>

namespace wl::travel {
namespace {

constexpr int64_t kMostElements = 1 << 22;

// Where the mark's elements lie, in elements from its address.
std::optional<layouts::Matrix> matrix_of(const ptx::Mark& mark, int32_t rows, int32_t cols, int32_t ld) {
    if (std::optional<layouts::Matrix> named = notation_of(mark)) return named;
    if (rows <= 0 || cols <= 0 || ld <= 0) return std::nullopt;
    return layouts::plain_matrix(mark.dtype, rows, cols, ld, mark.order != 0);
}

// Operands: address, rows, columns, elements from one line to the next (probe/warplens.cuh).
std::optional<LaidOut> read_layout(const Route& route, const emulator::Here& here) {
    const ptx::Instruction& in = *route.instructions[here.site];
    const ptx::Mark& mark = route.function_of_site[here.site]->marks[static_cast<size_t>(in.mark)];
    const auto lane = static_cast<size_t>(std::countr_zero(here.lanes));
    const auto number = [&](size_t k) { return operand_bits(route, in.operands[k])[lane]; };
    const auto whole = [&](size_t k) { return static_cast<int32_t>(number(k)); };
    const std::optional<layouts::Matrix> m = matrix_of(mark, whole(1), whole(2), whole(3));
    if (!m || m->rows * m->columns > kMostElements) return std::nullopt;
    LaidOut out{mark.name, mark.dtype, here.order, 0, 0, {}};
    out.rows = static_cast<int>(m->rows), out.cols = static_cast<int>(m->columns);
    const size_t size = size_of(mark.dtype);
    out.values.resize(static_cast<size_t>(m->rows * m->columns) * size);
    for (int64_t row = 0; row < m->rows; ++row)
        for (int64_t col = 0; col < m->columns; ++col) {
            const auto place = static_cast<uint64_t>(layouts::offset(m->layout, row, col));
            const auto at = static_cast<size_t>(row * m->columns + col);
            const emulator::LaneAddress from{
                ptx::Space::generic, static_cast<int>(lane), number(0) + place * size};
            if (!emulator::read_memory(
                    *route.traveller, from, std::span(out.values).subspan(at * size, size)
                ))
                return std::nullopt;
        }
    return out;
}

}  // namespace

std::optional<layouts::Matrix> notation_of(const ptx::Mark& mark) {
    if (mark.layout.empty()) return std::nullopt;
    try {
        return layouts::parse_matrix(std::string(name_of(mark.dtype)) + " " + mark.layout);
    } catch (const Error& problem) {
        throw Error("WL_LAYOUT(\"" + mark.name + "\", ..., \"" + mark.layout + "\"): " + problem.what());
    }
}

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
