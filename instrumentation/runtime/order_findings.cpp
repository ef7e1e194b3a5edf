// Races of operations as findings: both places, both streams, and what would order them.

#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/counted.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/runtime/findings.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/ordering.h"
#include "instrumentation/runtime/place.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

using order::Race;
using order::Touch;

// One side of a race.
struct Side {
    const order::Operation& operation;
    const Touch& touch;
    const Label& label;
    capture::Where where;    // of the kernel's line, or of the call
    std::string issued;      // "main.cu:12", of the host; empty: unknown
    std::string name, verb;  // "launch 2, smooth(float*)", "reads"
};

// The author's line of an instruction, which may be inlined from the toolkit's headers there.
capture::Where where_of_site(const Kernel& kernel, uint32_t site) {
    capture::Where out;
    const auto ready = kernel.module->ready.find(kernel.entry);
    if (ready == kernel.module->ready.end() || site >= ready->second.listing->sites.size()) return out;
    const auto& sites = ready->second.listing->sites;
    for (int at = static_cast<int>(site); at >= 0; at = sites[static_cast<size_t>(at)].inlined_at) {
        const capture::Site& s = sites[static_cast<size_t>(at)];
        if (s.source < 0 || s.line == 0) break;
        out.file = kernel.module->parsed->files.at(static_cast<size_t>(s.source)), out.line = s.line;
        if (!is_toolkit_header(out.file)) break;
    }
    return out;
}

capture::Where where_of_call(const std::string& place) {
    capture::Where out;
    const size_t colon = place.rfind(':');
    if (colon == place.npos) return out;
    const char *first = place.data() + colon + 1, *last = place.data() + place.size();
    const auto read = std::from_chars(first, last, out.line);
    if (read.ptr != last || first == last) out.line = 0;
    if (out.line > 0) out.file = place.substr(0, colon);
    return out;
}

// Calls that CUDA's header makes for the program are the program's.
const std::string& place_of_label(Label& label) {
    if (label.place) return *label.place;
    label.place = place_of(label.caller);
    for (const void* outer : label.outer) {
        if (outer == nullptr || !label.place->starts_with("cuda_runtime.h:")) break;
        if (std::string place = place_of(outer); place.find(':') != place.npos)
            label.place = std::move(place);
    }
    return *label.place;
}

std::string verb_of(const Label& label, const Touch& touch) {
    if (label.kernel == nullptr && label.name.find("Free") != label.name.npos) return "frees";
    if (label.kernel == nullptr && label.name.find("Malloc") != label.name.npos) return "allocates";
    return touch.write ? "writes" : "reads";
}

Side side_of(Machine& m, const order::Operation& operation, const Touch& touch) {
    Label& label = m.ordering.labels[operation.label];
    Side out{operation, touch, label, {}, place_of_label(label), "", verb_of(label, touch)};
    if (label.kernel != nullptr) {
        out.name = fmt::format("launch {}, {}", operation.launch, label.kernel->shown);
        out.where = where_of_site(*label.kernel, touch.site);
    } else {
        out.name = *label.name.c_str() == 0 ? "work of the host" : label.name + "()";
        out.where = where_of_call(out.issued);
    }
    return out;
}

std::string at(const std::string& place) { return place.empty() ? "" : " at " + place; }

std::string line_of(const Side& s) {
    if (s.where.line > 0) return fmt::format("{}:{}", s.where.file, s.where.line);
    return s.issued.empty() ? s.name : s.issued;
}

std::string memory_of(const Machine& m, const Race& race) {
    const Region* region = region_of(m.memory, race.begin);
    if (region == nullptr) return fmt::format("the bytes from address {:#x} on", race.begin);
    return fmt::format(
        "{} from byte {} of {} on", counted(race.bytes, "byte"), race.begin - region->base, region->name
    );
}

std::string told(const Side& s) {
    return fmt::format(
        "{}, issued to {}{}, {}{}",
        s.name,
        s.operation.stream_name,
        at(s.issued),
        s.verb,
        s.label.kernel != nullptr ? at(line_of(s)) : ""
    );
}

std::string as_sentence(std::string text) {
    const bool is_call = text.starts_with("cuda") || text.starts_with("cu");
    if (!text.empty() && !is_call && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

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
        memory_of(m, race)
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
        memory_of(m, race),
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
        memory_of(m, race),
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
void tell_staged(Machine& m, const order::Operation& operation, const std::vector<order::Touch>& touches) {
    if (operation.stream_kind != order::StreamKind::non_blocking) return;
    for (const auto& [begin, end] : m.ordering.staged)
        for (const Touch& t : touches) {
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

capture::Capture capture_of(Machine& m, const Race& race) {
    capture::Capture c;
    c.tool_version = tool_version(), c.created = now_utc();
    const Label& label = m.ordering.labels[race.second->label];
    c.launch.kernel = label.kernel != nullptr ? label.kernel->shown : label.name;
    c.launch.entry = label.kernel != nullptr ? label.kernel->entry : label.name;
    c.launch.executor = m.executor.name, c.launch.inputs = "program";
    return c;
}

void tell_findings(Machine& m, const Race& race, std::vector<capture::Finding> findings) {
    capture::Capture c = capture_of(m, race);
    c.findings = std::move(findings);
    c.verdict = analysis::verdict_of(c);
    const std::string name = fmt::format("order-{}-{}.wlcap", process_id(), m.ordering.known.size());
    capture::write_capture(c, (std::filesystem::path(m.settings.folder) / name).string());
    Event event;
    event.kind = Event::Kind::order;
    event.launched.number = race.second->launch, event.launched.kernel = c.launch.kernel;
    event.launched.findings = static_cast<int64_t>(c.findings.size()), event.launched.capture = name;
    tell(m.settings, event);
}

}  // namespace

std::vector<Race> compare(
    Machine& m, const order::OperationPointer& operation, const Touches& touches, bool fences
) {
    if (operation == nullptr || touches == nullptr) return {};
    tell_staged(m, *operation, *touches);
    order::Found found = order::add(m.ordering.history, operation, touches, fences);
    tell_left_out(m, found);
    std::erase_if(found.races, [&](const Race& r) { return !m.ordering.known.insert(key_of(m, r)).second; });
    return std::move(found.races);
}

void report(Machine& m, const std::vector<Race>& races) {
    if (races.empty()) return;
    tell_findings(m, races.front(), findings_of(m, races));
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
        memory_of(m, race),
        waits,
        one.operation.stream_name
    );
    f.proof = fmt::format(
        "{} have other values when the host waits by {} than when {} was issued",
        memory_of(m, race),
        waits,
        one.name
    );
    f.evidence = {
        {"bytes", static_cast<double>(race.bytes)}
    };
    tell_findings(m, race, {std::move(f)});
}

void tell_copied(Machine& m, const order::OperationPointer& operation, uint64_t to, uint64_t bytes) {
    constexpr int kMost = 1000;
    if (operation == nullptr || m.settings.folder.empty() || ++m.ordering.copies > kMost) return;
    Label& label = m.ordering.labels[operation->label];
    if (m.settings.hold != 0) place_of_label(label);
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
