// Captures and recorded launches as small edits of a seed, sealed again: kept inputs that outlive a version
// of the format. A line an edit: TABLE ROW COLUMN TYPE VALUE, where TYPE is int, real, null, text or fill (a
// blob of the same size, of a pattern of hexadecimal bytes); \xNN in a text is a byte. The first line names
// the seed.
#pragma once

#include "fuzz/database.h"

#include <string>

namespace wl::fuzz {

struct Edits {
    std::string seed, lines;
};
Edits read_edits(const std::string& text);

// Which tables were touched. Throws Error for a line that means nothing.
std::set<std::string> edit(Content& content, const Schema& schema, const std::string& lines);

}  // namespace wl::fuzz
