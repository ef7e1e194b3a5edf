// Texts of files and programs where a terminal, an XML parser or a browser reads them: as text, whatever they
// hold.
#pragma once

#include <string>
#include <string_view>

namespace wl {

// Valid UTF-8 without a character that steers its reader: controls (C0 but line feed and tab, DEL, C1), the
// marks that turn the direction of text (U+202A to U+202E, U+2066 to U+2069) and what XML 1.0 cannot hold
// (U+FFFE, U+FFFF) stand as \uXXXX, a byte that is no UTF-8 as \xXX. JSON keeps its meaning: \uXXXX says
// there what the character said. A carriage return that ends a line goes: it is part of the line break.
std::string visible(std::string_view text);

// The same on one line: line feed and tab too.
std::string visible_line(std::string_view text);

// For text and for attributes in double quotes, of HTML and of XML 1.0.
std::string escape_markup(std::string_view text);

}  // namespace wl
