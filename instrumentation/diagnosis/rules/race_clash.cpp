#include "instrumentation/diagnosis/rules/race_clash.h"

#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using emulator::Access;
using emulator::Incident;

const ptx::Instruction* instruction_of(const Symptoms& s, const Access& a) {
    const auto at = code_place(s.experiment.module, s.entry, a.site);
    return at ? &s.experiment.module.functions[at->function].code[at->index] : nullptr;
}

bool is_atomic(const Symptoms& s, const Access& a) {
    const ptx::Instruction* i = instruction_of(s, a);
    return i != nullptr && ptx::traits_of(*i).memory == ptx::Memory::update;
}

const ptx::Operand* address_of(const ptx::Instruction* i) {
    if (i == nullptr) return nullptr;
    const auto found = std::find_if(i->operands.begin(), i->operands.end(), [](const ptx::Operand& o) {
        return o.kind == ptx::Operand::Kind::address;
    });
    return found == i->operands.end() ? nullptr : &*found;
}

// Do a load and a store of one line go to the same place, by the same register?
bool updates_in_place(const Symptoms& s, const Incident& i) {
    if (i.first.write == i.second.write) return false;
    const ptx::Operand *a = address_of(instruction_of(s, i.first)),
                       *b = address_of(instruction_of(s, i.second));
    return a != nullptr && b != nullptr && *a == *b;
}

const Access& plain_of(const Symptoms& s, const Incident& i) {
    return is_atomic(s, i.first) ? i.second : i.first;
}

std::string who(const Symptoms& s, const Incident& i, const Access& a) {
    if (i.first.block != i.second.block) return "block " + block_text(s.capture, a.block);
    if (i.first.warp != i.second.warp) return fmt::format("warp {}", a.warp);
    return fmt::format("warp {}, lane {}", a.warp, std::countr_zero(a.lanes));
}

bool shares_line(const capture::Finding& f, const capture::Where& line) {
    return line.line > 0 && (same_line(f.where, line) || same_line(f.other, line));
}

bool are_similar(
    const capture::Finding& head, const RaceKey& a, const capture::Finding& f, const RaceKey& b
) {
    if (head.rule != f.rule || a.variable.empty() || a.variable != b.variable) return false;
    if (a.mending != b.mending) return false;
    return a.mending != Ordering::kNone || shares_line(f, head.where) || shares_line(head, f.where);
}

std::string lines_text(const capture::Finding& f) {
    return place(f.where) + " with " + (same_line(f.where, f.other) ? "itself" : place(f.other));
}

void say_merged(capture::Finding& head, const std::vector<std::string>& lines, const std::string& variable) {
    constexpr size_t kMost = 4;
    std::string text;
    for (size_t i = 0; i < std::min(lines.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + lines[i];
    if (lines.size() > kMost) text += ", ...";
    head.explanation += fmt::format(
        " {} further pair{} of lines race{} on {} in the same way: {}.",
        lines.size(),
        lines.size() == 1 ? "" : "s",
        lines.size() == 1 ? "s" : "",
        variable,
        text
    );
    head.evidence.emplace_back("similar", static_cast<double>(lines.size()));
}

}  // namespace

Clash clash_of(const Symptoms& s, const Cause& cause) {
    const Incident& i = *cause.incidents.front();
    if (is_atomic(s, i.first) != is_atomic(s, i.second)) return Clash::beside;
    const bool update = same_line(cause.first, cause.second) &&
        std::any_of(cause.incidents.begin(), cause.incidents.end(), [&](const Incident* each) {
                            return updates_in_place(s, *each);
                        });
    return update ? Clash::update : Clash::plain;
}

bool blames_first(const Symptoms& s, const Cause& cause, const Mending* mending) {
    const Incident& i = *cause.incidents.front();
    if (mending == nullptr) return clash_of(s, cause) == Clash::beside && !is_atomic(s, i.first);
    for (const Insertion& at : mending->insertions) {
        const ptx::Place before{at.function, at.at};
        const capture::Where line = where_of(s, before);
        if (same_line(line, where_of(s, i.second.site))) return false;
        if (same_line(line, where_of(s, i.first.site))) return true;
    }
    return false;
}

std::string clash_title(const Symptoms& s, const Cause& cause, const std::string& variable) {
    const Incident& i = *cause.incidents.front();
    if (clash_of(s, cause) == Clash::update)
        return fmt::format(
            "race on {}: {} and {} update it at one line without an atomic",
            variable,
            who(s, i, i.first),
            who(s, i, i.second)
        );
    const Access &plain = plain_of(s, i), &atomic = &plain == &i.first ? i.second : i.first;
    return fmt::format(
        "race on {}: {} {} plainly what {} updates by an atomic",
        variable,
        who(s, i, plain),
        plain.write ? "writes" : "reads",
        who(s, i, atomic)
    );
}

std::string clash_advice(const Symptoms& s, const Cause& cause) {
    const Incident& i = *cause.incidents.front();
    if (clash_of(s, cause) == Clash::update)
        return "Both read the old value, so that one of the two updates is lost: make it an atomic "
               "that does both: atomicAdd() of a sum, atomicMin() or atomicMax() of what is least or "
               "greatest.";
    const Access& plain = plain_of(s, i);
    const std::string line = place(where_of(s, plain.site));
    const char* order = i.first.block != i.second.block
        ? "let only the block that finishes last do it (a counter after a __threadfence()), or a launch of "
          "its own"
        : "put a barrier between the two";
    if (plain.write)
        return fmt::format(
            "An atomic is one only among atomics: make the store at {} an atomic too, or {}.", line, order
        );
    return fmt::format(
        "An atomic is one only among atomics. Read at {} by an atomic too (atomicAdd() of 0), where any "
        "value on the way "
        "will do; where it has to be the last one, {}.",
        line,
        order
    );
}

void merge_similar(std::vector<capture::Finding>& findings, const std::vector<RaceKey>& told) {
    std::vector<capture::Finding> kept;
    std::vector<size_t> of;                 // kept -> index in findings
    std::vector<int> now(findings.size());  // index in findings -> index in kept
    std::vector<std::vector<std::string>> merged;
    for (size_t k = 0; k < findings.size(); ++k) {
        size_t head = 0;
        while (head < kept.size() && !are_similar(kept[head], told[of[head]], findings[k], told[k])) ++head;
        now[k] = static_cast<int>(head);
        if (head == kept.size()) {
            kept.push_back(findings[k]), of.push_back(k), merged.emplace_back();
            continue;
        }
        kept[head].count += findings[k].count;
        merged[head].push_back(lines_text(findings[k]));
    }
    for (size_t head = 0; head < kept.size(); ++head) {
        if (kept[head].caused_by >= 0) kept[head].caused_by = now[static_cast<size_t>(kept[head].caused_by)];
        if (!merged[head].empty()) say_merged(kept[head], merged[head], told[of[head]].variable);
    }
    findings = std::move(kept);
}

}  // namespace wl::diagnosis
