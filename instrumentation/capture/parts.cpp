// Words of one line of `meta`.
#include "instrumentation/capture/parts.h"

#include "instrumentation/capture/database.h"

#include <charconv>
#include <sstream>

namespace wl::capture {

int64_t rows_of(const std::vector<Part>& parts) {
    int64_t rows = 0;
    for (const Part& part : parts) rows += part.rows;
    return rows;
}

std::string parts_text(const std::vector<Part>& parts) {
    std::string text;
    for (const Part& part : parts)
        text += (text.empty() ? "" : " ") + std::to_string(part.blob) + ":" + std::to_string(part.rows);
    return text;
}

std::vector<Part> parts_of(const std::string& text, int64_t rows) {
    std::vector<Part> parts;
    std::istringstream words(text);
    int64_t last = 0, left = rows;
    for (std::string word; words >> word;) {
        Part part;
        const char* const end = word.data() + word.size();
        const auto [colon, bad_id] = std::from_chars(word.data(), end, part.blob);
        const bool has_id = bad_id == std::errc() && colon != end && *colon == ':';
        const auto [behind, bad_rows] = has_id ? std::from_chars(colon + 1, end, part.rows)
                                               : std::from_chars_result{colon, std::errc::invalid_argument};
        const bool possible =
            bad_rows == std::errc() && behind == end && part.blob > last && part.rows > 0 && part.rows < left;
        if (!possible)
            throw DatabaseFault("table meta: '" + std::string(kContinued) + "' is no list of blobs");
        last = part.blob, left -= part.rows;
        parts.push_back(part);
    }
    if (last > left) throw DatabaseFault("a blob that goes on in other rows is missing");
    return parts;
}

}  // namespace wl::capture
