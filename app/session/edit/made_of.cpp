// By content, never by path.
#include "app/session/edit/made_of.h"

#include "app/worker/trusted.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/launches/launch_file.h"
#include "instrumentation/manifest/manifest.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

// Does the capture hold this text under the source's name?
bool has_source(const capture::Capture& capture, const std::string& source) {
    for (const capture::Source& s : capture.sources)
        if (fs::path(s.path).filename() == fs::path(source).filename())
            return s.text == read_text_file(source);
    return false;
}

// Does the capture hold another text under the source's name?
bool is_of_another(const capture::Capture& capture, const std::string& source) {
    const auto differs = [&](const capture::Source& s) {
        const bool same_name = fs::path(s.path).filename() == fs::path(source).filename();
        return same_name && !s.text.empty() && s.text != read_text_file(source);
    };
    return std::any_of(capture.sources.begin(), capture.sources.end(), differs);
}

// A shipped kernel of this name with the capture's source, and its manifest where the capture holds that.
bool is_shipped(const capture::Capture& capture) {
    for (const std::string& path : manifest::shipped()) {
        if (fs::path(path).stem() != capture.launch.kernel) continue;
        try {
            const bool same = carried_manifest(capture).empty() || has_source(capture, path);
            return same && has_source(capture, manifest::load(path).source);
        } catch (const Error&) { return false; }
    }
    return false;
}

// The SHA-256 of what it was made of.
std::string sha256_of(const capture::Capture& capture) {
    const std::string& kernel = capture.launch.kernel;
    if (const std::string text = carried_manifest(capture); !text.empty()) return sha256_hex(text);
    for (const capture::Source& s : capture.sources)
        if (launches::is_launch_file(kernel) && s.path == kernel) return s.text;
    return {};
}

}  // namespace

std::string carried_manifest(const capture::Capture& capture) {
    for (const capture::Source& s : capture.sources)
        if (s.path == capture.launch.kernel + ".toml") return s.text;
    return {};
}

std::string allowed_kernel(const capture::Capture& capture) {
    if (is_shipped(capture)) return capture.launch.kernel;
    std::string path = trusted_path(sha256_of(capture));
    if (path.empty() || launches::is_launch_file(path)) return path;
    try {
        return is_of_another(capture, manifest::load(path).source) ? "" : path;
    } catch (const Error&) { return {}; }
}

bool is_of_kernel(const capture::Capture& capture, const std::string& path) {
    return path.ends_with(".wlcap") && !capture.launch.kernel.empty();
}

std::string named_text(const capture::Capture& capture) {
    const std::string& kernel = capture.launch.kernel;
    return launches::is_launch_file(kernel) ? kernel : kernel + ".toml";
}

std::string named_kernel(const capture::Capture& capture, const std::string& path) {
    const std::string& kernel = capture.launch.kernel;
    const fs::path folder = fs::path(path).parent_path();
    std::error_code none;
    if (launches::is_launch_file(kernel)) {
        for (const fs::path& there :
             {fs::path(kernel), folder / kernel, folder / fs::path(kernel).filename()})
            if (fs::is_regular_file(there, none)) return there.string();
    } else if (const fs::path beside = folder / (kernel + ".toml"); fs::is_regular_file(beside, none)) {
        return beside.string();
    }
    for (const capture::Source& s : capture.sources) {
        const fs::path source = s.path;
        if (source.extension() != ".cu" || source.stem() != kernel) continue;
        for (const fs::path& there : {source, folder / source, folder / source.filename()})
            if (fs::is_regular_file(there, none)) return manifest::resolve(there.string());
    }
    throw Error(fmt::format(
        "{} was made of {}, which lies neither in this folder nor beside the capture; go to the folder from "
        "which it was recorded",
        path,
        named_text(capture)
    ));
}

}  // namespace wl::app
