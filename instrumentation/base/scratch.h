// A folder of our own that is gone with the object, or when the process is ended early.
#pragma once

#include "instrumentation/base/os/leftovers.h"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

namespace wl {

struct Scratch {
    std::string path;  // empty: none could be made
    std::optional<TemporaryPath> kept = {};
    Scratch() {
        std::error_code none;
        path = (std::filesystem::temp_directory_path(none) / "warplens-XXXXXX").string();
        if (mkdtemp(path.data()) == nullptr) path.clear();
        if (!path.empty()) kept.emplace(path);
    }
    ~Scratch() {
        std::error_code none;
        if (!path.empty()) std::filesystem::remove_all(path, none);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

}  // namespace wl
