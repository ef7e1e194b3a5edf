// Text as a page sets it: words in the proportional face, `code` in the other, **stress**; listings in a box.
#pragma once

#include "app/draw/ui.h"

#include <string_view>

namespace wl::app {

// Each at the cursor of the current window, which it moves below; lines are as wide as the eye likes them.
void put_title(std::string_view text);
void put_heading(std::string_view text);
void put_paragraph(std::string_view text, ImU32 colour = colour::kText);
void put_item(std::string_view text);  // of a list

// Lines as they stand: what was typed, what was printed, what lies in a file.
enum class Listing : uint8_t { code, command, output };
void put_listing(Listing listing, std::string_view text);

}  // namespace wl::app
