#include "fuzz/launches.h"

#include "app/cli/record/replay.h"
#include "fuzz/answers.h"
#include "fuzz/database.h"
#include "fuzz/edits.h"
#include "fuzz/runs.h"
#include "fuzz/seeds.h"
#include "fuzz/values.h"
#include "instrumentation/base/error.h"
#include "instrumentation/launches/launch_file.h"
#include "instrumentation/launches/launch_schema.h"

#include <functional>
#include <optional>

namespace wl::fuzz {
namespace {

using launches::RecordedLaunch;

const Schema& schema() {
    static const Schema kSchema = {
        launches::kTables,
        {},
        launches::kLaunchFile.application_id,
        launches::kMajor * 10000 + launches::kMinor,
        -1};
    return kSchema;
}

std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// By name, so that a changed launch has the path of its seed in its answers.
capture::Capture run(const RecordedLaunch& launch) {
    return briefly(app::replay_problem(launch, "seed.wllaunch"));
}

struct Seed {
    RecordedLaunch launch;
    Content content;
    std::string bytes;
    std::optional<capture::Capture> ran;
};

// What decides what a kernel does: no clocks, no names of the program.
std::vector<std::byte> answer_of(capture::Capture c) {
    without_clocks(c);
    c.counters.clear(), c.notes.clear();
    return capture::encode(c, "answer");
}

// y[i] = x[i] * factor over a page of memory and a variable, as a program leaves them.
RecordedLaunch scale_launch() {
    RecordedLaunch launch;
    launch.ptx = text_of_seed("plain.ptx"), launch.entry = "scale";
    launch.grid = {2, 1, 1}, launch.block = {64, 1, 1};
    constexpr uint64_t kFirst = 0x7f0000000000, kSecond = 0x7f0000001000;
    constexpr int kElements = 100;
    std::vector<float> x(kElements), y(kElements, 0.0F);
    for (int i = 0; i < kElements; ++i) x[static_cast<size_t>(i)] = static_cast<float>(i) * 0.25F;
    const auto bytes_of = [](const auto& values) {
        const auto bytes = std::as_bytes(std::span(values));
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    launch.memory.push_back({"x", false, kFirst, bytes_of(x), launches::After::unchanged, {}});
    launch.memory.push_back({"", false, kSecond, bytes_of(y), launches::After::unknown, {}});
    for (size_t i = 0; i < y.size(); ++i) y[i] = x[i] * 2.0F;
    launches::set_left(launch.memory.back(), bytes_of(y));
    const auto put = [&launch](const auto& value) {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        launch.params.insert(launch.params.end(), bytes.begin(), bytes.end());
    };
    put(kFirst), put(kSecond), put(kElements), put(2.0F);
    launch.device = "emulator", launch.command = {"./scale", "100"};
    launch.number = 3, launch.of_entry = 1, launch.notes = {"2 allocations were kept"};
    return launch;
}

// The same with a variable of the module, dynamic shared memory and a fault.
RecordedLaunch weigh_launch() {
    RecordedLaunch launch = scale_launch();
    launch.entry = "weigh", launch.grid = {1, 1, 1}, launch.dynamic_shared = 256, launch.cooperative = true;
    launch.stack = 1024, launch.fault = "CUDA_ERROR_ILLEGAL_ADDRESS";
    launch.memory.push_back({"weights", true, 0, std::vector<std::byte>(16), launches::After::unchanged, {}});
    launch.params.resize(56);
    return launch;
}

const std::vector<Seed>& seeds() {
    static const std::vector<Seed> kSeeds = [] {
        std::vector<Seed> made;
        for (const RecordedLaunch& launch : {scale_launch(), weigh_launch()}) {
            Seed& seed = made.emplace_back();
            seed.launch = launch;
            seed.bytes = text_of(launches::encode(launch, "seed"));
            seed.content = read_content(seed.bytes, schema());
            seed.ran = run(launch);
        }
        return made;
    }();
    return kSeeds;
}

std::string comes_back(const RecordedLaunch& opened) {
    try {
        const std::vector<std::byte> written = launches::encode(opened, "written");
        if (launches::decode(written, "written") == opened) return {};
    } catch (const Error& error) { return std::string("what opened cannot be written: ") + error.what(); }
    return "what was written comes back as something else";
}

std::string problem_of_run(const Mutant& mutant, const RecordedLaunch& launch, Random& random) {
    const Seed& seed = seeds()[mutant.seed < 0 ? 0 : static_cast<size_t>(mutant.seed)];
    capture::Capture ran;
    try {
        ran = run(launch);
    } catch (const Error&) {
        return mutant.same_answer ? "it is refused, and only words were changed" : "";
    } catch (const Unsupported&) { return {}; }
    if (mutant.same_answer && answer_of(ran) != answer_of(*seed.ran))
        return "only words were changed, and it has another answer";
    const std::string problem = problem_of_capture(ran);
    return problem.empty() ? problem_of_answers(ran, *seed.ran, random) : problem;
}

}  // namespace

Mutant make_launch(uint64_t number) {
    Random random(number);
    Mutant mutant;
    mutant.seed = static_cast<int>(below(random, seeds().size()));
    const Seed& seed = seeds()[static_cast<size_t>(mutant.seed)];
    if (chance(random, 20)) {
        mutant.bytes = changed_bytes(random, seed.bytes);
        mutant.how = "bytes";
        return mutant;
    }
    Content content = seed.content;
    const Seals seals = chance(random, 85) ? Seals::renewed
        : chance(random, 50)               ? Seals::rows_renewed
                                           : Seals::kept;
    Changes changes = change(random, content, schema());
    mutant.renewed = renewed_of(changes.touched, seals), mutant.how = std::move(changes.how);
    mutant.bytes = write_content(std::move(content), schema(), seals);
    return mutant;
}

Mutant edited_launch(const std::string& text) {
    const Edits edits = read_edits(text);
    Mutant mutant;
    mutant.seed = edits.seed == "scale" ? 0
        : edits.seed == "weigh"         ? 1
                                        : throw Error("there is no seed " + edits.seed);
    Content content = seeds()[static_cast<size_t>(mutant.seed)].content;
    mutant.renewed = edit(content, schema(), edits.lines);
    mutant.bytes = write_content(std::move(content), schema(), Seals::renewed);
    return mutant;
}

Tried try_launch(const Mutant& mutant) {
    Random random(std::hash<std::string>()(mutant.how));
    RecordedLaunch launch;
    try {
        launch = launches::decode(std::as_bytes(std::span(mutant.bytes)), "mutant.wllaunch");
    } catch (const Error&) { return {false, {}}; }
    Mutant known = mutant;
    known.same_answer = known.renewed == std::set<std::string>{"word"};
    const std::set<std::string> meta{"meta"};  // holds nothing of the launch
    if (mutant.seed >= 0 && (mutant.renewed.empty() || mutant.renewed == meta) &&
        launch != seeds()[static_cast<size_t>(mutant.seed)].launch)
        return {true, "it was taken for whole, and says something else"};
    std::string problem = comes_back(launch);
    if (problem.empty()) problem = problem_of_run(known, launch, random);
    return {true, problem};
}

}  // namespace wl::fuzz
