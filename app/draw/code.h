// Lines of source: coloured text, and a source that does not compile.
#pragma once

#include "app/draw/highlight.h"
#include "app/draw/widgets.h"
#include "app/session/session.h"

#include <string_view>
#include <vector>

namespace wl::app {

// In the middle of a row of that height.
ImU32 colour_of(TokenKind kind);

void put_code(std::string_view text, const std::vector<Token>& tokens, ImVec2 at, float height);

// The text as it lies on disk, with what the compiler says behind the lines that it complains of. `appears`:
// the first of them is brought into sight.
void draw_broken(const Broken& broken, Box box, bool appears);

}  // namespace wl::app
