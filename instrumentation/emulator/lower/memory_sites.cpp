// Where the memory instructions of a program point, apart from their executors: for what counts accesses.
// Models ld, st, atom, red, cp.async, ldmatrix, stmatrix by lane; wmma loads and stores as the requests that
// ptxas 13.0 makes of them for sm_90: matrices of 8 rows of 16 bytes, or the fragment's own elements. Not
// modelled: bulk copies, mbarriers, wmma on 4-bit and 1-bit elements (Program::uncounted_sites lists them).
#include "instrumentation/emulator/lower/lowering.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Space;
using ptx::Type;

MemoryRequest by_lane(AccessKind kind, uint32_t bytes, uint32_t lanes = kAllLanes) {
    MemoryRequest r;
    r.kind = kind;
    r.bytes = static_cast<uint8_t>(bytes);
    r.lanes = lanes;
    return r;
}

// ---- wmma

struct Shape {
    uint32_t m = 0, n = 0, k = 0;
};
Shape shape_of(std::string_view text) {  // "m16n16k16"
    Shape s;
    const char* at = text.data();
    const char* end = at + text.size();
    for (uint32_t* extent : {&s.m, &s.n, &s.k}) {
        if (at == end) return {};
        at = std::from_chars(at + 1, end, *extent).ptr;
    }
    return s;
}

// A wmma operand in memory: lines of elements that lie next to each other.
struct Lines {
    uint32_t count = 0, length = 0;
    bool fragment_order = false;  // lanes hold neighbours of a line, as a row-major m16n16 accumulator's do
};
Lines lines_of(const ptx::Modifiers& m, bool is_store) {
    const Shape s = shape_of(m.shape);
    const char what = is_store ? 'd' : m.kind.empty() ? '?' : m.kind[0];
    const bool row = m.layout_a != "col";
    const uint32_t rows = what == 'b' ? s.k : s.m, cols = what == 'a' ? s.k : s.n;
    const bool tall = s.n != 32;  // m8n32: the accumulator is held transposed
    const bool order = what == 'a' ? row : what == 'b' ? !row : row == tall;
    return {row ? rows : cols, row ? cols : rows, order};
}

// 8 lines of one 16-byte piece are a matrix; four matrices one request.
std::vector<MemoryRequest> matrix_requests(const Lines& lines, uint32_t element) {
    std::vector<MemoryRequest> out;
    const uint32_t pieces = lines.length * element / 16, matrices = lines.count / 8 * pieces;
    for (uint32_t first = 0; first < matrices; first += 4) {
        const uint32_t here = std::min(matrices - first, 4u);
        MemoryRequest r = by_lane(AccessKind::matrix, 16, here == 4 ? kAllLanes : (1u << 8 * here) - 1);
        for (uint32_t lane = 0; lane < 8 * here; ++lane) {
            const uint32_t matrix = first + lane / 8;
            r.line[lane] = static_cast<uint8_t>(matrix / pieces * 8 + lane % 8);
            r.byte[lane] = static_cast<uint16_t>(matrix % pieces * 16);
        }
        out.push_back(r);
    }
    return out;
}

// Lane l has line l / 4 and `run` neighbours from run * (l % 4) on, in every 8 lines and 4 * run elements; or
// the same with lines and elements exchanged, an element a request.
std::vector<MemoryRequest> fragment_requests(
    AccessKind kind, const Lines& lines, uint32_t element, uint32_t run
) {
    std::vector<MemoryRequest> out;
    const bool along = lines.fragment_order;
    const uint32_t outer = along ? lines.count : lines.length, inner = along ? lines.length : lines.count;
    for (uint32_t i = 0; i < outer; i += 8) {
        for (uint32_t j = 0; j < inner; j += 4 * run) {
            for (uint32_t e = 0; e < (along ? 1 : run); ++e) {
                MemoryRequest r = by_lane(kind, along ? element * run : element);
                for (uint32_t lane = 0; lane < kLanes; ++lane) {
                    const uint32_t x = i + lane / 4, y = j + run * (lane % 4) + e;
                    r.line[lane] = static_cast<uint8_t>(along ? x : y);
                    r.byte[lane] = static_cast<uint16_t>((along ? y : x) * element);
                }
                out.push_back(r);
            }
        }
    }
    return out;
}

std::vector<MemoryRequest> wmma_requests(const ptx::Instruction& in, bool is_store) {
    const Type t = in.types.back();
    const bool whole = t != Type::u4 && t != Type::s4 && t != Type::b1;
    const uint32_t element = whole ? ptx::bytes_of(t) : 0;
    Lines lines = lines_of(in.modifiers, is_store);
    const bool accumulator = is_store || in.modifiers.kind == "c";
    const AccessKind kind = is_store ? AccessKind::store : AccessKind::load;
    if (lines.count % 8 != 0 || element == 0) return {};
    if (element == 2) lines.fragment_order = true;  // transposed in registers
    if (accumulator) return fragment_requests(kind, lines, element, 2);
    if (element >= 4) return fragment_requests(kind, lines, element, 1);
    const bool shared = in.modifiers.space == Space::shared;
    if (shared && lines.fragment_order) return matrix_requests(lines, element);
    return fragment_requests(kind, lines, element, 4 / element);
}

// ---- every instruction

// The operand that is an address: of cp.async the first is the shared destination, the second the source.
std::optional<size_t> address_operand(const ptx::Instruction& in, size_t skip = 0) {
    for (size_t k = 0; k < in.operands.size(); ++k) {
        if (in.operands[k].kind != ptx::Operand::Kind::address) continue;
        if (skip-- == 0) return k;
    }
    return {};
}

void add_site(Lowering& l, size_t operand, Space space, std::vector<MemoryRequest> requests) {
    const AddressOperand where = address(l, operand, space);
    MemorySite s;
    s.site = l.out.site;
    s.space = where.space;
    s.slot = where.slot;
    s.wide = where.wide;
    s.displacement = where.displacement;
    s.requests = std::move(requests);
    const bool counted = s.space == Space::shared || s.space == Space::global || s.space == Space::generic;
    if (counted) l.program.memory_sites.push_back(std::move(s));
}

void add_wmma(Lowering& l, size_t operand, Space space) {
    const auto& in = *l.in;
    const bool is_store = in.op == Op::wmma_store;
    std::vector<MemoryRequest> requests = wmma_requests(in, is_store);
    if (requests.empty()) {
        l.program.uncounted_sites.push_back(l.out.site);
        return;
    }
    const size_t before = l.program.memory_sites.size();
    add_site(l, operand, space, std::move(requests));
    if (l.program.memory_sites.size() == before) return;
    MemorySite& s = l.program.memory_sites.back();
    s.element = ptx::bytes_of(in.types.back());
    s.stride = in.operands.size() > 2 ? source(l, 2, Type::u32)
                                      : constant(l, 4, lines_of(in.modifiers, is_store).length);
}

void add_access(Lowering& l, size_t operand, Space space) {
    const auto& in = *l.in;
    const uint32_t bytes = in.types.empty() ? 0 : ptx::bytes_of(in.types.back()) * in.modifiers.vector;
    const bool rows = in.op == Op::ldmatrix || in.op == Op::stmatrix;
    if (rows) {
        const uint32_t lanes = 8u * in.modifiers.vector;
        const uint32_t mask = lanes >= kLanes ? kAllLanes : (1u << lanes) - 1;
        return add_site(l, operand, Space::shared, {by_lane(AccessKind::matrix, 16, mask)});
    }
    if (bytes == 0 || bytes > 16) {
        l.program.uncounted_sites.push_back(l.out.site);
        return;
    }
    const AccessKind kind = in.op == Op::atom || in.op == Op::red ? AccessKind::atomic
        : in.op == Op::st                                         ? AccessKind::store
                                                                  : AccessKind::load;
    add_site(l, operand, space, {by_lane(kind, bytes)});
}

void add_copy(Lowering& l, size_t to) {
    const auto from = address_operand(*l.in, 1);
    if (!from || l.in->operands.size() < 3) return;
    const auto bytes = static_cast<uint32_t>(l.in->operands[2].bits);
    if (bytes != 4 && bytes != 8 && bytes != 16) return;
    add_site(l, to, Space::shared, {by_lane(AccessKind::copy, bytes)});
    add_site(l, *from, Space::global, {by_lane(AccessKind::copy, bytes)});
}

}  // namespace

void add_memory_sites(Lowering& l) {
    const auto operand = address_operand(*l.in);
    if (!operand) return;
    const Space named = l.in->modifiers.space;
    const Space space = named == Space::none ? Space::generic : named;
    const size_t first = l.program.memory_sites.size();
    switch (l.in->op) {
        case Op::ld:
        case Op::ldu:
        case Op::st:
        case Op::atom:
        case Op::red:
        case Op::ldmatrix:
        case Op::stmatrix: add_access(l, *operand, space); break;
        case Op::wmma_load:
        case Op::wmma_store: add_wmma(l, *operand, space); break;
        case Op::cp_async: add_copy(l, *operand); break;
        default: break;
    }
    const size_t count = l.program.memory_sites.size() - first;
    if (count != 0) l.program.memory_spans.push_back({l.program.code[0].size(), first, count});
}

}  // namespace wl::emulator
