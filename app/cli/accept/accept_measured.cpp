// Records are read as they were written: kernel by kernel, each with its `timing`.
#include "app/cli/accept/accept_measured.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::app {

namespace {

using nlohmann::json;

std::string text_of(const json& j, const char* key) {
    const auto found = j.find(key);
    return found != j.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Nothing where the kernel was not timed: it was wrong there.
void add_time(GpuTimes& times, const json& j, const std::string& preset) {
    const auto timing = j.find("timing");
    if (timing == j.end() || !timing->is_object()) return;
    GpuTime time;
    time.kernel = j.at("kernel"), time.preset = j.contains("preset") ? text_of(j, "preset") : preset;
    if (j.contains("faults")) time.faults = j["faults"].get<std::vector<std::string>>();
    if (j.contains("params")) time.params = j["params"].get<std::map<std::string, double>>();
    time.warm = timing->at("warm").at("median"), time.cold = timing->at("cold").at("median");
    if (times.origin.empty()) times.origin = text_of(*timing, "device");
    times.all.push_back(std::move(time));
}

// One after the other, as several calls of `bench --json` leave them.
std::vector<json> objects_of(const std::string& text) {
    std::vector<json> out;
    std::istringstream in(text);
    while (in >> std::ws && in.peek() != std::istringstream::traits_type::eof()) {
        json one;
        in >> one;
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace

GpuTimes read_gpu_times(const std::string& file) {
    GpuTimes times;
    std::string date;
    try {
        for (const json& one : objects_of(read_text_file(file))) {
            date = text_of(one, "date");
            if (one.contains("kernels"))
                for (const json& kernel : one["kernels"]) add_time(times, kernel, text_of(one, "preset"));
            else
                add_time(times, one, "");
        }
    } catch (const json::exception& e) {
        throw Error(
            fmt::format("--measured {}: it is not what `warplens bench --json` prints: {}", file, e.what())
        );
    }
    if (times.all.empty())
        throw Error(fmt::format(
            "--measured {}: there is no time in it; `warplens bench KERNEL --json` writes one", file
        ));
    times.origin +=
        (date.empty() ? "" : ", " + date) + " (" + std::filesystem::path(file).filename().string() + ")";
    return times;
}

std::optional<GpuTime> time_of(
    const GpuTimes& times,
    const std::string& kernel,
    const std::vector<std::string>& faults,
    const std::string& preset,
    const std::vector<std::pair<std::string, double>>& params
) {
    const std::map<std::string, double> wanted(params.begin(), params.end());
    const auto found = std::find_if(times.all.begin(), times.all.end(), [&](const GpuTime& t) {
        return t.kernel == kernel && t.faults == faults &&
            (t.params.empty() ? !preset.empty() && t.preset == preset : t.params == wanted);
    });
    return found == times.all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace wl::app
