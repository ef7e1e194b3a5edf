// Loads and stores by their transfers, matrices by the operands of their marks.
#include "instrumentation/travel/fragment_memory.h"

#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/dataflow.h"
#include "instrumentation/travel/layout_marks.h"
#include "instrumentation/travel/trace.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace wl::travel {
namespace {

using emulator::Here;
using fragments::Laid;
using ptx::Instruction;
using ptx::Op;

constexpr int64_t kMostElements = 1 << 16;  // of a matrix that is read whole

// A mark that says how memory lies: where it was met.
struct Met {
    const ptx::Mark* mark = nullptr;
    uint64_t order = 0;
};

const ptx::Mark* laying_mark(const Route& route, uint32_t site) {
    const Instruction& in = *route.instructions[site];
    if (in.op != Op::mark) return nullptr;
    const ptx::Mark& mark = route.function_of_site[site]->marks[static_cast<size_t>(in.mark)];
    using Kind = ptx::Mark::Kind;
    const bool lays = mark.kind == Kind::layout || mark.kind == Kind::tile || mark.kind == Kind::warp_tile;
    return lays ? &mark : nullptr;
}

// For each name the last mark before the instant and the first behind it: those that are nearer to what is
// done there first.
std::vector<Met> marks_around(Route& route, uint64_t order, bool stored) {
    std::map<std::string, Met> before, behind;
    each_instant(route, -1, [&](const Here& here, bool) {
        const ptx::Mark* mark = laying_mark(route, here.site);
        if (mark == nullptr) return false;
        if (here.order < order)
            before[mark->name] = {mark, here.order};
        else
            behind.try_emplace(mark->name, Met{mark, here.order});
        return false;
    });
    const auto sorted = [](const std::map<std::string, Met>& from, bool rising) {
        std::vector<Met> all;
        for (const auto& [name, met] : from) all.push_back(met);
        std::sort(all.begin(), all.end(), [&](const Met& a, const Met& b) {
            return rising ? a.order < b.order : a.order > b.order;
        });
        return all;
    };
    std::vector<Met> all = stored ? sorted(behind, true) : sorted(before, false);
    const std::vector<Met> other = stored ? sorted(before, false) : sorted(behind, true);
    all.insert(all.end(), other.begin(), other.end());
    return all;
}

// The operands of a mark: address, rows, columns, elements from line to line (probe/warplens.cuh).
std::optional<Laid> read_mark(const Route& route, const ptx::Mark& mark) {
    const Here& here = emulator::here(*route.traveller);
    const Instruction& in = *route.instructions[here.site];
    const auto lane = static_cast<size_t>(std::countr_zero(here.lanes));
    const auto number = [&](size_t k) { return operand_bits(route, in.operands[k])[lane]; };
    Laid laid;
    laid.name = mark.name;
    laid.dtype = mark.dtype;
    laid.column = mark.kind == ptx::Mark::Kind::layout && mark.order != 0;
    laid.address = number(0);
    laid.rows = static_cast<int32_t>(number(1));
    laid.cols = static_cast<int32_t>(number(2));
    laid.ld = static_cast<int32_t>(number(3));
    if (const std::optional<layouts::Matrix> named = notation_of(mark); named && named->ld > 0) {
        laid.rows = static_cast<int>(named->rows), laid.cols = static_cast<int>(named->columns);
        laid.ld = static_cast<int>(named->ld), laid.column = named->column;
    }
    const bool sound = laid.rows > 0 && laid.cols > 0 && laid.ld >= laid.width() &&
        int64_t{laid.lines()} * laid.ld <= kMostElements;
    return sound ? std::optional(laid) : std::nullopt;
}

// As the memory is where the route stands.
void read_values(const Route& route, Laid& laid) {
    const size_t size = size_of(laid.dtype);
    std::vector<std::byte> element(size);
    const int lane = std::countr_zero(emulator::here(*route.traveller).lanes);
    for (int64_t k = 0; k < int64_t{laid.lines()} * laid.ld; ++k) {
        const emulator::LaneAddress from{
            ptx::Space::generic, lane, laid.address + static_cast<uint64_t>(k) * size};
        const bool there = emulator::read_memory(*route.traveller, from, element);
        laid.values.push_back(
            there ? to_double(laid.dtype, element.data()) : std::numeric_limits<double>::quiet_NaN()
        );
    }
}

bool same_memory(const Laid& a, const Laid& b) {
    return a.name == b.name && a.address == b.address && a.ld == b.ld && a.rows == b.rows;
}

// Index in Live::laid of the marked matrix that holds the address; -1: none.
int find_laid(Route& route, uint64_t address, bool stored, fragments::Live& live) {
    const uint64_t order = emulator::here(*route.traveller).order;
    int found = -1;
    for (const Met& met : marks_around(route, order, stored)) {
        if (!emulator::go_to(*route.traveller, met.order)) continue;
        std::optional<Laid> laid = read_mark(route, *met.mark);
        if (!laid || !fragments::place_in(*laid, address)) continue;
        const auto known = std::find_if(live.laid.begin(), live.laid.end(), [&](const Laid& l) {
            return same_memory(l, *laid);
        });
        found = static_cast<int>(known - live.laid.begin());
        if (known != live.laid.end()) break;
        emulator::go_to(*route.traveller, order);
        read_values(route, *laid);
        live.laid.push_back(std::move(*laid));
        break;
    }
    emulator::go_to(*route.traveller, order);
    return found;
}

void describe_access(const Route& route, const Executed& e, const Log& log, fragments::Operand& o) {
    const Instruction& in = *route.instructions[e.site];
    o.place = user_place(route, e.site);
    o.instruction = in.mnemonic;
    if (in.op != Op::wmma_load && in.op != Op::wmma_store) {
        o.column = in.modifiers.trans;
        return;
    }
    o.column = in.modifiers.layout_a == "col";
    o.ld = static_cast<int64_t>(log.extras[static_cast<size_t>(e.extra) + 1][0]);
}

}  // namespace

bool is_matrix_load(const Instruction& in) { return in.op == Op::wmma_load || in.op == Op::ldmatrix; }

uint32_t user_site(const Route& route, uint32_t site) {
    for (int s = static_cast<int>(site); s >= 0; s = route.sites[static_cast<size_t>(s)].inlined_at)
        if (route.sites[static_cast<size_t>(s)].source == 0) return static_cast<uint32_t>(s);
    return site;
}

std::string user_place(const Route& route, uint32_t site) {
    const capture::Site& s = route.sites[user_site(route, site)];
    if (s.source < 0 || s.line == 0)
        return "";  // of what the compiler moved out of a header it names no line
    const std::filesystem::path path = route.module->files[static_cast<size_t>(s.source)];
    return fmt::format("{}:{}", path.filename().string(), s.line);
}

std::map<int32_t, Here> last_makers(Route& route, const Here& before, const std::set<int32_t>& regs) {
    std::map<int32_t, Here> last;
    std::map<uint32_t, std::vector<int32_t>> made;  // of `regs`, by site
    const auto made_at = [&](uint32_t site) -> const std::vector<int32_t>& {
        const auto [entry, is_new] = made.try_emplace(site);
        if (!is_new) return entry->second;
        const Instruction& in = *route.instructions[site];
        const size_t count = in.op == Op::mark ? 0 : ptx::destination_count(in);
        for (const int32_t reg : registers(in, 0, count))
            if (regs.contains(reg)) entry->second.push_back(reg);
        return entry->second;
    };
    each_instant(route, before.warp, [&](const Here& here, bool) {
        if (here.order >= before.order) return true;
        const bool same = here.depth == before.depth &&
            route.function_of_site[here.site] == route.function_of_site[before.site];
        if (same)
            for (const int32_t reg : made_at(here.site)) last[reg] = here;
        return false;
    });
    return last;
}

void add_memory(Route& route, const MovedRegister& moved, fragments::Live& live, fragments::Operand& o) {
    const Here here = emulator::here(*route.traveller);
    Log log;
    note(route, here, log);
    const Executed& e = log.executed.front();
    const FragmentLayout& layout = o.map.layout;
    const int per = layout.register_bits / layout.bits;
    const size_t elements = static_cast<size_t>(layout.elements);
    if (o.addresses.empty()) o.addresses.resize(32 * elements);
    std::array<int, 32> part{};
    uint64_t lowest = UINT64_MAX;
    for (const Transfer& t : transfers(*route.instructions[here.site], e, log)) {
        if (t.reg != moved.reg) continue;
        const auto lane = static_cast<size_t>(t.lane);
        const auto element = static_cast<size_t>(moved.of_fragment * per + part[lane]++);
        if (element < elements) o.addresses[lane * elements + element] = t.address;
        lowest = std::min(lowest, t.address);
    }
    if (o.place.empty()) describe_access(route, e, log, o);
    if (o.laid < 0 && lowest != UINT64_MAX) o.laid = find_laid(route, lowest, o.stored, live);
    emulator::go_to(*route.traveller, here.order);
}

}  // namespace wl::travel
