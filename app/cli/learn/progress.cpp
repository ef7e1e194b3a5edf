// One small JSON file.
#include "app/cli/learn/progress.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/text.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

namespace fs = std::filesystem;

fs::path state_file() {
    const char* const state = std::getenv("XDG_STATE_HOME");
    const char* const home = std::getenv("HOME");
    const fs::path folder = state != nullptr && *state != '\0' ? fs::path(state)
        : home != nullptr                                      ? fs::path(home) / ".local/state"
                                                               : fs::temp_directory_path();
    return folder / "warplens/lessons.json";
}

// What cannot be read counts as nothing remembered.
nlohmann::ordered_json stored() {
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    if (fs::is_regular_file(state_file()))
        all = nlohmann::ordered_json::parse(read_text_file(state_file()), nullptr, false);
    return all.is_object() ? all : nlohmann::ordered_json::object();
}

}  // namespace

LessonProgress progress_of(const std::string& lesson) {
    const nlohmann::ordered_json all = stored();
    const auto found = all.find(lesson);
    if (found == all.end() || !found->is_object()) return {};
    const nlohmann::ordered_json& one = *found;
    LessonProgress out;
    if (one.contains("hints") && one["hints"].is_number_unsigned()) out.hints = one["hints"];
    if (one.contains("solved") && one["solved"].is_boolean()) out.solved = one["solved"];
    return out;
}

void remember(const std::string& lesson, const LessonProgress& progress) {
    nlohmann::ordered_json all = stored();
    all[lesson] = {
        {"hints",  progress.hints },
        {"solved", progress.solved}
    };
    std::error_code none;
    fs::create_directories(state_file().parent_path(), none);
    const std::string text = json_text(all) + "\n";
    write_text_file(state_file(), text);
}

}  // namespace wl::app
