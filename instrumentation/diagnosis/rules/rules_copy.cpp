// async_copy_wait: bytes of a cp.async that are used too early, and the wait that should have been stricter.
#include "instrumentation/diagnosis/prove/trial.h"
#include "instrumentation/diagnosis/rules/words.h"
#include "instrumentation/ptx/edit/edit.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using emulator::Incident;
using Kind = Incident::Kind;

// The waits of one source line leave fewer groups open.
struct StricterWait {
    std::vector<uint32_t> at;  // instructions of the entry
    uint64_t was = 0, is = 0;  // groups that may stay open
};

std::vector<StricterWait> stricter_waits(const Symptoms& s) {
    std::vector<uint32_t> waits;
    for (uint32_t i = 0; i < s.entry.code.size(); ++i) {
        const ptx::Instruction& in = s.entry.code[i];
        if (in.op == ptx::Op::cp_async_wait_group && in.operands.front().bits > 0) waits.push_back(i);
    }
    std::vector<StricterWait> out;
    for (const ptx::Group& g : group_by_line(s.experiment.module, s.entry, waits)) {
        const uint64_t was = s.entry.code[g.members.front()].operands.front().bits;
        for (uint64_t is = was; is-- > 0;) out.push_back({g.members, was, is});
    }
    return out;
}

// Nothing is used too early any more, and no fault has come that was not there.
bool mends(const Symptoms& s, const StricterWait& wait) {
    ptx::Module changed = s.experiment.module;
    const ptx::Places waits = ptx::places_in(ptx::index_of(s.experiment.module, s.entry), wait.at);
    if (!ptx::set_constant(changed, waits, 0, wait.is)) return false;
    const Trial t = try_module(s.experiment, changed, {.blocks = {s.block}, .budget = s.budget});
    if (!t.unsupported.empty() || !t.finished) return false;
    return std::all_of(t.incidents.begin(), t.incidents.end(), [&](const Incident& i) {
        const auto same_kind = [&](const Incident& k) { return k.kind == i.kind; };
        return i.kind != Kind::async_copy_wait &&
            std::any_of(s.incidents.begin(), s.incidents.end(), same_kind);
    });
}

bool is_copy(const capture::Finding& f) { return f.rule == fault_name(Kind::async_copy_wait); }

}  // namespace

void prove_copies(const Symptoms& s, std::vector<capture::Finding>& findings) {
    const auto first = std::find_if(findings.begin(), findings.end(), [&](const capture::Finding& f) {
        return is_copy(f) && f.where.block == s.block;
    });
    if (first == findings.end()) return;
    for (const StricterWait& wait : stricter_waits(s)) {
        if (!mends(s, wait)) continue;
        const capture::Where where = where_of(s, wait.at.front());
        first->explanation += fmt::format(
            " {} lets {} groups of copies stay open; {} is right.",
            quoted(s.capture, where),
            wait.was,
            wait.is
        );
        first->evidence_kind = capture::EvidenceKind::counterfactual;
        first->proof += fmt::format(
            "; with {} in place of {} at {} no copy is used too early", wait.is, wait.was, place(where)
        );
        for (auto f = first + 1; f != findings.end(); ++f) {
            if (!is_copy(*f)) continue;
            f->caused_by = static_cast<int>(first - findings.begin());
            f->proof += "; gone with the same change";
        }
        return;
    }
}

}  // namespace wl::diagnosis
