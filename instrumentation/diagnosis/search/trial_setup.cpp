// Trials of a search, on the smallest part of the launch that shows the symptom.
#include "instrumentation/diagnosis/search/trial_setup.h"

#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/emulator/observe/part_exited.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <thread>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kSlack = 20000;  // warp instructions a block may take beyond twice the unedited run's

int64_t unwritten_outputs(const capture::Capture& c) {
    int64_t out = 0;
    for (const capture::Output& o : c.outputs) out += o.of.wanted ? o.of.unwritten : 0;
    return out;
}

int64_t compared_outputs(const capture::Capture& c) {
    int64_t out = 0;
    for (const capture::Output& o : c.outputs) out += o.of.compared;
    return out;
}

constexpr int64_t kMostShare = 64;  // that a block at the end of a grid may have of what others have

bool goes_beyond(const Symptoms& s) {
    return std::any_of(s.incidents.begin(), s.incidents.end(), [](const execution::Incident& i) {
        return i.kind == execution::Incident::Kind::out_of_bounds;
    });
}

// What all blocks add up is wrong as something is that a block writes alone: changes are tried there.
bool shows_in_a_block(const Symptoms& s) {
    if (tries_on_device(s.experiment) || counter(s.capture, "warp_instructions") >= kAllTried) return false;
    const std::set<std::string>& filled = inputs_of(s.prover, 0).filled;
    return std::any_of(s.capture.outputs.begin(), s.capture.outputs.end(), [&](const capture::Output& o) {
        return o.verdict == capture::Verdict::bad && !filled.contains(o.name);
    });
}

// The blocks that wrote the first wrong element of each output.
std::vector<int64_t> wrong_writers(const Symptoms& s) {
    std::vector<int64_t> out;
    for (const capture::Output& o : s.capture.outputs) {
        if (o.verdict != capture::Verdict::bad) continue;
        const std::vector<uint8_t> flags = wrong_elements(s.capture, o);
        const auto first = static_cast<size_t>(std::find(flags.begin(), flags.end(), 1) - flags.begin());
        const std::optional<std::vector<Writer>> writers =
            first < flags.size() ? writers_of(s, o) : std::nullopt;
        if (!writers || first >= writers->size()) continue;
        const int64_t block = (*writers)[first].block;
        if (block >= 0 && block != s.block && std::find(out.begin(), out.end(), block) == out.end())
            out.push_back(block);
    }
    return out;
}

// Of a block at the grid's end the one before it, along each axis: at the end blocks may have less to write
// when they are right. The block itself where there is none.
int64_t inner_block(const Symptoms& s, int64_t block) {
    const Dim3& grid = manifest::launch_of(s.experiment.problem).grid;
    int64_t rest = block, out = 0, stride = 1;
    for (const int64_t extent : {int64_t{grid.x}, int64_t{grid.y}, int64_t{grid.z}}) {
        const int64_t at = rest % extent;
        out += stride * (extent > 1 && at == extent - 1 ? at - 1 : at);
        rest /= extent, stride *= extent;
    }
    return out;
}

// Of each output what was written of it and what is written now; where that is not known, all of them are.
template <class Enough>
bool each_output(const TrialSetup& setup, const Trial& t, const Enough& enough) {
    return setup.of_output.empty() ||
        std::equal(
               setup.of_output.begin(), setup.of_output.end(), t.of_output.begin(), t.of_output.end(), enough
        );
}

}  // namespace

bool comes_right(const TrialSetup& setup, const Trial& t) { return setup.blind ? is_clean(t) : mended(t); }

bool is_right(const Trial& t, int64_t outputs) { return mended(t) && t.outputs >= outputs; }

bool judges_all(const TrialSetup& setup, const Trial& t) {
    return each_output(setup, t, [](int64_t wanted, int64_t judged) { return wanted == 0 || judged > 0; });
}

int64_t wanted_outputs(const TrialSetup& setup) {
    const bool sequence = manifest::is_sequence(setup.s.experiment.problem);
    return sequence ? std::max(setup.outputs, setup.whole) : compared_outputs(setup.s.capture);
}

double trial_cost(const Symptoms& s) {
    const double all = counter(s.capture, "warp_instructions");
    return needs_all_blocks(s) && !shows_in_a_block(s)
        ? all
        : all / static_cast<double>(std::max<int64_t>(1, s.capture.covered.blocks));
}

bool can_be_bound_anew(const Experiment& e) {
    const manifest::Problem& p = e.problem;
    return !manifest::is_recorded(p) && !manifest::is_sequence(p) && p.inputs.empty() && !tries_on_device(e);
}

bool mends(const TrialSetup& setup, const Trial& t) {
    if (setup.blind) return is_clean(t);
    return mended(t) && t.compared >= setup.compared && t.outputs >= setup.outputs &&
        each_output(setup, t, [](int64_t least, int64_t written) { return written >= least; });
}

bool is_told_at_end(const TrialSetup& setup, const Trial& t) {
    return setup.told_at_end && !setup.blind && is_clean(t) && t.bad == 0 && !mends(setup, t);
}

TrialSetup setup_for(const TrialSetup& setup, const Trial& first) {
    TrialSetup out = setup;
    out.at_end = is_told_at_end(setup, first);
    out.blind = out.blind || out.at_end;
    return out;
}

int64_t gain_of(const Trial& unchanged, const Trial& t) {
    constexpr int64_t kOf = 1000;
    const bool worse = !t.unsupported.empty() || !t.finished || unchanged.bad == 0 ||
        t.incidents.size() > unchanged.incidents.size();
    const int64_t more = t.compared - t.bad - (unchanged.compared - unchanged.bad);
    return worse ? 0 : std::max<int64_t>(kOf * more / unchanged.bad, 0);
}

namespace {

// The end of a sequence tells where it is quick to come by, and the program as it is goes wrong there:
// elements that nobody writes, say, are no values that it could judge.
bool end_tells(const Symptoms& s) {
    constexpr uint64_t kMostWork = 200'000;  // warp instructions of all launches
    const Experiment& e = s.experiment;
    if (!manifest::is_sequence(e.problem) || !e.reference || tries_on_device(e)) return false;
    const Trial& as_it_is = try_unedited_sequence(s.prover);
    return as_it_is.warp_instructions <= kMostWork && (!as_it_is.finished || as_it_is.bad > 0);
}

}  // namespace

std::string choose_trial(TrialSetup& setup, const Try& unchanged, uint64_t times) {
    const bool small = counter(setup.s.capture, "warp_instructions") < kAllTried;
    setup.told_at_end = end_tells(setup.s);
    if (setup.told_at_end) setup.end_outputs = try_unedited_sequence(setup.s.prover).of_output;
    std::string unsupported;
    if (small && manifest::is_sequence(setup.s.experiment.problem))
        setup.whole = unchanged({.blocks = {}, .budget = times * setup.s.budget, .races = false}).outputs +
            unwritten_outputs(setup.s.capture);
    const auto shows = [&](TrialOptions options, int64_t outputs) {
        options.budget = times * setup.s.budget;
        const Trial t = unchanged(options);
        unsupported = t.unsupported;
        const bool blind = t.compared == 0 && manifest::is_sequence(setup.s.experiment.problem);
        if (!unsupported.empty() || (blind ? is_clean(t) : is_right(t, outputs))) return false;
        setup.blind = blind;
        // Who goes beyond an array writes elements of others: all blocks tell what should be written.
        const int64_t share = small && goes_beyond(setup.s) ? kMostShare : 2;
        setup.block = options, setup.compared = (t.compared + share - 1) / share;
        setup.outputs = outputs > 0 ? outputs : (t.outputs + share - 1) / share;
        setup.of_output.clear();
        for (const int64_t each : t.of_output)
            if (t.finished) setup.of_output.push_back((each + share - 1) / share);
        // What comes to no end is known to by then: a right program may take a few times as much.
        const uint64_t most = (t.finished ? 2 : 4) * t.warp_instructions + kSlack;
        setup.block.budget = std::min(options.budget, most), setup.ends = t.finished;
        if (!t.finished) setup.compared = 1, setup.outputs = outputs;
        return true;
    };
    TrialOptions one{.blocks = {setup.s.block}, .races = false}, all{.blocks = {}, .races = false};
    one.part_exits = all.part_exits =
        std::any_of(setup.s.incidents.begin(), setup.s.incidents.end(), emulator::is_part_exited);
    const bool without_filled = needs_all_blocks(setup.s);
    if (!without_filled || shows_in_a_block(setup.s)) {
        std::vector<int64_t> blocks = wrong_writers(setup.s);
        blocks.insert(blocks.begin(), setup.s.block);
        for (const int64_t block : blocks) {
            const int64_t inner = inner_block(setup.s, block);
            one.without_filled = without_filled;
            for (const int64_t tried : std::set<int64_t>{inner, block}) {
                one.blocks = {tried};
                if (shows(one, 0)) return {};
            }
        }
    }
    one.blocks = {setup.s.block}, one.races = true, one.without_filled = false;
    if (!needs_all_blocks(setup.s) && shows(one, 0)) return {};
    for (const bool races : {false, true}) {
        all.races = races;
        if (small && shows(all, wanted_outputs(setup))) return {};
    }
    if (!unsupported.empty()) return unsupported;
    return small ? "this build of the program comes right" : "the block comes right when it is run alone";
}

void choose_seed(TrialSetup& setup, const Try& unchanged) {
    constexpr uint64_t kMost = 5;
    for (uint64_t seed = 1; seed <= kMost; ++seed) {
        TrialOptions options = setup.block;
        options.seed_offset = seed;
        const Trial t = unchanged(options);
        if (!t.unsupported.empty()) return;
        if (comes_right(setup, t) || !judges_all(setup, t)) continue;
        setup.other_seed = seed;
        return;
    }
}

std::vector<int64_t> numbers_in_play(const Experiment& e) {
    const manifest::BoundLaunch& launch = manifest::launch_of(e.problem);
    std::vector<int64_t> out;
    const auto add = [&](double value) {
        const auto whole = static_cast<int64_t>(value);
        const bool known = std::find(out.begin(), out.end(), whole) != out.end();
        if (value == static_cast<double>(whole) && whole > 1 && !known) out.push_back(whole);
    };
    for (const Dim3& d : {launch.block, launch.grid}) add(d.x), add(d.y), add(d.z);
    for (const auto& [name, value] : e.problem.params) add(value);
    constexpr size_t kMost = 8;
    if (out.size() > kMost) out.resize(kMost);
    return out;
}

int threads_of(const Options& options) {
    return options.threads > 0 ? options.threads
                               : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace wl::diagnosis
