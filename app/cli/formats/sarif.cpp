// SARIF 2.1.0 (OASIS Standard, 27 March 2020), as code hosts and editors read it.
#include "app/cli/formats/report.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/uri.h"
#include "instrumentation/capture/verdict.h"
#include "instrumentation/diagnosis/rules/names.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::app {

namespace {

using nlohmann::ordered_json;

// 3.10.1: an absolute path as a URI, a relative one as a reference (RFC 3986).
std::string uri_of(const std::string& path) {
    return (std::filesystem::path(path).is_absolute() ? "file://" : "") + percent_encoded(path);
}

ordered_json place_of(const std::string& file, int line) {
    return {
        {"artifactLocation", {{"uri", uri_of(file)}}},
        {"region",           {{"startLine", line}}  }
    };
}

std::string level_of(Level level) {
    return level == Level::error ? "error" : level == Level::warning ? "warning" : "note";
}

std::string about_rule(const std::string& rule) {
    for (const diagnosis::RuleName& name : diagnosis::rule_names())
        if (rule == name.name) return name.says;
    for (const capture::VerdictWord& word : capture::kVerdictWords)
        if (rule == word.name && rule != "error") return std::string(word.meaning);
    return rule == "refused" ? "a kernel is outside its limits" : "it could not be run";
}

// 3.55 to 3.57: the lines of a patch's one hunk, whole, replaced.
ordered_json fix_of(const std::string& patch, const std::string& says) {
    std::istringstream lines(patch);
    std::string file, now;
    int line = 0, first = 0, count = 0;
    for (std::string text; std::getline(lines, text);) {
        if (text.starts_with("--- a/")) {
            file = text.substr(std::string_view("--- a/").size());
        } else if (text.starts_with("@@ -")) {
            line = std::atoi(text.c_str() + std::string_view("@@ -").size());
        } else if (!text.starts_with("+++ b/")) {
            if (text.front() != ' ' && first == 0) first = line;
            count += text.front() == '-' ? 1 : 0;
            if (text.front() == '+') now += text.substr(1) + "\n";
            line += text.front() == '+' ? 0 : 1;
        }
    }
    const ordered_json region{
        {"startLine",   first        },
        {"startColumn", 1            },
        {"endLine",     first + count},
        {"endColumn",   1            }
    };
    ordered_json replacement{
        {"deletedRegion", region}
    };
    if (!now.empty())
        replacement["insertedContent"] = {
            {"text", now}
        };
    return {
        {"description",     {{"text", says}}                                               },
        {"artifactChanges",
         {{{"artifactLocation", {{"uri", uri_of(file)}}}, {"replacements", {replacement}}}}}
    };
}

size_t index_of(std::vector<std::string>& rules, const std::string& rule) {
    const auto known = std::find(rules.begin(), rules.end(), rule);
    if (known != rules.end()) return static_cast<size_t>(known - rules.begin());
    rules.push_back(rule);
    return rules.size() - 1;
}

ordered_json result_of(const ReportCase& run, const ReportItem& item, std::vector<std::string>& rules) {
    ordered_json out{
        {"ruleId",    item.rule     },
        {"ruleIndex", index_of(rules, item.rule)},
        {"level",           level_of(item.level)                  },
        {"message",           {{"text", item.text}}}
    };
    if (item.line > 0)
        out["locations"].push_back({
            {"physicalLocation", place_of(item.file, item.line)}
        });
    if (item.other_line > 0)
        out["relatedLocations"].push_back({
            {"id",               1                       },
            {"physicalLocation", place_of(item.other_file, item.other_line)},
            {"message",                  {{"text", item.other_says}}                                 }
        });
    if (!item.patch.empty()) out["fixes"].push_back(fix_of(item.patch, item.title));
    out["partialFingerprints"] = {
        {"kernelRuleLine/v1", fmt::format("{}:{}:{}", run.name, item.rule, item.line)}
    };
    if (item.known) {
        out["baselineState"] = "unchanged";
        out["suppressions"] = {
            {{"kind", "external"}, {"status", "accepted"}}
        };
    }
    out["properties"] = {
        {"kernel",  run.name   },
        {"verdict", run.verdict}
    };
    return out;
}

}  // namespace

std::string sarif_text(const Report& report) {
    std::vector<std::string> rules;
    ordered_json results = ordered_json::array();
    bool ran = true;
    for (const ReportCase& run : report.cases) {
        for (const ReportItem& item : run.items) results.push_back(result_of(run, item, rules));
        ran = ran && run.verdict != "error";
    }
    ordered_json about = ordered_json::array();
    for (const std::string& rule : rules)
        about.push_back({
            {"id",               rule                        },
            {"shortDescription", {{"text", about_rule(rule)}}}
        });
    const ordered_json driver{
        {"name",    "WarpLens"},
        {"version", WL_VERSION},
        {"rules",   about     }
    };
    const ordered_json out{
        {"$schema",
         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"},
        {"version", "2.1.0"                                                                          },
        {"runs",
         {{{"tool", {{"driver", driver}}},
           {"invocations", {{{"executionSuccessful", ran}}}},
           {"results", results}}}                                                                    }
    };
    return json_text(out) + "\n";
}

}  // namespace wl::app
