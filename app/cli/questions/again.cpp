// From a capture back to the run.
#include "app/cli/questions/again.h"

#include "app/cli/questions/carried.h"
#include "app/session/edit/made_of.h"
#include "app/worker/trusted.h"
#include "instrumentation/base/error.h"

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

// Nothing of what the capture names may be opened, and it does not carry what would be needed instead.
[[noreturn]] void ask_for_trust(const capture::Capture& capture, const std::string& path) {
    throw Error(fmt::format(
        "{} was made of {}, which is not opened because a file names it; add --trust to have it opened, "
        "compiled "
        "and run",
        path,
        named_text(capture)
    ));
}

std::string kernel_of(const capture::Capture& capture, const KernelOptions& given) {
    std::string allowed = allowed_kernel(capture);
    if (!allowed.empty()) return allowed;
    if (given.trust) {
        allowed = named_kernel(capture, given.kernel);
        trust(allowed);
        return allowed;
    }
    if (!carried_manifest(capture).empty()) return given.kernel;
    ask_for_trust(capture, given.kernel);
}

// Inputs that no fill and seed give come from the capture, not from the file that it names. What is repeated
// from the capture alone has it as its inputs, too.
std::string inputs_of(const capture::Capture& capture, const KernelOptions& o, const KernelOptions& given) {
    if (carries_inputs(capture) || o.kernel == given.kernel) return given.kernel;
    if (o.inputs.ends_with(".npz") && !given.trust)
        throw Error(fmt::format(
            "{} was made with the inputs {}, which are not opened because a file names them; add --trust to "
            "have them opened, or record it again",
            given.kernel,
            o.inputs
        ));
    return o.inputs;
}

}  // namespace

KernelOptions options_of(const capture::Capture& capture, const KernelOptions& given) {
    KernelOptions o = given;
    o.kernel = kernel_of(capture, given);
    repeat_launch(o, capture.launch);
    o.inputs = inputs_of(capture, o, given);
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
