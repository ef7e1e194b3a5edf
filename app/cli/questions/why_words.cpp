// States, kinds, names and lines in words.
#include "app/cli/questions/why_words.h"

#include <fmt/format.h>
#include <sstream>

namespace wl::app {

using State = diagnosis::TileElement::State;

const char* word_of(State state) {
    return state == State::right ? "right" : state == State::wrong ? "wrong" : "not compared";
}

const char* word_of(travel::Decider::Kind kind) {
    return kind == travel::Decider::Kind::address ? "address" : "guard";
}

const capture::Tile& tile_of(const WhyReport& r, const diagnosis::TileElement& e) {
    return r.capture.tiles[static_cast<size_t>(e.tile)];
}

const std::string& name_of(const WhyReport& r, const diagnosis::TileElement& e) {
    return r.capture.probes[static_cast<size_t>(tile_of(r, e).probe)].name;
}

std::string file_of(const WhyReport& r, int source) {
    return source < 0 ? "" : r.capture.sources[static_cast<size_t>(source)].path;
}

std::string source_text(const WhyReport& r, int source, int line) {
    if (source < 0 || line <= 0) return "";
    std::istringstream in(r.capture.sources[static_cast<size_t>(source)].text);
    std::string text;
    for (int at = 0; at < line && std::getline(in, text);) ++at;
    const size_t begin = text.find_first_not_of(" \t");
    return begin == std::string::npos ? "" : text.substr(begin);
}

std::string text_of(const diagnosis::InputElement& e) {
    return fmt::format("{}[{}]", e.argument, fmt::join(e.at, ","));
}

}  // namespace wl::app
