// constant_factor: a tile that is its reference times one number, and the instruction that puts the number
// there.
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/definitions.h"
#include "instrumentation/diagnosis/rules/line_patch.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/ptx/edit/edit.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace wl::diagnosis {

namespace {

using Kind = emulator::Incident::Kind;

constexpr size_t kMaxTrials = 48;  // multiplications tried, nearest to the first bad tile first

struct Cause {
    capture::Where where;
    std::string title, explanation, change;
    bool proven = false;
    std::string proof, patch;
    capture::Ran ran;
};

// Runs the edit on these inputs and on others; says what it showed.
bool is_cause(const Symptoms& s, std::optional<ptx::Module> edited, Cause& cause) {
    if (!edited) return false;
    const Verdict v = prove(s, {.program = std::move(edited)});
    cause.proven = v.proven, cause.ran = v.ran, cause.proof = cause.change + ": " + v.text;
    return v.mends;
}

// A reduction lies in one function: the entry or one that it calls.
struct ReductionCode {
    size_t function = 0;  // index in Module::functions
    const ptx::Function& code;
    std::vector<uint32_t> group;  // its instructions
};
ReductionCode code_of(const Symptoms& s, const emulator::Incident& reduction) {
    const ptx::Module& m = s.experiment.module;
    const CodePlace first = code_place(m, s.entry, reduction.group.front()).value_or(CodePlace{});
    ReductionCode out{first.function, m.functions[first.function], {}};
    for (const uint32_t site : reduction.group)
        out.group.push_back(site - reduction.group.front() + first.index);
    return out;
}

// Every combining operation of the reduction passes its own value on, as if nothing had been shuffled.
std::optional<ptx::Module> without_reduction(const Symptoms& s, const emulator::Incident& reduction) {
    ptx::Module edited = s.experiment.module;
    const ReductionCode r = code_of(s, reduction);
    const Definitions defs = definitions(r.code);
    for (const uint32_t index : r.group) {
        const ptx::Instruction& i = r.code.code[index];
        if (i.op == ptx::Op::shfl || i.operands.size() < 3) continue;
        const bool second_is_shuffled = comes_from(r.code, defs, i.operands[2], ptx::Op::shfl);
        if (!ptx::replace_by_move(
                edited,
                {
                    {r.function, index}
        },
                second_is_shuffled ? 1 : 2
            ))
            return std::nullopt;
    }
    return edited;
}

// The line that asks for the reduction: where the value that enters it lives, not inside the reducing
// function.
capture::Where reduction_line(const Symptoms& s, const emulator::Incident& reduction) {
    const ptx::Module& m = s.experiment.module;
    const ReductionCode r = code_of(s, reduction);
    size_t combine = 0;
    while (combine + 1 < r.group.size() && r.code.code[r.group[combine]].op == ptx::Op::shfl) ++combine;
    capture::Where w = where_of(s, reduction.group[combine]);
    const int32_t at = user_location(m, r.code.code[r.group[combine]].location);
    if (at < 0) return w;
    const ptx::Location& inner = m.locations[static_cast<size_t>(at)];
    const int32_t input = input_location(r.code, definitions(r.code), r.group.front());
    const int32_t input_at = input < 0 ? -1 : user_location(m, input);
    const bool same_function =
        input_at >= 0 && m.locations[static_cast<size_t>(input_at)].inlined_at == inner.inlined_at;
    if (inner.inlined_at < 0 || same_function) return w;
    const ptx::Location& call = m.locations[static_cast<size_t>(inner.inlined_at)];
    w.file = m.files[static_cast<size_t>(call.file)], w.line = call.line;
    return w;
}

bool by_reduction(const Symptoms& s, double factor, const std::string& tile, Cause& cause) {
    for (const emulator::Incident& i : s.incidents) {
        if (i.kind != Kind::uniform_reduction || i.group.empty()) continue;
        cause.where = reduction_line(s, i);
        cause.where.warp = i.first.warp, cause.where.lanes = lanes_text(i.first.lanes),
        cause.where.epoch = i.first.epoch;
        cause.change = fmt::format("with the reduction at {} replaced by its input", place(cause.where));
        const int lanes = __builtin_popcount(i.first.lanes);
        cause.title = fmt::format(
            "{} is {}x the reference: a warp reduction over a value that all {} lanes already held",
            tile,
            number(factor),
            lanes
        );
        cause.explanation = fmt::format(
            "The reduction at {} summed a value that all {} lanes already held, so it multiplies by {} "
            "instead of adding parts up. Either drop the reduction, or let each lane sum only its own part "
            "before it.",
            quoted(s.capture, cause.where),
            lanes,
            lanes
        );
        if (!is_cause(s, without_reduction(s, i), cause)) continue;
        cause.patch = patch_without_call(s.capture, cause.where);
        return true;
    }
    return false;
}

bool is_multiplication(const ptx::Instruction& i) {
    return i.op == ptx::Op::mul && i.operands.size() == 3 && !i.types.empty() &&
        (i.types[0] == ptx::Type::f32 || i.types[0] == ptx::Type::f64 || i.types[0] == ptx::Type::f16 ||
         i.types[0] == ptx::Type::f16x2);
}

// One source line's multiplications, without them. The factor is the operand that is an immediate, else the
// second.
std::optional<ptx::Module> without_multiplications(const Symptoms& s, const ptx::Places& line) {
    ptx::Module edited = s.experiment.module;
    for (const ptx::Place& place : line) {
        const ptx::Instruction& i = instruction_at(s, place);
        const size_t kept = i.operands[1].kind == ptx::Operand::Kind::immediate ? 2 : 1;
        if (!ptx::replace_by_move(edited, {place}, kept)) return std::nullopt;
    }
    return edited;
}

// Lines of multiplications, from the first bad tile's mark backwards, then those behind it, then those of
// called functions; an output's lines from the end.
std::vector<ptx::Places> multiplications(const Symptoms& s) {
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const int site = s.capture.probes[static_cast<size_t>(tile.probe)].site;
    const auto mark = site < 0 ? static_cast<uint32_t>(s.entry.code.size()) : static_cast<uint32_t>(site);
    std::vector<ptx::Places> lines = lines_with(s, is_multiplication);
    const auto distance = [&](const ptx::Places& line) {
        const ptx::Place& last = line.back();
        const bool called = last.function != s.functions.front();
        return std::pair(called, !called && last.at <= mark ? mark - last.at : mark + last.at);
    };
    std::stable_sort(lines.begin(), lines.end(), [&](const ptx::Places& a, const ptx::Places& b) {
        return distance(a) < distance(b);
    });
    if (lines.size() > kMaxTrials) lines.resize(kMaxTrials);
    return lines;
}

// A multiplication by the factor too many: each line's is left out in turn.
bool by_multiplication(const Symptoms& s, double factor, const std::string& tile, Cause& cause) {
    for (const ptx::Places& line : multiplications(s)) {
        cause.where = where_of(s, line.front());
        cause.change = fmt::format("with the multiplication at {} left out", place(cause.where));
        cause.title = fmt::format(
            "{} is {}x the reference: a multiplication by {} too many",
            tile,
            number(factor),
            factor_text(s, factor)
        );
        cause.explanation = fmt::format(
            "The multiplication at {} applies the factor {} once more than the reference does. Leave it out.",
            quoted(s.capture, cause.where),
            factor_text(s, factor)
        );
        if (is_cause(s, without_multiplications(s, line), cause)) return true;
    }
    return false;
}

std::string inverse_text(const std::string& tile, const analysis::FactorFit& fit, int64_t of) {
    const std::string how = fit.factor >= 1 ? "dividing " + tile + " by " + number(fit.factor)
                                            : "multiplying " + tile + " by " + number(1 / fit.factor);
    return fmt::format(
        "{} brings every element of that tile inside its bound ({} of {} left)", how, fit.bad_after, of
    );
}

}  // namespace

Ruled constant_factor_rule(const Symptoms& s) {
    if (s.first_bad < 0 || s.bad_tile.rows == 0) return {};
    const std::optional<analysis::FactorFit> fit = analysis::fit_factor(s.bad_tile);
    if (!fit || fit->bad_after > 0) return {};
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const std::string name = s.capture.probes[static_cast<size_t>(tile.probe)].name;
    Cause cause;
    if (!by_reduction(s, fit->factor, name, cause) && !by_multiplication(s, fit->factor, name, cause)) {
        cause = {};
        cause.where = where_of_probe(s, s.capture.probes[static_cast<size_t>(tile.probe)]);
        cause.title = fmt::format("{} is {}x the reference", name, number(fit->factor));
        cause.explanation = "No single multiplication or reduction that was left out mends it";
        cause.explanation += cause.where.line > 0 ? "; the factor enters before the mark." : ".";
    }
    capture::Finding f;
    f.rule = "constant_factor", f.title = cause.title;
    f.evidence_kind = cause.proven ? capture::EvidenceKind::proven : capture::EvidenceKind::fit;
    f.where = cause.where;
    f.where.tile = name, f.where.block = tile.block, f.where.iteration = tile.iteration;
    f.where.element[0] = tile.first_bad_row, f.where.element[1] = tile.first_bad_col;
    const bool whole = tile.block == capture::kWholeLaunch;
    const std::string meaning = factor_text(s, fit->factor);
    f.explanation = fmt::format(
        "The first wrong tile is {}{}: {} = {} x reference in every element{}. {}",
        name,
        whole ? ""
              : fmt::format(", iteration {}, block {}", tile.iteration, block_text(s.capture, tile.block)),
        name,
        number(fit->factor),
        meaning == number(fit->factor) ? "" : ", and " + meaning,
        cause.explanation
    );
    f.proof = inverse_text(name, *fit, tile.compared);
    if (!cause.proof.empty()) f.proof = cause.proof + "; " + f.proof;
    if (!cause.patch.empty() && s.experiment.options.on_patch) s.experiment.options.on_patch(cause.patch);
    f.evidence = {
        {"ratio",             fit->factor                        },
        {"spread",            fit->spread                        },
        {"elements",          static_cast<double>(fit->elements) },
        {"bad_after_inverse", static_cast<double>(fit->bad_after)}
    };
    capture::add_ran(cause.ran, f);
    return {{f}, true, cause.proven};
}

}  // namespace wl::diagnosis
