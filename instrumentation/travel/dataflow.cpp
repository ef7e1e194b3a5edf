// Models registers as wholes and memory as bytes, by the traits of rows. Not modelled: textures; a wmma or
// mma element depends on its row, its column and its addend.
#include "instrumentation/travel/dataflow.h"

#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/dataflow_matrix.h"

#include <algorithm>

namespace wl::travel {
namespace {

using emulator::LaneBits;
using ptx::Extent;
using ptx::Flow;
using ptx::Instruction;
using ptx::Memory;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

constexpr int kLanes = 32;

void add_registers(const Operand& o, std::vector<int32_t>& out) {
    if (o.kind == Kind::reg) out.push_back(o.index);
    if (o.kind == Kind::vector)
        for (const Operand& e : o.elements) add_registers(e, out);
}

const ptx::Function& function_at(const Route& route) {
    const int f = emulator::running_function(*route.traveller);
    return route.module->functions[static_cast<size_t>(route.functions[static_cast<size_t>(f)])];
}

LaneBits bits_of(const Route& route, const ptx::Function& f, const Operand& o) {
    LaneBits bits{};
    if (o.kind == Kind::reg) return emulator::register_bits(*route.traveller, 0, f, o.index);
    if (o.kind == Kind::immediate) bits.fill(o.bits);
    return bits;
}

// ---- addresses

uint64_t window_of(ptx::Space space) {
    switch (space) {
        case ptx::Space::shared: return emulator::kSharedBase;
        case ptx::Space::local: return emulator::kLocalBase;
        case ptx::Space::param:
        case ptx::Space::constant: return UINT64_MAX;
        default: return 0;
    }
}

std::string symbol_of(const Route& route, const ptx::Function& f, const Operand& o) {
    const auto k = static_cast<size_t>(o.index);
    return o.local ? f.variables[k].name : route.module->variables[k].name;
}

// UINT64_MAX: memory that nobody writes, or that calls pass values in.
Extra addresses(const Route& route, const ptx::Function& f, const Operand& o, ptx::Space space) {
    Extra out;
    out.fill(UINT64_MAX);
    const uint64_t window = window_of(space);
    if (window == UINT64_MAX) return out;
    LaneBits base{};
    uint64_t in_window = window;
    if (o.base_kind == Kind::reg) {
        base = emulator::register_bits(*route.traveller, 0, f, o.index);
    } else if (o.base_kind == Kind::symbol) {
        const auto at = emulator::address_of(*route.traveller, 0, symbol_of(route, f, o));
        if (!at) return out;
        base = at->second;
        in_window = window_of(at->first);
    } else if (o.base_kind != Kind::none) {
        return out;
    }
    for (size_t lane = 0; lane < kLanes; ++lane) {
        const uint64_t address = base[lane] + static_cast<uint64_t>(o.offset);
        out[lane] = in_window != 0 ? in_window | (address & 0xffffffff) : address;
    }
    return out;
}

Extra of_role(const Route& route, const ptx::Function& f, const Instruction& in, int8_t role) {
    return addresses(route, f, *operand_in(in, role), space_of(in, role));
}

// Of a copy: the bytes that each lane reads; the rest of its destination becomes zero.
Extra read_bytes(const Route& route, const ptx::Function& f, const Operand* fill, Extra bytes) {
    if (fill == nullptr) return bytes;
    const LaneBits bits = bits_of(route, f, *fill);
    const bool ignored =
        fill->kind == Kind::reg && f.registers[static_cast<size_t>(fill->index)].type == ptx::Type::pred;
    for (size_t lane = 0; lane < kLanes; ++lane)
        bytes[lane] = !ignored                   ? std::min(bits[lane], bytes[lane])
            : (bits[lane] != 0) != fill->negated ? 0
                                                 : bytes[lane];
    return bytes;
}

// ---- shuffles

// PTX ISA 9.7.9.6.
int shuffle_source(ptx::Mode mode, int lane, uint64_t b, uint64_t c) {
    const int distance = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31),
              segment = static_cast<int>(c >> 8 & 31);
    const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    const int from = mode == ptx::Mode::up ? lane - distance
        : mode == ptx::Mode::down          ? lane + distance
        : mode == ptx::Mode::bfly          ? lane ^ distance
                                           : least | (distance & ~segment);
    const bool in_range = mode == ptx::Mode::up ? from >= most : from <= most;
    return in_range ? from : lane;
}

Extra shuffle_sources(const Route& route, const ptx::Function& f, const Instruction& in) {
    const size_t a = ptx::destination_count(in);
    Extra out{};
    const LaneBits b = bits_of(route, f, in.operands[a + 1]), c = bits_of(route, f, in.operands[a + 2]);
    for (size_t lane = 0; lane < kLanes; ++lane)
        out[lane] =
            static_cast<uint64_t>(shuffle_source(in.modifiers.mode, static_cast<int>(lane), b[lane], c[lane])
            );
    return out;
}

// Instructions whose result in one lane is made of all lanes.
bool mixes_lanes(const Instruction& in) {
    const Flow flow = traits_of(in).flow;
    return flow == Flow::ballot || flow == Flow::across || flow == Flow::transpose || flow == Flow::product;
}

}  // namespace

emulator::LaneBits operand_bits(const Route& route, const Operand& o) {
    return bits_of(route, function_at(route), o);
}

std::vector<int32_t> components(const Operand& o) {
    std::vector<int32_t> out;
    const auto one = [&](const Operand& e) { out.push_back(e.kind == Kind::reg ? e.index : -1); };
    if (o.kind == Kind::vector)
        for (const Operand& e : o.elements) one(e);
    else
        one(o);
    return out;
}

std::vector<int32_t> registers(const Instruction& in, size_t first, size_t end) {
    std::vector<int32_t> out;
    for (size_t k = first; k < std::min(end, in.operands.size()); ++k) add_registers(in.operands[k], out);
    return out;
}

bool reads_memory(const Instruction& in) { return ptx::reads(traits_of(in).memory); }
bool writes_memory(const Instruction& in) { return ptx::writes(traits_of(in).memory); }
bool is_followed(const Instruction& in) { return traits_of(in).memory != Memory::opaque; }

Extra addresses_here(const Route& route, const Instruction& in) {
    return of_role(route, function_at(route), in, traits_of(in).address);
}

void note(const Route& route, const emulator::Here& here, Log& log) {
    const ptx::Function& f = function_at(route);
    const Instruction& in = *route.instructions[here.site];
    Executed e{
        here.order,
        here.nth,
        here.site,
        here.lanes,
        here.depth,
        static_cast<uint16_t>(here.warp),
        -1,
        here.lanes};
    if (in.guard.reg >= 0) {
        const LaneBits bits = emulator::register_bits(*route.traveller, 0, f, in.guard.reg);
        for (int lane = 0; lane < kLanes; ++lane)
            if ((bits[static_cast<size_t>(lane)] != 0) == in.guard.negated) e.lanes &= ~(1u << lane);
    }
    const auto add = [&](const Extra& extra) {
        if (e.extra < 0) e.extra = static_cast<int32_t>(log.extras.size());
        log.extras.push_back(extra);
    };
    const ptx::Traits& t = traits_of(in);
    if (ptx::reads(t.memory) || ptx::writes(t.memory)) {
        add(of_role(route, f, in, t.address));
        if (t.memory == Memory::copy) {
            const Extra bytes = bits_of(route, f, *operand_in(in, t.size));
            add(of_role(route, f, in, t.source));
            add(bytes);
            add(read_bytes(route, f, operand_in(in, t.fill), bytes));
        }
        if (t.extent == Extent::fragment) {
            Extra stride{};
            stride.fill(densest_stride(in));
            if (const Operand* given = operand_in(in, t.stride)) stride = bits_of(route, f, *given);
            add(stride);
        }
    } else if (t.control == ptx::Control::leave) {
        Extra call;
        call.fill(emulator::calling_site(*route.traveller).value_or(UINT32_MAX));
        if (here.depth > 0) add(call);
    } else if (t.flow == Flow::shuffle) {
        add(shuffle_sources(route, f, in));
    } else if (t.flow == Flow::select) {
        add(bits_of(route, f, in.operands[3]));
    }
    log.executed.push_back(e);
}

namespace {

// The bytes that a lane's copy makes different, in pieces of at most 16.
void add_copied(const Executed& e, const Log& log, int lane, std::vector<Transfer>& out) {
    const auto extra = static_cast<size_t>(e.extra), l = static_cast<size_t>(lane);
    const uint64_t bytes = log.extras[extra + 2][l], read = log.extras[extra + 3][l];
    for (uint64_t at = 0; at < bytes; at += 16) {
        Transfer t{
            lane, -1, log.extras[extra][l] + at, static_cast<uint32_t>(std::min<uint64_t>(bytes - at, 16))};
        t.from = log.extras[extra + 1][l] + at;
        t.copied = static_cast<uint32_t>(std::min<uint64_t>(read - std::min(read, at), 16));
        out.push_back(t);
    }
}

}  // namespace

std::vector<Transfer> transfers(const Instruction& in, const Executed& e, const Log& log) {
    std::vector<Transfer> out;
    if (e.extra < 0) return out;
    const ptx::Traits& t = traits_of(in);
    if (t.extent == Extent::fragment) return fragment_transfers(in, e, log);
    if (t.extent == Extent::rows) return matrix_transfers(in, e, log);
    const Extra& at = log.extras[static_cast<size_t>(e.extra)];
    std::vector<int32_t> regs(in.modifiers.vector, -1);
    if (const Operand* data = operand_in(in, t.data)) regs = components(*data);
    const uint32_t size = in.types.empty() ? 0 : ptx::bytes_of(in.types.back());
    for (int lane = 0; lane < kLanes; ++lane) {
        const uint64_t address = at[static_cast<size_t>(lane)];
        if ((e.lanes >> lane & 1) == 0 || address == UINT64_MAX) continue;
        if (t.memory == Memory::copy)
            add_copied(e, log, lane, out);
        else
            for (size_t k = 0; k < regs.size(); ++k) out.push_back({lane, regs[k], address + k * size, size});
    }
    return out;
}

std::vector<LaneRegister> sources(
    const Instruction& in, const Executed& e, const Log& log, const LaneRegister& d
) {
    if (is_product(in)) return product_sources(in, d);
    std::vector<LaneRegister> out;
    const size_t first = ptx::destination_count(in);
    const auto lane = static_cast<size_t>(d.lane);
    const Flow flow = traits_of(in).flow;
    if (flow == Flow::shuffle && e.extra >= 0) {
        const auto from = static_cast<int>(log.extras[static_cast<size_t>(e.extra)][lane]);
        for (const int32_t reg : registers(in, first, first + 1)) out.push_back({from, reg});
        return out;
    }
    if (flow == Flow::select && e.extra >= 0) {
        const size_t chosen = (log.extras[static_cast<size_t>(e.extra)][lane] & 1) != 0 ? 1 : 2;
        for (const int32_t reg : registers(in, chosen, chosen + 1)) out.push_back({d.lane, reg});
        return out;
    }
    for (const int32_t reg : registers(in, first)) {
        if (!mixes_lanes(in)) out.push_back({d.lane, reg});
        for (int other = 0; mixes_lanes(in) && other < kLanes; ++other)
            if ((e.lanes >> other & 1) != 0) out.push_back({other, reg});
    }
    return out;
}

}  // namespace wl::travel
