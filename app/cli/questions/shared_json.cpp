// The state whole, for the window and for programs.
#include "app/cli/questions/at_shared.h"
#include "instrumentation/base/demangle.h"

#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using nlohmann::ordered_json;

std::string hex(const std::vector<std::byte>& bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const std::byte b : bytes) {
        text += kDigits[std::to_integer<size_t>(b) >> 4];
        text += kDigits[std::to_integer<size_t>(b) & 15];
    }
    return text;
}

const char* word_of(AccessKind kind) {
    constexpr const char* kWords[] = {"load", "store", "atomic", "matrix", "copy"};
    return kWords[static_cast<size_t>(kind)];
}

const char* word_of(capture::NamedRegion::Kind kind) {
    constexpr const char* kWords[] = {"variable", "tile", "warp_tile", "layout"};
    return kWords[static_cast<size_t>(kind)];
}

ordered_json writes_json(const capture::SharedState& s) {
    ordered_json list = ordered_json::array();
    for (const capture::SharedWrite& w : s.writes)
        list.push_back({
            {"order",          w.order         },
            {"time",           w.time          },
            {"site",           w.site          },
            {"warp",           w.warp          },
            {"epoch",          w.epoch         },
            {"epochs_ago",     w.epochs_ago    },
            {"iterations_ago", w.iterations_ago},
            {"copy",           w.copy          },
            {"place",          w.place         }
        });
    return list;
}

ordered_json runs_json(const capture::SharedState& s) {
    ordered_json list = ordered_json::array();
    for (const capture::SharedRun& r : s.runs)
        list.push_back({r.begin, r.bytes, r.write, r.lane, r.flight, r.flight_lane, r.times, r.writers});
    return list;
}

ordered_json counts_json(const FreshnessCounts& c) {
    return {
        {"now",       c.now   },
        {"stale",     c.stale },
        {"in_flight", c.flying},
        {"never",     c.never }
    };
}

ordered_json regions_json(const capture::SharedState& s) {
    ordered_json list = ordered_json::array();
    for (const capture::NamedRegion& r : s.regions) {
        const FreshnessCounts bytes = count_bytes(s, r.begin, r.end);
        list.push_back({
            {"kind",    word_of(r.kind)   },
            {"name",    r.name            },
            {"begin",   r.begin           },
            {"end",     r.end             },
            {"dtype",   name_of(r.dtype)  },
            {"rows",    r.rows            },
            {"cols",    r.cols            },
            {"ld",      r.ld              },
            {"column",  r.column          },
            {"layout",  r.layout          },
            {"warp",    r.warp            },
            {"file",    r.file            },
            {"line",    r.line            },
            {"current", r.current         },
            {"bytes",   counts_json(bytes)}
        });
    }
    return list;
}

ordered_json accesses_json(const LaneAccesses& a) {
    return {
        {"kind",  word_of(a.kind)},
        {"bytes", a.bytes        },
        {"mask",  a.mask         },
        {"at",    a.at           }
    };
}

ordered_json cost_json(const BankCost& c) {
    return {
        {"wavefronts", c.wavefronts},
        {"ideal",      c.ideal     },
        {"degree",     c.degree    },
        {"bank",       c.bank      },
        {"lanes",      c.lanes     }
    };
}

ordered_json request_json(const SharedAnswer& a, const capture::LineRequest& r) {
    ordered_json j{
        {"site",   r.site                   },
        {"text",   demangle(r.text)         },
        {"place",  r.place                  },
        {"warp",   r.warp                   },
        {"epoch",  r.epoch                  },
        {"time",   r.time                   },
        {"order",  r.order                  },
        {"number", r.number                 },
        {"global", r.global                 },
        {"access", accesses_json(r.accesses)}
    };
    const RequestCost cost = cost_of(r);
    if (r.global) {
        j["sectors"] = cost.sector.sectors, j["ideal"] = cost.sector.ideal;
        return j;
    }
    j["cost"] = cost_json(cost.bank);
    j["phases"] = cost.phases;
    if (!a.change || !a.touched) return j;
    const layouts::Changed then = layouts::changed(r.accesses, a.touched->matrix, *a.change);
    if (then.problem.empty())
        j["what_if"] = cost_json(then.cost);
    else
        j["what_if"]["problem"] = then.problem;
    return j;
}

ordered_json matrix_json(const SharedAnswer& a, const SharedMatrix& m) {
    const FreshnessCounts elements = count_bytes(a.state, a.view, m);
    return {
        {"name",     m.name                    },
        {"text",     layouts::text_of(m.matrix)},
        {"begin",    m.matrix.begin            },
        {"end",      layouts::end_of(m.matrix) },
        {"elements", counts_json(elements)     }
    };
}

}  // namespace

ordered_json shared_json(const SharedAnswer& a) {
    const capture::SharedState& s = a.state;
    ordered_json requests = ordered_json::array(), patterns = ordered_json::array(),
                 matrices = ordered_json::array();
    for (const capture::LineRequest& r : a.requests) requests.push_back(request_json(a, r));
    for (const capture::AccessPattern& p : a.patterns)
        patterns.push_back({
            {"site",   p.site                   },
            {"count",  p.count                  },
            {"access", accesses_json(p.accesses)}
        });
    for (const SharedMatrix& m : a.matrices) matrices.push_back(matrix_json(a, m));
    ordered_json j{
        {"warplens",                                WL_VERSION               },
        {"verb",                                    "at"                     },
        {"kernel",                                  a.kernel                 },
        {"faults",                                  a.faults                 },
        {"block",                                   s.block                  },
        {"warp",                                    s.warp                   },
        {"time",                                    s.time                   },
        {"order",                                   s.order                  },
        {"epoch",                                   s.epoch                  },
        {"place",                                   s.place                  },
        {"note",                                    a.note                   },
        {"bytes",                                   s.values.size()          },
        {"states",                                  counts_json(count_bytes(s, 0, static_cast<uint32_t>(s.values.size())))},
        {"regions", regions_json(s)                         },
        {"matrices",                          matrices                         },
        {"requests",        requests       },
        {"access_problem",                          a.access_problem                                           }
    };
    if (a.change && a.touched) {
        const PatternTotal total = total_of(a.patterns, a.touched->matrix, *a.change);
        j["what_if"] = {
            {"change", layouts::text_of(*a.change)      },
            {"matrix", a.touched->name                  },
            {"advice", layouts::advice(a.touched->matrix, *a.change)},
            {"line",        a.line.line                                   },
            {"now",        a.line.now },
            {"then",        a.line.then                                  },
            {"requests",        total.requests},
            {"before",        total.now                                    },
            {"after",        total.then},
            {"ideal",        total.ideal                                    },
            {"problem",        total.problem}
        };
    }
    j["writes"] = writes_json(s);
    j["runs"] = runs_json(s);
    j["values"] = hex(s.values);
    j["patterns"] = patterns;
    return j;
}

}  // namespace wl::app
