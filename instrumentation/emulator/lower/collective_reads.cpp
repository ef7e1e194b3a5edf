// Follows values from reads of memory to warp-wide instructions, through registers, what calls pass, and
// local memory. Modelled: whether any path may carry the value, whatever the order of instructions; all of
// local memory is one place, which generic accesses reach where a function has variables there. Not modelled:
// values that go through shared or global memory, indirect calls.
#include "instrumentation/emulator/lower/collective_reads.h"

#include "instrumentation/emulator/exec/wrap.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using Kind = Operand::Kind;
using Place = uint32_t;

constexpr size_t kMostPlaces = 4096;  // looked at for one instruction: beyond, reads count as not taken in

// Places that hold values, and where these come from.
struct Flow {
    struct Function {
        Place registers = 0, variables = 0, params = 0, results = 0;  // the first of each
    };
    std::vector<Function> functions;                // as Program::functions
    std::vector<std::vector<Place>> from;           // by place
    std::vector<std::pair<Place, uint32_t>> reads;  // a place of its own for each, and its site
    Place local = 0;
    bool generic_is_local = false;
};

bool is_warp_wide(const Instruction& in) {
    return may_wait(in) && in.op != Op::bar_warp_sync && in.op != Op::mark;
}

bool reads_checked_memory(const Instruction& in) {
    if (ptx::traits_of(in).memory != ptx::Memory::load) return false;
    const Space space = in.modifiers.space;
    return space == Space::shared || space == Space::global || space == Space::generic ||
        space == Space::none;
}

Place add_places(Flow& flow, size_t count) {
    const auto first = static_cast<Place>(flow.from.size());
    flow.from.resize(flow.from.size() + count);
    return first;
}

// visit(place) for everything that the operand names and that holds a value.
template <class Visit>
void each_place(const Flow::Function& f, const Operand& o, const Visit& visit) {
    const Kind kind = o.kind == Kind::address ? o.base_kind : o.kind;
    const auto index = static_cast<Place>(o.index);
    if (kind == Kind::reg && o.index >= 0) visit(f.registers + index);
    if (kind == Kind::symbol && o.local) visit(f.variables + index);
    if (kind == Kind::param) visit(f.params + index);
    if (kind == Kind::result) visit(f.results + index);
    for (const Operand& e : o.elements) each_place(f, e, visit);
}

struct Instance {
    const Lowering& l;
    const Flow::Function& places;
};

void connect(Flow& flow, const std::vector<Place>& to, const std::vector<Place>& from) {
    for (const Place p : to) flow.from[p].insert(flow.from[p].end(), from.begin(), from.end());
}

std::vector<Place> places_of(const Instance& f, const Instruction& in, size_t first, size_t end) {
    std::vector<Place> all;
    for (size_t k = first; k < std::min(end, in.operands.size()); ++k)
        each_place(f.places, in.operands[k], [&](Place p) { all.push_back(p); });
    return all;
}

// What decides about the instruction's results: its sources, addresses and guard.
std::vector<Place> sources_of(const Instance& f, const Instruction& in) {
    std::vector<Place> all = places_of(f, in, ptx::destination_count(in), SIZE_MAX);
    if (in.guard.reg >= 0) all.push_back(f.places.registers + static_cast<Place>(in.guard.reg));
    return all;
}

void follow_call(Flow& flow, const Instance& f, const Instruction& in) {
    if (in.operands.size() < 3 || in.operands[1].kind != Kind::function) return;
    const int callee = function_index(f.l, in.operands[1].index);
    if (callee < 0) return;
    const Flow::Function& to = flow.functions[static_cast<size_t>(callee)];
    const auto pass = [&](const Operand& o, auto&& one) { each_place(f.places, o, one); };
    for (size_t k = 0; k < in.operands[2].elements.size(); ++k)
        pass(in.operands[2].elements[k], [&](Place p) { flow.from[to.params + k].push_back(p); });
    for (size_t k = 0; k < in.operands[0].elements.size(); ++k)
        pass(in.operands[0].elements[k], [&](Place p) {
            flow.from[p].push_back(static_cast<Place>(to.results + k));
        });
}

void follow_store(Flow& flow, const Instance& f, const Instruction& in) {
    const Space space = in.modifiers.space;
    const bool local =
        space == Space::local || (flow.generic_is_local && (space == Space::generic || space == Space::none));
    if (local) connect(flow, {flow.local}, sources_of(f, in));
    if (space == Space::param) connect(flow, places_of(f, in, 0, 1), places_of(f, in, 1, SIZE_MAX));
}

void follow(Flow& flow, const Instance& f, const Instruction& in, uint32_t site) {
    if (in.op == Op::call) return follow_call(flow, f, in);
    if (in.op == Op::st) return follow_store(flow, f, in);
    const std::vector<Place> written = places_of(f, in, 0, ptx::destination_count(in));
    const bool reads = reads_checked_memory(in);
    if (is_warp_wide(in) && !reads) return;
    std::vector<Place> from = is_warp_wide(in) ? std::vector<Place>() : sources_of(f, in);
    if (reads) {
        const Place own = add_places(flow, 1);
        flow.reads.emplace_back(own, site);
        const bool generic = in.modifiers.space == Space::generic || in.modifiers.space == Space::none;
        if (in.op == Op::ld && generic && flow.generic_is_local) from.push_back(flow.local);
        flow.from[own] = std::move(from);
        from = {own};
    } else if (in.op == Op::ld && in.modifiers.space == Space::local) {
        from.push_back(flow.local);
    }
    connect(flow, written, from);
}

Flow flow_of(std::span<const Lowering> functions) {
    Flow flow;
    flow.local = add_places(flow, 1);
    for (const Lowering& l : functions) {
        const ptx::Function& f = l.function;
        flow.functions.push_back(
            {add_places(flow, f.registers.size()),
             add_places(flow, f.variables.size()),
             add_places(flow, f.params.size()),
             add_places(flow, f.results.size())}
        );
        flow.generic_is_local = flow.generic_is_local ||
            std::any_of(f.variables.begin(), f.variables.end(), [](const ptx::Variable& v) {
                                    return v.space == Space::local;
                                });
    }
    for (size_t k = 0; k < functions.size(); ++k) {
        const Instance f{functions[k], flow.functions[k]};
        const ptx::Code& code = functions[k].function.code;
        for (size_t n = 0; n < code.size(); ++n)
            follow(flow, f, code[n], functions[k].first_site + static_cast<uint32_t>(n));
    }
    return flow;
}

// All places that the values of `begin` come from.
struct Search {
    const Flow& flow;
    std::vector<uint32_t> seen;  // by place: the round that came there
    uint32_t round = 0;

    std::vector<Place> reach(std::vector<Place> begin) {
        ++round;
        std::vector<Place> all;
        for (std::vector<Place> rest = std::move(begin); !rest.empty() && all.size() < kMostPlaces;) {
            const Place p = rest.back();
            rest.pop_back();
            if (std::exchange(seen[p], round) == round) continue;
            all.push_back(p);
            rest.insert(rest.end(), flow.from[p].begin(), flow.from[p].end());
        }
        return all;
    }
};

bool has_both(std::span<const Lowering> functions) {
    bool reads = false, collects = false;
    for (const Lowering& l : functions)
        for (const Instruction& in : l.function.code) {
            reads = reads || reads_checked_memory(in);
            collects = collects || is_warp_wide(in);
        }
    return reads && collects;
}

}  // namespace

void add_collective_reads(std::span<const Lowering> functions, Program& program) {
    if (!has_both(functions)) return;
    const Flow flow = flow_of(functions);
    CollectiveReads& all = program.collective_reads;
    all.numbers.assign(program.listing.sites.size(), 0);
    all.sites.assign(1, CollectiveReads::kNone);
    all.list_of_site.assign(program.listing.sites.size(), CollectiveReads::kNone);
    std::vector<uint32_t> number_at(flow.from.size(), 0);
    for (const auto& [place, site] : flow.reads) {
        all.numbers[site] = number_at[place] = static_cast<uint32_t>(all.sites.size());
        all.sites.push_back(site);
    }
    Search search{flow, std::vector<uint32_t>(flow.from.size(), 0)};
    for (size_t k = 0; k < functions.size(); ++k) {
        const Lowering& l = functions[k];
        for (size_t n = 0; n < l.function.code.size(); ++n) {
            if (!is_warp_wide(l.function.code[n])) continue;
            std::vector<uint32_t> list;
            for (const Place p : search.reach(sources_of({l, flow.functions[k]}, l.function.code[n])))
                if (number_at[p] != 0) list.push_back(number_at[p]);
            if (list.empty()) continue;
            all.list_of_site[l.first_site + n] = static_cast<uint32_t>(all.lists.size());
            all.lists.push_back(std::move(list));
            for (const Variant v : {kChecked, kRecorded}) program.code[v][l.self.begin + n].takes_in = 1;
        }
    }
}

}  // namespace wl::emulator
