// Counts first, then by line, then which elements are out of the ordinary.
#include "app/cli/questions/writers.h"

#include "app/cli/executors.h"
#include "app/cli/progress.h"
#include "app/cli/questions/again.h"
#include "app/cli/verbs.h"
#include "app/session/session.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/manifest/npy.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using diagnosis::WrittenArray;
using nlohmann::ordered_json;

std::string words_of(const analysis::Pattern& pattern, size_t rank) {
    return pattern.marked == 0 ? "" : analysis::words(pattern, analysis::default_names(rank));
}

// "warps 0-7 wrote 32,768 each" where they did, else the most and the least.
std::string spread_text(const char* what, const std::vector<int64_t>& counts) {
    const auto wrote = std::ranges::count_if(counts, [](int64_t n) { return n > 0; });
    int64_t least = 0, most = 0;
    for (const int64_t n : counts) {
        if (n > 0 && (least == 0 || n < least)) least = n;
        most = std::max(most, n);
    }
    return least == most ? fmt::format("{} {}, {} elements each", wrote, what, most)
                         : fmt::format("{} {}, {} to {} elements each", wrote, what, least, most);
}

std::string array_text(const capture::Capture& about, const WrittenArray& a) {
    const analysis::Coverage& c = a.coverage;
    std::string out = fmt::format(
        "{}  {} {}: {} elements; {} stored once, {} several times, {} not and hold what was there, {} never "
        "set\n",
        a.name,
        name_of(a.dtype),
        fmt::join(a.shape, "x"),
        c.elements,
        c.once,
        c.many,
        c.stale,
        c.never
    );
    if (c.once + c.many > 0)
        out += fmt::format(
            "  last writers: {} blocks; {}; {}\n",
            c.blocks,
            spread_text("warps", c.by_warp),
            spread_text("lanes", c.by_lane)
        );
    for (const auto& [line, elements] : lines_of(about, c))
        out += fmt::format("  {:>10}  {}\n", elements, line);
    const size_t rank = a.shape.size();
    if (c.unwritten.marked > 0) out += "  not stored: " + words_of(c.unwritten, rank) + "\n";
    if (c.repeated.marked > 0)
        out += fmt::format("  several times, up to {}: {}\n", c.most_stores, words_of(c.repeated, rank));
    return out;
}

ordered_json array_json(const capture::Capture& about, const WrittenArray& a) {
    const analysis::Coverage& c = a.coverage;
    ordered_json j{
        {"name",           a.name              },
        {"dtype",          name_of(a.dtype)    },
        {"shape",          a.shape             },
        {"elements",       c.elements          },
        {"once",           c.once              },
        {"many",           c.many              },
        {"stale",          c.stale             },
        {"never",          c.never             },
        {"most_stores",    c.most_stores       },
        {"most_stored",    c.most_stored       },
        {"blocks",         c.blocks            },
        {"by_warp",        c.by_warp           },
        {"by_lane",        c.by_lane           },
        {"unwritten",      words_of(c.unwritten, a.shape.size())},
        {"repeated",                words_of(c.repeated,                           a.shape.size())},
        {"lines", ordered_json::array()}
    };
    for (const auto& [line, elements] : lines_of(about, c))
        j["lines"].push_back({
            {"line",     line    },
            {"elements", elements}
        });
    return j;
}

}  // namespace

std::vector<std::pair<std::string, int64_t>> lines_of(
    const capture::Capture& about, const analysis::Coverage& coverage
) {
    std::map<std::string, int64_t> lines;
    for (const auto& [site, elements] : coverage.by_site) {
        const std::string place = place_text(about, static_cast<int>(site));
        lines[place.empty() ? "unknown line" : place] += elements;
    }
    std::vector<std::pair<std::string, int64_t>> out(lines.begin(), lines.end());
    std::ranges::stable_sort(out, std::ranges::greater{}, &std::pair<std::string, int64_t>::second);
    return out;
}

std::string writers_text(const diagnosis::WritersReport& r, const Style& style) {
    std::string out = headline(r.about, style);
    for (const WrittenArray& a : r.arrays) out += "\n" + array_text(r.about, a);
    if (!r.stopped.empty()) out += "\nincomplete: " + r.stopped + "\n";
    return out;
}

std::string writers_json(const diagnosis::WritersReport& r) {
    ordered_json j;
    j["warplens"] = WL_VERSION, j["verb"] = "writers", j["kernel"] = r.about.launch.kernel;
    j["verdict"] = r.stopped.empty() ? "ok" : "incomplete", j["stopped"] = r.stopped;
    j["arrays"] = ordered_json::array();
    for (const WrittenArray& a : r.arrays) j["arrays"].push_back(array_json(r.about, a));
    return json_text(j);
}

Tensor writers_map(const WrittenArray& a) {
    Tensor map{a.name + "_writers", DType::s32, a.shape, {}};
    map.shape.push_back(4);
    map.bytes.resize(a.writers.size() * 4 * sizeof(int32_t));
    for (size_t i = 0; i < a.writers.size(); ++i) {
        const analysis::Writer& w = a.writers[i];
        const bool stale = i < a.held.size() && a.held[i] != 0;
        const auto block = static_cast<int32_t>(w.stores > 0 ? w.block : stale ? -2 : -1);
        const int32_t entry[4] = {block, w.warp, w.lane, static_cast<int32_t>(w.stores)};
        std::memcpy(map.bytes.data() + i * sizeof entry, entry, sizeof entry);
    }
    return map;
}

int verb_writers(const Command& command) {
    require_emulator(command.verb, command.kernel);
    KernelOptions kernel = command.kernel;
    if (is_capture(kernel.kernel)) kernel = options_of(capture::read_capture(kernel.kernel), kernel);
    diagnosis::Options options = run_options(kernel);
    options.on_progress = progress_reporter(command.output);
    const diagnosis::WritersReport report = diagnosis::array_writers(bind(kernel), options, command.arrays);
    if (!command.out.empty() && report.arrays.size() != 1)
        throw Error("-o " + command.out + ": a map is of one array; say which with --array");
    if (!command.out.empty()) manifest::write_npy(command.out, writers_map(report.arrays.front()));
    const std::string text =
        command.output.json ? writers_json(report) + "\n" : writers_text(report, style_of(command.output));
    print_text(text);
    return report.stopped.empty() ? kExitOk : kExitUnsupported;
}

}  // namespace wl::app
