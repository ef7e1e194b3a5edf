// Words that the chain's text and its JSON share.
#pragma once

#include "app/cli/questions/why.h"

#include <string>

namespace wl::app {

const char* word_of(diagnosis::TileElement::State state);
const char* word_of(travel::Decider::Kind kind);

const capture::Tile& tile_of(const WhyReport& r, const diagnosis::TileElement& e);
const std::string& name_of(const WhyReport& r, const diagnosis::TileElement& e);

// "" and 0 where there is no source line.
std::string file_of(const WhyReport& r, int source);
std::string source_text(const WhyReport& r, int source, int line);

// "K[0,0,1,16]".
std::string text_of(const diagnosis::InputElement& e);

}  // namespace wl::app
