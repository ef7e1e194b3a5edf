// Trying barriers and fences against races.
#include "instrumentation/diagnosis/prove/ordering.h"

#include "instrumentation/diagnosis/early_return.h"
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/ptx/edit/edit.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace wl::diagnosis {

namespace {

using emulator::Incident;
using Kind = Incident::Kind;
using What = Insertion::What;

constexpr size_t kMaxTrials = 24;  // places tried for one cause and one kind of change
constexpr uint64_t kOtherOrders = 3;
constexpr size_t kMaxCauses = 4;  // for which changes are tried; the others may be gone with theirs

bool among_blocks(const Incident& i) { return i.first.block != i.second.block; }

// Lanes of one warp: a __syncwarp orders them.
bool among_lanes(const Incident& i) { return !among_blocks(i) && i.first.warp == i.second.warp; }

int gravity(const Incident& i) { return among_blocks(i) ? 0 : among_lanes(i) ? 2 : 1; }

Cause cause_of(const ptx::Module& module, const ptx::Function& entry, const Incident& i) {
    return {
        i.kind == Kind::race_global,
        where_of(module, entry, i.first.site),
        where_of(module, entry, i.second.site),
        {}};
}

bool same_cause(const Cause& a, const Cause& b) {
    return a.global == b.global && same_lines(a.first, a.second, b.first, b.second);
}

size_t index_of(const std::vector<Cause>& causes, const Cause& wanted) {
    const auto it =
        std::find_if(causes.begin(), causes.end(), [&](const Cause& c) { return same_cause(c, wanted); });
    return static_cast<size_t>(it - causes.begin());
}

// ---- places

// The first instructions of source lines in [begin, end).
std::vector<uint32_t> line_starts(
    const ptx::Module& m, const ptx::Function& f, uint32_t begin, uint32_t end
) {
    std::vector<uint32_t> out;
    for (uint32_t i = begin; i < std::min(end, static_cast<uint32_t>(f.code.size())); ++i) {
        if (i == 0 || !same_line(m, f.code[i].location, f.code[i - 1].location)) out.push_back(i);
    }
    return out;
}

// Where one barrier may stand so that it lies between the accesses: lines between the two of the first
// incident, from the second backwards; then all others between the cause's outermost; then, for accesses that
// meet over a loop's end, before the first and behind the last.
std::vector<CodePlace> places_between(const Symptoms& s, const Cause& cause) {
    const ptx::Module& m = s.experiment.module;
    std::vector<CodePlace> out;
    const auto add = [&](size_t function, uint32_t at) {
        const bool known = std::any_of(out.begin(), out.end(), [&](const CodePlace& p) {
            return p.function == function && p.index == at;
        });
        if (!known) out.push_back({function, at});
    };
    const auto add_lines = [&](size_t function, uint32_t begin, uint32_t end) {
        const std::vector<uint32_t> starts = line_starts(m, m.functions[function], begin, end);
        std::for_each(starts.rbegin(), starts.rend(), [&](uint32_t at) { add(function, at); });
    };
    struct Span {
        size_t function;
        uint32_t low, high;
    };
    std::vector<Span> spans;
    for (const Incident* i : cause.incidents) {
        const auto a = code_place(m, s.entry, i->first.site), b = code_place(m, s.entry, i->second.site);
        if (!a || !b || a->function != b->function) continue;
        const auto [low, high] = std::minmax(a->index, b->index);
        if (spans.empty() || spans.front().function == a->function) spans.push_back({a->function, low, high});
    }
    for (const Span& p : spans) add_lines(p.function, p.low + 1, p.high + 1);
    for (const Span& p : spans) {
        const std::vector<uint32_t> before = line_starts(m, m.functions[p.function], 0, p.low + 1);
        if (!before.empty()) add(p.function, before.back());
        const std::vector<uint32_t> behind = line_starts(m, m.functions[p.function], p.high + 1, UINT32_MAX);
        if (!behind.empty()) add(p.function, behind.front());
    }
    if (spans.empty()) {  // accesses of different functions: around the calls of the entry
        const auto entry = static_cast<size_t>(&s.entry - m.functions.data());
        for (uint32_t i = 0; i < s.entry.code.size(); ++i) {
            if (s.entry.code[i].op != ptx::Op::call) continue;
            add(entry, i);
            if (i + 1 < s.entry.code.size()) add(entry, i + 1);
        }
    }
    if (out.size() > kMaxTrials) out.resize(kMaxTrials);
    return out;
}

// "gemm.cu:31", or with the calls through which the line was inlined: "reduce.h:7, inlined at gemm.cu:31".
std::string place_of(const Symptoms& s, size_t function, uint32_t at) {
    const ptx::Module& m = s.experiment.module;
    int32_t location = user_location(m, m.functions[function].code[at].location);
    std::string out = place(where_in(m, location));
    while (location >= 0 && m.locations[static_cast<size_t>(location)].inlined_at >= 0) {
        location = m.locations[static_cast<size_t>(location)].inlined_at;
        out += ", inlined at " + place(where_in(m, location));
    }
    return out;
}

// "before gemm.cu:31"; of an instruction without a line, such as the end of a loop, behind the one above it.
std::string side_of(const Symptoms& s, const CodePlace& p) {
    const auto has_line = [&](uint32_t at) {
        const ptx::Module& m = s.experiment.module;
        return where_in(m, user_location(m, m.functions[p.function].code[at].location)).line > 0;
    };
    if (has_line(p.index)) return "before " + place_of(s, p.function, p.index);
    uint32_t above = p.index;
    while (above > 0 && !has_line(above)) --above;
    return "after " + place_of(s, p.function, above);
}

// Before a line wherever the compiler has put it (an unrolled loop has copies), then at one place alone.
std::vector<Mending> insertions(const Symptoms& s, const Cause& cause, What what) {
    const ptx::Module& m = s.experiment.module;
    const char* name = what == What::syncwarp ? "a __syncwarp()" : "a block barrier";
    std::vector<Mending> out;
    std::vector<CodePlace> lines;
    for (const CodePlace& p : places_between(s, cause)) {
        const ptx::Function& f = m.functions[p.function];
        const int32_t line = f.code[p.index].location;
        const std::string text = fmt::format("{} {}", name, side_of(s, p));
        const bool known = std::any_of(lines.begin(), lines.end(), [&](const CodePlace& k) {
            return k.function == p.function && same_line(m, f.code[k.index].location, line);
        });
        if (!known) {
            lines.push_back(p);
            Mending copies{{}, text};
            for (const uint32_t at : line_starts(m, f, 0, UINT32_MAX)) {
                if (same_line(m, f.code[at].location, line))
                    copies.insertions.push_back({what, p.function, at});
            }
            if (copies.insertions.size() > 1) out.push_back(std::move(copies));
        }
        out.push_back({{{what, p.function, p.index}}, text});
    }
    return out;
}

// One change for each source line, in their order.
std::vector<Mending> before_each(
    const Symptoms& s, const std::vector<ptx::Places>& lines, What what, const std::string& text
) {
    std::vector<Mending> out;
    for (const ptx::Places& line : lines) {
        Mending r{{}, text + place_of(s, line.front().function, line.front().at)};
        for (const ptx::Place& p : line) r.insertions.push_back({what, p.function, p.at});
        if (out.size() < kMaxTrials) out.push_back(std::move(r));
    }
    return out;
}

// A __syncwarp that should be a block barrier: those between the two accesses first.
std::vector<Mending> in_place_of_syncwarps(const Symptoms& s, const Cause& cause) {
    const ptx::Module& m = s.experiment.module;
    const auto a = code_place(m, s.entry, cause.incidents.front()->first.site),
               b = code_place(m, s.entry, cause.incidents.front()->second.site);
    std::vector<ptx::Places> lines =
        lines_with(s, [](const ptx::Instruction& i) { return i.op == ptx::Op::bar_warp_sync; });
    std::stable_partition(lines.begin(), lines.end(), [&](const ptx::Places& line) {
        if (!a || !b || a->function != b->function) return false;
        const auto [low, high] = std::minmax(a->index, b->index);
        return std::any_of(line.begin(), line.end(), [&, low = low, high = high](const ptx::Place& p) {
            return p.function == a->function && p.at > low && p.at < high;
        });
    });
    return before_each(s, lines, What::block_barrier, "a block barrier in place of the __syncwarp at ");
}

// A fence that is missing before an atomic which tells other blocks: it hands on what was stored before it.
std::vector<Mending> fences(const Symptoms& s, const Cause& cause) {
    const auto stored = code_place(s.experiment.module, s.entry, cause.incidents.front()->first.site);
    std::vector<ptx::Places> lines = lines_with(s, [](const ptx::Instruction& i) {
        return ptx::traits_of(i).memory == ptx::Memory::update && i.modifiers.space != ptx::Space::shared;
    });
    std::erase_if(lines, [&](const ptx::Places& line) {
        return stored && line.back().function == stored->function && line.back().at < stored->index;
    });
    return before_each(s, lines, What::fence, "a __threadfence() before the atomic at ");
}

std::vector<Mending> mendings_for(const Symptoms& s, const Cause& cause) {
    const Incident& i = *cause.incidents.front();
    if (among_blocks(i)) return fences(s, cause);
    if (among_lanes(i)) return insertions(s, cause, What::syncwarp);
    std::vector<Mending> out = in_place_of_syncwarps(s, cause);
    std::vector<Mending> more = insertions(s, cause, What::block_barrier);
    std::move(more.begin(), more.end(), std::back_inserter(out));
    return out;
}

// ---- trials

std::string_view text_of(What what) {
    switch (what) {
        case What::syncwarp: return "bar.warp.sync 0xffffffff;";
        case What::fence: return "membar.gl;";
        default: return "bar.sync 0;";
    }
}

ptx::Module changed(const Symptoms& s, const std::vector<Mending>& mendings) {
    std::vector<ptx::Insertion> all;
    for (const Mending& r : mendings)
        for (const Insertion& i : r.insertions)
            all.push_back({
                {i.function,                                i.at},
                false, text_of(i.what), {                                         }
            });
    ptx::Module out = s.experiment.module;
    [[maybe_unused]] const ptx::Edit edit = ptx::insert(out, all);
    assert(edit);
    return out;
}

// The blocks in which the causes were seen, and that of the first bad tile; empty: all.
std::vector<int64_t> blocks_to_run(const Symptoms& s, const std::vector<Cause>& causes) {
    std::set<int64_t> out;
    if (needs_all_blocks(s)) return {};
    if (s.first_bad >= 0) out.insert(s.block);
    for (const Cause& c : causes) {
        if (c.global) return {};
        out.insert(c.incidents.front()->second.block);
    }
    return {out.begin(), out.end()};
}

struct Left {
    Trial trial;
    std::vector<bool> causes;  // still there
    bool sound = false;        // it ended, without another race or another kind of fault
};

Left try_mendings(
    const Symptoms& s,
    const std::vector<Cause>& causes,
    const std::vector<Mending>& mendings,
    const std::vector<int64_t>& blocks,
    uint64_t schedule = 0
) {
    const ptx::Module module = changed(s, mendings);
    TrialOptions options{.blocks = blocks, .budget = s.budget, .schedule_seed = schedule};
    options.part_exits = !mendings.empty() && !may_return_early(s.experiment);
    Left out{
        mendings.empty() ? try_unedited(s.prover, options) : try_module(s.prover, module, options),
        {},
        false};
    out.causes.resize(causes.size());
    out.sound = out.trial.unsupported.empty() && out.trial.finished;
    if (!out.trial.unsupported.empty()) return out;
    const ptx::Function& entry = entry_of(module, s.experiment.entry);
    for (const Incident& i : out.trial.incidents) {
        if (is_race(i.kind)) {
            const size_t cause = index_of(causes, cause_of(module, entry, i));
            if (cause == causes.size())
                out.sound = false;
            else
                out.causes[cause] = true;
        } else if (i.kind != Kind::uniform_reduction) {
            const bool known = std::any_of(s.incidents.begin(), s.incidents.end(), [&](const Incident& k) {
                return k.kind == i.kind;
            });
            if (!known) out.sound = false;
        }
    }
    return out;
}

// What blocks hand each other by atomics is seen in the order in which they came: a fence counts when the
// race is gone in other orders too.
bool holds_in_other_orders(
    const Symptoms& s, const std::vector<Cause>& causes, size_t cause, const std::vector<Mending>& mendings
) {
    if (!among_blocks(*causes[cause].incidents.front())) return true;
    for (uint64_t schedule = 1; schedule <= kOtherOrders; ++schedule) {
        const Left left = try_mendings(s, causes, mendings, {}, schedule);
        if (!left.sound || left.causes[cause]) return false;
    }
    return true;
}

bool is_claimed(const Symptoms& s, const Cause& c) {
    const Incident& i = *c.incidents.front();
    const auto element = c.global ? std::nullopt : element_at(s.capture, i.first.block, i.second.address);
    return std::any_of(s.claims.begin(), s.claims.end(), [&](const Claim& claim) {
        return covers(claim, race_name(i.kind), element ? element->tile : "");
    });
}

bool any(const std::vector<bool>& flags) {
    return std::find(flags.begin(), flags.end(), true) != flags.end();
}

}  // namespace

bool is_race(Kind k) { return k == Kind::race_shared || k == Kind::race_warp || k == Kind::race_global; }

bool has_race(const std::vector<emulator::Incident>& incidents) {
    return std::any_of(incidents.begin(), incidents.end(), [](const emulator::Incident& i) {
        return is_race(i.kind);
    });
}

const char* race_name(Kind k) {
    return k == Kind::race_warp ? "race_warp" : k == Kind::race_global ? "race_global" : "race_shared";
}

std::vector<Cause> race_causes(
    const ptx::Module& module, const ptx::Function& entry, const std::vector<Incident>& incidents
) {
    std::vector<Cause> out;
    for (const Incident& i : incidents) {
        if (!is_race(i.kind)) continue;
        Cause c = cause_of(module, entry, i);
        const size_t known = index_of(out, c);
        if (known == out.size()) out.push_back(std::move(c));
        out[known].incidents.push_back(&i);
    }
    for (Cause& c : out) {
        std::stable_sort(c.incidents.begin(), c.incidents.end(), [](const Incident* a, const Incident* b) {
            return gravity(*a) < gravity(*b);
        });
    }
    // A line that races with itself between blocks loses updates: whatever it counts orders nothing.
    const auto rank = [](const Cause& c) {
        const int gravest = gravity(*c.incidents.front());
        return std::tuple(c.global, gravest, gravest > 0 || !same_line(c.first, c.second));
    };
    std::stable_sort(out.begin(), out.end(), [&](const Cause& a, const Cause& b) {
        return rank(a) < rank(b);
    });
    return out;
}

Ordering find_ordering(const Symptoms& s, const std::vector<Cause>& causes) {
    Ordering out;
    out.gone_with.assign(causes.size(), Ordering::kNone), out.seen.assign(causes.size(), false);
    for (const Cause& c : causes) out.tried.push_back(!is_claimed(s, c));
    if (!any(out.tried)) return out;
    const std::vector<int64_t> blocks = blocks_to_run(s, causes);
    out.blocks = blocks.empty() ? "all blocks"
        : blocks.size() == 1    ? "block " + block_text(s.capture, blocks.front())
                                : fmt::format("{} blocks", blocks.size());
    Left now = try_mendings(s, causes, {}, blocks);
    out.seen = now.causes;
    for (size_t c = 0; c < std::min(causes.size(), kMaxCauses); ++c) {
        if (!out.tried[c] || !out.seen[c] || !now.causes[c]) continue;
        std::optional<Left> best;
        Mending chosen;
        for (Mending& r : mendings_for(s, causes[c])) {
            std::vector<Mending> together = out.mendings;
            together.push_back(r);
            Left left = try_mendings(s, causes, together, blocks);
            if (!left.sound || left.causes[c] || !holds_in_other_orders(s, causes, c, together)) continue;
            const bool all = !any(left.causes);
            if (all || !best) best = std::move(left), chosen = std::move(r);
            if (all) break;
        }
        if (!best) continue;
        for (size_t k = 0; k < causes.size(); ++k) {
            if (now.causes[k] && !best->causes[k]) out.gone_with[k] = static_cast<int>(out.mendings.size());
        }
        out.mendings.push_back(std::move(chosen));
        now = std::move(*best);
    }
    out.complete = !out.mendings.empty() && !any(now.causes) &&
        std::find(out.seen.begin(), out.seen.end(), false) == out.seen.end();
    if (out.complete) out.program = changed(s, out.mendings);
    out.trial = std::move(now.trial);
    if (!blocks.empty() && is_added_up(s)) out.trial.compared = 0;
    return out;
}

}  // namespace wl::diagnosis
