#include "app/session/edit/known.h"

#include "app/session/edit/made_of.h"
#include "app/worker/trusted.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/launches/launch_file.h"
#include "instrumentation/manifest/manifest.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace wl::app {

namespace fs = std::filesystem;

std::string manifest_beside(const std::string& source) {
    return fs::path(source).replace_extension(".toml").string();
}

std::string reference_beside(const std::string& source) {
    return fs::path(source).replace_extension(".py").string();
}

bool is_undescribed(const Session& session) {
    return session.capture.launch.executor == kNotRun && !session.path.empty();
}

KernelChoice describe_kernel(const std::string& kernel) {
    const std::string path = manifest::resolve(kernel);
    const manifest::Kernel k = manifest::load(path);
    const std::vector<std::string> shipped = manifest::shipped();
    KernelChoice choice{k.name, k.title, "", {}, {}, k.story, k.params, {}};
    if (std::find(shipped.begin(), shipped.end(), path) == shipped.end()) choice.path = kernel;
    for (const manifest::Fault& f : k.faults) {
        choice.faults.push_back(f.name);
        choice.about.emplace_back(f.name, f.about);
    }
    for (const auto& [name, settings] : k.presets) choice.presets.push_back(name);
    choice.files = {path, k.source};
    if (!k.reference.target.empty() && fs::path(k.reference.target).is_absolute())
        choice.files.push_back(k.reference.target);
    return choice;
}

const KernelChoice* choice_of(const Session& session) {
    const std::string& kernel = session.capture.launch.kernel;
    const auto found =
        std::find_if(session.kernels.begin(), session.kernels.end(), [&](const KernelChoice& k) {
            return k.name == kernel;
        });
    return found != session.kernels.end() ? &*found : nullptr;
}

namespace {

// Among the kernels that can be run, where it is described.
void offer_kernel(Session& session, const std::string& path) {
    const std::string& kernel = session.capture.launch.kernel;
    const bool known =
        std::any_of(session.kernels.begin(), session.kernels.end(), [&](const KernelChoice& k) {
            return k.name == kernel;
        });
    if (known || path.empty()) return;
    KernelChoice choice{kernel, "a recorded launch", path, {}, {}};
    try {
        if (!launches::is_launch_file(path)) choice = describe_kernel(path);
    } catch (const Error&) { return; }  // it can be looked at all the same
    session.kernels.insert(session.kernels.begin(), std::move(choice));
}

}  // namespace

void forget_answers(Session& session) {
    session.banks = {};
    session.lanes = {};
    session.fragments = {};
    session.shared = {};
    session.writes = {};
    session.provenance = {};
}

void know_kernel(Session& session) {
    session.trusts = false;
    session.allowed = allowed_kernel(session.capture);
    session.named.clear();
    if (session.allowed.empty() && is_of_kernel(session.capture, session.path))
        session.named = named_text(session.capture);
    offer_kernel(session, session.allowed);
}

void trust_named(Session& session) {
    if (session.named.empty()) return;
    try {
        const std::string kernel = named_kernel(session.capture, session.path);
        trust(kernel);
        session.allowed = kernel, session.trusts = true;
        session.named.clear();
        forget_answers(session);
        offer_kernel(session, kernel);
        watch_files(session);
        session.message = {kernel + " is opened from now on.", false};
    } catch (const Error& error) { session.message = {error.what(), true}; }
}

std::vector<std::string> files_of(const Session& session) {
    if (is_undescribed(session)) return {};
    std::vector<std::string> files;
    const KernelChoice* choice = choice_of(session);
    if (choice != nullptr) files = choice->files;
    const fs::path folder = files.empty() ? fs::path() : fs::path(files.front()).parent_path();
    std::error_code none;
    if (!session.made_by && session.allowed.empty())
        return files;  // its sources are names that anybody wrote
    for (const capture::Source& source : session.capture.sources) {
        if (is_toolkit_header(source.path)) continue;
        for (const fs::path& there : {fs::path(source.path), folder / source.path}) {
            if (!fs::is_regular_file(there, none)) continue;
            files.push_back(fs::weakly_canonical(there, none).string());
            break;
        }
    }
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

void watch_files(Session& session) {
    watch(session.watched, session.program.empty() ? std::vector<std::string>{} : files_of(session));
}

}  // namespace wl::app
