// Registers become elements by the maps of instrumentation/fragments; addresses come from the transfers of
// loads and stores.
#include "instrumentation/travel/fragments.h"

#include "instrumentation/fragments/names.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/dataflow.h"
#include "instrumentation/travel/fragment_memory.h"
#include "instrumentation/travel/trace.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace wl::travel {
namespace {

using fragments::Live;
using ptx::Instruction;
using ptx::Op;

constexpr int kLanes = 32;

// An operand of the instruction: which registers, by which map.
struct Part {
    std::string name;  // "a", "b", "c", "d", "e"
    std::string map;   // words of fragments::maps_named
    size_t operand = 0;
    bool made = false;  // by the instruction: there to be read behind it
};

std::string type_text(ptx::Type type) { return std::string(ptx::name_of(type)); }

Part product_part(const Instruction& in, const std::string& name) {
    const bool wmma = in.op == Op::wmma_mma, brief = in.types.size() == 2;
    const size_t k = name == "d" ? 0 : name == "a" ? 1 : name == "b" ? 2 : 3;
    const std::string type = !brief ? type_text(in.types[k])
        : k == 0 || k == 3          ? type_text(in.types[k / 3])
                                    : "f16";
    const char* word = wmma ? "wmma" : in.op == Op::mma_sp ? "mma.sp" : "mma";
    const std::string order = k == 1 ? std::string(in.modifiers.layout_a)
        : k == 2                     ? std::string(in.modifiers.layout_b)
                                     : "";
    return {name, fmt::format("{}.{} {} {} {}", word, in.modifiers.shape, name, type, order), k, k == 0};
}

bool is_product_with_fragments(const Instruction& in) {
    return in.op == Op::wmma_mma || in.op == Op::mma || in.op == Op::mma_sp;
}

std::vector<Part> parts_of(const Instruction& in) {
    std::vector<Part> parts;
    switch (in.op) {
        case Op::mma:
        case Op::mma_sp:
        case Op::wmma_mma:
            for (const char* name : {"a", "b", "c", "d"}) parts.push_back(product_part(in, name));
            if (in.op == Op::mma_sp && in.operands.size() > 5)
                parts.push_back(
                    {"e",
                     fmt::format(
                         "mma.sp.{} e{} {}",
                         in.modifiers.shape,
                         in.operands[5].bits & 3,
                         type_text(in.types[1])
                     ),
                     4,
                     false}
                );
            return parts;
        case Op::wmma_load:
        case Op::wmma_store: {
            const bool load = in.op == Op::wmma_load;
            const std::string name = load ? std::string(in.modifiers.kind) : "d";
            const std::string order = name == "a" || name == "b" ? std::string(in.modifiers.layout_a) : "";
            return {
                {name,
                 fmt::format("wmma.{} {} {} {}", in.modifiers.shape, name, type_text(in.types[0]), order),
                 load ? size_t{0} : 1,
                 load}
            };
        }
        case Op::ldmatrix:
        case Op::stmatrix: {
            const bool load = in.op == Op::ldmatrix;
            const std::string map = fmt::format(
                "{}.x{}{}",
                load ? "ldmatrix" : "stmatrix",
                in.modifiers.vector,
                in.modifiers.trans ? ".trans" : ""
            );
            return {
                {load ? "d" : "a", map, load ? size_t{0} : 1, load}
            };
        }
        case Op::movmatrix:
            return {
                {"a", "movmatrix a", 1, false},
                {"d", "movmatrix d", 0, true }
            };
        default: return {};
    }
}

// Bits of an element as a number.
double number_of(const std::string& type, uint64_t bits) {
    if (type == "u4" || type == "b1") return static_cast<double>(bits);
    if (type == "s4") return static_cast<double>(static_cast<int>(bits ^ 8) - 8);
    const DType dtype = dtype_from_name(type).value_or(DType::u16);
    std::array<std::byte, 8> raw{};
    std::memcpy(raw.data(), &bits, sizeof bits);
    return to_double(dtype, raw.data());
}

struct Standing {
    Route& route;
    emulator::Here here;
    const ptx::Function& function;
    const Instruction& in;
};

emulator::LaneBits bits_of(const Standing& s, int32_t reg) {
    return reg < 0 ? emulator::LaneBits{} : emulator::register_bits(*s.route.traveller, 0, s.function, reg);
}

// The values of an operand's registers where the route stands.
std::vector<double> values_of(
    const Standing& s, const fragments::Map& map, const std::vector<int32_t>& regs, const std::string& type
) {
    std::vector<emulator::LaneBits> bits;
    for (const int32_t reg : regs) bits.push_back(bits_of(s, reg));
    const uint64_t mask = map.layout.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << map.layout.bits) - 1;
    std::vector<double> values;
    for (int lane = 0; lane < kLanes; ++lane)
        for (int i = 0; i < map.layout.elements; ++i) {
            const fragments::Holder h = fragments::holder_of(map, lane, i);
            const bool there = h.reg < static_cast<int>(bits.size());
            const uint64_t whole =
                there ? bits[static_cast<size_t>(h.reg)][static_cast<size_t>(lane)] : uint64_t{0};
            values.push_back(
                there ? number_of(type, whole >> h.bit & mask) : std::numeric_limits<double>::quiet_NaN()
            );
        }
    return values;
}

// The same where each element has a register of its own.
std::vector<double> values_one_by_one(
    const Standing& s, const fragments::Map& map, const std::vector<int32_t>& regs, const std::string& type
) {
    std::vector<double> values(static_cast<size_t>(kLanes) * static_cast<size_t>(map.layout.elements));
    for (size_t i = 0; i < regs.size(); ++i) {
        const emulator::LaneBits bits = bits_of(s, regs[i]);
        for (size_t lane = 0; lane < kLanes; ++lane)
            values[lane * static_cast<size_t>(map.layout.elements) + i] = number_of(type, bits[lane]);
    }
    return values;
}

// b16 says nothing about the numbers: those of the matrix that is moved, else of a half.
std::string number_type(const fragments::Map& map, const Live& live, const fragments::Operand& o) {
    if (map.operand.starts_with('e')) return "u4";
    if (map.type != "b16") return map.type;
    if (o.laid >= 0) return std::string(name_of(live.laid[static_cast<size_t>(o.laid)].dtype));
    return "f16";
}

void add_products_memory(
    const Standing& s, const Part& part, const std::vector<int32_t>& regs, Live& live, fragments::Operand& o
) {
    if (part.made) return;
    const std::map<int32_t, emulator::Here> makers =
        last_makers(s.route, s.here, std::set<int32_t>(regs.begin(), regs.end()));
    for (size_t k = 0; k < regs.size(); ++k) {
        const auto maker = makers.find(regs[k]);
        if (maker == makers.end() || !is_matrix_load(*s.route.instructions[maker->second.site])) continue;
        emulator::go_to(*s.route.traveller, maker->second.order);
        add_memory(s.route, {static_cast<int>(k), regs[k]}, live, o);
    }
    emulator::go_to(*s.route.traveller, s.here.order);
}

void add_operand(const Standing& s, const Part& part, Live& live) {
    fragments::Operand o;
    o.name = part.name;
    o.map = fragments::maps_named(part.map).front();
    const std::vector<int32_t> regs = components(s.in.operands[part.operand]);
    const ptx::Traits& t = traits_of(s.in);
    if (ptx::reads(t.memory) || ptx::writes(t.memory)) {
        o.stored = ptx::writes(t.memory);
        for (size_t k = 0; k < regs.size(); ++k) add_memory(s.route, {static_cast<int>(k), regs[k]}, live, o);
    } else {
        add_products_memory(s, part, regs, live, o);
    }
    const std::string type = number_type(o.map, live, o);
    if (o.map.type == "b16" && o.laid < 0) live.note = "b16 elements that no mark names are shown as halves";
    if (part.made && step(s.route, 1)) o.values = values_of(s, o.map, regs, type);
    if (!part.made) o.values = values_of(s, o.map, regs, type);
    if (part.made) emulator::go_to(*s.route.traveller, s.here.order);
    live.operands.push_back(std::move(o));
}

const ptx::Mark* fragment_mark(const Route& route, uint32_t site) {
    const Instruction& in = *route.instructions[site];
    if (in.op != Op::mark) return nullptr;
    const ptx::Mark& mark = route.function_of_site[site]->marks[static_cast<size_t>(in.mark)];
    return mark.kind == ptx::Mark::Kind::fragment ? &mark : nullptr;
}

// The operands of products in the program of which some, side by side, have as many registers of that type
// (`halves`: as many elements, one a register).
std::vector<fragments::Map> maps_like(const Route& route, const std::string& type, int count, bool halves) {
    std::set<std::string> words, names;
    for (const Instruction* in : route.instructions)
        if (is_product_with_fragments(*in))
            for (const Part& part : parts_of(*in)) words.insert(part.map);
    std::vector<fragments::Map> maps;
    for (const std::string& each : words) {
        fragments::Map map = fragments::maps_named(each).front();
        const int own = halves ? map.layout.elements : map.layout.registers;
        if (map.type == type && count % own == 0 && names.insert(map.name).second)
            maps.push_back(std::move(map));
    }
    return maps;
}

// The registers that the mark's lines name from its first one on.
std::vector<int32_t> marked_registers(const Standing& s, const ptx::Mark& mark) {
    const auto count = static_cast<size_t>(s.in.operands[1].bits);
    std::vector<int32_t> regs;
    for (size_t site = s.here.site; site < s.route.instructions.size() && regs.size() < count; ++site) {
        const ptx::Mark* next = fragment_mark(s.route, static_cast<uint32_t>(site));
        if (next != nullptr && next->name == mark.name)
            regs.push_back(components(s.route.instructions[site]->operands[2]).front());
    }
    return regs;
}

// WL_FRAGMENT names registers alone: whose fragment they are follows where the program has one kind.
void add_mark(const Standing& s, const ptx::Mark& mark, Live& live) {
    live.mark = mark.name;
    const std::vector<int32_t> regs = marked_registers(s, mark);
    const auto count = static_cast<int>(regs.size());
    const std::string type = std::string(name_of(mark.dtype));
    const bool halves = count > 0 && regs[0] >= 0 && size_of(mark.dtype) < 4 &&
        ptx::bytes_of(s.function.registers[static_cast<size_t>(regs[0])].type) == size_of(mark.dtype);
    const std::vector<fragments::Map> maps = maps_like(s.route, type, count, halves);
    if (maps.size() != 1) {
        live.note = fmt::format(
            "WL_FRAGMENT(\"{}\") has {} registers of {} a lane, which {} of this program's fragments could "
            "be: its "
            "map is not known",
            mark.name,
            count,
            type,
            maps.empty() ? "none" : "several"
        );
        return;
    }
    const FragmentLayout& one = maps.front().layout;
    const int blocks = count / (halves ? one.elements : one.registers);
    fragments::Operand o;
    o.name = "d";
    o.map = blocks == 1 ? maps.front() : fragments::repeated(maps.front(), blocks);
    live.note = fmt::format(
        "{}{}, the only fragment in this program that {} registers of {} can be",
        blocks > 1 ? fmt::format("{} times ", blocks) : "as ",
        o.map.name,
        count,
        type
    );
    o.values = halves ? values_one_by_one(s, o.map, regs, type) : values_of(s, o.map, regs, type);
    live.operands.push_back(std::move(o));
}

// The product that a loaded fragment goes into.
struct TakenBy {
    uint64_t order = 0;
    std::string operand;
};

bool meet(const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
    return std::any_of(a.begin(), a.end(), [&](int32_t reg) {
        return reg >= 0 && std::find(b.begin(), b.end(), reg) != b.end();
    });
}

// Nothing: its registers are loaded again before, or the warp ends.
std::optional<TakenBy> taken_by(Route& route, const emulator::Here& load) {
    const std::vector<int32_t> loaded = components(route.instructions[load.site]->operands[0]);
    std::optional<TakenBy> taken;
    each_instant(route, load.warp, [&](const emulator::Here& here, bool) {
        const bool same = here.order > load.order && here.depth == load.depth &&
            route.function_of_site[here.site] == route.function_of_site[load.site];
        if (!same) return false;
        const Instruction& in = *route.instructions[here.site];
        const bool product = is_product_with_fragments(in);
        constexpr const char* kNames[] = {"", "a", "b", "c"};
        for (size_t k = 1; product && k < 4; ++k)
            if (meet(components(in.operands[k]), loaded)) {
                taken = TakenBy{here.order, kNames[k]};
                return true;
            }
        return is_matrix_load(in) && meet(components(in.operands[0]), loaded);
    });
    return taken;
}

// The instruction that the route stands at.
Live describe(Route& route) {
    const emulator::Here here = emulator::here(*route.traveller);
    const Standing s{route, here, *route.function_of_site[here.site], *route.instructions[here.site]};
    Live live;
    live.instruction = s.in.mnemonic;
    live.warp = here.warp;
    live.time = here.time;
    live.order = here.order;
    live.shared_base = emulator::kSharedBase;
    if (const ptx::Mark* mark = fragment_mark(route, here.site)) add_mark(s, *mark, live);
    for (const Part& part : parts_of(s.in)) add_operand(s, part, live);
    return live;
}

}  // namespace

bool has_fragments(const Route& route, uint32_t site) {
    const ptx::Mark* mark = fragment_mark(route, site);
    if (mark != nullptr) return route.instructions[site]->operands[0].bits == 0;
    switch (route.instructions[site]->op) {
        case Op::mma:
        case Op::mma_sp:
        case Op::wmma_mma:
        case Op::wmma_load:
        case Op::wmma_store:
        case Op::ldmatrix:
        case Op::stmatrix:
        case Op::movmatrix: return true;
        default: return false;
    }
}

fragments::Live fragments_here(Route& route) {
    const emulator::Here here = emulator::here(*route.traveller);
    const Instruction& in = *route.instructions[here.site];
    std::optional<TakenBy> taken;
    if (is_matrix_load(in)) taken = taken_by(route, here);
    emulator::go_to(*route.traveller, taken ? taken->order : here.order);
    Live live = describe(route);
    const capture::Site& site = route.sites[user_site(route, here.site)];
    live.line = site.line;
    if (site.source >= 0) live.file = route.module->files[static_cast<size_t>(site.source)];
    if (taken) live.focus = taken->operand;
    emulator::go_to(*route.traveller, here.order);
    return live;
}

}  // namespace wl::travel
