// Tiles by probe, as a table's rows and as JSON.
#include "app/cli/summary.h"

#include "app/cli/tiles_json.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/capture/block_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace wl::app {

std::vector<ProbeSummary> summarise(const capture::Capture& c) {
    std::vector<ProbeSummary> out(c.probes.size());
    for (size_t i = 0; i < c.tiles.size(); ++i) {
        const capture::Tile& t = c.tiles[i];
        ProbeSummary& s = out[static_cast<size_t>(t.probe)];
        ++s.tiles;
        s.kept += t.values != capture::kNoBlob ? 1 : 0, s.compared += t.compared, s.bad += t.bad;
        s.finite += static_cast<int64_t>(t.rows) * t.cols - t.nan - t.inf;
        s.max_difference = std::max(s.max_difference, t.max_difference),
        s.max_excess = std::max(s.max_excess, t.max_excess);
        s.undecided += t.verdict == capture::Verdict::undecided ? 1 : 0;
        if (t.verdict != capture::Verdict::bad) continue;
        ++s.bad_tiles;
        const auto earlier = [&](const capture::Tile& known) {
            return std::pair(t.iteration, t.block) < std::pair(known.iteration, known.block);
        };
        if (s.first_bad < 0 || earlier(c.tiles[static_cast<size_t>(s.first_bad)]))
            s.first_bad = static_cast<int>(i);
    }
    return out;
}

std::string tiles_json(const capture::Capture& c) {
    nlohmann::ordered_json probes = nlohmann::ordered_json::array();
    const std::vector<ProbeSummary> rows = summarise(c);
    for (size_t i = 0; i < rows.size(); ++i) {
        const capture::Probe& p = c.probes[i];
        const ProbeSummary& r = rows[i];
        nlohmann::ordered_json row{
            {"tile",           p.name          },
            {"rows",           p.rows          },
            {"cols",           p.cols          },
            {"dtype",          name_of(p.dtype)},
            {"memory",         p.memory        },
            {"reference",      p.reference     },
            {"tiles",          r.tiles         },
            {"kept",           r.kept          },
            {"compared",       r.compared      },
            {"bad",            r.bad           },
            {"max_difference", r.max_difference},
            {"max_excess",     r.max_excess    }
        };
        row["verdict"] = r.compared == 0 ? "not compared"
            : r.bad_tiles > 0            ? "wrong"
            : r.undecided > 0            ? "undecided"
                                         : "ok";
        if (r.first_bad >= 0) {
            const capture::Tile& t = c.tiles[static_cast<size_t>(r.first_bad)];
            row["first_bad"] = {
                {"iteration", t.iteration                       },
                {"element",   {t.first_bad_row, t.first_bad_col}}
            };
            if (t.block != capture::kWholeLaunch)
                row["first_bad"]["block"] = capture::block_json(t.block, c.launch.grid);
        }
        probes.push_back(row);
    }
    return json_text(nlohmann::ordered_json{
        {"warplens", WL_VERSION     },
        {"verb",     "tiles"        },
        {"kernel",   c.launch.kernel},
        {"faults",   c.launch.faults},
        {"verdict",  c.verdict      },
        {"tiles",    probes         }
    });
}

}  // namespace wl::app
