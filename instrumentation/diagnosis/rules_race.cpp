// race_shared, race_warp, race_global: unordered accesses with both witnesses, and the barrier that mends
// them.
#include "instrumentation/diagnosis/edit.h"
#include "instrumentation/diagnosis/trial.h"
#include "instrumentation/diagnosis/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using emulator::Access;
using emulator::Incident;
using Kind = Incident::Kind;

constexpr size_t kMaxTrials = 24;  // places for a barrier tried, nearest before the second access first

bool is_race(Kind k) { return k == Kind::race_shared || k == Kind::race_warp || k == Kind::race_global; }

std::string rule_name(Kind k) {
    return k == Kind::race_warp ? "race_warp" : k == Kind::race_global ? "race_global" : "race_shared";
}

// Races that one change of the source would mend: same kind, same memory.
std::vector<std::vector<const Incident*>> causes(const Symptoms& s) {
    std::vector<std::vector<const Incident*>> out;
    for (const Incident& i : s.incidents) {
        if (!is_race(i.kind)) continue;
        const auto same = [&](const std::vector<const Incident*>& group) {
            const capture::Where a = where_of(s, group.front()->first.site), b = where_of(s, i.first.site),
                                 c = where_of(s, group.front()->second.site), d = where_of(s, i.second.site);
            const bool lines = a.line == b.line && c.line == d.line,
                       crossed = a.line == d.line && c.line == b.line;
            return group.front()->kind == i.kind && (lines || crossed);
        };
        const auto it = std::find_if(out.begin(), out.end(), same);
        if (it == out.end()) {
            out.push_back({&i});
        } else {
            it->push_back(&i);
        }
    }
    return out;
}

struct Mending {
    std::string text, proof;
    Trial trial;
    bool values = false;  // every tile is inside its bound as well
};

// Did the edit remove every race of this cause, and what became of the values? Of one block, or of all.
bool try_edit(
    const Symptoms& s,
    const ptx::Module& edited,
    const std::string& text,
    Mending& out,
    bool all_blocks = false
) {
    std::vector<int64_t> blocks;
    if (!all_blocks) blocks.push_back(s.block);
    Trial t = try_module(s.experiment, edited, {.blocks = blocks, .budget = s.budget});
    if (!t.unsupported.empty() || !t.finished) return false;
    if (std::any_of(t.incidents.begin(), t.incidents.end(), [](const Incident& i) {
            return is_race(i.kind) || i.kind == Kind::divergent_barrier;
        }))
        return false;
    out.text = text, out.values = mended(t);
    out.proof = fmt::format("with {} no race is left", text);
    if (t.compared > 0)
        out.proof += fmt::format(
            " and {} of {} elements of {} are outside their bounds",
            t.bad,
            t.compared,
            all_blocks ? "all blocks" : "block " + block_text(s.capture, s.block)
        );
    out.trial = std::move(t);
    return true;
}

// A __syncwarp that should be a block barrier: every one of the entry is tried, those between the two
// accesses first.
bool by_syncwarp(const Symptoms& s, uint32_t low, uint32_t high, Mending& out) {
    std::vector<uint32_t> sites;
    for (uint32_t i = 0; i < s.entry.code.size(); ++i) {
        if (s.entry.code[i].op == ptx::Op::bar_warp_sync) sites.push_back(i);
    }
    std::stable_sort(sites.begin(), sites.end(), [&](uint32_t a, uint32_t b) {
        return (a > low && a < high) > (b > low && b < high);
    });
    for (const Group& g : group_by_line(s.experiment.module, s.entry, sites)) {
        ptx::Module edited = s.experiment.module;
        ptx::Function& f = entry_of(edited, s.experiment.entry);
        const std::vector<uint32_t> later_first(
            g.members.rbegin(), g.members.rend()
        );  // so that indices stay
        for (const uint32_t at : later_first) insert_barrier(f, at);
        if (try_edit(
                s,
                edited,
                "a block barrier in place of the __syncwarp at " + place(where_of(s, g.members.front())),
                out
            ))
            return true;
    }
    return false;
}

// A barrier that is missing altogether: before each source line between the accesses, from the second
// backwards, then before the first.
bool by_insertion(const Symptoms& s, uint32_t low, uint32_t high, Mending& out) {
    std::vector<uint32_t> places;
    int32_t last = -2;
    for (uint32_t i = low + 1; i <= high && i < s.entry.code.size(); ++i) {
        const int32_t location = s.entry.code[i].location;
        if (last == -2 || !same_line(s.experiment.module, location, last)) places.push_back(i);
        last = location;
    }
    std::reverse(places.begin(), places.end());
    if (places.size() > kMaxTrials) places.resize(kMaxTrials);
    for (const uint32_t at : places) {
        ptx::Module edited = s.experiment.module;
        insert_barrier(entry_of(edited, s.experiment.entry), at);
        if (try_edit(s, edited, "a block barrier before " + place(where_of(s, at)), out)) return true;
    }
    return false;
}

// A fence that is missing before an atomic which tells other blocks: before those of each source line, those
// behind the first access first.
bool by_fence(const Symptoms& s, uint32_t first, Mending& out) {
    std::vector<uint32_t> atomics;
    for (uint32_t i = 0; i < s.entry.code.size(); ++i) {
        const ptx::Instruction& in = s.entry.code[i];
        const bool atomic = in.op == ptx::Op::atom || in.op == ptx::Op::red;
        if (atomic && in.modifiers.space != ptx::Space::shared) atomics.push_back(i);
    }
    std::stable_sort(atomics.begin(), atomics.end(), [&](uint32_t a, uint32_t b) {
        return (a > first) > (b > first);
    });
    for (const Group& g : group_by_line(s.experiment.module, s.entry, atomics)) {
        ptx::Module edited = s.experiment.module;
        ptx::Function& f = entry_of(edited, s.experiment.entry);
        const std::vector<uint32_t> later_first(g.members.rbegin(), g.members.rend());
        for (const uint32_t at : later_first) insert_fence(f, at);
        const std::string text =
            "a __threadfence() before the atomic at " + place(where_of(s, g.members.front()));
        if (try_edit(s, edited, text, out, true)) return true;
    }
    return false;
}

constexpr uint64_t kOrders =
    4;  // legal orders of warps tried for an effect; 0 is the emulator's own without marks

// What the race can do: the outputs of the block in other legal orders of its warps, where no mark makes them
// meet.
std::string effect(const Symptoms& s, bool all_blocks) {
    std::vector<int64_t> blocks;
    if (!all_blocks) blocks.push_back(s.block);
    Trial worst;
    uint64_t order = 0, wrong = 0;
    for (uint64_t seed = 0; seed < kOrders; ++seed) {
        Trial t = try_module(
            s.experiment,
            s.experiment.module,
            {.blocks = blocks, .budget = s.budget, .races = false, .marks = false, .schedule_seed = seed}
        );
        if (t.bad == 0) continue;
        ++wrong;
        if (t.bad > worst.bad) worst = std::move(t), order = seed;
    }
    if (!s.experiment.reference) return {};
    if (wrong == 0)
        return fmt::format(
            " In {} orders of {} that were tried the outputs of {} stayed right: harmless only as far as "
            "tried.",
            kOrders,
            all_blocks ? "blocks and warps" : "warps",
            all_blocks ? "all blocks" : "the block"
        );
    return fmt::format(
        " In {} of {} orders of {} that were tried the outputs come out wrong: with schedule {}, {} of {} "
        "elements of {}, by up to {}.",
        wrong,
        kOrders,
        all_blocks ? "blocks and warps" : "warps",
        order,
        worst.bad,
        worst.compared,
        all_blocks ? "all blocks" : "the block",
        number(worst.max_difference)
    );
}

std::string verb(const Access& a) { return a.write ? "writes" : "reads"; }

std::string region(const Symptoms& s, const Incident& i) {
    std::string tile = tile_at(s.capture, i.first.block, i.second.address);
    if (!tile.empty()) return tile;
    return fmt::format(
        "{} bytes {}..{}", i.second.memory, i.second.address, i.second.address + i.second.bytes - 1
    );
}

// Of an access, with whom and what: "block (1,0,0), warp 0, lane 3 writes 0x1".
std::string actor(const Symptoms& s, const Access& a) {
    return fmt::format(
        "block {}, warp {}, lane {} {} {:#x}",
        block_text(s.capture, a.block),
        a.warp,
        lanes_text(a.lanes),
        verb(a),
        a.value
    );
}

void word_global(const Symptoms& s, const Incident& i, capture::Finding& f) {
    const bool blocks = i.first.block != i.second.block, lanes = !blocks && i.first.warp == i.second.warp;
    const auto who = [&](const Access& a) {
        return blocks ? "block " + block_text(s.capture, a.block)
            : lanes   ? fmt::format("warp {}, lane {}", a.warp, lanes_text(a.lanes))
                      : fmt::format("warp {}", a.warp);
    };
    f.title = fmt::format(
        "race on {}: {} {} what {} {}, and nothing orders the two",
        i.second.memory,
        who(i.second),
        verb(i.second),
        who(i.first),
        verb(i.first)
    );
    const bool together = lanes && i.first.site == i.second.site;
    const char* mending = together         ? "Let one lane store, or use an atomic."
        : lanes                            ? "Put a __syncwarp() between the two."
        : !blocks                          ? "Put a __syncthreads() between the two."
        : i.first.write && !i.second.write ? "Hand the value on: a __threadfence() behind the store, then an "
                                             "atomic that the reader's block sees "
                                             "before it reads; or use an atomic for the whole."
                                           : "Use an atomic, or let each block write a place of its own.";
    f.explanation = fmt::format(
        "At {} {} at {:#x}; at {} {} there ({}). {} {}",
        quoted(s.capture, f.other),
        actor(s, i.first),
        i.first.address,
        quoted(s.capture, f.where),
        actor(s, i.second),
        i.detail,
        blocks         ? "Blocks of a launch run in any order and at once, so on a GPU either may come first."
            : together ? "Which lane's value stays is not defined."
            : lanes    ? "Lanes of a warp need not go together, so on a GPU either may come first."
                       : "No barrier lies between them, so on a GPU either may come first.",
        mending
    );
}

// Atomics, copies and matrix stores have overwritten the first access's value when they are looked at.
bool knows_values(const Symptoms& s, const Incident& i) {
    if (i.kind == Kind::race_global) return true;
    const auto at = code_place(s.experiment.module, s.entry, i.second.site);
    if (!at) return false;
    const ptx::Op op = s.experiment.module.functions[at->function].code[at->index].op;
    return op == ptx::Op::ld || op == ptx::Op::st;
}

void word_shared(const Symptoms& s, const Incident& i, capture::Finding& f) {
    const std::string what = region(s, i);
    f.where.tile = what.substr(0, what.find('['));
    if (f.where.tile == what) f.where.tile.clear();
    const char* missing = i.kind == Kind::race_warp ? "a __syncwarp" : "a block barrier";
    f.title = fmt::format(
        "race on {}: warp {} {} what warp {} {} in the same epoch, without {} between",
        f.where.tile.empty() ? "shared memory" : f.where.tile,
        i.second.warp,
        verb(i.second),
        i.first.warp,
        verb(i.first),
        missing
    );
    f.explanation = fmt::format(
        "Warp {} (lanes {}) {} {}{} at {}, and warp {} (lanes {}) {} the same bytes{} at {}; both lie in "
        "epoch {} of block {}, and nothing orders them, so on a GPU either may come first. Put {} between "
        "the two.",
        i.first.warp,
        lanes_text(i.first.lanes),
        verb(i.first),
        what,
        knows_values(s, i) ? fmt::format(" ({:#x})", i.first.value) : "",
        quoted(s.capture, f.other),
        i.second.warp,
        lanes_text(i.second.lanes),
        verb(i.second),
        knows_values(s, i) ? fmt::format(" ({:#x})", i.second.value) : "",
        quoted(s.capture, f.where),
        i.second.epoch,
        block_text(s.capture, i.second.block),
        missing
    );
}

capture::Finding describe(
    const Symptoms& s, const std::vector<const Incident*>& group, const Mending& mending
) {
    const Incident& i = *group.front();
    const bool global = i.kind == Kind::race_global;
    capture::Finding f;
    f.rule = rule_name(i.kind);
    f.where = where_of_access(s, i.second), f.other = where_of_access(s, i.first);
    for (const Incident* each : group) f.count += each->count;
    --f.count;
    if (global)
        word_global(s, i, f);
    else
        word_shared(s, i, f);
    const char* tried =
        global && i.first.block != i.second.block ? "fence before an atomic" : "barrier at a single place";
    f.proof = mending.proof.empty()
        ? fmt::format("witness: the two accesses above; no {} was found that removes every race", tried)
        : mending.proof;
    f.proven = mending.values || (!mending.proof.empty() && s.first_bad < 0);
    f.evidence = {
        {"pairs",      static_cast<double>(group.size())    },
        {"epoch",      static_cast<double>(i.second.epoch)  },
        {"address",    static_cast<double>(i.second.address)},
        {"site",       static_cast<double>(i.second.site)   },
        {"other_site", static_cast<double>(i.first.site)    }
    };
    if (knows_values(s, i)) {
        f.evidence.emplace_back("value", static_cast<double>(i.second.value));
        f.evidence.emplace_back("other_value", static_cast<double>(i.first.value));
    }
    return f;
}

}  // namespace

Ruled race_rule(const Symptoms& s) {
    Ruled out;
    Mending mending;
    for (const std::vector<const Incident*>& group : causes(s)) {
        const auto [low, high] = std::minmax(group.front()->first.site, group.front()->second.site);
        // One barrier often removes several pairs of lines: those after the first are its consequences.
        const Kind kind = group.front()->kind;
        if (out.findings.empty() && kind == Kind::race_shared && !by_syncwarp(s, low, high, mending))
            by_insertion(s, low, high, mending);
        const bool one_block = group.front()->first.block == group.front()->second.block;
        if (out.findings.empty() && kind == Kind::race_global && one_block)
            by_insertion(s, low, high, mending);
        if (out.findings.empty() && kind == Kind::race_global && !one_block)
            by_fence(s, group.front()->first.site, mending);
        const bool first = out.findings.empty();
        out.findings.push_back(describe(s, group, out.findings.empty() ? mending : Mending{}));
        if (first) out.findings.back().explanation += effect(s, kind == Kind::race_global);
        if (out.findings.size() > 1 && !mending.proof.empty())
            out.findings.back().caused_by = 0, out.findings.back().proof = "gone with the same change";
    }
    out.explains = out.mends = mending.values && s.first_bad >= 0;
    return out;
}

}  // namespace wl::diagnosis
