#include "app/cli/programs/orders.h"

#include "instrumentation/base/scratch.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <utility>

namespace wl::app {
namespace {

using runtime::Event;

constexpr uint64_t kShort = uint64_t{1}
    << 24;  // warp instructions of a program that is run once more unasked
// After which a program in another order is given up: one that polls memory for what is held back never ends.
// Unasked, the program is a short one.
constexpr double kSeconds = 600, kSecondsUnasked = 60;

bool is_about_order(const capture::Finding& f) {
    return f.rule == "race_stream" || f.rule == "race_early_launch" || f.rule == "race_host";
}

capture::Finding* first_about_order(ProgramRun& run) {
    for (auto& [launched, capture] : run.found)
        for (capture::Finding& f : capture.findings)
            if (is_about_order(f)) return &f;
    return nullptr;
}

bool is_short(const ProgramRun& run) {
    uint64_t all = 0;
    for (const Event& e : run.events)
        if (e.kind == Event::Kind::launch) all += e.launched.instructions;
    return all <= kShort;
}

// A copy to the host: what it brought, and where it was issued.
struct Copied {
    std::string bytes, place;
};

// By which operation of which process it was.
std::map<std::string, Copied> copies_of(const std::vector<Event>& events) {
    std::map<std::string, Copied> out;
    std::map<int64_t, size_t> processes;
    for (const Event& e : events) {
        const size_t process = processes.try_emplace(e.process, processes.size()).first->second;
        const size_t space = e.text.find(' ');
        if (e.kind == Event::Kind::copied && space != e.text.npos)
            out[fmt::format("{}:{}", process, e.text.substr(0, space))] = {e.text.substr(space + 1), e.place};
    }
    return out;
}

// "2 of 3 copies to the host brought other bytes, first cudaMemcpyAsync() at main.cu:40"; empty: all are the
// same.
std::string changed_copies(const std::vector<Event>& before, const std::vector<Event>& after) {
    const auto was = copies_of(before), is = copies_of(after);
    size_t changed = 0, all = 0;
    std::string first;
    for (const auto& [operation, copied] : was) {
        const auto other = is.find(operation);
        if (other == is.end()) continue;
        ++all;
        if (other->second.bytes == copied.bytes) continue;
        ++changed;
        if (first.empty()) first = other->second.place;
    }
    if (changed == 0) return {};
    return fmt::format(
        "{} of {} to the host brought other bytes{}",
        changed,
        fmt::format("{} {}", all, all == 1 ? "copy" : "copies"),
        first.empty() ? "" : ", first " + first
    );
}

std::string last_line(const std::string& text) {
    constexpr size_t kMost = 200;
    std::istringstream lines(text);
    std::string last;
    for (std::string line; std::getline(lines, line);)
        if (!line.empty()) last = line.substr(0, kMost);
    return last;
}

// What one other order changes; empty: nothing that can be seen.
std::string changed_by(
    const ProgramRun& run, runtime::Settings settings, uint64_t seed, double most_seconds
) {
    const Scratch scratch;
    settings.folder = scratch.path, settings.hold = seed, settings.first = 0;
    settings.launch.clear(), settings.record.clear();
    ProcessOptions options;
    options.environment = environment_for(settings);
    const Finished finished = run_process(run.command, scratch.path + "/output", most_seconds, options);
    std::string out = changed_copies(run.events, runtime::read_report(scratch.path));
    const int was = shell_status(run.ended);
    const std::string status = finished.timed_out ? fmt::format(
                                                        "it had not ended after {} s, as a program does not "
                                                        "that polls memory for work that is held back",
                                                        most_seconds
                                                    )
        : finished.status != was ? fmt::format("it ended with status {} instead of {}", finished.status, was)
                                 : "";
    if (!status.empty()) out += (out.empty() ? "" : ", and ") + status;
    if (out.empty()) return out;
    const std::string said = last_line(finished.output);
    return said.empty() ? out : out + "; the last that it printed was: " + said;
}

std::string words_of(const ProgramRun& run, size_t changed, int64_t tried, const std::string& what) {
    if (changed == 0)
        return fmt::format(
            "The program was run {} more, its work done in another order that CUDA allows: no copy to the "
            "host{} and not its status changed.",
            tried == 1 ? "once" : fmt::format("{} times", tried),
            std::cmp_less(copies_of(run.events).size(), runtime::kMostCopiesTold) ? ""
                                                                                  : " among its first 1000"
        );
    return fmt::format(
        "Run once more, its work done as late as CUDA allows{}: {}.",
        tried == 1 ? "" : fmt::format(" ({} of {} orders changed something)", changed, tried),
        what
    );
}

}  // namespace

void run_other_orders(ProgramRun& run, const runtime::Settings& settings, int64_t orders) {
    capture::Finding* finding = first_about_order(run);
    // Launches are done one at a time: no order of them shows one that begins too early.
    const bool shows = finding != nullptr && finding->rule != "race_early_launch";
    const bool asked = orders >= 0;
    if (!asked) orders = shows && run.ended.signal == 0 && is_short(run) ? 1 : 0;
    size_t changed = 0;
    std::string first;
    for (int64_t k = 1; k <= orders; ++k) {
        const std::string what =
            changed_by(run, settings, static_cast<uint64_t>(k), asked ? kSeconds : kSecondsUnasked);
        changed += !what.empty();
        if (first.empty()) first = what;
    }
    if (orders == 0) return;
    const std::string words = words_of(run, changed, orders, first);
    if (finding != nullptr) {
        finding->explanation += " " + words;
        finding->evidence.emplace_back("orders", static_cast<double>(orders));
        finding->evidence.emplace_back("orders_changed", static_cast<double>(changed));
    } else {
        Event note;
        note.text = words;
        run.events.push_back(note);
    }
}

}  // namespace wl::app
