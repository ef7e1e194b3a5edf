// device_fault: a launch that a GPU ended, or that does not end there. The driver does not say where.
// observing_changed: one that leaves something else when it is observed.
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/rules/rules.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace wl::diagnosis {
namespace {

using execution::ChangedWord;
using execution::Incident;

// Elements of one array that two runs left differently.
struct ChangedArray {
    int64_t elements = 0, first = -1;
    double was = 0, is = 0;  // the first
    double largest = 0;      // difference, of those that are finite
};

void add_word(ChangedArray& out, const ChangedWord& word, DType dtype) {
    const size_t size = size_of(dtype);
    std::byte was[sizeof word.was], is[sizeof word.is];
    std::memcpy(was, &word.was, sizeof was);
    std::memcpy(is, &word.is, sizeof is);
    for (size_t at = 0; at < sizeof was; at += size) {
        if (std::memcmp(was + at, is + at, size) == 0) continue;
        const double a = to_double(dtype, was + at), b = to_double(dtype, is + at);
        if (out.elements++ == 0)
            out.first = static_cast<int64_t>((word.offset + at) / size), out.was = a, out.is = b;
        if (std::isfinite(a - b)) out.largest = std::max(out.largest, std::abs(a - b));
    }
}

const manifest::BoundArgument* argument(const Symptoms& s, const std::string& name) {
    for (const manifest::BoundArgument& a : s.experiment.problem.args)
        if (a.array && a.name == name) return &a;
    return nullptr;
}

// The answer of the hazards: is the result determined at all?
std::string race_answer(const Symptoms& s, bool racy) {
    if (racy)
        return "The emulator finds a race in this launch, so that its result is not determined: the order "
               "that "
               "observing gives is one of several.";
    if (!s.experiment.options.races)
        return "Races were not looked for (--check leaves them out): `warplens hazards` does.";
    return "The emulator finds no race in this launch, in the order and with the inputs that it ran: "
           "`warplens "
           "hazards --explore 20` tries others.";
}

capture::Finding observing_finding(const Symptoms& s, const Incident& i, bool racy) {
    std::vector<std::pair<std::string, ChangedArray>> arrays;
    for (const ChangedWord& word : i.changed) {
        const manifest::BoundArgument* const a = argument(s, word.array);
        if (arrays.empty() || arrays.back().first != word.array)
            arrays.emplace_back(word.array, ChangedArray{});
        add_word(arrays.back().second, word, a == nullptr ? DType::u8 : a->data.dtype);
    }
    capture::Finding f;
    f.rule = "observing_changed", f.count = i.count;
    for (const auto& [name, changed] : arrays) {
        const manifest::BoundArgument* const a = argument(s, name);
        const int64_t columns = a == nullptr || a->data.shape.empty() ? 1 : a->data.shape.back();
        const int64_t row = changed.first / std::max<int64_t>(columns, 1),
                      col = changed.first % std::max<int64_t>(columns, 1);
        f.title += fmt::format("{}{}", f.title.empty() ? "observing the kernel changes " : " and ", name);
        f.explanation += fmt::format(
            "{}: {}{} elements differ, by up to {:.4g}, the first [{},{}]: {:.6g} after the plain run, "
            "{:.6g} after "
            "the observed one. ",
            name,
            i.count > i.changed.size() ? "at least " : "",
            changed.elements,
            changed.largest,
            row,
            col,
            changed.was,
            changed.is
        );
        if (!f.where.tile.empty()) continue;
        f.where.tile = name, f.where.element[0] = static_cast<int>(row),
        f.where.element[1] = static_cast<int>(col);
    }
    f.explanation += fmt::format(
        "Both runs of {} on {} had the same inputs{}; observing takes time and puts barriers where marks are "
        "taken. ",
        s.capture.launch.entry,
        s.capture.launch.executor,
        i.unsteady ? ", and two plain runs differ, too" : ""
    );
    f.explanation += race_answer(s, racy);
    f.proof = fmt::format("measured: {} words of memory differ", i.count);
    return f;
}

// Sums by atomics may come out otherwise each time, whoever looks on.
bool means_nothing(const Incident& i, bool racy) { return i.unsteady && !racy; }

capture::Finding fault_finding(const Symptoms& s, const Incident& i) {
    capture::Finding f;
    f.rule = "device_fault";
    f.title = i.detail;
    f.explanation = fmt::format(
        "On {}, {}. Nothing that the launch would have written can be read. The place is unknown: the "
        "driver does not tell it; where the emulator finds a fault in the same launch, that says it.",
        s.capture.launch.executor,
        i.detail
    );
    f.proof = i.detail;
    return f;
}

}  // namespace

Ruled device_rule(const Symptoms& s) {
    Ruled out;
    const bool racy = std::any_of(s.incidents.begin(), s.incidents.end(), [](const Incident& i) {
        return is_race(i.kind);
    });
    for (const Incident& i : s.incidents) {
        if (i.kind == Incident::Kind::observing_changed && !means_nothing(i, racy))
            out.findings.push_back(observing_finding(s, i, racy));
        if (i.kind != Incident::Kind::device_fault) continue;
        out.findings.push_back(fault_finding(s, i));
        out.claim = {
            {"never_written", "values_differ"},
            {               },
            "the launch did not come to its end"
        };
    }
    return out;
}

}  // namespace wl::diagnosis
