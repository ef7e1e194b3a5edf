// The suffix decides.
#include "app/session/edit/open.h"

#include "app/session/edit/known.h"
#include "app/session/load.h"
#include "app/session/run.h"
#include "app/worker/trusted.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/launches/launch_file.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/python.h"
#include "instrumentation/ptx/module.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kSuffixes = {".wlcap", ".cu", ".toml", ".ptx", ".npy"};

std::string number_of_instructions(size_t count) {
    return std::to_string(count) + (count == 1 ? " instruction" : " instructions");
}

// Whether it can run, as `warplens check` says it.
void take_check(capture::Capture& c, const ptx::Module& module, const emulator::EntryCheck& entry) {
    const std::string name = module.functions[static_cast<size_t>(entry.function)].name;
    for (const emulator::Refusal& refused : entry.refused)
        c.unsupported.push_back(
            name + ", line " + std::to_string(refused.ptx_line) + ": " + refused.what + ": " + refused.why
        );
    const std::string said = entry.refused.empty()
        ? "all of them can run here"
        : std::to_string(entry.refused.size()) + " cannot run here";
    c.notes.push_back(name + ": " + number_of_instructions(entry.instructions) + ", " + said);
}

void run_kernel(Session& session, const std::string& path) {
    KernelChoice choice = describe_kernel(path);
    KernelOptions options;
    options.kernel = choice.path.empty() ? choice.name : choice.path;
    std::erase_if(session.kernels, [&](const KernelChoice& k) { return k.name == choice.name; });
    session.kernels.insert(session.kernels.begin(), std::move(choice));
    run(session, options);
}

// A source is run by the manifest of its name beside it, or else its text is shown.
void open_source(Session& session, Selection& selection, const std::string& path) {
    std::error_code none;
    if (!fs::is_regular_file(path, none) || fs::is_regular_file(manifest_beside(path), none))
        return run_kernel(session, path);
    end_causes(session);
    capture::Capture c;
    c.launch.kernel = fs::path(path).stem().string();
    c.launch.executor = kNotRun;
    c.sources.push_back({path, read_text_file(path)});
    c.complete = true;
    load(session, selection, std::move(c), path);
}

// PTX runs with the manifest of its name beside it, unless that is of another source.
void open_ptx(Session& session, Selection& selection, const std::string& path) {
    const std::string beside = manifest_beside(path);
    std::error_code none;
    const bool is_its = fs::is_regular_file(beside, none) &&
        fs::equivalent(manifest::load(manifest::resolve(beside)).source, path, none);
    if (is_its) return run_kernel(session, beside);
    end_causes(session);
    load(session, selection, capture_of_ptx(path), path);
}

}  // namespace

bool is_text_or_array(const std::string& path) {
    const std::string suffix = fs::path(path).extension().string();
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return false;
    const bool kernel = suffix == ".cu" || suffix == ".ptx";
    return suffix == ".npy" || (kernel && !fs::is_regular_file(manifest_beside(path), none));
}

capture::Capture capture_of_ptx(const std::string& path) {
    capture::Capture c;
    c.launch.kernel = fs::path(path).stem().string();
    c.launch.executor = kNotRun;
    c.ptx = read_text_file(path);
    c.sources.push_back({path, c.ptx});
    const ptx::Module module = [&] {
        try {
            return ptx::parse(c.ptx);
        } catch (const Error& error) { throw Error(path + ": " + error.what()); }
    }();
    for (const emulator::EntryCheck& entry : emulator::check_entries(module)) take_check(c, module, entry);
    if (!c.unsupported.empty()) c.verdict = "unsupported";
    return c;
}

capture::Capture capture_of_array(const std::string& path) {
    const Tensor array = manifest::read_npy(path);
    const int64_t all = elements(array.shape), cols = array.shape.empty() ? 1 : array.shape.back();
    const int64_t rows = cols > 0 ? all / cols : 0, most = std::numeric_limits<int>::max();
    if (all == 0 || rows > most || cols > most) throw Error(path + ": an array that no tile can show.");
    capture::Capture c;
    c.launch.kernel = fs::path(path).stem().string();
    c.launch.executor = "an array";
    capture::Probe probe;
    probe.name = c.launch.kernel, probe.kind = capture::ProbeKind::output, probe.dtype = array.dtype;
    probe.rows = static_cast<int>(rows), probe.cols = static_cast<int>(cols), probe.memory = "global";
    c.probes.push_back(probe);
    capture::Tile tile;
    tile.block = capture::kWholeLaunch, tile.rows = probe.rows, tile.cols = probe.cols, tile.ld = probe.cols;
    c.blobs.blobs.push_back(array.bytes);
    tile.values = static_cast<capture::BlobId>(c.blobs.blobs.size()) - 1;
    c.tiles.push_back(tile);
    c.complete = true;
    return c;
}

void open_anything(Session& session, Selection& selection, const std::string& path) {
    const std::string suffix = fs::path(path).extension().string();
    try {
        if (suffix == ".toml") {
            run_kernel(session, path);
        } else if (suffix == ".cu") {
            open_source(session, selection, path);
        } else if (suffix == ".ptx") {
            open_ptx(session, selection, path);
        } else if (suffix == ".npy") {
            end_causes(session);
            load(session, selection, capture_of_array(path), path);
        } else {
            end_causes(session);
            load_file(session, selection, path);
        }
        remember_recent(session.settings, fs::absolute(path).string());
    } catch (const Error& error) { session.message = {error.what(), true}; }
    const bool known = std::ranges::find(kSuffixes, suffix) != kSuffixes.end();
    if (session.message.bad && !known)
        session.message.text += " A .wlcap, .cu, .toml, .ptx or .npy opens here.";
}

}  // namespace wl::app
