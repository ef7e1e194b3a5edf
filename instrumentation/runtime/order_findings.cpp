// Races of operations as findings: both places, both streams, and what would order them.

#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/counted.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/runtime/failed.h"
#include "instrumentation/runtime/findings.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/order_words.h"
#include "instrumentation/runtime/place.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

using order::Race;
using order::Touch;

// What would order them.
std::string mending(const Side& one, const Side& two) {
    using order::StreamKind;
    std::string out = fmt::format(
        "Order them: cudaEventRecord(event, {}) after {}{}, then cudaStreamWaitEvent({}, event) before {}{}; "
        "or "
        "let the host wait between the two (cudaStreamSynchronize).",
        one.operation.stream_name,
        one.name,
        at(one.issued),
        two.operation.stream_name,
        two.name,
        at(two.issued)
    );
    const StreamKind a = one.operation.stream_kind, b = two.operation.stream_kind;
    const bool aside = (a == StreamKind::legacy && b == StreamKind::non_blocking) ||
        (b == StreamKind::legacy && a == StreamKind::non_blocking);
    if (aside)
        out +=
            " A stream made with cudaStreamNonBlocking does not wait for the default stream, nor that for "
            "it.";
    return out;
}

capture::Finding early_finding(const Machine& m, const Race& race, const Side& one, const Side& two) {
    capture::Finding f;
    f.rule = "race_early_launch";
    f.title = fmt::format(
        "{}: {} what {} {}, before it waits for that launch", line_of(two), two.verb, one.name, one.verb
    );
    f.explanation = fmt::format(
        "{}. It is a programmatic launch and does so before its griddepcontrol.wait. {}, and may still run "
        "then, as "
        "it has let dependents begin (griddepcontrol.launch_dependents). Both touch {}. Only after the wait "
        "is the "
        "launch before it over and what it wrote visible (PTX ISA 9.0, 9.7.13.13): move the access after "
        "cudaGridDependencySynchronize().",
        as_sentence(told(two)),
        as_sentence(told(one)),
        memory_of(m, race.begin, race.bytes)
    );
    return f;
}

capture::Finding stream_finding(const Machine& m, const Race& race, const Side& one, const Side& two) {
    capture::Finding f;
    f.rule = "race_stream";
    f.title = fmt::format(
        "{}: {} what {} {} in {}, and nothing orders the two",
        line_of(two),
        two.verb,
        one.name,
        one.verb,
        one.operation.stream_name
    );
    f.explanation = fmt::format(
        "{}. {}. Both touch {}; on a GPU they may run at once, or the second one first. {}",
        as_sentence(told(two)),
        as_sentence(told(one)),
        memory_of(m, race.begin, race.bytes),
        mending(one, two)
    );
    return f;
}

bool is_same(const capture::Where& a, const capture::Where& b) {
    return a.file == b.file && a.line == b.line;
}

capture::Finding finding_of(Machine& m, const Race& race) {
    const Side one = side_of(m, *race.first, race.one), two = side_of(m, *race.second, race.two);
    capture::Finding f =
        race.two.early ? early_finding(m, race, one, two) : stream_finding(m, race, one, two);
    f.where = two.where, f.other = one.where;
    f.proof = fmt::format(
        "{} {} {} as executed; {} {} them before, and no event, wait or synchronisation lies between",
        two.name,
        two.verb,
        memory_of(m, race.begin, race.bytes),
        one.name,
        one.verb
    );
    f.evidence = {
        {"bytes", static_cast<double>(race.bytes)}
    };
    return f;
}

}  // namespace

std::vector<capture::Finding> findings_of(Machine& m, const std::vector<Race>& races) {
    std::vector<capture::Finding> out;
    for (const Race& race : races) {
        capture::Finding f = finding_of(m, race);
        const auto known = std::find_if(out.begin(), out.end(), [&](const capture::Finding& k) {
            return k.rule == f.rule && k.where.line > 0 && is_same(k.where, f.where) &&
                is_same(k.other, f.other);
        });
        if (known == out.end())
            out.push_back(std::move(f));
        else
            ++known->count;
    }
    return out;
}

std::string key_of(const Machine& m, const Race& race) {
    const auto side = [&](const order::Operation& o, const Touch& t) {
        const Label& l = m.ordering.labels[o.label];
        return fmt::format(
            "{}:{}:{}:{}:{}", static_cast<const void*>(l.kernel), l.caller, t.site, t.write, t.early
        );
    };
    return side(*race.first, race.one) + " " + side(*race.second, race.two);
}

namespace {

// Copies of which the host may have gone on before the last bytes were there.
void tell_staged(Machine& m, const order::Operation& operation, order::Touches& touches) {
    if (operation.stream_kind != order::StreamKind::non_blocking || m.ordering.staged.empty()) return;
    for (const auto& [begin, end] : m.ordering.staged)
        for (const Touch& t : order::made(touches)) {
            if (t.end <= begin || end <= t.begin) continue;
            const char* why =
                "work of a stream made with cudaStreamNonBlocking touches what cudaMemcpy() copied from "
                "pageable "
                "memory; that call may return before the last bytes have arrived (CUDA Runtime API, \"API "
                "synchronization behavior\"), and nothing else orders the two: that was not held against the "
                "program";
            tell_note_once(m, why);
            return;
        }
}

void tell_left_out(Machine& m, const order::Found& found) {
    const char* full =
        "the accesses of operations that nothing orders were too many to be kept: some were not "
        "compared with later ones of other streams";
    if (m.ordering.history.full) tell_note_once(m, full);
    const char* handed =
        "two launches that no event orders hand data on through memory, by atomics and fences; what these "
        "order is "
        "not followed, so the two were not compared";
    if (!found.handed_on.empty()) tell_note_once(m, handed);
}

// The kernel, or the call, of the second operation.
std::string name_of(const Machine& m, const Race& race) {
    const Label& label = m.ordering.labels[race.second->label];
    return label.kernel != nullptr ? label.kernel->shown : label.name;
}

}  // namespace

void tell_findings(Machine& m, const std::string& name, int launch, std::vector<capture::Finding> findings) {
    capture::Capture c;
    c.tool_version = tool_version(), c.created = now_utc();
    c.launch.kernel = c.launch.entry = name;
    c.launch.executor = m.executor.name, c.launch.inputs = "program";
    c.findings = std::move(findings);
    c.verdict = analysis::verdict_of(c);
    const std::string file = fmt::format("order-{}-{}.wlcap", process_id(), m.ordering.known.size());
    capture::write_capture(c, (std::filesystem::path(m.settings.folder) / file).string());
    Event event;
    event.kind = Event::Kind::order;
    event.launched.number = launch, event.launched.kernel = name;
    event.launched.findings = static_cast<int64_t>(c.findings.size()), event.launched.capture = file;
    tell(m.settings, event);
}

std::vector<Race> compare(
    Machine& m, const order::OperationPointer& operation, const Touches& touches, bool fences
) {
    if (operation == nullptr || touches == nullptr) return {};
    tell_staged(m, *operation, *touches);
    look_at_failed(m, *operation, *touches);
    order::Found found = order::add(m.ordering.history, operation, touches, fences);
    tell_left_out(m, found);
    std::erase_if(found.races, [&](const Race& r) { return !m.ordering.known.insert(key_of(m, r)).second; });
    return std::move(found.races);
}

void report(Machine& m, const std::vector<Race>& races) {
    if (races.empty()) return;
    tell_findings(m, name_of(m, races.front()), races.front().second->launch, findings_of(m, races));
}

void report_host(Machine& m, const Race& race) {
    const Side one = side_of(m, *race.first, race.one);
    const std::string waits = fmt::format("{}(){}", issuing().name, at(place_of(issuing().caller)));
    capture::Finding f;
    f.rule = "race_host";
    f.where = one.where.line > 0 ? one.where : where_of_call(one.issued);
    f.other = where_of_call(place_of(issuing().caller));
    f.title = fmt::format(
        "{}: the host changed what {} {}, before it had waited for it", line_of(one), one.name, one.verb
    );
    f.explanation = fmt::format(
        "{} in memory of the host: {}. Between that and {}, where it waits for it, the host changed them; on "
        "a "
        "GPU the work may come before or after that. Wait before the memory is used again "
        "(cudaStreamSynchronize({}), or an event that is recorded after it and cudaEventSynchronize), or "
        "take "
        "another buffer.",
        as_sentence(told(one)),
        memory_of(m, race.begin, race.bytes),
        waits,
        one.operation.stream_name
    );
    f.proof = fmt::format(
        "{} have other values when the host waits by {} than when {} was issued",
        memory_of(m, race.begin, race.bytes),
        waits,
        one.name
    );
    f.evidence = {
        {"bytes", static_cast<double>(race.bytes)}
    };
    tell_findings(m, name_of(m, race), race.second->launch, {std::move(f)});
}

void tell_copied(Machine& m, const order::OperationPointer& operation, uint64_t to, uint64_t bytes) {
    const bool told = !m.settings.folder.empty() && ++m.ordering.copies <= kMostCopiesTold;
    if (operation == nullptr || !told) return;
    Label& label = m.ordering.labels[operation->label];
    if (m.settings.hold != 0) place_of(label);
    const auto* from =
        reinterpret_cast<const std::byte*>(to);  // NOLINT(performance-no-int-to-ptr): of the host
    Event event;
    event.kind = Event::Kind::copied;
    event.text = fmt::format(
        "{}.{} {} {:016x}",
        operation->at.timeline,
        operation->at.number,
        bytes,
        capture::content_hash({from, bytes})
    );
    if (label.place) event.place = fmt::format("{}(){}", label.name, at(*label.place));
    tell(m.settings, event);
}

}  // namespace wl::runtime
