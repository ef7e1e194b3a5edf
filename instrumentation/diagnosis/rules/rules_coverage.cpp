// never_written: a part of a tile that nobody writes, the predicate that keeps its warp out, and the NaN that
// is born of it.
#include "instrumentation/analysis/ownership.h"
#include "instrumentation/analysis/pattern.h"
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/definitions.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/lifted.h"
#include "instrumentation/diagnosis/search/trial_setup.h"
#include "instrumentation/ptx/edit/edit.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

namespace {

using ptx::Op;

// Elements that are wrong because no lane ever wrote them.
int64_t bad_and_unwritten(const analysis::TileData& t) {
    int64_t n = 0;
    for (size_t i = 0; i < t.owner.data.size(); ++i) {
        if (t.owner.data[i].warp == capture::Owner::kNobody &&
            analysis::is_bad(t.got.data[i], t.reference.data[i], t.bound.data[i]))
            ++n;
    }
    return n;
}

// Branches guarded by equal comparisons are one condition of the source, however often the compiler repeated
// it.
struct Condition {
    ptx::Place definition;                              // the setp
    std::vector<std::pair<ptx::Place, bool>> branches;  // and whether its guard is negated
};

bool same_comparison(const ptx::Instruction& a, const ptx::Instruction& b) {
    return a.op == b.op && a.mnemonic == b.mnemonic &&
        std::equal(a.operands.begin() + 1, a.operands.end(), b.operands.begin() + 1, b.operands.end());
}

void add_conditions(const Symptoms& s, size_t function, std::vector<Condition>& out) {
    const ptx::Function& f = s.experiment.module.functions[function];
    const Definitions defs = definitions(f);
    std::vector<Condition> found;
    for (uint32_t i = 0; i < f.code.size(); ++i) {
        const ptx::Instruction& branch = f.code[i];
        if (branch.op != Op::bra || branch.guard.reg < 0 ||
            defs[static_cast<size_t>(branch.guard.reg)].size() != 1)
            continue;
        const uint32_t definition = defs[static_cast<size_t>(branch.guard.reg)].front();
        auto it = std::find_if(found.begin(), found.end(), [&](const Condition& c) {
            return same_comparison(f.code[c.definition.at], f.code[definition]);
        });
        if (it == found.end()) {
            Condition made;
            made.definition = {function, definition};
            it = found.insert(found.end(), std::move(made));
        }
        it->branches.emplace_back(ptx::Place{function, i}, branch.guard.negated);
    }
    // What keeps one warp out and not another depends on the thread: those first.
    std::stable_partition(found.begin(), found.end(), [&](const Condition& c) {
        return depends_on_thread(f, defs, c.definition.at);
    });
    out.insert(out.end(), found.begin(), found.end());
}

// A branch back that is always taken: the loop's own condition, which keeps no warp out; held true it does
// not end.
bool goes_back(const Symptoms& s, const ptx::Place& branch) {
    const ptx::Operand& target = instruction_at(s, branch).operands.front();
    return target.kind == ptx::Operand::Kind::label && target.index <= static_cast<int32_t>(branch.at);
}

struct Lifted {
    capture::Where where;
    std::string proof;
    capture::EvidenceKind kind = capture::EvidenceKind::witness;
    capture::Ran ran = {};
};

// Of the comparison and of what is decided by it: a compiler makes one of equal ones.
std::vector<std::pair<std::string, int>> lines_of(const Symptoms& s, const Condition& c) {
    std::set<std::pair<std::string, int>> out;
    const auto add = [&](const ptx::Place& place) {
        const capture::Where where = where_of(s, place);
        if (where.line > 0) out.emplace(where.file, where.line);
    };
    add(c.definition);
    for (const auto& [branch, negated] : c.branches) add(branch);
    return {out.begin(), out.end()};
}

std::string lines_text(const std::vector<std::pair<std::string, int>>& lines) {
    std::string out;
    for (size_t k = 0; k < lines.size(); ++k)
        out += fmt::format("{}{}", k == 0 ? "" : k + 1 == lines.size() ? " and " : ", ", lines[k].second);
    return out;
}

// An instruction that several lines share proves nothing about any of them: each is lifted in the source.
Lifted lifted_line(
    const Symptoms& s, const capture::Where& definition, const std::vector<std::pair<std::string, int>>& lines
) {
    const Lifts tried = lift_by_line(s, lines);
    if (tried.mends.size() == 1) {
        const Mended& m = tried.mends.front();
        const Proof proof{m.proof, m.warp_instructions, m.lacks};
        std::string text =
            fmt::format("with `{}` for `{}` at {} alone, {}", m.now, m.was, place(m.where), text_of(proof));
        if (tried.tried > 1)
            text += fmt::format("; the compiler makes one comparison of lines {}", lines_text(lines));
        return {m.where, std::move(text), kind_of(proof), m.ran};
    }
    return {
        tried.mends.empty() ? definition : tried.mends.front().where,
        fmt::format(
            "with the condition that the compiler makes of lines {} lifted for every warp it comes right; "
            "not proven: {} of these lines mend it alone",
            lines_text(lines),
            tried.mends.empty() ? "none" : "several"
        ),
        capture::EvidenceKind::mends};
}

// The condition that keeps the warp out: with it held true, or false, for everyone, every tile is right.
Lifted lift_predicate(const Symptoms& s) {
    std::vector<Condition> conditions;
    for (const size_t function : s.functions) add_conditions(s, function, conditions);
    for (const Condition& c : conditions) {
        for (const bool value : {false, true}) {
            ptx::Module edited = s.experiment.module;
            ptx::Places taken, never;
            for (const auto& [branch, negated] : c.branches)
                (value != negated ? taken : never).push_back(branch);
            const bool endless = std::any_of(taken.begin(), taken.end(), [&](const ptx::Place& branch) {
                return goes_back(s, branch);
            });
            if (endless || !ptx::fix_guard(edited, taken, true) || !ptx::fix_guard(edited, never, false))
                continue;
            const Verdict v = prove(s, {.program = std::move(edited)});
            if (!v.mends) continue;
            const capture::Where where = where_of(s, c.definition);
            const auto lines = lines_of(s, c);
            if (lines.size() > 1) return lifted_line(s, where, lines);
            using capture::EvidenceKind;
            return {
                where,
                fmt::format("with the condition at {} lifted for every warp, {}", place(where), v.text),
                v.proven ? EvidenceKind::proven : EvidenceKind::mends,
                v.ran};
        }
    }
    return {};
}

std::string stripes_text(const analysis::Ownership& o) {
    std::string out;
    for (const auto& [first, last] : o.rows_never_written)
        out += fmt::format(
            "{}{}",
            out.empty() ? "" : ", ",
            first == last ? std::to_string(first) : fmt::format("{}..{}", first, last)
        );
    return out;
}

// The warp that writes nothing of the tile although its neighbours do; -1 when there is not exactly one.
int idle_warp(const Symptoms& s, const analysis::Ownership& o) {
    const auto warps = static_cast<size_t>((count(s.capture.launch.block) + 31) / 32);
    int idle = -1;
    for (size_t w = 0; w < warps; ++w) {
        if (w < o.by_warp.size() && o.by_warp[w] > 0) continue;
        if (idle >= 0) return -1;
        idle = static_cast<int>(w);
    }
    return idle;
}

// Where the first NaN of an output comes from: the division or root nearest behind the store of a NaN
// element.
struct Birth {
    int64_t nan = 0;
    std::string output;
    capture::Where where;
    std::string operation;
};

Birth nan_birth(const Symptoms& s) {
    Birth out;
    for (const capture::Output& o : s.capture.outputs)
        out.nan += o.nan, out.output = o.nan > 0 && out.output.empty() ? o.name : out.output;
    if (out.nan == 0 || s.capture.records.empty()) return out;
    const Definitions defs = definitions(s.entry);
    for (const capture::Event& e : s.capture.records.front().events) {
        if (e.kind != capture::EventKind::global_write || e.site >= s.entry.code.size()) continue;
        const int64_t birth =
            nearest_definition(s.entry, defs, e.site, {Op::div, Op::rcp, Op::sqrt, Op::rsqrt, Op::lg2});
        if (birth < 0) continue;
        out.where = where_of(s, static_cast<uint32_t>(birth));
        out.operation = s.entry.code[static_cast<size_t>(birth)].op == Op::div ? "division" : "operation";
        return out;
    }
    return out;
}

}  // namespace

namespace {

std::string explanation(const Symptoms& s, const std::string& what, const std::string& name, int warp) {
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const std::string idle =
        warp < 0 ? "" : fmt::format(", and warp {} is the one warp that writes nothing of the tile", warp);
    return fmt::format(
        "{} of {} have no writer at iteration {} of block {}{}; what is read there is what memory held "
        "before.",
        what,
        name,
        tile.iteration,
        block_text(s.capture, tile.block),
        idle
    );
}

std::string nan_sentence(const Symptoms& s, const Birth& birth) {
    if (birth.nan == 0) return {};
    const std::string born = birth.where.line > 0
        ? fmt::format(", born in the {} at {}", birth.operation, quoted(s.capture, birth.where))
        : "";
    return fmt::format(" {} elements of {} are NaN{}.", birth.nan, birth.output, born);
}

}  // namespace

Ruled never_written_rule(const Symptoms& s) {
    if (s.first_bad < 0 || s.bad_tile.owner.data.empty()) return {};
    const int64_t unwritten = bad_and_unwritten(s.bad_tile);
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    if (unwritten == 0 || unwritten < tile.bad) return {};
    const capture::Probe& probe = s.capture.probes[static_cast<size_t>(tile.probe)];
    const analysis::Ownership owners = analysis::ownership(s.bad_tile);
    const std::string stripes = stripes_text(owners),
                      what = stripes.empty() ? fmt::format("{} elements", unwritten)
                                             : fmt::format("rows {}", stripes);
    const int warp = idle_warp(s, owners);
    const Lifted lifted = lift_predicate(s);
    const Birth birth = nan_birth(s);

    capture::Finding f;
    f.rule = "never_written";
    f.evidence_kind = lifted.kind;
    f.where = lifted.where.line > 0 ? lifted.where : where_of_probe(s, probe);
    f.where.tile = probe.name, f.where.block = tile.block, f.where.iteration = tile.iteration,
    f.where.warp = warp;
    f.where.element[0] = tile.first_bad_row, f.where.element[1] = tile.first_bad_col;
    f.other = birth.where;
    f.title = fmt::format(
        "{} of {} are never written{}",
        what,
        probe.name,
        warp < 0 ? "" : fmt::format(": warp {} writes nothing", warp)
    );
    std::vector<uint8_t> flags;
    for (const capture::Owner& o : s.bad_tile.owner.data)
        flags.push_back(o.warp == capture::Owner::kNobody ? 1 : 0);
    f.pattern = analysis::words(
        analysis::describe({s.bad_tile.rows, s.bad_tile.cols}, flags), analysis::default_names(2)
    );
    f.explanation = explanation(s, what, probe.name, warp);
    if (lifted.where.line > 0)
        f.explanation += fmt::format(
            " The condition at {} keeps it out; let every warp that owns rows compute.",
            quoted(s.capture, lifted.where)
        );
    f.explanation += nan_sentence(s, birth);
    f.proof = !lifted.proof.empty() ? lifted.proof
                                    : fmt::format(
                                          "the record of block {} holds no write to these {} elements",
                                          block_text(s.capture, tile.block),
                                          unwritten
                                      );
    f.evidence = {
        {"never_written", static_cast<double>(unwritten)},
        {"bad",           static_cast<double>(tile.bad) },
        {"nan",           static_cast<double>(birth.nan)}
    };
    capture::add_ran(lifted.ran, f);
    return {{f}, true, lifted.kind == capture::EvidenceKind::proven};
}

}  // namespace wl::diagnosis
