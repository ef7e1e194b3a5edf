// A capture names the instructions; `warplens at` says what the lanes hold before one of them.
#include "app/cli/learn/lanes_held.h"

#include "app/cli/learn/page.h"
#include "app/cli/options.h"
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

namespace wl::app {

namespace {

using nlohmann::json;

constexpr const char* kCapture = "solution.wlcap";

// Without its guard.
std::string_view opcode_on(std::string_view text) {
    if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
    return text;
}

// "%f3" of "shfl.sync.bfly.b32 %f4|%p1, %f3, 16, 31, -1;"
std::string first_source(std::string_view text) {
    const size_t comma = text.find(',');
    if (comma == text.npos) return "";
    std::string_view rest = text.substr(comma + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return std::string(rest.substr(0, rest.find_first_of(",; ")));
}

// Where the warp first comes to the instruction of that number, with what its operand holds.
std::optional<json> arrival(const LessonLanes& wanted, size_t site, const std::string& text) {
    const std::string operand = first_source(text);
    const std::string print = operand.starts_with('%') ? " --print " + operand : "";
    const Ran ran = run_line(
        fmt::format(
            "warplens at {} --build optimised --json --site {} {}{}", kCapture, site, wanted.where, print
        ),
        false
    );
    if (ran.status != kExitOk) return {};
    try {
        return json::parse(ran.output);
    } catch (const json::exception&) { return {}; }
}

}  // namespace

std::string lanes_problem(const LessonLanes& wanted) {
    run_line(fmt::format("warplens run {} --search 0 --quiet -o {}", wanted.kernel, kCapture), false);
    capture::Capture run;
    try {
        run = capture::read_capture(kCapture);
    } catch (const Error&) { return ""; }  // the checks say why it did not run
    std::optional<json> first;
    for (size_t site = 0; site < run.sites.size() && !first; ++site) {
        const std::string_view text = opcode_on(run.sites[site].text);
        if (text.starts_with(wanted.at)) first = arrival(wanted, site, std::string(text));
    }
    if (!first) return wanted.missing;
    if (!wanted.absent.empty() && first->value("lanes", ~0U) != ~0U) return wanted.absent;
    const json values = first->value("values", json::array());
    if (values.empty()) return "";
    const json held = values[0].value("lanes", json::array());
    const std::set<std::string> distinct(held.begin(), held.end());
    if (!wanted.same.empty() && held.size() == 32 && distinct.size() == 1) return wanted.same;
    if (!wanted.few.empty() && held.size() == 32 && distinct.size() < 32) return wanted.few;
    return "";
}

}  // namespace wl::app
