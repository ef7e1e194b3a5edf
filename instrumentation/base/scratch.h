// A folder of our own that is gone with the object.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace wl {

struct Scratch {
    std::string path;  // empty: none could be made
    Scratch() {
        std::error_code none;
        path = (std::filesystem::temp_directory_path(none) / "warplens-XXXXXX").string();
        if (mkdtemp(path.data()) == nullptr) path.clear();
    }
    ~Scratch() {
        std::error_code none;
        if (!path.empty()) std::filesystem::remove_all(path, none);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
};

}  // namespace wl
