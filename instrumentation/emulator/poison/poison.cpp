// The trace: blocks one after the other under a watcher that moves poison along with every instruction.
#include "instrumentation/emulator/poison/poison.h"

#include "instrumentation/emulator/poison/poison_state.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using Way = PoisonWay;

uint32_t tainted_sources(const Poison& p) {
    uint32_t lanes = 0;
    for (const PoisonSource& s : p.step->sources) lanes |= tainted_lanes(p, s.cell, p.lanes);
    return lanes;
}

// Registers to registers.
void follow_values(Poison& p) {
    const PoisonStep& s = *p.step;
    read_sources(p);
    PoisonRow out;
    out.birth.fill(kUnread);
    for (size_t k = s.sources.size(); k-- > 0;) {  // the first source with poison names its birth
        const PoisonRow& row = p.rows[k];
        if (s.sources[k].cell.bits == 0) continue;
        for (size_t lane = 0; lane < kLanes; ++lane)
            out.birth[lane] = row.bits[lane] != 0 ? row.birth[lane] : out.birth[lane];
    }
    for (size_t k = 0; k < s.results.size(); ++k) {
        poison_of_result(s, k, p.rows.data(), out);
        write_row(p, s.results[k], p.lanes, out);
    }
}

// The sources go where nobody follows them, or out of the kernel.
void follow_out(Poison& p, uint32_t tainted) {
    for (const PoisonSource& s : p.step->sources) {
        for (uint32_t rest = tainted_lanes(p, s.cell, tainted); rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            const uint32_t birth = read_taint(p, s.cell, lane).birth;
            if (p.step->way == Way::leave)
                leaves(p, birth, {{}, lane, 0});
            else
                lose(p, birth);
        }
    }
    for (const PoisonCell& cell : p.step->results) clear(p, cell, p.lanes);
}

void follow_results(Poison& p) {
    switch (p.step->way) {
        case Way::none: return;
        case Way::clean:
        case Way::lost:
        case Way::leave: return follow_out(p, tainted_sources(p));
        case Way::load:
        case Way::store:
        case Way::atomic:
        case Way::copy_async: return follow_memory(p);
        case Way::reduce:
        case Way::shuffle:
        case Way::ballot:
        case Way::across: return follow_warp(p);
        default: break;
    }
    if (is_collective(p.step->way)) return follow_matrix(p);
    if (tainted_sources(p) != 0) return follow_values(p);
    for (const PoisonCell& cell : p.step->results) clear(p, cell, p.lanes);
}

// What the operands decide by themselves: where to go, where to read or write.
void follow_deciders(Poison& p) {
    for (const PoisonDecider& d : p.step->deciders)
        for (uint32_t rest = tainted_lanes(p, d.cell, p.lanes); rest != 0; rest &= rest - 1) {
            const int lane = first_lane(rest);
            matters(p, read_taint(p, d.cell, lane).birth, d.effect, lane);
        }
}

// The lanes whose guard is poisoned, of `lanes`: it decides, or chooses between two values of the results.
void follow_guard(Poison& p, uint32_t lanes) {
    const PoisonStep& s = *p.step;
    for (uint32_t rest = tainted_lanes(p, s.guard, lanes); rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        const Taint t = read_taint(p, s.guard, lane);
        if (t.bits == 0) continue;  // it has just become zero
        if (s.guard_decides) {
            matters(p, t.birth, PoisonEffect::branch, lane);
            continue;
        }
        for (const PoisonCell& cell : s.results) write_taint(p, cell, lane, {~uint64_t{0}, t.birth});
    }
}

void look_at(Poison& p, Warp& w, const Instr* i) {
    const size_t index = code_index(*w.block, i);
    p.warp = &w;
    p.at = i;
    p.step = &p.plan->steps[index];
    if (p.frame != w.frame) {
        p.frame = w.frame;
        p.registers = &p.frames[w.frame];
    }
    p.lanes = w.mask;
    ++p.visits;
    const uint32_t fresh = w.mask & ~p.registers->entered;
    if (fresh != 0) enter_function(p, *w.frame->function, fresh);
    if (p.step->guard.bits != 0) {
        const uint32_t holds = predicate(w, p.step->guard.slot);
        p.lanes &= p.step->guard_negated ? ~holds : holds;
    }
}

// The end of a function without a ret has no instruction of PTX.
bool returns(const PoisonStep& s) { return s.in == nullptr || s.in->op == ptx::Op::ret; }

void before(Poison& p, Warp& w, const Instr* i) {
    look_at(p, w, i);
    follow_deciders(p);
    // A collective's sources have to be zero before it is executed; its results are followed once it was.
    if (!is_collective(p.step->way) || p.as_zero) follow_results(p);
    if (p.step->guard.bits != 0) follow_guard(p, w.mask);
    if (returns(*p.step)) p.registers->entered &= ~p.lanes;
}

// Tiles bring what their tensors were given.
void follow_tiles(Poison& p, Warp& w, const Instr* i) {
    for (const PendingCopy& copy : w.copies) {
        if (copy.instr != i || copy.tile == nullptr || copy.mbarrier < 0) continue;
        for (const TilePiece& piece : copy.tile->pieces)
            std::fill_n(p.shared.bits.data() + piece.shared, piece.bytes, uint8_t{0});
    }
}

void after(Poison& p, Warp& w, const Instr* i) {
    if (!w.copies.empty() && w.copies.back().instr == i) follow_tiles(p, w, i);
    if (!is_collective(p.plan->steps[code_index(*w.block, i)].way)) return;
    look_at(p, w, i);
    follow_results(p);
}

// Does a read of every group matter?
bool matter(const Births& births, const std::vector<std::vector<uint32_t>>& groups) {
    return std::all_of(groups.begin(), groups.end(), [&](const std::vector<uint32_t>& sites) {
        return std::any_of(births.all.begin() + 1, births.all.end(), [&](const Birth& b) {
            return b.incident.count > 0 &&
                std::find(sites.begin(), sites.end(), b.incident.first.site) != sites.end();
        });
    });
}

void gather(const Births& births, PoisonTrace& out) {
    std::map<uint32_t, bool> harmless;  // by site
    for (size_t k = 1; k < births.all.size(); ++k) {
        const Birth& b = births.all[k];
        const bool used = b.incident.count > 0;
        if (used) out.incidents.push_back(b.incident);
        const auto [it, first] = harmless.try_emplace(b.incident.first.site, true);
        it->second = it->second && !used && !b.lost;
    }
    for (const auto& [site, is_harmless] : harmless)
        if (is_harmless) out.harmless.push_back(site);
}

}  // namespace

PoisonTrace trace_poison(const WatchedLaunch& run, const PoisonOptions& options) {
    if (run.launch.cooperative) return {};
    const PoisonPlan plan = plan_poison(run.module, run.program);
    Poison poison;
    poison.plan = &plan;
    poison.as_zero = options.as_zero, poison.reads = options.reads;
    WatchedBlocks watched = watched_blocks(run, options.schedule_seed);
    watched.watcher.before = [&poison](Warp& w, const Instr* i) {
        before(poison, w, i);
        return true;
    };
    watched.watcher.after = [&poison](Warp& w, const Instr* i) { after(poison, w, i); };
    PoisonTrace out;
    const auto goes_on = [&](uint64_t done, uint64_t of) {
        out.cancelled = options.on_progress && !options.on_progress(done, of);
        out.answered = !options.until.empty() && matter(poison.births, options.until);
        return !out.cancelled && !out.answered;
    };
    const auto begun = [&poison](const Block& block) { begin_poison(poison, block); };
    out.blocks = run_watched(watched, run, {options.blocks, options.most_instructions}, begun, goes_on);
    gather(poison.births, out);
    return out;
}

}  // namespace wl::emulator
