// async_copy_wait: bytes of a cp.async that are used too early, and the wait that should have been stricter.
#include "instrumentation/base/counted.h"
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/ptx/edit/edit.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using emulator::Incident;
using Kind = Incident::Kind;

// The waits of one source line leave fewer groups open.
struct StricterWait {
    ptx::Places at;
    uint64_t was = 0, is = 0;  // groups that may stay open
};

std::vector<StricterWait> stricter_waits(const Symptoms& s) {
    std::vector<StricterWait> out;
    const auto leaves_some = [](const ptx::Instruction& i) {
        return i.op == ptx::Op::cp_async_wait_group && i.operands.front().bits > 0;
    };
    for (const ptx::Places& line : lines_with(s, leaves_some)) {
        const uint64_t was = instruction_at(s, line.front()).operands.front().bits;
        for (uint64_t is = was; is-- > 0;) out.push_back({line, was, is});
    }
    return out;
}

// Nothing is used too early any more, no fault has come that was not there, and what was wrong is right, with
// other inputs too: a wait may be too lax for a read of the wrong buffer alone.
bool mends(const Symptoms& s, const StricterWait& wait) {
    ptx::Module changed = s.experiment.module;
    if (!ptx::set_constant(changed, wait.at, 0, wait.is)) return false;
    const Verdict v = prove(s, {.program = std::move(changed)});
    const Trial& t = v.here;
    const bool left = std::any_of(t.incidents.begin(), t.incidents.end(), [](const Incident& i) {
        return i.kind == Kind::async_copy_wait;
    });
    if (!t.unsupported.empty() || !t.finished || left || !v.new_faults.empty()) return false;
    return s.first_bad < 0 || v.proven;
}

// What makes the values wrong is the wait, not the copy, which the explanation names.
void tell_at(const capture::Capture& c, const capture::Where& wait, capture::Finding& f) {
    f.where.file = wait.file, f.where.line = wait.line;
    f.title = place(f.where) + ": lets copies stay open whose bytes are read";
    std::erase_if(f.evidence, [](const auto& e) { return e.first == "site"; });
    // Through which calls: a helper's count may be its template's argument.
    const auto site = std::find_if(c.sites.begin(), c.sites.end(), [&](const capture::Site& o) {
        return o.source >= 0 && o.line == wait.line && o.text.find("cp.async.wait") != o.text.npos &&
            c.sources[static_cast<size_t>(o.source)].path == wait.file;
    });
    if (site != c.sites.end()) f.evidence.emplace_back("site", static_cast<double>(site - c.sites.begin()));
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
            " {} lets {} of copies stay open; {} is right.",
            quoted(s.capture, where),
            counted(wait.was, "group"),
            wait.is
        );
        first->evidence_kind = capture::EvidenceKind::proven;
        first->proof += fmt::format(
            "; with {} in place of {} at {} no copy is used too early{}",
            wait.is,
            wait.was,
            place(where),
            s.first_bad < 0 ? "" : ", and every element is right, with another seed too"
        );
        if (s.first_bad >= 0) tell_at(s.capture, where, *first);
        for (auto f = first + 1; f != findings.end(); ++f) {
            if (!is_copy(*f)) continue;
            f->caused_by = static_cast<int>(first - findings.begin());
            f->proof += "; gone with the same change";
        }
        return;
    }
}

}  // namespace wl::diagnosis
