// The baseline is JSON, sorted, so that a change of it reads well in a review.
#include "app/cli/formats/baseline.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/verdict.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

namespace wl::app {

namespace {

using nlohmann::ordered_json;

constexpr int kVersion = 1;

using Key = std::tuple<std::string, std::string, std::string, std::string>;  // kernel, rule, file, at
Key key_of(const KnownFinding& k) { return {k.kernel, k.rule, k.file, k.at}; }

// Only root causes count: what follows from one comes and goes with it.
bool counts(const ReportItem& item) { return item.level == Level::error; }
bool ran(const ReportCase& run) { return run.verdict != "error" && run.verdict != "unsupported"; }

Key key_of(const ReportCase& run, const ReportItem& item) {
    return {run.kernel, item.rule, item.file, item.anchor};
}

[[noreturn]] void no_baseline(const std::string& file, const std::string& why) {
    throw Error(fmt::format("{}: {}; `--write-baseline {}` writes one anew", file, why, file));
}

std::vector<KnownFinding> read_baseline(const std::string& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) no_baseline(file, "there is no such baseline");
    std::vector<KnownFinding> out;
    try {
        const ordered_json j = ordered_json::parse(read_text_file(file));
        if (j.at("baseline").get<int>() != kVersion)
            no_baseline(file, "this baseline is of another version of WarpLens");
        for (const ordered_json& one : j.at("findings")) {
            const auto count = one.at("count").get<int64_t>();
            if (count < 1 || !std::in_range<int32_t>(count))
                no_baseline(file, "this names a count that no run reaches");
            out.push_back({one.at("kernel"), one.at("rule"), one.at("file"), one.at("at"), count});
        }
    } catch (const ordered_json::exception&) { no_baseline(file, "this is no baseline"); }
    return out;
}

// How many alike one run of a kernel has at most: several seeds of one kernel are not several findings.
std::map<Key, int64_t> findings_of(const Report& report) {
    std::map<Key, int64_t> out;
    for (const ReportCase& run : report.cases) {
        std::map<Key, int64_t> here;
        for (const ReportItem& item : run.items)
            if (ran(run) && counts(item)) ++here[key_of(run, item)];
        for (const auto& [key, count] : here) out[key] = std::max(out[key], count);
    }
    return out;
}

std::set<std::string> kernels_of(const Report& report) {
    std::set<std::string> out;
    for (const ReportCase& run : report.cases)
        if (ran(run)) out.insert(run.kernel);
    return out;
}

void judge(ReportCase& run, const std::map<Key, int64_t>& known, BaselineAnswer& answer) {
    std::map<Key, int64_t> left = known;
    bool fresh = false;
    for (ReportItem& item : run.items) {
        if (!counts(item)) continue;
        const auto found = left.find(key_of(run, item));
        if (found != left.end() && found->second-- > 0) {
            item.known = true, item.level = Level::note;
            ++answer.known;
        } else {
            fresh = true;
            answer.fresh.push_back(item);
        }
    }
    if (!fresh && run.verdict == "findings") run.verdict = "ok";
}

std::string place_text(const std::string& file, const std::string& at) {
    return file.empty() ? at : fmt::format("{}: `{}`", file, at);
}

std::string text_of(const BaselineAnswer& a) {
    std::string out = fmt::format(
        "baseline {}: {} known, {} new, {} mended\n", a.file, a.known, a.fresh.size(), a.mended.size()
    );
    for (const ReportItem& item : a.fresh)
        out += fmt::format(
            "  new: {}{}: {}\n",
            item.rule,
            item.line > 0 ? fmt::format(" at {}:{}", item.file, item.line) : "",
            item.title
        );
    for (const KnownFinding& k : a.mended)
        out += fmt::format(
            "  mended: {} of {}, {}; `--write-baseline {}` takes it out\n",
            k.rule,
            k.kernel,
            place_text(k.file, k.at),
            a.file
        );
    return out;
}

ordered_json json_of(const KnownFinding& k) {
    return {
        {"kernel", k.kernel},
        {"rule",   k.rule  },
        {"file",   k.file  },
        {"at",     k.at    },
        {"count",  k.count }
    };
}

std::string json_of(const BaselineAnswer& a) {
    ordered_json j{
        {"file",   a.file               },
        {"known",  a.known              },
        {"new",    ordered_json::array()},
        {"mended", ordered_json::array()}
    };
    for (const ReportItem& item : a.fresh)
        j["new"].push_back({
            {"rule",  item.rule },
            {"title", item.title},
            {"file",  item.file },
            {"line",  item.line }
        });
    for (const KnownFinding& k : a.mended) j["mended"].push_back(json_of(k));
    return json_text(j);
}

}  // namespace

BaselineAnswer judge_by_baseline(Report& report, const std::string& file) {
    BaselineAnswer answer;
    answer.file = file;
    const std::vector<KnownFinding> listed = read_baseline(file);
    std::map<Key, int64_t> known;
    for (const KnownFinding& k : listed) known[key_of(k)] += k.count;
    std::set<Key> there;  // consequences too: what now follows from another cause is not mended
    for (const ReportCase& run : report.cases)
        for (const ReportItem& item : run.items) there.insert(key_of(run, item));
    const std::set<std::string> kernels = kernels_of(report);
    for (const KnownFinding& k : listed)
        if (kernels.contains(k.kernel) && !there.contains(key_of(k))) answer.mended.push_back(k);
    for (ReportCase& run : report.cases)
        if (ran(run)) judge(run, known, answer);
    return answer;
}

void write_baseline(const Report& report, const std::string& file) {
    std::vector<KnownFinding> all;
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) all = read_baseline(file);
    const std::set<std::string> kernels = kernels_of(report);
    std::erase_if(all, [&](const KnownFinding& k) { return kernels.contains(k.kernel); });
    for (const auto& [key, count] : findings_of(report)) {
        const auto& [kernel, rule, source, at] = key;
        if (kernels.contains(kernel)) all.push_back({kernel, rule, source, at, count});
    }
    std::sort(all.begin(), all.end(), [](const KnownFinding& a, const KnownFinding& b) {
        return key_of(a) < key_of(b);
    });
    ordered_json j{
        {"baseline", kVersion             },
        {"findings", ordered_json::array()}
    };
    for (const KnownFinding& k : all) j["findings"].push_back(json_of(k));
    write_text_file(file, json_text(j) + "\n");
}

void require_baseline(const OutputOptions& options) {
    if (!options.baseline.empty()) read_baseline(options.baseline);
    if (std::error_code ignored;
        !options.write_baseline.empty() && std::filesystem::exists(options.write_baseline, ignored))
        read_baseline(options.write_baseline);
}

std::string with_baseline(const std::string& summary, const Gate& gated) {
    if (gated.json.empty()) return summary;
    auto j = ordered_json::parse(summary);
    j["baseline"] = ordered_json::parse(gated.json);
    return json_text(j);
}

Gate gate(const OutputOptions& options, Report& report, int status) {
    Gate out;
    out.status = status;
    if (!options.write_baseline.empty()) write_baseline(report, options.write_baseline);
    const std::string& file = options.baseline.empty() ? options.write_baseline : options.baseline;
    if (file.empty()) return out;
    const BaselineAnswer answer = judge_by_baseline(report, file);
    out.text = text_of(answer), out.json = json_of(answer);
    if (status == capture::status_of("findings") && answer.fresh.empty())
        out.status = capture::status_of("ok");
    return out;
}

}  // namespace wl::app
