// The chain as lines, tiles and inputs, in kernel time.
#include "app/cli/questions/why_words.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::app {

namespace {

using diagnosis::ProvenanceDecider;
using diagnosis::ProvenanceInput;
using diagnosis::ProvenanceLine;
using diagnosis::TileElement;
using State = diagnosis::TileElement::State;

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

// A line or a decider: both have a source, a line and calls.
template <class At>
std::string place_of(const WhyReport& r, const At& at) {
    if (at.source < 0 || at.line <= 0) return "made by the compiler, at no line";
    std::string text = fmt::format("{}:{}", file_of(r, at.source), at.line);
    for (const int call : at.called_at) text += fmt::format(", inlined at {}", call);
    return text;
}

std::string decider_text(const WhyReport& r, const ProvenanceDecider& d) {
    const std::string out_of = d.out_of.empty() ? "" : ", out of " + join(d.out_of, ", ");
    return fmt::format(
        "        {} {}\n            {}\n            {}by lane {} of warp {}: {}{}\n",
        word_of(d.kind),
        place_of(r, d),
        source_text(r, d.source, d.line),
        d.value.empty() ? "" : d.value + " ",
        d.lane,
        d.warp,
        fmt::join(d.instructions, ", "),
        out_of
    );
}

// "lines 47, 46, mma.hpp:99 out of threadIdx.x, seq": the nearest first.
std::string deciders_in_short(const ProvenanceLine& l, travel::Decider::Kind kind, const WhyReport& r) {
    constexpr size_t kShown = 6;
    std::vector<std::string> places, out_of;
    const auto add = [](std::vector<std::string>& to, const std::string& text) {
        if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
    };
    for (const ProvenanceDecider& d : l.deciders) {
        if (d.kind != kind) continue;
        const std::string file = file_of(r, d.source);
        const std::string there = d.source == 0 ? "" : file.substr(file.find_last_of('/') + 1) + ":";
        if (d.source >= 0 && d.line > 0) add(places, there + std::to_string(d.line));
        for (const std::string& text : d.out_of) add(out_of, text);
    }
    if (places.empty()) return "";
    const bool more = places.size() > kShown;
    if (more) places.resize(kShown);
    return fmt::format(
        "      {} by line{} {}{}{}{}\n",
        word_of(kind),
        places.size() == 1 ? "" : "s",
        join(places, ", "),
        more ? ", ..." : "",
        out_of.empty() ? "" : " out of ",
        join(out_of, ", ")
    );
}

std::string deciders_text(const WhyReport& r, const ProvenanceLine& l) {
    using Kind = travel::Decider::Kind;
    std::string text;
    for (const Kind kind : {Kind::address, Kind::guard}) {
        const bool whole = r.addresses || (l.misled && kind == Kind::address);
        if (!whole) {
            text += deciders_in_short(l, kind, r);
            continue;
        }
        for (const ProvenanceDecider& d : l.deciders)
            if (d.kind == kind && d.line > 0) text += decider_text(r, d);
    }
    return text;
}

std::string lines_text(const WhyReport& r) {
    std::string text;
    for (const ProvenanceLine& l : r.chain.lines) {
        text += fmt::format(
            "  {} {}\n      {}\n      {}{} by lane {} of warp {}{}{}; {} lane steps of {}\n",
            l.misled        ? '!'
                : l.suspect ? '>'
                            : ' ',
            place_of(r, l),
            source_text(r, l.source, l.line),
            l.value.empty() ? "" : l.value + " last, ",
            l.value.empty() ? "last" : "made",
            l.lane,
            l.warp,
            l.reads.empty() ? "" : ", reads " + l.reads,
            l.writes.empty() ? "" : ", writes " + l.writes,
            l.times,
            fmt::join(l.instructions, ", ")
        );
        text += deciders_text(r, l);
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

std::string elements_text(const std::vector<diagnosis::InputElement>& elements) {
    std::vector<std::string> texts;
    for (const diagnosis::InputElement& e : elements) texts.push_back(text_of(e));
    return join(texts, " and ");
}

std::string lane_text(const diagnosis::Execution& e) {
    return fmt::format("lane {} of warp {}", e.lane, e.warp);
}

// "x[0,0] comes in at k.cu:17 by lane 0 of warp 0, out of what y[0,0] is made of."
std::string entrance_text(const WhyReport& r, const diagnosis::Entrance& e) {
    using Kind = diagnosis::Entrance::Kind;
    std::string text =
        fmt::format("{} comes in at {} by {}", text_of(e.input), place_of(r, e.at), lane_text(e.at));
    if (e.put) text += fmt::format(", out of where {} put it at {}", lane_text(*e.put), place_of(r, *e.put));
    if (e.of)
        text += (e.kind == Kind::kept ? ", with a value of " : ", out of where it lies for ") +
            element_text(r, *e.of);
    return text + ".\n";
}

// What is proven about the wrong element, and so about the lines marked !.
std::string evidence_text(const WhyReport& r) {
    const diagnosis::Evidence& e = r.chain.evidence;
    if (!e.problem.empty()) return "";
    std::string text;
    if (!e.foreign.empty())
        text +=
            fmt::format("It is made of {}, which its reference is not made of.\n", elements_text(e.foreign));
    if (!e.belongs_to)
        for (const diagnosis::Entrance& in : e.entrances) text += entrance_text(r, in);
    if (!e.missing.empty())
        text += fmt::format(
            "It is not made of {}, which its reference is made of{}.\n",
            elements_text(e.missing),
            e.foreign.empty() ? ": a guard or the end of a loop kept it out" : ""
        );
    if (e.belongs_to)
        text += fmt::format(
            "It is the right value of {}, made of that element's inputs: it is taken or put elsewhere by an "
            "address of the lines marked !.\n",
            element_text(r, *e.belongs_to)
        );
    if (!e.laid_right.empty() && !e.foreign.empty() && !e.belongs_to)
        text += fmt::format(
            "{} {} in memory as the WL_LAYOUT says.\n",
            join(e.laid_right, " and "),
            e.laid_right.size() == 1 ? "lies" : "lie"
        );
    const bool misled = std::any_of(r.chain.lines.begin(), r.chain.lines.end(), [](const ProvenanceLine& l) {
        return l.misled;
    });
    const bool kept = std::any_of(e.entrances.begin(), e.entrances.end(), [](const auto& in) {
        return in.kind == diagnosis::Entrance::Kind::kept;
    });
    if (misled && !e.belongs_to)
        text += kept
            ? "What does not belong goes on at the lines marked !: nothing set it anew before.\n"
            : "What does not belong comes in at the lines marked !: their address, or the guard that "
              "let them read, is wrong.\n";
    return text;
}

std::string verdict_text(const WhyReport& r) {
    const diagnosis::Provenance& p = r.chain;
    if (p.first_wrong >= 0) {
        const TileElement& e = p.elements[static_cast<size_t>(p.first_wrong)];
        return fmt::format(
            "The first wrong link is {} = {}.\nIt is made by the lines marked > or !, out of elements that "
            "are "
            "inside their bounds.\n{}",
            element_text(r, e),
            value_text(e),
            evidence_text(r)
        );
    }
    if (p.asked.state == State::wrong)
        return "No tile on the way is wrong: the lines marked > or ! lie between the last right ones and the "
               "element.\n" +
            evidence_text(r);
    return "Nothing that was compared on the way is wrong.\n";
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
    text += "It comes through these lines, the earliest first:\n" + lines_text(r);
    const std::string tiles = tiles_on_the_way(r);
    if (!tiles.empty()) text += "\nand through these tiles:\n" + tiles;
    if (!r.chain.inputs.empty()) text += "\nout of these inputs:\n";
    for (const ProvenanceInput& in : r.chain.inputs) text += input_text(in);
    if (!r.chain.not_followed.empty())
        text += fmt::format("\nThe chain is not known beyond: {}\n", fmt::join(r.chain.not_followed, ", "));
    text += "\n" + verdict_text(r);
    return r.note.empty() ? text : text + "note: " + r.note + "\n";
}

}  // namespace wl::app
