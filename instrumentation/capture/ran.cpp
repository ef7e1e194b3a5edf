// Evidence by name.
#include "instrumentation/capture/ran.h"

#include <array>
#include <fmt/format.h>
#include <string_view>

namespace wl::capture {
namespace {

struct Row {
    const char* name;  // in JSON
    int64_t Ran::*count;
    std::string_view one, several;
};
constexpr std::array<Row, 5> kRows = {
    {
     {"draws", &Ran::draws, "draw of the inputs", "draws of the inputs"},
     {"blocks", &Ran::blocks, "block", "blocks"},
     {"schedules", &Ran::schedules, "schedule", "schedules"},
     {"sizes", &Ran::sizes, "size", "sizes"},
     {"launches", &Ran::launches, "launch", "launches"},
     }
};

}  // namespace

void add_ran(const Ran& ran, Finding& finding) {
    for (const Row& row : kRows)
        if (ran.*row.count > 0) finding.evidence.emplace_back(row.name, static_cast<double>(ran.*row.count));
}

std::string ran_text(const Finding& finding) {
    const auto value = [&](std::string_view name) -> double {
        for (const auto& [known, count] : finding.evidence)
            if (known == name) return count;
        return 0;
    };
    std::string out;
    if (value(kRows[0].name) == 0) return out;
    for (const Row& row : kRows)
        if (const double count = value(row.name); count > 0)
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, count == 1 ? row.one : row.several);
    return out;
}

}  // namespace wl::capture
