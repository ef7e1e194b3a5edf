// docs/hazards.md against what was measured: compute-sanitizer's reports on the kernels with hazards, from
// docs/measured/hazards-sanitizer-h200.json, beside what warplens says of them. With WARPLENS_REWRITE=1 the
// page gets both anew; without, it must say what warplens says now.
#include "tests/support/hazards.h"
#include "tests/support/program.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>

namespace wl::test {
namespace {

using nlohmann::json;

constexpr std::array kTools = {"memcheck", "racecheck", "initcheck", "synccheck"};
constexpr const char* kPage = "docs/hazards.md";

enum class Found : uint8_t { at_its_line, elsewhere, no_line, nothing, no_end, not_asked };

// What one tool said of one kernel.
struct Answer {
    Found found = Found::not_asked;
    std::string words;
    double seconds = 0;
};

std::string joined(const std::set<int>& lines) {
    std::string text;
    for (const int line : lines) text += fmt::format("{}{}", text.empty() ? "" : ", ", line);
    return text;
}

std::set<int> report_lines(const json& tool, const std::string& kernel) {
    std::set<int> lines;
    for (const json& report : tool.at("reports"))
        for (const std::string place : report.at("lines"))
            if (place.starts_with(kernel + ".cu:")) lines.insert(std::stoi(place.substr(kernel.size() + 4)));
    return lines;
}

Answer said_by_sanitizer(const json& result, const char* name) {
    const json& tool = result.at(name);
    Answer said{Found::nothing, "-", tool.at("seconds")};
    if (tool.at("status") == "no end") return {Found::no_end, "no end", said.seconds};
    if (tool.at("found") == 0) return said;
    const std::set<int> lines = report_lines(tool, result.at("kernel")),
                        marked = result.at("marked").get<std::set<int>>();
    if (lines.empty()) return {Found::no_line, "no line", said.seconds};
    const bool met = std::any_of(lines.begin(), lines.end(), [&](int l) { return marked.contains(l); });
    return {met ? Found::at_its_line : Found::elsewhere, "line " + joined(lines), said.seconds};
}

Answer said_by_warplens(const HazardCase& c) {
    const json answer = diagnosed(c.kernel, c.fault);
    EXPECT_FALSE(answer.is_discarded()) << c.kernel << " " << c.fault;
    Answer said{Found::nothing, "-", 0};
    const std::set<int> marked = c.fault.empty() ? std::set<int>() : marked_lines(c.kernel, c.fault);
    for (const json& f : answer.at("findings")) {
        const bool at = is_at(f, marked);
        if (said.found == Found::at_its_line || (said.found == Found::elsewhere && !at)) continue;
        said.found = at ? Found::at_its_line : Found::elsewhere;
        said.words = fmt::format("{}, line {}", f.at("rule").get<std::string>(), joined(lines_of(f)));
    }
    return said;
}

// ---- the page

bool rewrites() { return std::getenv("WARPLENS_REWRITE") != nullptr; }

struct Row {
    HazardCase of;
    std::map<std::string, Answer> by;  // tool
};

std::string words_of(const Answer& said) {
    return said.found == Found::at_its_line ? "**" + said.words + "**"
        : said.found == Found::not_asked    ? ""
                                            : said.words;
}

std::string fault_table(const std::vector<Row>& rows) {
    std::string text =
        "| kernel | fault | lines | memcheck | racecheck | initcheck | synccheck | WarpLens |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for (const Row& row : rows) {
        if (row.of.fault.empty()) continue;
        text += fmt::format(
            "| `{}` | `{}`: {} | {} |",
            row.of.kernel,
            row.of.fault,
            row.of.about,
            joined(marked_lines(row.of.kernel, row.of.fault))
        );
        for (const char* tool : kTools) text += " " + words_of(row.by.at(tool)) + " |";
        text += " " + words_of(row.by.at("WarpLens")) + " |\n";
    }
    return text;
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::string summary_row(const std::vector<Row>& rows, const std::string& tool) {
    std::map<Found, int> faults;
    int clean_reports = 0, clean = 0;
    std::vector<double> seconds;
    for (const Row& row : rows) {
        const Answer& said = row.by.at(tool);
        if (said.found == Found::not_asked) continue;
        if (row.of.fault.empty()) {
            ++clean;
            clean_reports += said.found == Found::nothing ? 0 : 1;
        } else {
            ++faults[said.found];
        }
        if (said.found != Found::no_end) seconds.push_back(said.seconds);
    }
    const std::string time = tool == "WarpLens" ? "see below" : fmt::format("{:.1f} s", median(seconds));
    return fmt::format(
        "| {} | {} | {} | {} | {} | {} of {} | {} |\n",
        tool,
        faults[Found::at_its_line],
        faults[Found::elsewhere] + faults[Found::no_line],
        faults[Found::nothing],
        faults[Found::no_end],
        clean_reports,
        clean,
        time
    );
}

std::string summary_table(const std::vector<Row>& rows) {
    std::string text =
        "| tool | found at a line of the fault | found, at another line or none | nothing | did "
        "not end | reports on clean twins | median time |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n";
    for (const char* tool : kTools) text += summary_row(rows, tool);
    return text + summary_row(rows, "WarpLens");
}

std::string record_line(const json& record) {
    return fmt::format(
        "Measured on {} {} (driver {}, compute-sanitizer {}, commit {}) by `{}`.\n",
        record.at("device").get<std::string>(),
        record.at("date").get<std::string>(),
        record.at("driver").get<std::string>(),
        record.at("sanitizer").at(0).get<std::string>(),
        record.at("commit").get<std::string>(),
        record.at("command").get<std::string>()
    );
}

std::vector<Row> measured_rows(const json& measured) {
    std::vector<Row> rows;
    for (const HazardCase& c : hazard_cases()) {
        Row row{c, {}};
        for (const char* tool : kTools) row.by[tool];
        for (const json& r : measured.at("results")) {
            const bool same =
                r.at("kernel") == c.kernel && r.at("fault") == (c.fault.empty() ? json() : json(c.fault));
            for (const char* tool : kTools)
                if (same) row.by[tool] = said_by_sanitizer(r, tool);
        }
        row.by["WarpLens"] = said_by_warplens(c);
        rows.push_back(std::move(row));
    }
    return rows;
}

// The page with everything between the marker and the next one, or the end, replaced.
std::string with_part(const std::string& page, const std::string& name, const std::string& part) {
    const std::string begin = "<!-- measured: " + name + " -->\n", end = "<!-- end -->\n";
    const size_t from = page.find(begin), to = page.find(end, from);
    if (from == std::string::npos || to == std::string::npos) return page + begin + part + end;
    return page.substr(0, from + begin.size()) + part + page.substr(to);
}

TEST(HazardsMeasured, ThePageSaysWhatWasMeasuredAndWhatWarpLensFindsNow) {
    const json measured = json::parse(read_file(source_path("docs/measured/hazards-sanitizer-h200.json")));
    const std::string page = read_file(source_path(kPage));
    const std::vector<Row> rows = measured_rows(measured);
    std::string now = with_part(page, "record", record_line(measured.at("record")));
    now = with_part(now, "summary", summary_table(rows));
    now = with_part(now, "faults", fault_table(rows));
    if (rewrites()) write_file(source_path(kPage), now);
    EXPECT_EQ(now, page) << "run hazards_measured_test with WARPLENS_REWRITE=1 and look at the difference";
    for (const Row& row : rows) {
        const Answer& own = row.by.at("WarpLens");
        if (row.of.fault.empty()) {
            EXPECT_EQ(own.found, Found::nothing) << row.of.kernel << ": " << own.words;
            continue;
        }
        const bool known = std::any_of(kTools.begin(), kTools.end(), [&](const char* tool) {
            const Found found = row.by.at(tool).found;
            return found == Found::at_its_line || found == Found::elsewhere || found == Found::no_line;
        });
        EXPECT_TRUE(!known || own.found == Found::at_its_line) << row.of.kernel << " " << row.of.fault;
    }
}

}  // namespace
}  // namespace wl::test
