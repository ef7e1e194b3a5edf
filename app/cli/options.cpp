// From words to a bound problem.
#include "app/cli/options.h"

#include "app/cli/questions/carried.h"
#include "app/cli/record/record_words.h"
#include "app/cli/record/replay.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>

namespace wl::app {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) out.push_back(part);
    return out;
}

std::vector<std::pair<std::string, std::string>> shape_settings(const std::string& shape) {
    const std::vector<std::string> parts = split(shape, ',');
    if (parts.size() != 4)
        throw Error(
            "--shape " + shape +
            ": give four extents, B,H,S,D (batch, heads, sequence, head dimension), for example --shape "
            "1,8,512,64"
        );
    return {
        {"B", parts[0]},
        {"H", parts[1]},
        {"S", parts[2]},
        {"D", parts[3]}
    };
}

}  // namespace

std::pair<std::string, std::string> setting(const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
        throw Error("--set " + text + ": write NAME=VALUE, for example --set S=1024");
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> presets_of(const manifest::Kernel& kernel, const std::vector<std::string>& wanted) {
    std::vector<std::string> all;
    for (const auto& [name, settings] : kernel.presets) all.push_back(name);
    std::sort(all.begin(), all.end(), [&](const std::string& a, const std::string& b) {
        return kernel.lines.at("presets." + a) < kernel.lines.at("presets." + b);
    });
    if (wanted.empty()) return all.empty() ? std::vector<std::string>{""} : all;
    for (const std::string& name : wanted) {
        if (kernel.presets.contains(name)) continue;
        const std::string near = nearest_word(name, all);
        throw Error(
            "--presets " + name + ": " + kernel.name + " has no such preset; " +
            (near.empty() ? "it has " + join(all, ", ") : "did you mean " + near + "?")
        );
    }
    return wanted;
}

bool is_capture(const std::string& path) { return path.ends_with(".wlcap"); }

KernelOptions split_faults(KernelOptions o) {
    std::error_code none;
    if (std::filesystem::exists(o.kernel, none)) return o;
    const std::vector<std::string> parts = split(o.kernel, '+');
    if (parts.size() < 2) return o;
    o.kernel = parts.front();
    o.faults.insert(o.faults.end(), parts.begin() + 1, parts.end());
    return o;
}

namespace {

// Nothing of it can be chosen.
manifest::Problem bind_recorded(const KernelOptions& o) {
    const bool chosen = !o.set.empty() || !o.shape.empty() || !o.faults.empty() || !o.preset.empty() ||
        !o.launch.empty() || o.causal || (!o.inputs.empty() && o.inputs != "recorded");
    if (chosen)
        throw Error(
            o.kernel +
            " is a recorded launch: it has the parameters, inputs and sizes that it had; leave out "
            "--set, --shape, --fault, --preset, --inputs and --launch"
        );
    return replay_problem(launches::read_launch(o.kernel), o.kernel);
}

}  // namespace

namespace {

manifest::Problem bind_kernel(const KernelOptions& options) {
    const KernelOptions o = split_faults(options);
    const manifest::Kernel kernel = manifest::load(manifest::resolve(o.kernel));
    manifest::BindOptions b;
    b.preset = o.preset, b.faults = o.faults, b.inputs = o.inputs, b.seed = o.seed, b.launch = o.launch;
    if (!o.shape.empty()) b.set = shape_settings(o.shape);
    if (o.causal) b.set.emplace_back("CAUSAL", "1");
    for (const std::string& s : o.set) b.set.push_back(setting(s));
    return manifest::bind(kernel, b);
}

// With the inputs that a capture carries; of a capture all that it carries.
manifest::Problem bind_with_inputs(KernelOptions o) {
    const std::string path = o.inputs;
    const capture::Capture from = capture::read_capture(path);
    if (is_capture(o.kernel)) return carried_problem(from, o, path);
    o.inputs = carried_fill(from, path);
    manifest::Problem problem = bind_kernel(o);
    take_inputs(problem, from, path);
    problem.inputs = from.launch.inputs == "manifest" ? "" : from.launch.inputs;
    return problem;
}

}  // namespace

manifest::Problem bind(const KernelOptions& options) {
    if (launches::is_launch_file(options.kernel)) return bind_recorded(options);
    if (is_capture(options.inputs)) return bind_with_inputs(options);
    if (is_capture(options.kernel))
        throw Error(
            options.kernel +
            " is a capture, and a kernel is wanted: diagnose, at, why, writers, banks, compare and open take "
            "both"
        );
    return bind_kernel(options);
}

diagnosis::Options run_options(const KernelOptions& o) {
    diagnosis::Options out;
    out.threads = o.threads, out.schedule_seed = o.schedule, out.arch = o.arch, out.budget = o.budget;
    out.record_bytes = o.record_limit * 1'000'000,
    out.search_seconds = static_cast<double>(o.search.value_or(0));
    out.ideas = o.ideas;
    out.recording = record_words(o).recording;
    if (o.check.empty()) return out;
    const std::array<std::pair<const char*, bool*>, 3> checks{
        {{"races", &out.races}, {"uninitialised", &out.uninitialised}, {"reference", &out.reference}}
    };
    std::vector<std::string> known{"none", "bounds", "barriers"};  // the last two are always made
    for (const auto& [name, flag] : checks) *flag = false, known.emplace_back(name);
    for (const std::string& word : split(o.check, ',')) {
        const auto* it =
            std::find_if(checks.begin(), checks.end(), [&](const auto& c) { return word == c.first; });
        if (it != checks.end()) {
            *it->second = true;
        } else if (std::find(known.begin(), known.end(), word) == known.end()) {
            const std::string near = nearest_word(word, known);
            throw Error(
                "--check " + word + ": there is no such check; there are " + join(known, ", ") +
                (near.empty() ? "" : " (did you mean " + near + "?)")
            );
        }
    }
    return out;
}

int64_t block_of_launch(const std::string& text, const manifest::Problem& problem) {
    if (manifest::is_sequence(problem) && !problem.chosen)
        throw Error(
            "block " + text + ": " + problem.kernel.name + " has " + std::to_string(problem.launches.size()) +
            " launches; say of which one by --launch"
        );
    return parse_block(text, manifest::launch_of(problem).grid);
}

int64_t parse_block(const std::string& text, Dim3 grid) {
    const std::vector<std::string> parts = split(text, ',');
    std::array<uint32_t, 3> xyz{};
    bool fine = !parts.empty() && parts.size() <= 3;
    for (size_t i = 0; fine && i < parts.size(); ++i) {
        const char* end = parts[i].data() + parts[i].size();
        const auto [stop, problem] = std::from_chars(parts[i].data(), end, xyz[i]);
        fine = problem == std::errc() && stop == end;
    }
    if (!fine) throw Error("block " + text + ": write X,Y,Z, for example 0,0,0");
    if (xyz[0] >= grid.x || xyz[1] >= grid.y || xyz[2] >= grid.z) {
        throw Error(
            "block " + text + " lies outside the grid of " + std::to_string(grid.x) + " x " +
            std::to_string(grid.y) + " x " + std::to_string(grid.z) + " blocks"
        );
    }
    return static_cast<int64_t>(linear({xyz[0], xyz[1], xyz[2]}, grid));
}

}  // namespace wl::app
