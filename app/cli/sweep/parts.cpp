// A sweep in parts: the job array that runs them, and the one table that they make.
#include "app/cli/sweep/sweep.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/shell_word.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kMostParts = 1'000'000;

// A file name pattern of sbatch: behind a line's #SBATCH, so without line breaks, where "%" begins a
// replacement and a backslash switches them off.
std::string slurm_pattern(const std::string& folder) {
    for (const char c : folder)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '"' || c == '\\')
            throw Error(
                "-o: a script for sbatch cannot name a folder with control characters, quotes or backslashes"
            );
    std::string out;
    for (const char c : folder) out += c == '%' ? std::string("%%") : std::string(1, c);
    return out;
}

// Without what the script says itself.
std::string command_line(const std::vector<std::string>& words) {
    std::string out;
    for (size_t k = 0; k < words.size(); ++k) {
        const std::string& word = words[k];
        if (word == "--slurm" || word == "--json" || word == "--quiet") continue;
        if (word == "--parts" || word == "-o" || word == "--out") {
            ++k;
            continue;
        }
        if (word.starts_with("--parts=") || word.starts_with("--out=") || word.starts_with("-o")) continue;
        out += (out.empty() ? "" : " ") + shell_word(word);
    }
    return out;
}

SweepRun run_of(const Json& j) {
    SweepRun run;
    run.kernel = j.at("kernel"), run.preset = j.at("preset"), run.set = j.at("set");
    run.seed = j.at("seed"), run.schedule = j.at("schedule");
    run.verdict = j.at("verdict"), run.said = j.at("said"), run.shape = j.at("shape");
    run.compared = j.at("compared"), run.place = j.at("place"), run.capture = j.at("capture");
    run.seconds = j.at("seconds");
    return run;
}

SweepResult part_of(const std::string& file) {
    const std::string text = read_text_file(file);
    SweepResult out;
    try {
        const Json j = Json::parse(text);
        out.identity = j.at("sweep"), out.cases = j.at("cases");
        out.part = {j.at("part").at(0), j.at("part").at(1)};
        out.lost = j.at("lost").get<std::vector<std::string>>();
        for (const Json& run : j.at("runs")) {
            check_stop();
            out.runs.push_back(run_of(run));
        }
    } catch (const nlohmann::json::exception& e) {
        throw Error(
            fmt::format("{} is not what `warplens sweep --part I/N --json` prints: {}", file, e.what())
        );
    }
    if (out.part.number < 1 || out.part.of < out.part.number)
        throw Error(fmt::format("{} says that it is part {} of {}", file, out.part.number, out.part.of));
    if (out.part.of > kMostParts)
        throw Error(
            fmt::format("{} is one of {} parts, and at most {} are merged", file, out.part.of, kMostParts)
        );
    // Cases are dealt out one by one: this part has every `of`-th.
    const auto first = static_cast<size_t>(out.part.number - 1), of = static_cast<size_t>(out.part.of);
    const size_t dealt = out.cases > first ? (out.cases - first - 1) / of + 1 : 0;
    if (dealt != out.runs.size())
        throw Error(fmt::format(
            "{} is part {} of {} of {} runs, which are {}; it has {}: is it whole?",
            file,
            out.part.number,
            out.part.of,
            out.cases,
            dealt,
            out.runs.size()
        ));
    return out;
}

// Cases were dealt out one by one: part 1 has the first, part 2 the second.
void deal_in(SweepResult& whole, const std::map<int, SweepResult>& parts) {
    for (size_t k = 0; k < whole.cases; ++k) {
        check_stop();
        const auto found = parts.find(static_cast<int>(k % static_cast<size_t>(whole.part.of)) + 1);
        const size_t place = k / static_cast<size_t>(whole.part.of);
        if (found != parts.end() && place < found->second.runs.size())
            whole.runs.push_back(found->second.runs[place]);
    }
}

}  // namespace

SweepResult merge_parts(const std::vector<std::string>& files) {
    std::map<int, SweepResult> parts;
    SweepResult out;
    for (const std::string& file : files) {
        SweepResult part = part_of(file);
        if (parts.empty()) out.identity = part.identity, out.cases = part.cases, out.part = {1, part.part.of};
        if (part.identity != out.identity || part.part.of != out.part.of)
            throw Error(
                file + " is of another sweep than " + files.front() + ": other kernels, sizes or parts"
            );
        if (parts.contains(part.part.number))
            throw Error(fmt::format(
                "part {} of {} is there twice, the second time in {}", part.part.number, out.part.of, file
            ));
        out.lost.insert(out.lost.end(), part.lost.begin(), part.lost.end());
        parts.emplace(part.part.number, std::move(part));
    }
    deal_in(out, parts);
    const int used = static_cast<int>(std::min<size_t>(out.cases, static_cast<size_t>(out.part.of)));
    for (int k = 1; k <= used; ++k)
        if (!parts.contains(k)) out.missing.push_back(k);
    return out;
}

std::string slurm_script(const Command& c, const std::vector<std::string>& own_words, size_t cases) {
    const size_t parts =
        c.sweep.parts > 0 ? std::min<size_t>(cases, static_cast<size_t>(c.sweep.parts)) : cases;
    const std::string keep = c.sweep.keep.empty() ? "sweep" : c.sweep.keep;
    return fmt::format(
        R"(#!/bin/sh
#SBATCH --job-name=warplens-sweep
#SBATCH --array=1-{parts}
#SBATCH --output="{pattern}/part-%a.log"
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={cores}
{gpus}# {cases} runs in {parts} parts. When all have ended: warplens sweep --merge {quoted_keep}/part-*.json
# The folder {quoted_keep} has to be there before: Slurm writes its logs into it.
cd {folder} || exit
{command} -o {quoted_keep} --part "$SLURM_ARRAY_TASK_ID/{parts}" --json --quiet >{quoted_keep}/part-"$SLURM_ARRAY_TASK_ID".json
status=$?
case $status in 1 | 3) exit 0 ;; esac  # findings and gaps are in the table; the job itself went well
exit "$status"
)",
        fmt::arg("parts", parts),
        fmt::arg("cases", cases),
        fmt::arg("pattern", slurm_pattern(keep)),
        fmt::arg("quoted_keep", shell_word(keep)),
        fmt::arg("cores", std::max(1, c.sweep.jobs)),
        fmt::arg("gpus", c.kernel.on == "cpu" ? "" : "#SBATCH --gpus-per-task=1\n"),
        fmt::arg("folder", shell_word(std::filesystem::current_path().string())),
        fmt::arg("command", command_line(own_words))
    );
}

}  // namespace wl::app
