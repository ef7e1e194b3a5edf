// One checked run of every launch; then those with symptoms once more, with the memory that they found.
#include "instrumentation/diagnosis/run_sequence.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/work.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/launch_limits.h"
#include "instrumentation/diagnosis/launch_refusals.h"
#include "instrumentation/diagnosis/orders/judge.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/diagnosis/sequence_findings.h"
#include "instrumentation/diagnosis/timer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <tuple>
#include <utility>

namespace wl::diagnosis {

namespace {

using Kind = execution::Incident::Kind;

constexpr size_t kMostDiagnosed = 8;  // launches with symptoms of their own

// A launch with symptoms, or the one that is asked for.
struct Ran {
    Experiment e;
    execution::Executable executable;
    capture::Capture c;
    std::vector<execution::Incident> incidents;
};

using IncidentKey = std::tuple<std::string, Kind, uint32_t, uint32_t>;

struct Sequence {
    const Experiment& e;
    const capture::Capture& about;
    std::map<std::string, execution::Executable> executables = {};       // by entry
    std::set<IncidentKey> known = {};                                    // of the launches so far
    std::set<std::tuple<std::string, uint64_t, uint32_t>> allowed = {};  // entries with threads and bytes
    std::map<size_t, Ran> ran = {};
    std::vector<capture::Launched> launches = {};
    capture::Capture whole = {};  // the outputs of all launches
    execution::GlobalMemory memory = {};
    int first_wrong = -1;  // by tiles or outputs
    int left_by = -1;      // the launch that wrote what one behind it, the first wrong, should have changed
    size_t end = 0;        // launches that ran
    std::set<size_t> faulty = {};
    bool races = false;
    Contests contests = {};
    double seconds = 0, instructions = 0;
    double searched = 0;  // seconds of --search that launches have had
    int64_t blocks = 0;
    std::vector<std::string> notes = {};
};

const execution::Executable& executable_of(Sequence& s, const std::string& entry) {
    const auto known = s.executables.find(entry);
    if (known != s.executables.end()) return known->second;
    return s.executables.emplace(entry, s.e.options.executor.prepare(s.e.module, entry)).first->second;
}

bool has_news(Sequence& s, const std::string& entry, const std::vector<execution::Incident>& incidents) {
    bool news = false;
    s.races = s.races || has_race(incidents);
    for (const execution::Incident& i : incidents)
        if (i.kind != Kind::uniform_reduction)
            news = s.known.insert({entry, i.kind, i.first.site, i.second.site}).second || news;
    return news;
}

// Why a device would refuse this launch; of equal ones it is asked once.
std::optional<capture::Finding> refusal_of(
    Sequence& s, const Experiment& e, const execution::Executable& executable, capture::Capture& c
) {
    const manifest::BoundLaunch& bound = manifest::launch_of(e.problem);
    if (!s.allowed.insert({e.entry, count(bound.block), bound.shared}).second) return std::nullopt;
    c = s.about;
    describe_launch(e, executable, c);
    auto impossible = impossible_launch(e, c);
    if (!impossible) impossible = refused_launch(e, c);
    if (impossible) impossible->where.launch = c.launch.number;
    return impossible;
}

// What the pass left, as a capture of its own.
capture::Capture described(
    const Sequence& s, const Experiment& e, const execution::Executable& executable, capture::Capture&& pass
) {
    capture::Capture c = s.about;
    describe_launch(e, executable, c);
    c.probes = std::move(pass.probes), c.tiles = std::move(pass.tiles);
    c.covered.blocks = pass.covered.blocks;
    c.counters.insert(c.counters.end(), pass.counters.begin(), pass.counters.end());
    c.seconds.insert(c.seconds.end(), pass.seconds.begin(), pass.seconds.end());
    return c;
}

void add_summary(Sequence& s, const Experiment& e, const capture::Capture& pass, bool finished) {
    const manifest::BoundLaunch& bound = manifest::launch_of(e.problem);
    capture::Launched& out = s.launches.emplace_back();
    out.name = bound.name, out.entry = e.entry, out.grid = bound.grid, out.block = bound.block;
    out.blocks = pass.covered.blocks;
    for (const capture::Tile& t : pass.tiles) out.compared += t.compared, out.bad += t.bad;
    if (!finished)
        out.said = fmt::format("it did not come to its end: {} of {} blocks", out.blocks, count(bound.grid));
    s.blocks += pass.covered.blocks;
    for (const auto& [name, value] : pass.seconds) s.seconds += name == "run" ? value : 0;
    for (const auto& [name, value] : pass.counters) s.instructions += name == "warp_instructions" ? value : 0;
    for (const std::string& note : pass.notes)
        s.notes.push_back(launch_text(e.problem, e.problem.at) + ": " + note);
}

// False: it did not come to its end, and nothing runs behind it.
bool run_launch(Sequence& s, Experiment& e) {
    const execution::Executable& executable = executable_of(s, e.entry);
    const bool last = e.problem.at + 1 == e.problem.launches.size();
    auto before = std::make_shared<const execution::GlobalMemory>(execution::copy_of(s.memory));
    Prepared prepared;
    prepared.launch = launch_in(e.problem, entry_of(e.module, e.entry), s.memory);
    prepared.memory = std::move(s.memory);
    capture::Capture c;
    Pass pass = run_pass(e, executable, prepared, c);
    s.memory = std::move(prepared.memory);
    add_summary(s, e, c, pass.finished);
    bool wrong = s.launches.back().bad > 0;
    if (!last) {
        Observer behind = observer_of(e, executable, s.whole);
        const size_t first = s.whole.tiles.size();
        wrong = !compare_launch_outputs(behind, s.memory) || wrong;
        for (size_t t = first; t < s.whole.tiles.size(); ++t)
            s.launches.back().compared += s.whole.tiles[t].compared,
                s.launches.back().bad += s.whole.tiles[t].bad;
    }
    if (wrong && s.first_wrong < 0) s.first_wrong = static_cast<int>(e.problem.at);
    const bool faulty = has_news(s, e.entry, pass.incidents) && s.faulty.size() < kMostDiagnosed;
    if (faulty) s.faulty.insert(e.problem.at);
    s.contests.emplace_back(e.problem.at, std::move(pass.contest));
    const bool asked = e.problem.at == s.e.problem.at;
    if (faulty || asked || s.first_wrong == static_cast<int>(e.problem.at)) {
        Ran& ran = s.ran[e.problem.at];
        ran.e = e, ran.e.before = std::move(before), ran.executable = executable;
        ran.c = described(s, e, executable, std::move(c)), ran.incidents = std::move(pass.incidents);
    }
    return pass.finished;
}

// Elements of outputs count for the launch that wrote them last. The first that wrote a wrong one, or should
// have written one, is the first wrong.
void judge_output(Sequence& s, const capture::Output& o, const std::vector<int>& last) {
    const auto blame = [&](size_t element) {
        const auto launch = static_cast<int>(answers_for(s.e, o.name, last, element, s.end));
        if (s.first_wrong < 0 || launch < s.first_wrong) s.first_wrong = launch;
    };
    const bool wrong = o.verdict == capture::Verdict::bad, missed = o.of.wanted && o.of.unwritten > 0;
    const analysis::TileData data = analysis::load_tile(s.whole, s.whole.tiles[static_cast<size_t>(o.tile)]);
    bool located = false;
    for (size_t i = 0; i < last.size(); ++i) {
        const bool known = i < data.reference.data.size() && !std::isnan(data.reference.data[i]);
        const bool bad =
            wrong && known && analysis::is_bad(data.got.data[i], data.reference.data[i], data.bound.data[i]);
        const bool written = last[i] != Writers::kNobody;
        if (written && known) {
            capture::Launched& by = s.launches[static_cast<size_t>(last[i])];
            ++by.compared;
            by.bad += bad ? 1 : 0;
        }
        if (bad || (missed && !written)) blame(i);
        located = located || bad;
    }
    // Wrong in bits that a double does not hold.
    if (wrong && !located)
        blame(static_cast<size_t>(std::max_element(last.begin(), last.end()) - last.begin()));
}

Ran& ran_of(Sequence& s, size_t launch) {
    const auto known = s.ran.find(launch);
    if (known != s.ran.end()) return known->second;
    Ran& ran = s.ran[launch];
    ran.e = with_memory(at_launch(s.e, launch));
    ran.executable = executable_of(s, ran.e.entry);
    Prepared prepared = prepare(ran.e);
    capture::Capture c;
    ran.incidents = run_pass(ran.e, ran.executable, prepared, c).incidents;
    ran.c = described(s, ran.e, ran.executable, std::move(c));
    return ran;
}

execution::GlobalMemory memory_after(const Sequence& s, const Ran& ran) {
    if (ran.e.problem.at + 1 == s.end) return execution::copy_of(s.memory);
    Prepared prepared = prepare(ran.e);
    execution::RunOptions options = run_options(ran.e.options, "run");
    options.checks = {.races = false, .uninitialised = false, .uniform = false}, options.marks = false;
    if (ran.executable.run(prepared.launch, prepared.memory, options).cancelled) throw_cancelled();
    return std::move(prepared.memory);
}

// The first wrong launch may only have left what this one should have changed: the end tells.
bool is_first_fault(const Sequence& s, size_t launch) {
    return !s.faulty.empty() && launch == *s.faulty.begin() && static_cast<int>(launch) > s.first_wrong;
}

// Records and explains one launch. Behind the first wrong one values say nothing of their own: only what is
// wrong whatever they are is looked for. `more`: launches behind it that are to share what is left of the
// search's time.
void look_at(Sequence& s, size_t launch, const Writers& writers, bool chosen, size_t more) {
    Ran& ran = ran_of(s, launch);
    ran.e.unsettled = std::make_shared<const Unsettled>(unsettled_after(s.e, writers, launch, s.end));
    const bool behind = s.first_wrong >= 0 && static_cast<int>(launch) > s.first_wrong;
    if (behind && !chosen) {
        if (!is_first_fault(s, launch)) ran.e.reference.reset();
        ran.e.unsettled = std::make_shared<const Unsettled>(nothing_settled(writers));
        ran.c.tiles.clear(), ran.c.probes.clear();
    } else {
        compare_pass(ran.e, ran.executable, memory_after(s, ran), ran.c);
    }
    if (!s.e.problem.chosen || !chosen) ran.e.options.record.clear();
    record_pass(ran.e, ran.executable, ran.c, ran.incidents);
    Experiment explained = ran.e;
    explained.options.diagnose = s.e.options.diagnose && (!behind || s.faulty.contains(launch));
    const double left = std::max(0.0, s.e.options.search_seconds - s.searched);
    explained.options.search_seconds = left / static_cast<double>(1 + more);
    s.searched += seconds_for(work_of([&] { explain(explained, ran.c, ran.incidents); }));
    for (capture::Finding& f : ran.c.findings) {
        if (f.where.launch == 0) f.where.launch = ran.c.launch.number;
        if (f.other.line > 0) f.other.launch = ran.c.launch.number;
    }
}

// The last launch that writes an output which this one wrote wrong elements of: one up to it may be at fault
// for not writing them. Nothing: none does.
std::optional<size_t> last_writer(const Sequence& s, const Writers& writers, size_t launch) {
    int out = static_cast<int>(launch);
    for (const capture::Output& o : s.whole.outputs) {
        const auto found = writers.last.find(o.name);
        if (o.verdict != capture::Verdict::bad || found == writers.last.end()) continue;
        const std::vector<int>& last = found->second;
        if (std::find(last.begin(), last.end(), static_cast<int>(launch)) != last.end())
            out = std::max(out, *std::max_element(last.begin(), last.end()));
    }
    return static_cast<size_t>(out) > launch ? std::optional(static_cast<size_t>(out)) : std::nullopt;
}

// The launch is looked at as if it had written what the first wrong one left. False: that explains nothing.
bool explains_first(Sequence& s, const Writers& writers, size_t later, size_t more) {
    const int first = std::exchange(s.first_wrong, static_cast<int>(later));
    look_at(s, later, all_by(writers, later), true, more);
    (is_explained(s.ran.at(later).c) ? s.left_by : s.first_wrong) = first;
    return s.left_by >= 0;
}

// Gives the launch whose capture tells of all, which `looked_at` holds behind it. Who does wrong himself is
// asked before who only left something.
size_t look_at_all(Sequence& s, const Writers& writers, std::set<size_t>& looked_at, size_t subject) {
    const std::optional<size_t> later = s.first_wrong < 0 || s.e.problem.chosen
        ? std::nullopt
        : last_writer(s, writers, static_cast<size_t>(s.first_wrong));
    const auto first = static_cast<size_t>(std::max(s.first_wrong, 0));
    const auto fault =
        std::find_if(looked_at.begin(), looked_at.end(), [&](size_t k) { return is_first_fault(s, k); });
    const bool apart = fault != looked_at.end() && *fault != subject && later != *fault;
    const size_t before = apart ? *fault : s.end;
    if (apart) look_at(s, before, writers, false, looked_at.size());
    if (apart && is_all_explained(s.ran.at(before).c)) s.searched = s.e.options.search_seconds;
    const bool asked_first = later && s.faulty.contains(*later) && !s.faulty.contains(first);
    const bool again = later && (asked_first || !looked_at.contains(*later));
    bool explained = asked_first && explains_first(s, writers, *later, looked_at.size() - 1);
    size_t more = looked_at.size() - (asked_first ? 1 : 0) + (again && !asked_first ? 1 : 0);
    for (const size_t k : looked_at) {
        if (k == before || (asked_first && (k == *later || (explained && k == first)))) continue;
        look_at(s, k, writers, k == subject, more > 0 ? --more : 0);
    }
    if (again && !asked_first && !is_explained(s.ran.at(first).c))
        explained = explains_first(s, writers, *later, 0);
    if (explained) looked_at.erase(first), looked_at.insert(*later), subject = *later;
    return subject;
}

// Which launch went wrong first, and which before it nobody could judge.
void say_first_wrong(const Sequence& s, capture::Capture& c) {
    if (s.first_wrong < 0) return;
    const auto first = static_cast<size_t>(s.first_wrong);
    std::vector<size_t> unjudged;
    for (size_t k = 0; k < first; ++k)
        if (s.launches[k].compared == 0) unjudged.push_back(k);
    std::string text =
        launch_text(s.e.problem, first) + " is the first whose results are wrong, of those that are compared";
    if (s.left_by >= 0)
        text = launch_text(s.e.problem, static_cast<size_t>(s.left_by)) +
            " wrote elements that are wrong, as a later launch should have changed them: all up to " +
            launch_text(s.e.problem, first) + " were looked at together";
    if (!unjudged.empty())
        text += "; nothing was compared of what was left by launch " + launch_names(s.e.problem, unjudged);
    c.notes.insert(c.notes.begin(), text);
}

// The capture of one launch becomes that of the sequence.
capture::Capture gathered(Sequence& s, size_t subject, const std::set<size_t>& looked_at) {
    capture::Capture c = std::move(s.ran.at(subject).c);
    std::vector<capture::Finding> findings;
    for (const size_t k : looked_at)
        add_findings(k == subject ? c.findings : s.ran.at(k).c.findings, findings);
    lead_by_cause(findings);
    c.findings = std::move(findings);
    for (size_t k = s.end; k < s.e.problem.launches.size(); ++k) {
        const manifest::BoundLaunch& one = s.e.problem.launches[k];
        s.launches.push_back({one.name, s.e.entries[k], one.grid, one.block, 0, 0, 0, "it did not run"});
    }
    c.launches = s.launches;
    move_outputs(s.whole, c);
    c.covered.blocks = s.blocks;
    const auto compared = [](const capture::Tile& t) { return t.compared > 0; };
    const bool any = std::any_of(c.tiles.begin(), c.tiles.end(), compared) ||
        std::any_of(c.launches.begin(), c.launches.end(), [](const auto& l) { return l.compared > 0; });
    c.covered.blocks_compared = any ? s.blocks : 0;
    c.covered.reference_problem = s.whole.covered.reference_problem;
    if (c.covered.reference_problem.empty()) c.covered.reference_problem = s.about.covered.reference_problem;
    c.notes.insert(c.notes.end(), s.notes.begin(), s.notes.end());
    for (auto& [name, value] : c.seconds) value = name == "run" ? s.seconds : value;
    for (auto& [name, value] : c.counters) value = name == "warp_instructions" ? s.instructions : value;
    say_first_wrong(s, c);
    c.verdict = analysis::verdict_of(c);
    return c;
}

// What keeps a launch from starting: the capture that says so.
capture::Capture refused(Sequence& s, capture::Capture c, capture::Finding finding) {
    for (size_t k = static_cast<size_t>(c.launch.number) - 1; k < c.launches.size(); ++k)
        c.launches[k].said = "it did not run";
    c.notes.insert(c.notes.end(), s.notes.begin(), s.notes.end());
    c.findings.push_back(std::move(finding));
    c.verdict = "findings";
    return c;
}

}  // namespace

capture::Capture run_sequence(
    const Experiment& e, const capture::Capture& about, std::vector<execution::Incident>* seen
) {
    Sequence s{e, about};
    s.memory = fresh_memory(e.problem);
    Experiment now = e;
    bool finished = true;
    for (; finished && s.end < e.problem.launches.size(); ++s.end) {
        now.problem.at = s.end, now.entry = e.entries[s.end];
        report(e.options, "run", static_cast<double>(s.end) / static_cast<double>(e.problem.launches.size()));
        capture::Capture c;
        try {
            if (auto finding = refusal_of(s, now, executable_of(s, now.entry), c))
                return refused(s, std::move(c), std::move(*finding));
        } catch (const Unsupported& u) {
            c = about;
            c.unsupported.push_back(launch_text(e.problem, s.end) + ": " + u.what());
            c.verdict = "unsupported";
            c.launch.kernel = e.problem.kernel.name, c.launch.executor = e.options.executor.name;
            return c;
        }
        finished = run_launch(s, now);
    }
    const bool stopped = s.end < e.problem.launches.size();
    const Writers writers = writers_of(e, s.end);
    if (stopped)
        now.unsettled = std::make_shared<const Unsettled>(unsettled_after(e, writers, s.end - 1, s.end));
    const uint64_t seed = stopped || s.races ? 0 : racing_schedule(e, s.contests, s.instructions);
    if (seed != 0) return run_in_schedule(e, about, seed, seen);
    compare_pass(now, executable_of(s, now.entry), s.memory, s.whole);
    const size_t asked = e.problem.chosen ? std::min(e.problem.at, s.end - 1) : s.end - 1;
    for (const capture::Output& o : s.whole.outputs) {
        const auto found = writers.last.find(o.name);  // not of "x after launch 1", whose launch is known
        if (found != writers.last.end()) judge_output(s, o, found->second);
    }
    std::set<size_t> looked_at = s.faulty;
    if (s.first_wrong >= 0) looked_at.insert(static_cast<size_t>(s.first_wrong));
    size_t subject = looked_at.empty() ? asked : *looked_at.begin();
    if (e.problem.chosen) subject = asked;
    looked_at.insert(subject);
    subject = look_at_all(s, writers, looked_at, subject);
    if (seen != nullptr) *seen = s.ran.at(subject).incidents;
    capture::Capture c = gathered(s, subject, looked_at);
    if (!stopped) try_orders(e, s.contests, c);
    return c;
}

}  // namespace wl::diagnosis
