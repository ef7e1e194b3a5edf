// Where the memory instructions of a program point, apart from their executors: for what counts accesses and
// looks for races, by the traits of their rows. Models accesses by lane; wmma loads and stores as the
// requests that ptxas 13.0 makes of them for sm_90: matrices of 8 rows of 16 bytes, or the fragment's own
// elements. Not modelled: mbarriers; banks of bulk copies and of wmma on 4-bit and 1-bit elements
// (Program::uncounted_sites lists them).
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace wl::emulator {
namespace {

using ptx::Extent;
using ptx::Memory;
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

// The site of an address whose space is looked at; nullptr: it lies in another.
MemorySite* add_site(Lowering& l, int8_t role, std::vector<MemoryRequest> requests) {
    const ptx::Operand* operand = operand_in(*l.in, role);
    if (operand == nullptr || operand->kind != ptx::Operand::Kind::address) return nullptr;
    const auto k = static_cast<size_t>(operand - l.in->operands.data());
    const AddressOperand where = address(l, k, space_of(*l.in, role));
    MemorySite s;
    s.site = l.out.site;
    s.space = where.space;
    s.slot = where.slot;
    s.wide = where.wide;
    s.displacement = where.displacement;
    s.requests = std::move(requests);
    const bool counted = s.space == Space::shared || s.space == Space::global || s.space == Space::generic;
    return counted ? &l.program.memory_sites.emplace_back(std::move(s)) : nullptr;
}

void add_fragment(Lowering& l, const ptx::Traits& t) {
    const auto& in = *l.in;
    const bool is_store = t.memory == Memory::store;
    std::vector<MemoryRequest> requests = wmma_requests(in, is_store);
    if (requests.empty()) return l.program.uncounted_sites.push_back(l.out.site);
    MemorySite* s = add_site(l, t.address, std::move(requests));
    if (s == nullptr) return;
    s->element = ptx::bytes_of(in.types.back());
    const ptx::Operand* stride = operand_in(in, t.stride);
    s->stride = stride != nullptr ? source(l, *stride, Type::u32)
                                  : constant(l, 4, lines_of(in.modifiers, is_store).length);
}

void add_rows(Lowering& l, const ptx::Traits& t) {
    const uint32_t lanes = 8u * l.in->modifiers.vector;
    const uint32_t mask = lanes >= kLanes ? kAllLanes : (1u << lanes) - 1;
    add_site(l, t.address, {by_lane(AccessKind::matrix, 16, mask)});
}

// Runs of bytes that single threads name. They have no banks to conflict in.
void add_bulk(Lowering& l, const ptx::Traits& t) {
    for (const int8_t role : {t.address, t.source}) {
        const bool out = role == t.address && space_of(*l.in, role) == Space::global;
        MemorySite* s = add_site(l, role, {by_lane(out ? AccessKind::store : AccessKind::copy, 16)});
        const ptx::Operand* size = operand_in(*l.in, t.size);
        if (s != nullptr && size != nullptr) s->size = source(l, *size, Type::u32);
    }
    l.program.uncounted_sites.push_back(l.out.site);
}

AccessKind kind_of(Memory memory) {
    switch (memory) {
        case Memory::load: return AccessKind::load;
        case Memory::store: return AccessKind::store;
        case Memory::copy: return AccessKind::copy;
        default: return AccessKind::atomic;
    }
}

// What each lane moves at its own addresses.
void add_by_lane(Lowering& l, const ptx::Traits& t) {
    const auto& in = *l.in;
    uint32_t bytes = in.types.empty() ? 0 : ptx::bytes_of(in.types.back()) * in.modifiers.vector;
    if (t.extent == Extent::operand) bytes = static_cast<uint32_t>(operand_in(in, t.size)->bits);
    if (bytes == 0 || bytes > 16) return l.program.uncounted_sites.push_back(l.out.site);
    add_site(l, t.address, {by_lane(kind_of(t.memory), bytes)});
    if (t.memory == Memory::copy) add_site(l, t.source, {by_lane(AccessKind::copy, bytes)});
}

}  // namespace

void add_memory_sites(Lowering& l) {
    const ptx::Traits& t = traits_of(*l.in);
    if (!reads(t.memory) && !writes(t.memory)) return;
    const size_t first = l.program.memory_sites.size();
    switch (t.extent) {
        case Extent::typed:
        case Extent::operand: add_by_lane(l, t); break;
        case Extent::bulk: add_bulk(l, t); break;
        case Extent::rows: add_rows(l, t); break;
        case Extent::fragment: add_fragment(l, t); break;
    }
    const size_t count = l.program.memory_sites.size() - first;
    if (count != 0) l.program.memory_spans.push_back({l.program.code[0].size(), first, count});
}

}  // namespace wl::emulator
