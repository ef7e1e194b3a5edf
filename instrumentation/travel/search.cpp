// Looking at what each instruction writes.
#include "instrumentation/travel/search.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/dataflow.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace wl::travel {
namespace {

using emulator::Here;
using ptx::Instruction;

// ---- names of bytes

std::optional<uint64_t> number(std::string_view text) {
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

// "[3][5]" as numbers.
std::vector<int> indices(std::string_view text) {
    std::vector<int> out;
    while (text.starts_with('[')) {
        const size_t close = text.find(']');
        const auto value = close == std::string_view::npos ? std::nullopt : number(text.substr(1, close - 1));
        if (!value || *value > INT32_MAX) return {};
        out.push_back(static_cast<int>(*value));
        text.remove_prefix(close + 1);
    }
    return text.empty() ? out : std::vector<int>();
}

NamedBytes element_of(const Taken& t, const std::string& text, std::vector<int> at) {
    if (at.size() == 1) at = t.tile.cols == 1 ? std::vector{at[0], 0} : std::vector{0, at[0]};
    if (at[0] >= t.tile.rows || at[1] >= t.tile.cols)
        throw Error(fmt::format(
            "{} lies outside the tile, which has {} x {} elements", text, t.tile.rows, t.tile.cols
        ));
    if (t.tile.ld == 0)
        throw Error(fmt::format("{} lies in registers: `--write` finds writes of memory", text));
    const auto size = static_cast<uint32_t>(size_of(t.tile.dtype));
    const uint64_t base = t.tile.memory == "shared" ? emulator::kSharedBase | t.tile.address : t.tile.address;
    const uint64_t index =
        static_cast<uint64_t>(at[0]) * static_cast<uint64_t>(t.tile.ld) + static_cast<uint64_t>(at[1]);
    return {
        {base + index * size, size},
        t.order, t.tile.dtype
    };
}

// ---- odd results

bool is_odd(NonFinite odd, double value) {
    return odd == NonFinite::nan ? std::isnan(value) : std::isinf(value);
}

// Of a register of the type: one number, or two packed ones.
bool is_odd(NonFinite odd, ptx::Type type, uint64_t bits) {
    std::byte raw[8];
    std::memcpy(raw, &bits, sizeof(raw));
    const auto at = [&](DType d, size_t offset) { return is_odd(odd, to_double(d, raw + offset)); };
    switch (type) {
        case ptx::Type::f64: return at(DType::f64, 0);
        case ptx::Type::f32: return at(DType::f32, 0);
        case ptx::Type::f16: return at(DType::f16, 0);
        case ptx::Type::bf16: return at(DType::bf16, 0);
        case ptx::Type::f16x2: return at(DType::f16, 0) || at(DType::f16, 2);
        case ptx::Type::bf16x2: return at(DType::bf16, 0) || at(DType::bf16, 2);
        default: return false;
    }
}

// The type of its results, when they are floating point.
ptx::Type result_type(const Instruction& in) {
    if (in.types.empty() || ptx::destination_count(in) == 0) return ptx::Type::none;
    const ptx::Type t = in.types.front();
    switch (t) {
        case ptx::Type::f64:
        case ptx::Type::f32:
        case ptx::Type::f16:
        case ptx::Type::bf16:
        case ptx::Type::f16x2:
        case ptx::Type::bf16x2: return t;
        default: return ptx::Type::none;
    }
}

}  // namespace

NamedBytes bytes_named(const std::vector<Taken>& taken, const std::string& text, int iteration) {
    for (const auto& [prefix, base] : {
             std::pair<std::string_view, uint64_t>{"shared:", emulator::kSharedBase},
              {"global:", 0                    }
    }) {
        if (!text.starts_with(prefix)) continue;
        const auto address = number(std::string_view(text).substr(prefix.size()));
        if (!address) throw Error(fmt::format("\"{}\" names no address: write {}0x40", text, prefix));
        return {
            {base + *address, 4},
            std::nullopt
        };
    }
    const size_t bracket = text.find('[');
    const std::string name = text.substr(0, bracket);
    const std::vector<int> at =
        bracket == std::string::npos ? std::vector<int>() : indices(text.substr(bracket));
    if (at.empty() || at.size() > 2)
        throw Error(fmt::format(
            "\"{}\" is neither shared:0x40, global:0x9000..., nor an element NAME[i][j] of a tile", text
        ));
    for (const Taken& t : taken)
        if (t.name == name && (iteration < 0 || t.tile.iteration == iteration))
            return element_of(t, text, at);
    throw Error(fmt::format(
        "the block takes no tile {}{}", name, iteration < 0 ? "" : fmt::format(" at iteration {}", iteration)
    ));
}

namespace {

// That write some of the bytes by the instruction at the route's instant.
uint32_t writing_lanes(const Route& route, const Bytes& bytes) {
    const Here& here = emulator::here(*route.traveller);
    const Instruction& in = *route.instructions[here.site];
    if (!writes_memory(in)) return 0;
    Log log;
    note(route, here, log);
    const Executed& e = log.executed.back();
    uint32_t lanes = 0;
    for (const Transfer& t : transfers(in, e, log))
        if (t.address < bytes.address + bytes.bytes && bytes.address < t.address + t.bytes)
            lanes |= 1U << t.lane;
    return lanes & e.lanes;
}

std::vector<std::byte> bytes_here(const Route& route, const Bytes& bytes) {
    std::vector<std::byte> held(bytes.bytes);
    const emulator::LaneAddress from{ptx::Space::generic, 0, bytes.address};
    return emulator::read_memory(*route.traveller, from, held) ? held : std::vector<std::byte>();
}

// The stage that each warp is in, and how often it came into which.
struct Stages {
    std::map<std::pair<int, std::string>, int> entries;
    std::map<int, std::string> shown;
};

}  // namespace

bool writes_here(const Route& route, const Bytes& bytes) { return writing_lanes(route, bytes) != 0; }

std::vector<Written> all_writes(Route& route, const Bytes& bytes) {
    std::vector<Written> all;
    Stages stages;
    uint64_t last = 0;
    emulator::run_from(*route.traveller, 0, -1, [&](const Here& here) {
        last = here.order;
        if (const std::string& stage = route.stages[here.site]; !stage.empty()) {
            stages.shown[here.warp] = stage;
            ++stages.entries[{here.warp, stage}];
        }
        const uint32_t lanes = writing_lanes(route, bytes);
        if (lanes == 0) return false;
        if (!all.empty()) all.back().left = bytes_here(route, bytes);
        Written& w = all.emplace_back();
        w.at = here, w.lanes = lanes;
        w.copy = ptx::traits_of(*route.instructions[here.site]).memory == ptx::Memory::copy;
        w.stage = stages.shown[here.warp];
        w.iteration = stages.entries[{here.warp, w.stage}] - 1;
        return false;
    });
    // The last instruction of a block writes nothing: it ends the last warp.
    if (!all.empty() && emulator::go_to(*route.traveller, last)) all.back().left = bytes_here(route, bytes);
    return all;
}

bool next_write(Route& route, const Bytes& bytes, uint64_t from) {
    return emulator::run_from(*route.traveller, from, -1, [&](const Here&) {
        return writes_here(route, bytes);
    });
}

bool last_write(Route& route, const Bytes& bytes, uint64_t before) {
    const std::vector<uint64_t> begins = emulator::key_frame_orders(*route.traveller);
    uint64_t end = before;
    for (size_t k = begins.size(); k-- > 0;) {
        if (begins[k] >= end) continue;
        std::optional<uint64_t> last;
        emulator::run_from(*route.traveller, begins[k], -1, [&](const Here& here) {
            if (here.order >= end) return true;
            if (writes_here(route, bytes)) last = here.order;
            return false;
        });
        if (last) return emulator::go_to(*route.traveller, *last);
        end = begins[k];
    }
    return false;
}

std::optional<OddResult> look_back(const Route& route, OddScout& scout, const Here& here) {
    if (scout.pending.size() <= static_cast<size_t>(here.warp)) return std::nullopt;
    auto& pending = scout.pending[static_cast<size_t>(here.warp)];
    std::optional<OddResult> found;
    std::erase_if(pending, [&](const OddScout::Pending& p) {
        if ((p.lanes & here.lanes) == 0) return false;
        if (found || p.at.depth != here.depth) return true;
        const Instruction& in = *route.instructions[p.at.site];
        const ptx::Function& f = *route.function_of_site[p.at.site];
        for (const int32_t reg : registers(in, 0, ptx::destination_count(in))) {
            if (f.registers[static_cast<size_t>(reg)].type == ptx::Type::pred) continue;
            const emulator::LaneBits bits = emulator::register_bits(*route.traveller, 0, f, reg);
            uint32_t lanes = 0;
            for (uint32_t lane = 0; lane < bits.size(); ++lane)
                if (is_odd(scout.odd, result_type(in), bits[lane])) lanes |= 1u << lane;
            lanes &= p.lanes;
            if (lanes != 0) found = OddResult{p.at.order, reg, lanes};
        }
        return true;
    });
    return found;
}

void note_result(const Route& route, OddScout& scout, const Here& here) {
    const Instruction& in = *route.instructions[here.site];
    if (result_type(in) == ptx::Type::none) return;
    Log log;
    note(route, here, log);
    if (scout.pending.size() <= static_cast<size_t>(here.warp))
        scout.pending.resize(static_cast<size_t>(here.warp) + 1);
    const uint32_t lanes = log.executed.back().lanes;
    if (lanes != 0) scout.pending[static_cast<size_t>(here.warp)].push_back({here, lanes});
}

}  // namespace wl::travel
