// From a capture back to the run.
#include "app/cli/questions/again.h"

#include "instrumentation/base/error.h"
#include "instrumentation/launches/launch_file.h"

#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace wl::app {

namespace {

// The first line in which two texts differ, from 1.
int differing_line(const std::string& a, const std::string& b) {
    std::istringstream left(a), right(b);
    for (int line = 1;; ++line) {
        std::string x, y;
        const bool more = static_cast<bool>(std::getline(left, x)),
                   other = static_cast<bool>(std::getline(right, y));
        if (!more && !other) return line;
        if (more != other || x != y) return line;
    }
}

// A file's path depends on the folder that one stands in; its name does not.
bool same_file(const std::string& a, const std::string& b) {
    return std::filesystem::path(a).filename() == std::filesystem::path(b).filename();
}

std::string how_to_record(const SameRun& runs) {
    std::string command = "warplens run " + runs.recorded.launch.kernel;
    for (const std::string& fault : runs.recorded.launch.faults) command += " --fault " + fault;
    return fmt::format("record it again with `{} -o {}`", command, runs.path);
}

// A kernel that is not shipped has its manifest beside the capture, or lies where it lay, seen from this
// folder.
std::string source_of(const capture::Capture& capture, const std::string& path) {
    namespace fs = std::filesystem;
    const std::string& kernel = capture.launch.kernel;
    const fs::path folder = fs::path(path).parent_path();
    std::error_code none;
    if (launches::is_launch_file(kernel))
        for (const fs::path& there :
             {fs::path(kernel), folder / kernel, folder / fs::path(kernel).filename()})
            if (fs::is_regular_file(there, none)) return there.string();
    if (const fs::path beside = folder / (kernel + ".toml"); fs::is_regular_file(beside, none))
        return beside.string();
    for (const capture::Source& s : capture.sources) {
        const fs::path source = s.path;
        if (source.extension() != ".cu" || source.stem() != kernel) continue;
        for (const fs::path& there : {source, folder / source, folder / source.filename()})
            if (fs::is_regular_file(there, none)) return there.string();
        for (const std::string& shipped : manifest::shipped())
            if (fs::path(shipped).stem() == kernel) return kernel;
        throw Error(fmt::format(
            "{} was made of {}, which lies neither in this folder nor beside the capture; go to the folder "
            "from "
            "which it was recorded",
            path,
            s.path
        ));
    }
    return kernel;
}

}  // namespace

KernelOptions options_of(const capture::Capture& capture, const KernelOptions& given) {
    KernelOptions o = given;
    o.kernel = source_of(capture, given.kernel);
    repeat_launch(o, capture.launch);
    return o;
}

void require_same(const SameRun& runs) {
    for (const capture::Source& was : runs.recorded.sources) {
        if (was.text.empty()) continue;
        for (const capture::Source& is : runs.fresh.sources) {
            if (!same_file(is.path, was.path) || is.text.empty() || is.text == was.text) continue;
            throw Error(fmt::format(
                "{} is not the source that {} was made of: line {} differs; {}",
                was.path,
                runs.path,
                differing_line(was.text, is.text),
                how_to_record(runs)
            ));
        }
    }
    const capture::Launch& l = runs.recorded.launch;
    if (l.grid != runs.grid || l.block != runs.block)
        throw Error(fmt::format(
            "the manifest of {} launches other blocks than {} was made of; {}",
            l.kernel,
            runs.path,
            how_to_record(runs)
        ));
}

int64_t recorded_block(const capture::Capture& capture) {
    if (!capture.records.empty()) return capture.records.front().block;
    for (const capture::Tile& t : capture.tiles)
        if (t.values != capture::kNoBlob && t.block >= 0) return t.block;
    return 0;
}

}  // namespace wl::app
