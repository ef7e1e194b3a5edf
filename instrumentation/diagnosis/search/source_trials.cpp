// Batches of changes: compiled, run, judged.
#include "instrumentation/diagnosis/search/source_trials.h"

#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/symbols.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kSwitchTimes = 3;    // instructions of a text that holds many beside those of one
constexpr size_t kOwn = ~size_t{0};     // as TrialOptions::from
constexpr size_t kMostToldAtEnd = 800;  // changes, the likeliest: all launches run for each
constexpr int kMostRounds = 12;         // what does not compile is left out, and the rest is compiled again

// An entry's name in a version; empty: it is not there.
std::string entry_in(const std::string& entry, const ptx::Module& module) {
    const std::string wanted = demangle(entry);
    for (const ptx::Function& f : module.functions) {
        if (!f.is_entry || f.is_declaration) continue;
        const std::string name = compile::without_variant(demangle(f.name));
        if (name == wanted || name.substr(0, name.find('(')) == wanted) return f.name;
    }
    return {};
}

// Of the launches before this one; empty where one of them is not there, or there is one launch alone.
std::vector<std::string> entries_in(const Experiment& e, const ptx::Module& module, size_t end) {
    std::vector<std::string> out;
    for (size_t k = 0; manifest::is_sequence(e.problem) && k < end; ++k) {
        const auto known =
            std::find(e.entries.begin(), e.entries.begin() + static_cast<std::ptrdiff_t>(k), e.entries[k]);
        const auto before = static_cast<size_t>(known - e.entries.begin());
        out.push_back(before < k ? out[before] : entry_in(e.entries[k], module));
        if (out.back().empty()) return {};
    }
    return out;
}

double difference_of(const Trial& t) {
    const bool ran = t.unsupported.empty() && t.finished && t.outputs > 0;
    return ran ? t.max_difference : std::numeric_limits<double>::quiet_NaN();
}

size_t from_of(const SourceTrials& t, const rewrite::Rewrite& change) {
    return first_launch(t.launches, t.source, change).value_or(0);
}

// A text holds some 50 to 160 changes: what better code takes to compile is less than what all their trials
// then save.
compile::Effort effort_of(const Symptoms& s) {
    constexpr double kLess = 2'500, kMore = 8'000;  // warp instructions of a trial
    const double cost = trial_cost(s);
    return cost < kLess ? compile::Effort::least
        : cost < kMore  ? compile::Effort::less
                        : compile::Effort::more;
}

// Each text is run once: only of a long trial better code is worth what it takes to compile.
void try_texts(SourceTrials& t, Prover& prover, const std::vector<size_t>& changes) {
    constexpr double kLong = 60'000;  // warp instructions
    compile::Quick quick = t.quick;
    const bool chosen = quick.effort == effort_of(t.queue.setup.s) && quick.effort != compile::Effort::least;
    const bool plain = chosen && trial_cost(t.queue.setup.s) < kLong;
    if (plain) quick.effort = compile::Effort::least;
    std::vector<std::string> texts;
    for (const size_t k : changes) texts.push_back(rewritten(t.source.text, t.all[k]));
    const std::vector<compile::Variant> variants = compile::compile_variants(quick, texts);
    for (size_t n = 0; n < changes.size(); ++n) {
        if (is_over(t.queue, changes[n])) return;
        if (variants[n].ptx.empty()) {
            t.done[changes[n]] = kRefusedAlone;
            continue;
        }
        TrialOptions options = t.queue.setup.block;
        options.from = from_of(t, t.all[changes[n]]);
        if (plain) options.budget *= kQuickTimes;  // it was measured on better code
        const Trial trial = try_variant(t.e, prover, variants[n].ptx, n, options);
        t.done[changes[n]] = trial.finished ? kTried : kCutShort;
        t.differences[changes[n]] = difference_of(trial);
        judge(t.queue, changes[n], trial);
    }
}

struct Build {
    std::vector<size_t> changes;
    std::vector<int> numbers;
    std::string ptx;
    std::vector<size_t> rest = {};  // of what was asked for: they take another text
};

// What does not compile takes a text of its own, later. Where the compiler names no change, there is one in
// either half.
Build build_switched(SourceTrials& t, std::vector<size_t> changes) {
    std::vector<size_t> rest;
    for (int round = 0; round < kMostRounds && !changes.empty() && !is_late(t.queue); ++round) {
        std::vector<rewrite::Placed> placed;
        for (const size_t k : changes) placed.push_back({&t.all[k], t.slot[k]});
        rewrite::MutantSchemata text = rewrite::mutant_schemata(t.source, t.slots, placed);
        compile::Whole whole = compile::compile_whole(t.quick, text.text);
        if (!whole.ptx.empty())
            return {std::move(changes), std::move(text.numbers), std::move(whole.ptx), std::move(rest)};
        if (whole.refused.empty()) {
            if (changes.size() == 1) break;
            const auto half = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
            rest.insert(rest.begin(), half, changes.end());
            changes.erase(half, changes.end());
            continue;
        }
        std::vector<size_t> left;
        for (size_t n = 0; n < changes.size(); ++n)
            if (whole.refused.contains(n))
                t.slot[changes[n]] = kRefusedSlot;
            else
                left.push_back(changes[n]);
        changes = std::move(left);
    }
    if (is_late(t.queue)) return {};
    for (const size_t k : changes) t.slot[k] = -1;
    return {{}, {}, {}, std::move(rest)};
}

void set_switch(execution::GlobalMemory& memory, const char* name, int number) {
    std::vector<std::byte> bytes(sizeof(number));
    std::memcpy(bytes.data(), &number, sizeof(number));
    execution::allocate(memory, name, std::move(bytes));
}

using Runs = std::function<Trial(const TrialOptions&)>;

// Of one program, made ready once; the prover and the module outlive it.
Runs runs_of(const Experiment& e, Prover& prover, const ptx::Module& module, const std::string& entry) {
    if (tries_on_device(e))
        return [&prover, program = e.options.executor.prepare(module, entry)](const TrialOptions& o) {
            return try_executable(prover, program, o);
        };
    const auto lowered = std::make_shared<Lowered>(Lowered{module});
    program_of(*lowered, entry);
    return [&prover, lowered, entry](const TrialOptions& o) {
        TrialOptions own = o;
        own.entry = entry;
        return try_program(prover, *lowered, own);
    };
}

void choose(Ready& ready, int number, int second) {
    ready.options.rearrange = [number, second](execution::GlobalMemory& m) {
        set_switch(m, rewrite::kSwitch, number);
        set_switch(m, rewrite::kSecondSwitch, second);
    };
}

Trial run(Ready& ready, int number, int second, size_t from) {
    ready.options.from = from;
    choose(ready, number, second);
    return ready.runs(ready.options);
}

// Of a launch that leaves nothing to compare: what those behind it make of it.
bool mends_behind(const SourceTrials& t, Prover& prover, const Ready& ready) {
    TrialOptions how = ready.options;
    how.races = false;
    how.entries = entries_in(t.e, *ready.module, t.e.problem.launches.size());
    const Trial all = try_sequence(prover, *ready.module, how);
    return all.finished && all.compared > 0 && all.bad == 0 && writes_as_much(all, t.queue.setup.end_outputs);
}

void try_build(SourceTrials& t, Prover& prover, const Build& build) {
    const auto give_up = [&] {
        for (const size_t k : build.changes) t.slot[k] = -1;
    };
    try {
        std::optional<Ready> ready = make_ready(t, prover, build.ptx);
        if (!ready) return give_up();
        const Trial unchanged = run(*ready, 0, 0, kOwn);
        if (mends(t.queue.setup, unchanged)) return give_up();
        for (size_t n = 0; n < build.changes.size(); ++n) {
            const size_t change = build.changes[n];
            if (is_over(t.queue, change)) return;
            const Trial trial = run(*ready, build.numbers[n], 0, from_of(t, t.all[change]));
            t.done[change] = trial.finished ? kTried : kCutShort, t.gains[change] = gain_of(unchanged, trial);
            t.differences[change] = difference_of(trial);
            const bool right = mends(t.queue.setup, trial);
            if (right) t.written[change] = trial.compared;
            const bool at_end = !right && change < kMostToldAtEnd && is_told_at_end(t.queue.setup, trial);
            if ((at_end || (right && t.queue.setup.blind)) && !mends_behind(t, prover, *ready)) continue;
            judge(t.queue, change, trial, at_end);
        }
    } catch (const Error&) { give_up(); } catch (const Unsupported&) {
        give_up();
    }
}

void try_switched(SourceTrials& t, Prover& prover, std::vector<size_t> changes) {
    while (!changes.empty() && !is_over(t.queue, changes.front())) {
        Build build = build_switched(t, std::move(changes));
        if (!build.changes.empty()) try_build(t, prover, build);
        changes = std::move(build.rest);
    }
}

}  // namespace

std::optional<Ready> make_ready(const SourceTrials& t, Prover& prover, const std::string& ptx) {
    Ready out{std::make_unique<ptx::Module>(ptx::parse(ptx)), {}, t.queue.setup.block};
    const std::string entry = entry_in(t.e.entry, *out.module);
    out.options.entries = entries_in(t.e, *out.module, t.e.problem.at + 1);
    if (entry.empty()) return std::nullopt;
    fill_symbols(t.e.problem, *out.module);
    out.runs = runs_of(t.e, prover, *out.module, entry);
    out.options.budget *= kSwitchTimes;
    return out;
}

std::set<int> located_lines(const Experiment& e, const compile::Unit& unit) {
    std::set<int> out;
    for (const std::optional<int>& line : lines_of_locations(e.module, unit))
        if (line) out.insert(*line);
    return out;
}

std::optional<OpenSource> open_source(
    const Symptoms& s,
    std::string* why_not,
    const compile::Quick* before,
    std::optional<compile::Effort> effort
) {
    const Experiment& e = s.experiment;
    const std::filesystem::path path = e.problem.kernel.source;
    const auto refuse = [&](std::string why) {
        if (why_not != nullptr) *why_not = std::move(why);
        return std::nullopt;
    };
    if (path.extension() == ".ptx") return refuse("there is no source");
    OpenSource out{unit_of(e), {}, {}, {}};
    out.quick = compile::make_quick(
        compile_options(e.problem, e.options), out.unit.text, effort.value_or(effort_of(s)), before
    );
    if (!out.quick.problem.empty()) return refuse(out.quick.problem);
    const manifest::Problem& p = e.problem;
    out.source =
        rewrite::read_source(out.quick.device, located_lines(e, out.unit), p.defines, p.kernel.entry);
    out.launches = launch_lines(e, out.unit, out.source);
    return out;
}

SourceTrials trials_of(
    const Symptoms& s,
    TrialSetup tried_on,
    const OpenSource& open,
    const std::vector<rewrite::Rewrite>& all,
    SearchWork work
) {
    constexpr size_t kTriedAfter = 48;  // changes after the first that mends that are tried as well
    std::vector<rewrite::Slot> slots = slots_of(open.source);
    std::vector<int> slot;
    for (const rewrite::Rewrite& r : all) slot.push_back(slot_of(slots, r));
    return SourceTrials{
        .queue = {.setup = tried_on,    .work = &work.spent, .limit = work.limit, .tried_after = kTriedAfter},
        .e = tried_on.s.experiment,
        .whole = s,
        .unit = open.unit,
        .quick = open.quick,
        .source = open.source,
        .launches = open.launches,
        .all = all,
        .slots = std::move(slots),
        .slot = std::move(slot),
        .done = std::vector<uint8_t>(all.size()),
        .gains = std::vector<int64_t>(all.size()),
        .written = std::vector<int64_t>(all.size()),
        .differences = std::vector<double>(all.size()),
        .shape = std::make_shared<OtherShape>(OtherShape{s}
          ),
        .executed = std::make_shared<Executed>()
    };
}

Trial try_variant(
    const Experiment& e, Prover& prover, const std::string& ptx, size_t variant, const TrialOptions& options
) {
    Trial refused;
    refused.unsupported = "it does not compile";
    if (ptx.empty()) return refused;
    try {
        ptx::Module module = ptx::parse(ptx);
        TrialOptions own = options;
        own.entry = entry_in(e.entry, module);
        own.entries = entries_in(e, module, e.problem.at + 1);
        if (own.entry.empty()) return refused;
        fill_symbols(e.problem, module, compile::in_variant(variant, ""));
        return try_module(prover, module, own);
    } catch (const Error& error) {
        refused.unsupported = error.what();
        return refused;
    }
}

std::vector<size_t> try_pairs(SourceTrials& t, Prover& prover, const std::vector<Pair>& pairs, size_t from) {
    std::vector<size_t> tried;
    std::vector<size_t> firsts, seconds;
    for (const Pair& p : pairs) firsts.push_back(p.first), seconds.push_back(p.second);
    const auto placed = [&](std::vector<size_t>& all) {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        std::vector<rewrite::Placed> out;
        for (const size_t k : all) out.push_back({&t.all[k], t.slot[k]});
        return out;
    };
    const auto number_of = [](const std::vector<size_t>& all, const std::vector<int>& numbers, size_t k) {
        return numbers[static_cast<size_t>(std::lower_bound(all.begin(), all.end(), k) - all.begin())];
    };
    const std::vector<rewrite::Placed> first = placed(firsts), second = placed(seconds);
    const rewrite::MutantSchemata text = rewrite::mutant_schemata(t.source, t.slots, first, second);
    try {
        const compile::Whole whole = compile::compile_whole(t.quick, text.text);
        std::optional<Ready> ready = whole.ptx.empty() ? std::nullopt : make_ready(t, prover, whole.ptx);
        if (!ready || mends(t.queue.setup, run(*ready, 0, 0, kOwn))) return tried;
        for (size_t n = 0; n < pairs.size(); ++n) {
            if (is_over(t.queue, from + n)) return tried;
            const int a = number_of(firsts, text.numbers, pairs[n].first),
                      b = number_of(seconds, text.besides, pairs[n].second);
            const size_t launch =
                std::min(from_of(t, t.all[pairs[n].first]), from_of(t, t.all[pairs[n].second]));
            const Trial trial = run(*ready, a, b, launch);
            // One of them alone did as much, and was not proven.
            if (trial.compared <= std::max(t.written[pairs[n].first], t.written[pairs[n].second])) continue;
            judge(t.queue, from + n, trial), tried.push_back(from + n);
        }
    } catch (const Error&) {  // it does not run as the kernel does
        return tried;
    } catch (const Unsupported&) { return tried; }
    return tried;
}

void try_batch(SourceTrials& t, Prover& prover, const std::vector<size_t>& changes) {
    if (changes.empty() || is_over(t.queue, changes.front())) return;
    if (t.slot[changes.front()] < 0)
        try_texts(t, prover, changes);
    else
        try_switched(t, prover, changes);
}

}  // namespace wl::diagnosis
