// The copies keep their places to each other, as sources include by relative paths.
#include "app/session/edit/fix.h"

#include "app/session/edit/known.h"
#include "app/session/edit/rerun.h"
#include "app/session/headline.h"
#include "app/session/lookup.h"
#include "app/session/plain_words.h"
#include "app/session/run.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/base/text.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

// The folder that holds all of them.
fs::path common_folder(const std::vector<std::string>& files) {
    fs::path common = fs::path(files.front()).parent_path();
    for (const std::string& file : files)
        while (!common.empty() && common != common.root_path()) {
            const std::string from_there = fs::path(file).lexically_relative(common).string();
            if (!from_there.empty() && !from_there.starts_with("..")) break;
            common = common.parent_path();
        }
    return common;
}

// The manifest in a copy of its files, of which one is changed. Throws Error.
std::string mended_copy(
    const std::vector<std::string>& files, const std::string& patch, const fs::path& room
) {
    const fs::path common = common_folder(files);
    std::string manifest;
    bool changed = false;
    for (const std::string& file : files) {
        const fs::path to = room / fs::path(file).lexically_relative(common);
        std::error_code problem;
        fs::create_directories(to.parent_path(), problem);
        const std::string text = read_text_file(file);
        const auto now = patched(text, patch, file);
        changed = changed || now;
        write_text_file(to.string(), now.value_or(text));
        if (to.extension() == ".toml") manifest = to.string();
    }
    if (!changed)
        throw Error("the source has changed since that run: run the kernel again, then try the fix");
    if (manifest.empty())
        throw Error("the kernel has no manifest of its own, in whose place the fix could run");
    return manifest;
}

}  // namespace

std::string fix_refusal(const Session& session, int finding) {
    const auto& findings = session.capture.findings;
    if (finding < 0 || finding >= static_cast<int>(findings.size())) return "No finding is chosen.";
    if (patch_of(session, finding).empty()) return "No change of the source is known to mend this.";
    if (session.program.empty()) return "Nothing can run here.";
    if (!session.made_by && !session.trusts)
        return "This capture was opened from a file. Run the kernel here, then try the fix.";
    return may_run(session) ? "" : "A run is under way.";
}

void try_fix(Session& session, int finding) {
    const std::string refusal = fix_refusal(session, finding);
    if (!refusal.empty()) {
        session.message = {refusal, true};
        return;
    }
    try {
        auto room = std::make_shared<Scratch>();
        if (room->path.empty()) throw Error("there is no room for a temporary folder");
        KernelOptions options = options_again(session);
        options.kernel = mended_copy(files_of(session), patch_of(session, finding), room->path);
        run_fix(session, options, finding);
        session.fix_room = std::move(room);
    } catch (const Error& error) { session.message = {plain_words(error.what()), true}; }
}

}  // namespace wl::app
