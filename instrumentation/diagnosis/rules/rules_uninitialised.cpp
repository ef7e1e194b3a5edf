// Values that nobody initialised: where they are read first, and where they decide something or leave.
#include "instrumentation/base/counted.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/rules/uninitialised.h"
#include "instrumentation/diagnosis/rules/written_rows.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace wl::diagnosis {

namespace {

using emulator::Access;
using emulator::Incident;
using Kind = Incident::Kind;

// "_ZZ6copiesE4more + 252" as the source has it: "copies::more + 252".
std::string variable_text(const std::string& detail) {
    const size_t end = detail.find(" + ");
    return variable_name(detail.substr(0, end)) + (end == std::string::npos ? "" : detail.substr(end));
}

// "register %r5", "4 bytes of shared memory (copies::more + 252)".
std::string what_is_read(const Incident& i) {
    const Access& a = i.first;
    if (a.memory == "register") return i.detail.empty() ? "a register" : "register " + i.detail;
    const bool global = a.memory.starts_with("global ");
    const std::string memory = global ? "global memory (" + a.memory.substr(7) + ")" : a.memory + " memory";
    const std::string variable =
        i.detail.empty() ? fmt::format(" at address {:#x}", a.address) : " (" + variable_text(i.detail) + ")";
    return fmt::format("{} of {}{}", counted(a.bytes, "byte"), memory, variable);
}

std::string what_it_does(const Access& use) {
    constexpr std::array<std::pair<const char*, const char*>, 6> kEffects{
        {
         {"branch", "it decides a branch"},
         {"address", "it is part of an address"},
         {"lane", "it chooses the lanes of a warp operation"},
         {"barrier", "it chooses a barrier or who waits there"},
         {"call", "it chooses the function that is called"},
         {"surface", "it is written to a surface"},
         }
    };
    for (const auto& [memory, words] : kEffects)
        if (use.memory == memory) return words;
    return "it is stored to " + use.memory;
}

std::string mending(const Incident& i) {
    if (i.first.memory == "register") return "Give the variable a value on every path that leads there.";
    return "Write it first; on a GPU it holds whatever was left there.";
}

std::string who(const Symptoms& s, const Access& a) {
    return fmt::format(
        "block {}, warp {}, {}, epoch {}",
        block_text(s.capture, a.block),
        a.warp,
        lanes_named(a.lanes),
        a.epoch
    );
}

// What the lanes touch, and what they should have kept to: the rows that were filled before those.
std::string touched_text(const MissingRow& m, const Access& read) {
    int first = 0, last = m.row - 1;
    for (const auto& [from, to] : m.rows.missing) {
        if (to < m.row) first = to + 1;
        if (from <= m.row && m.row <= to) last = from - 1;
    }
    const uint64_t begin = m.rows.base + static_cast<uint64_t>(first) * m.rows.pitch,
                   end = m.rows.base + static_cast<uint64_t>(last) * m.rows.pitch + m.rows.row_bytes;
    return fmt::format(
        "{} touch shared memory from address {:#x} on, row {}; filled before it are rows {}..{}, "
        "addresses {:#x} to {:#x}",
        lanes_named(read.lanes),
        read.address,
        m.row,
        first,
        last,
        begin,
        end - 1
    );
}

// Rows that were left out between others, by the line that wrote those.
void name_missing_rows(const Symptoms& s, const Incident& i, capture::Finding& f) {
    const auto missing = missing_row(s, i.first.address);
    if (!missing) return;
    const capture::Where filled = where_of_call(s, missing->rows.site);
    const std::string rows = rows_text(missing->rows.missing);
    const std::string effect = i.second.block < 0
        ? ""
        : fmt::format(
              " The value goes on to {}, where {}.", quoted(s.capture, f.other), what_it_does(i.second)
          );
    f.title = fmt::format("{} reads rows that nobody wrote: {}", place(f.where), rows);
    f.explanation = fmt::format(
        "{} reads row {} of a matrix in shared memory ({} bytes from row to row), which {} filled row by "
        "row, but rows {} were never written; the first witness is {}: {}.{} Fill every row that is read, "
        "or read only rows that were filled.",
        quoted(s.capture, f.where),
        missing->row,
        missing->rows.pitch,
        quoted(s.capture, filled),
        rows,
        who(s, i.first),
        touched_text(*missing, i.first),
        effect
    );
    f.other = filled;
    f.evidence.emplace_back("row", missing->row);
}

// Is it padding that lies between these rows: narrow beside them, and written by nobody in any row?
bool is_padded(const Symptoms& s, const WrittenRows& w) {
    if (2 * (w.pitch - w.row_bytes) > w.row_bytes) return false;
    const std::vector<capture::Event>& events = s.capture.records.front().events;
    return std::none_of(events.begin(), events.end(), [&](const capture::Event& e) {
        if (e.kind != capture::EventKind::shared_write || e.address < w.base) return false;
        const uint64_t at = e.address - w.base;
        return at < w.pitch * static_cast<uint64_t>(w.rows) && at % w.pitch + e.bytes > w.row_bytes;
    });
}

// Between two rows that were written lies their padding: who reads it goes on from row to row by another
// distance.
void name_padding(const Symptoms& s, const Incident& i, capture::Finding& f) {
    for (const WrittenRows& w : written_rows(s)) {
        const uint64_t at = i.first.address - w.base;
        const bool inside = i.first.address >= w.base && at < w.pitch * static_cast<uint64_t>(w.rows);
        if (!inside || at % w.pitch < w.row_bytes || !is_padded(s, w)) continue;
        f.explanation += fmt::format(
            " It is padding after row {} of a matrix that {} wrote with {} bytes from row to row, {} of "
            "them "
            "filled: a read with another leading dimension meets it.",
            at / w.pitch,
            quoted(s.capture, where_of_call(s, w.site)),
            w.pitch,
            w.row_bytes
        );
        return;
    }
}

capture::Finding finding(const Symptoms& s, const Incident& i) {
    capture::Finding f;
    f.rule = "uninitialised";
    f.where = where_of_access(s, i.first);
    if (i.first.memory == "shared") {
        const auto element = element_at(s.capture, i.first.block, i.first.address);
        if (element) f.where.tile = element->tile;
    }
    const std::string of_tile = f.where.tile.empty() ? "" : " (" + f.where.tile + ")";
    const std::string what = what_is_read(i);
    const bool followed = i.second.block >= 0;
    const std::string effect = followed ? what_it_does(i.second) : "";
    if (followed) f.other = where_of_access(s, i.second);
    f.title = followed ? fmt::format(
                             "{}: reads {} that nobody wrote{}, and at {} {}",
                             place(f.where),
                             what,
                             of_tile,
                             place(f.other),
                             effect
                         )
                       : fmt::format("{}: reads {} that nobody wrote{}", place(f.where), what, of_tile);
    f.explanation = fmt::format(
        "At {} {} reads {} that nobody wrote.", quoted(s.capture, f.where), who(s, i.first), what
    );
    if (followed)
        f.explanation += fmt::format(
            " The value goes on to {}, where {} ({}).", quoted(s.capture, f.other), effect, who(s, i.second)
        );
    f.explanation += " " + mending(i);
    f.proof = fmt::format("{} reads {} that nobody wrote", who(s, i.first), what);
    if (followed) f.proof += fmt::format("; {}: {}", who(s, i.second), effect);
    f.count = i.count;
    f.evidence = {
        {"occurrences", static_cast<double>(i.count)     },
        {"site",        static_cast<double>(i.first.site)}
    };
    if (followed) f.evidence.emplace_back("other_site", static_cast<double>(i.second.site));
    if (i.first.memory != "shared") return f;
    name_padding(s, i, f);
    name_missing_rows(s, i, f);
    return f;
}

// A register that no line sets before it makes values wrong: the declaration is what lacks something, where
// the line that reads it names one variable without a value.
void tell_at_declaration(const Symptoms& s, const Incident& i, capture::Finding& f) {
    const Experiment& e = s.experiment;
    const bool own = f.where.file == path_from_here(e.problem.kernel.source);
    if (!e.reference || i.first.memory != "register" || !own) return;
    std::set<int> lines;
    for (const ptx::Location& l : e.module.locations) lines.insert(l.line);
    const rewrite::Source source =
        rewrite::read_source(read_text_file(e.problem.kernel.source), lines, e.problem.defines);
    const std::vector<rewrite::Unset> unset = unset_at(source, f.where.line);
    if (unset.size() != 1 || unset.front().line == f.where.line) return;
    const capture::Where read = f.where;
    f.where.line = unset.front().line;
    f.title = fmt::format(
        "`{}` is given no value at {}, and is read at {}", unset.front().name, place(f.where), place(read)
    );
    f.explanation += fmt::format(" {} declares it without a value.", quoted(s.capture, f.where));
    if (f.other.line == 0) f.other = read;
    std::erase_if(f.evidence, [](const auto& each) { return each.first == "site"; });
}

// The counterfactual of all of them at once: does the bad block's output come right when each of these reads
// gives zero? With other inputs too?
bool zeros_mend(const Symptoms& s, capture::Finding& f) {
    if (s.first_bad < 0 || !s.experiment.reference) return false;
    const TrialOptions as_it_is{.blocks = {s.block}, .budget = s.budget, .marks = false};
    if (try_unedited(s.prover, as_it_is).bad == 0) return false;
    const Verdict v = prove(s, {.zero_unwritten = true});
    if (!v.mends) return false;
    f.proof = "with zero for every value that nobody wrote, " + v.text;
    capture::add_ran(v.ran, f);
    if (v.proven) f.evidence_kind = capture::EvidenceKind::proven;
    return v.proven;
}

}  // namespace

Ruled uninitialised_rule(const Symptoms& s) {
    std::vector<capture::Finding> out;
    for (const Incident& i : s.incidents) {
        if (i.kind != Kind::uninitialised_read) continue;
        if (explained_by_race(s.experiment.module, s.entry, s.incidents, i)) continue;
        capture::Finding f = finding(s, i);
        tell_at_declaration(s, i, f);
        // One line is one cause, in however many copies the compiler made of it.
        const auto known = std::find_if(out.begin(), out.end(), [&](const capture::Finding& k) {
            return k.where.file == f.where.file && k.where.line == f.where.line;
        });
        if (known == out.end())
            out.push_back(std::move(f));
        else
            known->count += f.count;
    }
    if (out.empty()) return {};
    // Zero for what nobody wrote says where it is read, not which line should have written it.
    const bool mends = zeros_mend(s, out.front());
    return {.findings = std::move(out), .explains = mends, .mends = mends, .kind_alone = true};
}

}  // namespace wl::diagnosis
