// The chain as lines, tiles and inputs, in kernel time.
#include "app/cli/why.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/travel/instant.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wl::app {

namespace {

using diagnosis::ProvenanceInput;
using diagnosis::ProvenanceLine;
using diagnosis::TileElement;
using nlohmann::ordered_json;
using State = diagnosis::TileElement::State;

const char* word_of(State state) {
    return state == State::right ? "right" : state == State::wrong ? "wrong" : "not compared";
}

const capture::Tile& tile_of(const WhyReport& r, const TileElement& e) {
    return r.capture.tiles[static_cast<size_t>(e.tile)];
}
const std::string& name_of(const WhyReport& r, const TileElement& e) {
    return r.capture.probes[static_cast<size_t>(tile_of(r, e).probe)].name;
}

// "l[0,0] of iteration 0, warp 3".
std::string element_text(const WhyReport& r, const TileElement& e) {
    const capture::Tile& t = tile_of(r, e);
    std::string text = fmt::format("{}[{},{}]", name_of(r, e), e.row, e.col);
    if (t.block >= 0) text += fmt::format(" of iteration {}", t.iteration);
    if (t.warp >= 0) text += fmt::format(", warp {}", t.warp);
    return text;
}

std::string value_text(const TileElement& e) {
    if (e.state == State::unknown) return fmt::format("{:g}, not compared", e.got);
    return fmt::format(
        "{:g}, reference {:g}, bound {:.2g}: {}", e.got, e.reference, e.bound, word_of(e.state)
    );
}

std::string file_of(const WhyReport& r, int source) {
    return source < 0 ? "" : r.capture.sources[static_cast<size_t>(source)].path;
}

std::string source_text(const WhyReport& r, const ProvenanceLine& l) {
    if (l.source < 0) return "";
    std::istringstream in(r.capture.sources[static_cast<size_t>(l.source)].text);
    std::string text;
    for (int line = 0; line < l.line && std::getline(in, text);) ++line;
    const size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin);
}

std::string place_of(const WhyReport& r, const ProvenanceLine& l) {
    if (l.source < 0) return "no source line";
    std::string text = fmt::format("{}:{}", file_of(r, l.source), l.line);
    for (const int call : l.called_at) text += fmt::format(", inlined at {}", call);
    return text;
}

std::string lines_text(const WhyReport& r) {
    std::string text;
    for (const ProvenanceLine& l : r.chain.lines) {
        text += fmt::format(
            "  {} {}\n      {}\n      {}{} by lane {} of warp {}; {} lane steps of {}\n",
            l.suspect ? '>' : ' ',
            place_of(r, l),
            source_text(r, l),
            l.value.empty() ? "" : l.value + " last, ",
            l.value.empty() ? "last" : "made",
            l.lane,
            l.warp,
            l.times,
            fmt::join(l.instructions, ", ")
        );
    }
    return text;
}

// Elements of one tile at one iteration.
struct Passed {
    std::vector<const TileElement*> elements;
    size_t wrong = 0, unknown = 0;
};

std::string tiles_on_the_way(const WhyReport& r) {
    std::vector<std::pair<int, Passed>> tiles;
    for (const TileElement& e : r.chain.elements) {
        if (tiles.empty() || tiles.back().first != e.tile) tiles.push_back({e.tile, {}});
        Passed& p = tiles.back().second;
        p.elements.push_back(&e);
        p.wrong += e.state == State::wrong;
        p.unknown += e.state == State::unknown;
    }
    std::string text;
    for (const auto& tile : tiles) {
        const Passed& p = tile.second;
        const auto of = std::find_if(p.elements.begin(), p.elements.end(), [&](const TileElement* e) {
            return p.wrong == 0 || e->state == State::wrong;
        });
        const std::string state = p.wrong != 0 ? "wrong" : p.unknown == p.elements.size() ? "-" : "right";
        text += fmt::format("  {:<6} {} = {}", state, element_text(r, **of), value_text(**of));
        if (p.elements.size() > 1)
            text += fmt::format(" ({} elements, {} wrong)", p.elements.size(), p.wrong);
        text += '\n';
    }
    return text;
}

std::string input_text(const ProvenanceInput& in) {
    if (in.first.empty())
        return fmt::format(
            "  {}: {} bytes between offsets {:#x} and {:#x}{}\n",
            in.memory,
            in.bytes,
            in.first_byte,
            in.last_byte,
            in.uninitialised ? ", which nobody wrote" : ""
        );
    return fmt::format(
        "  {}: {} elements between [{}] and [{}]{}\n",
        in.memory,
        in.elements,
        fmt::join(in.first, ","),
        fmt::join(in.last, ","),
        in.uninitialised ? ", which nobody wrote" : ""
    );
}

std::string verdict_text(const WhyReport& r) {
    const diagnosis::Provenance& p = r.chain;
    if (p.first_wrong >= 0) {
        const TileElement& e = p.elements[static_cast<size_t>(p.first_wrong)];
        return fmt::format(
            "The first wrong link is {} = {}.\nIt is made by the lines marked >, out of elements that are "
            "inside their "
            "bounds.\n",
            element_text(r, e),
            value_text(e)
        );
    }
    if (p.asked.state == State::wrong)
        return "No tile on the way is wrong: the lines marked > lie between the last right ones and the "
               "element.\n";
    return "Nothing that was compared on the way is wrong.\n";
}

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

ordered_json line_json(const WhyReport& r, const ProvenanceLine& l) {
    return {
        {"file",          file_of(r, l.source)},
        {"line",               l.line                  },
        {"inlined_at",               l.called_at},
        {"text",               source_text(r,                         l)},
        {"suspect",             l.suspect},
        {"instructions",l.instructions     },
        {"times",        l.times           },
        {"site", l.site},
        {"warp",         l.warp                   },
        {"lane", l.lane},
        {"order",         l.order                           },
        {"value",l.value}
    };
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

std::string why_text(const WhyReport& r) {
    const capture::Launch& l = r.capture.launch;
    std::string text = l.kernel;
    for (const std::string& f : l.faults) text += " --fault " + f;
    text += fmt::format(
        ", {} build, block {}; values simulated by the CPU emulator\n{} = {}\n\n",
        l.build,
        block_text(r.asked.block, l.grid),
        element_text(r, r.chain.asked),
        value_text(r.chain.asked)
    );
    if (const std::string note = travel::schedule_note(l.schedule_seed); !note.empty()) text += note + "\n\n";
    text += "It comes through these lines, the earliest first:\n" + lines_text(r);
    const std::string tiles = tiles_on_the_way(r);
    if (!tiles.empty()) text += "\nand through these tiles:\n" + tiles;
    if (!r.chain.inputs.empty()) text += "\nout of these inputs:\n";
    for (const ProvenanceInput& in : r.chain.inputs) text += input_text(in);
    if (!r.chain.not_followed.empty())
        text += fmt::format("\nThe chain is not known behind: {}\n", fmt::join(r.chain.not_followed, ", "));
    return text + "\n" + verdict_text(r);
}

ordered_json why_json(const WhyReport& r) {
    const capture::Launch& l = r.capture.launch;
    ordered_json elements = ordered_json::array(), lines = ordered_json::array(),
                 inputs = ordered_json::array();
    for (const TileElement& e : r.chain.elements) elements.push_back(element_json(r, e));
    for (const ProvenanceLine& line : r.chain.lines) lines.push_back(line_json(r, line));
    for (const ProvenanceInput& in : r.chain.inputs) inputs.push_back(input_json(in));
    ordered_json j{
        {"warplens",      WL_VERSION                            },
        {"verb",          "why"                                 },
        {"kernel",        l.kernel                              },
        {"faults",        l.faults                              },
        {"on",            "cpu"                                 },
        {"build",         l.build                               },
        {"block",         r.asked.block                         },
        {"schedule_note", travel::schedule_note(l.schedule_seed)},
        {"asked",         element_json(r,                         r.chain.asked)},
        {"lines",               lines                                              },
        {"elements",               elements},
        {"inputs",               inputs                                                },
        {"not_followed",               r.chain.not_followed}
    };
    if (r.chain.first_wrong >= 0)
        j["first_wrong"] = element_json(r, r.chain.elements[static_cast<size_t>(r.chain.first_wrong)]);
    else
        j["first_wrong"] = nullptr;
    return j;
}

}  // namespace wl::app
