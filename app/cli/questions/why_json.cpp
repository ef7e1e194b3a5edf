// The chain as JSON: lines with what decided about them, tiles, inputs, evidence.
#include "app/cli/questions/why_words.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using diagnosis::ProvenanceDecider;
using diagnosis::ProvenanceInput;
using diagnosis::ProvenanceLine;
using diagnosis::TileElement;
using nlohmann::ordered_json;
using State = TileElement::State;

ordered_json element_json(const WhyReport& r, const TileElement& e) {
    const capture::Tile& t = tile_of(r, e);
    ordered_json j{
        {"tile", name_of(r, e)},
        {"element",      {e.row, e.col}      },
        {"state",      word_of(e.state)  },
        {"order",      e.order      }
    };
    if (t.block >= 0) j["iteration"] = t.iteration;
    if (t.warp >= 0) j["warp"] = t.warp;
    const auto number = [&](const char* name, double x) {
        if (std::isfinite(x))
            j[name] = x;
        else
            j[name] = fmt::format("{}", x);
    };
    number("got", e.got);
    if (e.state == State::unknown) return j;
    number("reference", e.reference);
    number("bound", e.bound);
    return j;
}

ordered_json decider_json(const WhyReport& r, const ProvenanceDecider& d) {
    return {
        {"kind",         word_of(d.kind)    },
        {"file",         file_of(r,           d.source)},
        {"line",              d.line                           },
        {"inlined_at",              d.called_at},
        {"text",              source_text(r,                                  d.source, d.line)},
        {"instructions",      d.instructions},
        {"site", d.site},
        {"warp",         d.warp                     },
        {"lane",         d.lane             },
        {"order",         d.order             },
        {"value",        d.value           },
        {"out_of",        d.out_of            }
    };
}

ordered_json line_json(const WhyReport& r, const ProvenanceLine& l) {
    ordered_json deciders = ordered_json::array();
    for (const ProvenanceDecider& d : l.deciders) deciders.push_back(decider_json(r, d));
    return {
        {"kind",         "value"             },
        {"file",         file_of(r,            l.source)},
        {"line",              l.line                            },
        {"inlined_at",              l.called_at},
        {"text",              source_text(r,                                   l.source, l.line)},
        {"suspect",      l.suspect},
        {"misled",      l.misled           },
        {"instructions",       l.instructions             },
        {"times", l.times},
        {"site",        l.site                    },
        {"warp",         l.warp               },
        {"lane",         l.lane              },
        {"order",         l.order              },
        {"value",        l.value            },
        {"reads",        l.reads             },
        {"writes",        l.writes             },
        {"decided_by",       deciders           }
    };
}

ordered_json elements_json(const std::vector<diagnosis::InputElement>& elements) {
    ordered_json j = ordered_json::array();
    for (const diagnosis::InputElement& e : elements)
        j.push_back({
            {"argument", e.argument},
            {"element",  e.at      }
        });
    return j;
}

ordered_json execution_json(const WhyReport& r, const diagnosis::Execution& e) {
    return {
        {"file", file_of(r, e.source)},
        {"line",      e.line         },
        {"inlined_at",      e.called_at},
        {"site",      e.site               },
        {"warp",      e.warp},
        {"lane",      e.lane               },
        {"order",      e.order},
        {"times_before",      e.times_before        }
    };
}

const char* word_of(diagnosis::Entrance::Kind kind) {
    using Kind = diagnosis::Entrance::Kind;
    switch (kind) {
        case Kind::read: return "read";
        case Kind::taken: return "taken";
        case Kind::kept: return "kept";
        case Kind::handed: return "handed";
    }
    return "";
}

ordered_json entrances_json(const WhyReport& r) {
    ordered_json out = ordered_json::array();
    for (const diagnosis::Entrance& e : r.chain.evidence.entrances) {
        ordered_json j = execution_json(r, e.at);
        j["argument"] = e.input.argument, j["element"] = e.input.at, j["kind"] = word_of(e.kind);
        j["of"] = nullptr, j["put"] = nullptr;
        if (e.of) j["of"] = element_json(r, *e.of);
        if (e.put) j["put"] = execution_json(r, *e.put);
        out.push_back(j);
    }
    return out;
}

ordered_json evidence_json(const WhyReport& r) {
    const diagnosis::Evidence& e = r.chain.evidence;
    ordered_json j{
        {"problem",    e.problem               },
        {"foreign",    elements_json(e.foreign)},
        {"missing",    elements_json(e.missing)},
        {"entrances",  entrances_json(r)       },
        {"laid_right", e.laid_right            }
    };
    j["belongs_to"] = nullptr;
    if (e.belongs_to) j["belongs_to"] = {e.belongs_to->row, e.belongs_to->col};
    return j;
}

ordered_json input_json(const ProvenanceInput& in) {
    ordered_json j{
        {"memory",        in.memory                    },
        {"bytes",         in.bytes                     },
        {"offsets",       {in.first_byte, in.last_byte}},
        {"uninitialised", in.uninitialised             }
    };
    if (in.first.empty()) return j;
    j["elements"] = in.elements;
    j["first"] = in.first;
    j["last"] = in.last;
    return j;
}

}  // namespace

ordered_json why_json(const WhyReport& r) {
    const capture::Launch& l = r.capture.launch;
    ordered_json elements = ordered_json::array(), lines = ordered_json::array(),
                 inputs = ordered_json::array();
    for (const TileElement& e : r.chain.elements) elements.push_back(element_json(r, e));
    for (const ProvenanceLine& line : r.chain.lines) lines.push_back(line_json(r, line));
    for (const ProvenanceInput& in : r.chain.inputs) inputs.push_back(input_json(in));
    ordered_json j{
        {"warplens", WL_VERSION    },
        {"verb",     "why"         },
        {"kernel",   l.kernel      },
        {"faults",   l.faults      },
        {"on",       "cpu"         },
        {"build",    l.build       },
        {"block",    r.asked.block },
        {"asked",    element_json(r, r.chain.asked)},
        {"lines",          lines                 },
        {"elements",          elements},
        {"inputs",          inputs                   },
        {"not_followed",          r.chain.not_followed},
        {"evidence",          evidence_json(r)                       },
        {"note",          r.note}
    };
    if (r.chain.first_wrong >= 0)
        j["first_wrong"] = element_json(r, r.chain.elements[static_cast<size_t>(r.chain.first_wrong)]);
    else
        j["first_wrong"] = nullptr;
    return j;
}

}  // namespace wl::app
