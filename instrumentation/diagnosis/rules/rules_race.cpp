// Unordered accesses with both witnesses, and the barrier that mends them.
#include "instrumentation/base/demangle.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/race_clash.h"
#include "instrumentation/diagnosis/rules/race_patch.h"
#include "instrumentation/diagnosis/rules/race_proof.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/barrier_place.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/program/program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using emulator::Access;
using emulator::Incident;
using Kind = Incident::Kind;

// What the race can do: the outputs of the block in other legal orders of its warps, where no mark makes them
// meet.
std::string effect(const Symptoms& s, bool all_blocks) {
    if (!s.experiment.reference) return {};
    const Orders o = try_orders(s, all_blocks);
    const char* what = all_blocks ? "blocks and warps" : "warps";
    const char* whose = all_blocks ? "all blocks" : "the block";
    const uint64_t tried = o.right + o.wrong;
    if (tried == 0) return {};
    if (o.wrong == 0)
        return fmt::format(
            " In {} orders of {} that were tried the outputs of {} stayed right: harmless only as far as "
            "tried.",
            tried,
            what,
            whose
        );
    return fmt::format(
        " In {} of {} orders of {} that were tried the outputs come out wrong: with schedule {}, {} of {} "
        "elements of {}{}.",
        o.wrong,
        tried,
        what,
        o.worst_order,
        o.worst.bad,
        o.worst.compared,
        whose,
        away_text(o.worst)
    );
}

std::string verb(const Access& a) { return a.write ? "writes" : "reads"; }

// The variable that holds an offset of shared memory, by the name of its source: "tile"; empty: none does.
std::string shared_variable(const Symptoms& s, uint64_t offset) {
    for (const emulator::SharedVariable& v : unedited_program(s.prover).shared_variables) {
        if (offset < v.offset || offset - v.offset >= v.bytes) continue;
        const std::string name = demangle(v.name);
        const size_t scope = name.rfind("::");
        return scope == std::string::npos ? name : name.substr(scope + 2);
    }
    return {};
}

struct Region {
    std::string tile;      // of a mark; empty: none covers it
    std::string variable;  // empty: dynamic shared memory
    std::string text;      // "scores[12,3]", "bytes 128..131 of tile", "shared bytes 128..131"
};
Region region(const Symptoms& s, const Incident& i) {
    const Access& a = i.second;
    Region out;
    const auto element = element_at(s.capture, i.first.block, a.address);
    if (element) {
        out.tile = element->tile, out.text = text_of(*element);
        return out;
    }
    const std::string bytes = fmt::format("bytes {}..{}", a.address, a.address + a.bytes - 1);
    out.variable = shared_variable(s, a.address);
    out.text = out.variable.empty() ? "shared " + bytes
                                    : fmt::format("{} of shared memory, in {}", bytes, out.variable);
    return out;
}

// "0xbf800000", and what it is where the instruction says that it is a float: "-1 = 0xbf800000".
std::string value_text(const Symptoms& s, const Access& a) {
    if (a.bytes == 0) return "a value that is not known";
    const auto at = code_place(s.experiment.module, s.entry, a.site);
    std::string bits = fmt::format("{:#x}", a.value);
    if (!at) return bits;
    const auto& types = s.experiment.module.functions[at->function].code[at->index].types;
    if (types.empty()) return bits;
    const uint32_t whole = ptx::bytes_of(types.front());
    if (a.bytes < whole) return fmt::format("{} in {} of its {} bytes", bits, a.bytes, whole);
    const bool single = types.front() == ptx::Type::f32;
    if (!single && types.front() != ptx::Type::f64) return bits;
    const double value = single ? double{std::bit_cast<float>(static_cast<uint32_t>(a.value))}
                                : std::bit_cast<double>(a.value);
    return std::isnan(value) ? "NaN = " + bits : fmt::format("{:.6g} = {}", value, bits);
}

// Of an earlier access of the same warp it is not kept whose it was.
std::string lanes_of(const Access& a) {
    if (a.lanes == 0) return "another lane";
    return lanes_named(a.lanes);
}

// Of global memory it is not kept whose value stayed where several lanes stored at once.
std::string lanes_of_global(const Access& a) {
    return a.lanes == 0 ? "one of several lanes" : lanes_named(a.lanes);
}

// Of an access, by whom and what: "block (1,0,0), warp 0, lane 3 writes 0x1".
std::string actor(const Symptoms& s, const Access& a) {
    return fmt::format(
        "block {}, warp {}, {} {} {}",
        block_text(s.capture, a.block),
        a.warp,
        lanes_of_global(a),
        verb(a),
        value_text(s, a)
    );
}

// What of a race is told otherwise than its kind has it: of one that an atomic mends.
struct Wording {
    std::string title, advice;  // empty: as of the kind
};

void word_global(const Symptoms& s, const Incident& i, const Wording& own, capture::Finding& f) {
    const bool blocks = i.first.block != i.second.block, lanes = !blocks && i.first.warp == i.second.warp;
    const auto who = [&](const Access& a) {
        return blocks ? "block " + block_text(s.capture, a.block)
            : lanes   ? fmt::format("warp {}, {}", a.warp, lanes_of_global(a))
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
    const bool together_on_device = manifest::launch_of(s.experiment.problem).cooperative;
    const char* mending = together         ? "Let one lane store, or use an atomic."
        : lanes                            ? "Put a __syncwarp() between the two."
        : !blocks                          ? "Put a __syncthreads() between the two."
        : together_on_device               ? "Put a barrier of the grid (grid.sync()) between the two."
        : i.first.write && !i.second.write ? "Hand the value on: a __threadfence() after the store, then an "
                                             "atomic that the reader's block sees "
                                             "before it reads; or use an atomic for the whole."
                                           : "Use an atomic, or let each block write a place of its own.";
    f.explanation = fmt::format(
        "At {} {} at {:#x}; at {} {} there ({}). {} {}",
        quoted(s.capture, where_of_access(s, i.first)),
        actor(s, i.first),
        i.first.address,
        quoted(s.capture, where_of_access(s, i.second)),
        actor(s, i.second),
        i.detail,
        blocks         ? "Blocks of a launch run in any order and at once, so on a GPU either may come first."
            : together ? "Which lane's value stays is not defined."
            : lanes    ? "Lanes of a warp need not go together, so on a GPU either may come first."
                       : "No barrier lies between them, so on a GPU either may come first.",
        own.advice.empty() ? mending : own.advice
    );
    if (!own.title.empty()) f.title = own.title;
}

bool is_mbarrier(const Symptoms& s, uint32_t site) {
    const auto at = code_place(s.experiment.module, s.entry, site);
    return at && s.experiment.module.functions[at->function].code[at->index].mnemonic.starts_with("mbarrier");
}

// What lies in an mbarrier object is nobody's business.
bool knows_values(const Symptoms& s, const Incident& i) {
    return i.kind == Kind::race_global || !(is_mbarrier(s, i.first.site) || is_mbarrier(s, i.second.site));
}

void word_shared(const Symptoms& s, const Incident& i, const Wording& own, capture::Finding& f) {
    const Region what = region(s, i);
    f.where.tile = what.tile;
    const bool lanes = i.kind == Kind::race_warp;
    const char* missing = lanes ? "a __syncwarp()" : "a block barrier";
    const auto who = [&](const Access& a) {
        return lanes ? fmt::format("{} of warp {}", lanes_of(a), a.warp) : fmt::format("warp {}", a.warp);
    };
    // "warp 3 reads", "lanes 0-31 read"
    const auto does_in_title = [&](const Access& a) {
        const std::string one = verb(a);
        return lanes && std::popcount(a.lanes) > 1 ? one.substr(0, one.size() - 1) : one;
    };
    const auto does = [&](const Access& a) {
        const std::string value = knows_values(s, i) ? " (" + value_text(s, a) + ")" : "";
        return fmt::format("warp {}, {}, {} {{}}{} at {{}}", a.warp, lanes_of(a), verb(a), value);
    };
    f.title = fmt::format(
        "race on {}: {} {} what {} {} in the same epoch, without {} between",
        !what.tile.empty()           ? what.tile
            : !what.variable.empty() ? what.variable
                                     : "shared memory",
        who(i.second),
        does_in_title(i.second),
        lanes ? lanes_of(i.first) : who(i.first),
        does_in_title(i.first),
        missing
    );
    f.explanation = fmt::format(
        "In block {}, epoch {}, {}, and {}. Nothing orders the two, so on a GPU either may come first. {}",
        block_text(s.capture, i.second.block),
        i.second.epoch,
        fmt::format(fmt::runtime(does(i.first)), what.text, quoted(s.capture, where_of_access(s, i.first))),
        fmt::format(
            fmt::runtime(does(i.second)), "the same bytes", quoted(s.capture, where_of_access(s, i.second))
        ),
        own.advice.empty() ? fmt::format("Put {} between them.", missing) : own.advice
    );
    if (!own.title.empty()) f.title = own.title;
}

// "tile", "sums", "global V": what a reader knows the bytes as.
std::string variable_of(const Symptoms& s, const Incident& i) {
    if (i.kind == Kind::race_global) return i.second.memory;
    const Region what = region(s, i);
    return !what.tile.empty() ? what.tile : !what.variable.empty() ? what.variable : "shared memory";
}

capture::Finding describe(const Symptoms& s, const Cause& cause, const Mending* mending) {
    const Incident& i = *cause.incidents.front();
    const bool first = blames_first(s, cause, mending);
    const Access &at = first ? i.first : i.second, &by = first ? i.second : i.first;
    capture::Finding f;
    f.rule = race_name(i.kind);
    f.where = where_of_access(s, at), f.other = where_of_access(s, by);
    f.count = 0;
    for (const Incident* each : cause.incidents) f.count += each->count;
    Wording own;
    if (mending == nullptr && clash_of(s, cause) != Clash::plain)
        own = {clash_title(s, cause, variable_of(s, i)), clash_advice(s, cause)};
    if (cause.global)
        word_global(s, i, own, f);
    else
        word_shared(s, i, own, f);
    f.evidence = {
        {"pairs",      static_cast<double>(cause.incidents.size())},
        {"epoch",      static_cast<double>(at.epoch)              },
        {"address",    static_cast<double>(at.address)            },
        {"site",       static_cast<double>(at.site)               },
        {"other_site", static_cast<double>(by.site)               }
    };
    if (knows_values(s, i) && at.bytes != 0) f.evidence.emplace_back("value", static_cast<double>(at.value));
    if (knows_values(s, i) && by.bytes != 0)
        f.evidence.emplace_back("other_value", static_cast<double>(by.value));
    return f;
}

// What the trials showed of one cause.
std::string proof_of(const Cause& cause, const Ordering& o, size_t index) {
    const Incident& i = *cause.incidents.front();
    if (!o.tried[index]) return "the two accesses above";
    if (o.gone_with[index] == Ordering::kNone) {
        const char* tried = i.first.block != i.second.block ? "fence before an atomic"
            : i.kind == Kind::race_warp                     ? "__syncwarp() at a single place"
                                                            : "barrier at a single place";
        return fmt::format("the two accesses above; no {} was found that orders them", tried);
    }
    const std::string& text = o.mendings[static_cast<size_t>(o.gone_with[index])].text;
    std::string out = fmt::format("with {} ", text);
    if (o.mendings.size() > 1) {
        out += "it is gone; with ";
        for (const Mending& m : o.mendings) out += (&m == o.mendings.data() ? "" : " and ") + m.text;
        out += ' ';
    }
    out += o.complete ? "no race is left" : "it is gone, others are left";
    if (o.trial.compared > 0)
        out += fmt::format(
            " and {} of {} elements of {} are outside their bounds", o.trial.bad, o.trial.compared, o.blocks
        );
    return out;
}

// Code that was written for lanes which go together races at each of its steps: the first one tells for all.
void join_steps(std::vector<capture::Finding>& findings) {
    constexpr size_t kFewest = 3;
    const auto is_step = [](const capture::Finding& f) { return f.rule == "race_warp" && f.caused_by < 0; };
    const auto touch = [](const capture::Finding& a, const capture::Finding& b) {
        for (const capture::Where* x : {&a.where, &a.other})
            for (const capture::Where* y : {&b.where, &b.other})
                if (x->line == y->line && x->file == y->file) return true;
        return false;
    };
    for (size_t first = 0; first < findings.size(); ++first) {
        if (!is_step(findings[first])) continue;
        std::vector<size_t> steps = {first};
        for (size_t k = 0; k < steps.size(); ++k)
            for (size_t f = first + 1; f < findings.size(); ++f) {
                const bool known = std::find(steps.begin(), steps.end(), f) != steps.end();
                if (!known && is_step(findings[f]) && touch(findings[steps[k]], findings[f]))
                    steps.push_back(f);
            }
        if (steps.size() < kFewest) continue;
        for (const size_t k : steps) {
            if (k == first) continue;
            findings[k].caused_by = static_cast<int>(first);
            findings[k].proof = "a further step of the same code without a __syncwarp()";
        }
        findings[first].explanation += fmt::format(
            " {} further pairs of accesses, at the lines that go on from there, race in the same way: each "
            "step "
            "needs its __syncwarp().",
            steps.size() - 1
        );
    }
}

}  // namespace

Ruled race_rule(const Symptoms& s) {
    const std::vector<Cause> causes = race_causes(s.experiment.module, s.entry, s.incidents);
    const Ordering ordering = find_ordering(s, causes);
    // While masks are wrong, what they do not order proves nothing about what else would.
    const bool masks = std::any_of(s.incidents.begin(), s.incidents.end(), [](const Incident& i) {
        return i.kind == Kind::lane_not_in_mask && i.detail != emulator::kInactiveSource;
    });
    const bool mend = ordering.complete && mended(ordering.trial) && !masks;
    capture::Ran ran;
    const std::string wrong = masks ? "" : left_wrong(s, ordering, ran);
    const bool values = mend && wrong.empty();
    Ruled out;
    std::vector<int> told(ordering.mendings.size(), -1);  // the finding that names the mending
    std::vector<RaceKey> similar;
    for (size_t c = 0; c < causes.size(); ++c) {
        const int mending = ordering.gone_with[c];
        capture::Finding f = describe(
            s,
            causes[c],
            mending == Ordering::kNone ? nullptr : &ordering.mendings[static_cast<size_t>(mending)]
        );
        f.proof = masks ? "the two accesses above, with member masks that are wrong (shuffle_misuse)"
                        : proof_of(causes[c], ordering, c);
        similar.push_back({variable_of(s, *causes[c].incidents.front()), mending});
        if (mending != Ordering::kNone) {
            int& first = told[static_cast<size_t>(mending)];
            if (!masks && (mend || s.first_bad < 0)) {
                using capture::EvidenceKind;
                f.evidence_kind = wrong.empty() ? EvidenceKind::proven : EvidenceKind::mends;
                if (!wrong.empty()) f.proof += "; not proven: " + wrong;
                capture::add_ran(ran, f);
            }
            if (first >= 0)
                f.caused_by = first, f.proof = "gone with the same change";
            else
                first = static_cast<int>(c);
        }
        if (c == 0 && ordering.tried[c]) f.explanation += effect(s, causes[c].global || needs_all_blocks(s));
        out.findings.push_back(std::move(f));
    }
    merge_similar(out.findings, similar);
    join_steps(out.findings);
    if (ordering.complete && ordering.mendings.size() == 1 && capture::is_proven(out.findings.front()))
        offer_mending(s, ordering.mendings.front());
    const bool alone = ordering.complete && ordering.mendings.size() == 1 && !causes.front().global;
    if (alone && capture::is_proven(out.findings.front())) place_barrier(s, out.findings.front());
    if (ordering.complete) {
        for (const Incident& i : s.incidents) {
            const char* fault = fault_name(i.kind);
            const bool left = std::any_of(
                ordering.trial.incidents.begin(),
                ordering.trial.incidents.end(),
                [&](const Incident& t) { return t.kind == i.kind; }
            );
            if (fault != nullptr && !left) out.claim.rules.emplace_back(fault);
        }
    }
    out.explains = out.mends = values && s.first_bad >= 0;
    return out;
}

}  // namespace wl::diagnosis
