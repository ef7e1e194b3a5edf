// A line a launch, equal ones in one; then findings as `run` prints them.
#include "app/cli/programs/programs.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/json.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace wl::app {
namespace {

using runtime::Event;
using runtime::Launched;

std::string extent_text(Dim3 d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

int findings_of(const Launched& l) { return !l.capture.empty() ? l.number : l.same_as; }
int64_t process_of(const Launched& l) { return !l.capture.empty() ? l.process : l.same_as_process; }

bool same_group(const LaunchGroup& g, const Launched& l) {
    const Launched& f = g.first;
    const bool refused = l.state == "refused" || l.state == "unsupported";
    const bool was_refused = f.state == "refused" || f.state == "unsupported";
    return f.process == l.process && f.kernel == l.kernel && f.grid == l.grid && f.block == l.block &&
        f.shared == l.shared && g.findings_of == findings_of(l) && g.process_of == process_of(l) &&
        refused == was_refused && f.said == l.said && (f.state == "begun") == (l.state == "begun");
}

std::vector<std::string> texts(const ProgramRun& run, Event::Kind kind) {
    std::vector<std::string> out;
    std::set<std::string> seen;
    for (const Event& e : run.events)
        if (e.kind == kind && seen.insert(e.text).second) out.push_back(e.text);
    return out;
}

// Notes of the run, and what did the work of NVIDIA's libraries.
std::vector<std::string> notes(const ProgramRun& run) {
    std::vector<std::string> out = texts(run, Event::Kind::note);
    if (const std::vector<std::string> plain = texts(run, Event::Kind::plain); !plain.empty())
        out.push_back(fmt::format(
            "answered by plain versions on the CPU, not by NVIDIA's code: {}", fmt::join(plain, ", ")
        ));
    return out;
}

bool is_unsupported(const LaunchGroup& g) { return g.first.state == "unsupported"; }
bool is_refused(const LaunchGroup& g) { return g.first.state == "refused"; }

int64_t count_of_refused(const std::vector<LaunchGroup>& groups) {
    int64_t all = 0;
    for (const LaunchGroup& g : groups)
        if (is_refused(g)) all += static_cast<int64_t>(g.numbers.size());
    return all;
}

// "launches 2-101"
std::string numbers_text(const std::vector<int>& numbers) {
    if (numbers.size() == 1) return fmt::format("launch {}", numbers.front());
    const bool run = numbers.back() - numbers.front() + 1 == static_cast<int>(numbers.size());
    return fmt::format("launches {}{}{}", numbers.front(), run ? "-" : ", ..., ", numbers.back());
}

std::string state_text(const LaunchGroup& g, const ProgramRun& run, const Style& style) {
    const Launched& f = g.first;
    if (f.state == "refused") return paint(style, Color::bad, "refused: " + f.said);
    if (is_unsupported(g)) return paint(style, Color::warn, f.said);
    if (g.begun > 0)
        return paint(style, Color::warn, "it had begun, and was not over when the program ended");
    if (g.findings_of == 0) return paint(style, Color::good, "ok");
    for (const auto& [launched, capture] : run.found) {
        if (launched.number != g.findings_of || launched.process != g.process_of) continue;
        const size_t count = capture.findings.size();
        std::string text = fmt::format("{} finding{}", count, count == 1 ? "" : "s");
        if (g.findings_of != f.number || g.process_of != f.process)
            text += fmt::format(", those of launch {}", g.findings_of);
        return paint(style, Color::bad, text);
    }
    return "";
}

std::string group_text(const LaunchGroup& g, const ProgramRun& run, const Style& style) {
    const Launched& f = g.first;
    std::string out = fmt::format(
        "{}: {}, grid {}, block {}{}; ",
        numbers_text(g.numbers),
        paint(style, Color::bold, f.kernel),
        extent_text(f.grid),
        extent_text(f.block),
        f.shared == 0 ? "" : fmt::format(", {} bytes of shared memory", f.shared)
    );
    if (g.numbers.size() > 1) out += fmt::format("x {}, ", g.numbers.size());
    if (g.run > 0) out += fmt::format("{:.2g} s; ", g.seconds);
    if (g.repeated > 0)
        out += fmt::format("{} not executed again, as they would change nothing; ", g.repeated);
    if (g.unread > 0)
        out += fmt::format(
            "{} not executed, as {}; ",
            g.unread,
            g.process_ended ? "nothing reads what they would leave"
                            : "the program ended, not by exit(), before it read what they would leave"
        );
    if (g.left_out > 0) out += paint(style, Color::warn, fmt::format("{} left out by --first; ", g.left_out));
    return out + state_text(g, run, style) + "\n";
}

// The error by the name that it has in the program's API: cuMemMap is the driver's, cudaMalloc the runtime's.
// cuRAND has no status for it.
const char* not_supported_as(const std::string& function) {
    constexpr std::array<std::pair<std::string_view, const char*>, 4> kLibraries{
        {{"cublas", "CUBLAS_STATUS_NOT_SUPPORTED"},
         {"cusparse", "CUSPARSE_STATUS_NOT_SUPPORTED"},
         {"cusolver", "CUSOLVER_STATUS_NOT_SUPPORTED"},
         {"curand", "CURAND_STATUS_INTERNAL_ERROR"}}
    };
    for (const auto& [prefix, status] : kLibraries)
        if (function.starts_with(prefix)) return status;
    const bool of_driver =
        function.size() > 2 && function.starts_with("cu") && function[2] >= 'A' && function[2] <= 'Z';
    return of_driver ? "CUDA_ERROR_NOT_SUPPORTED" : "cudaErrorNotSupported";
}

// A program that looks at the error gives up with a status; one that does not goes on to a signal of its own
// making.
bool fell_after_unsupported(const ProgramRun& run) {
    constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP};
    const bool fault = std::find(kFaults.begin(), kFaults.end(), run.ended.signal) != kFaults.end();
    return (fault || run.ended.code != 0) && !texts(run, Event::Kind::unsupported).empty();
}

// With the place of the first call of each.
std::vector<std::string> unsupported_calls(const ProgramRun& run) {
    std::vector<std::string> out;
    std::set<std::string> seen;
    for (const Event& e : run.events)
        if (e.kind == Event::Kind::unsupported && seen.insert(e.text).second)
            out.push_back(fmt::format(
                "{} is not supported; the program got {}{}",
                e.text,
                not_supported_as(e.text),
                e.place.empty() ? "" : ", at " + e.place
            ));
    return out;
}

std::string ended_text(const ProgramRun& run) {
    if (run.ended.signal == 0)
        return run.ended.code == 0 ? "" : fmt::format("the program ended with status {}", run.ended.code);
    std::string out =
        fmt::format("the program was ended by signal {} ({})", run.ended.signal, strsignal(run.ended.signal));
    const auto last = std::find_if(run.events.rbegin(), run.events.rend(), [](const Event& e) {
        return e.kind == Event::Kind::launch;
    });
    if (last != run.events.rend())
        out += fmt::format(
            ", {} launch {}", last->launched.state == "begun" ? "in" : "after", last->launched.number
        );
    if (fell_after_unsupported(run))
        out += "; it had gone on after the call that is not supported";
    else if (run.ended.signal == SIGSEGV)
        out += "; the host cannot read or write device memory through its pointer, if that is what it did";
    return out;
}

int64_t count_of_launches(const std::vector<LaunchGroup>& groups) {
    int64_t all = 0;
    for (const LaunchGroup& g : groups) all += static_cast<int64_t>(g.numbers.size());
    return all;
}

nlohmann::ordered_json launch_json(const LaunchGroup& g) {
    const Launched& f = g.first;
    nlohmann::ordered_json j;
    j["launch"] = f.number, j["kernel"] = f.kernel;
    j["grid"] = {f.grid.x, f.grid.y, f.grid.z}, j["block"] = {f.block.x, f.block.y, f.block.z};
    j["shared"] = f.shared, j["times"] = g.numbers.size();
    j["run"] = g.run, j["repeated"] = g.repeated, j["left_out"] = g.left_out, j["unread"] = g.unread,
    j["begun"] = g.begun, j["seconds"] = g.seconds;
    j["state"] = g.run > 0 ? "run" : f.state, j["said"] = f.said;
    j["findings_of"] = g.findings_of, j["process"] = f.process;
    return j;
}

// What waited and was executed in the end was told twice.
std::set<std::pair<int64_t, int>> executed(const std::vector<Event>& events) {
    std::set<std::pair<int64_t, int>> out;
    for (const Event& e : events)
        if (e.kind == Event::Kind::launch && e.launched.state != "unread" && e.launched.state != "begun")
            out.insert({e.process, e.launched.number});
    return out;
}

// Launches, each as what it came to in the end.
std::vector<Launched> settled(const std::vector<Event>& events) {
    const std::set<std::pair<int64_t, int>> over = executed(events);
    std::set<std::pair<int64_t, int>> begun;
    for (const Event& e : events)
        if (e.kind == Event::Kind::launch && e.launched.state == "begun")
            begun.insert({e.process, e.launched.number});
    std::vector<Launched> out;
    for (const Event& e : events) {
        if (e.kind != Event::Kind::launch) continue;
        const std::pair<int64_t, int> key{e.process, e.launched.number};
        const bool waits = e.launched.state == "unread", begins = e.launched.state == "begun";
        if ((waits && begun.contains(key)) || ((waits || begins) && over.contains(key))) continue;
        out.push_back(e.launched);
    }
    return out;
}

bool has_ended(const std::vector<Event>& events, int64_t process) {
    return std::any_of(events.begin(), events.end(), [&](const Event& e) {
        return e.kind == Event::Kind::ended && e.process == process;
    });
}

}  // namespace

std::vector<LaunchGroup> grouped(const std::vector<Event>& events) {
    std::vector<LaunchGroup> out;
    for (const Launched& l : settled(events)) {
        auto found =
            std::find_if(out.begin(), out.end(), [&](const LaunchGroup& g) { return same_group(g, l); });
        if (found == out.end()) {
            found = out.emplace(out.end());
            found->first = l, found->findings_of = findings_of(l), found->process_of = process_of(l);
            found->process_ended = has_ended(events, l.process);
        }
        found->numbers.push_back(l.number);
        found->run += l.state == "run", found->repeated += l.state == "repeated",
            found->left_out += l.state == "left out", found->unread += l.state == "unread",
            found->begun += l.state == "begun", found->seconds += l.seconds;
    }
    return out;
}

std::string verdict_of(const ProgramRun& run) {
    const std::vector<LaunchGroup> groups = grouped(run.events);
    // What such a launch should have done is missing, whether or not the program asks for its error.
    if (!run.found.empty() || count_of_refused(groups) > 0) return "findings";
    const bool lacks = std::any_of(groups.begin(), groups.end(), is_unsupported) ||
        !run.how_to_link.empty() || !texts(run, Event::Kind::error).empty() || fell_after_unsupported(run);
    return lacks ? "unsupported" : run.ended.signal != 0 ? "incomplete" : "ok";
}

int status_of(const ProgramRun& run) {
    const std::string verdict = verdict_of(run);
    const bool own = verdict == "ok" || verdict == "incomplete";
    return own ? shell_status(run.ended) : capture::status_of(verdict);
}

std::string program_text(const ProgramRun& run, const Style& style, bool verbose) {
    const std::vector<LaunchGroup> groups = grouped(run.events);
    std::string out;
    for (const LaunchGroup& g : groups) out += group_text(g, run, style);
    for (const auto& [launched, capture] : run.found)
        out += (launched.number > 0 ? fmt::format("\nlaunch {}: {}\n", launched.number, launched.kernel)
                                    : fmt::format("\n{}\n", launched.kernel)) +
            findings_text(capture, style, verbose) + notes_text(capture, style, verbose);
    if (!run.found.empty()) out += '\n';
    for (const std::string& call : unsupported_calls(run)) out += paint(style, Color::warn, wrap(call, 0));
    for (const std::string& text : texts(run, Event::Kind::error))
        out += paint(style, Color::bad, wrap(text, 0));
    for (const std::string& text : notes(run)) out += paint(style, Color::warn, wrap("note: " + text, 0));
    if (!run.how_to_link.empty()) out += paint(style, Color::bad, wrap(run.how_to_link, 0));
    if (const std::string ended = ended_text(run); !ended.empty())
        out += paint(style, Color::bad, wrap(ended, 0));
    const int64_t launches = count_of_launches(groups);
    const int64_t refused = count_of_refused(groups);
    out += fmt::format(
        "{}: {} launch{}, {} with findings of {} own{}; values simulated by the CPU emulator\n",
        verdict_of(run),
        launches,
        launches == 1 ? "" : "es",
        run.found.size(),
        run.found.size() == 1 ? "its" : "their",
        refused > 0 ? fmt::format(", {} refused: what they should have written is missing", refused) : ""
    );
    return out;
}

std::string program_json(const ProgramRun& run) {
    using nlohmann::ordered_json;
    ordered_json launches = ordered_json::array(), findings = ordered_json::array();
    for (const LaunchGroup& g : grouped(run.events)) launches.push_back(launch_json(g));
    for (const auto& [launched, capture] : run.found)
        for (const capture::Finding& f : capture.findings) {
            ordered_json json = ordered_json::parse(capture::finding_json(capture, f));
            json["launch"] = launched.number, json["kernel"] = launched.kernel;
            findings.push_back(json);
        }
    ordered_json out;
    out["warplens"] = WL_VERSION, out["verb"] = "run", out["program"] = run.command;
    out["verdict"] = verdict_of(run), out["exit_status"] = run.ended.code, out["signal"] = run.ended.signal;
    out["launches"] = launches, out["findings"] = findings;
    out["unsupported"] = texts(run, Event::Kind::unsupported);
    out["errors"] = texts(run, Event::Kind::error), out["notes"] = notes(run);
    if (!run.how_to_link.empty()) out["errors"].push_back(run.how_to_link);
    return json_text(out);
}

}  // namespace wl::app
