// Words for people: the nearest known word to a misspelt one, and small formatting helpers.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wl {

// The known word with the smallest edit distance, if near enough to be a misspelling (at most a third of its
// length, at least 1); empty when none is.
std::string nearest_word(std::string_view word, std::span<const std::string> known);

std::string join(std::span<const std::string> words, std::string_view separator);
std::string read_text_file(const std::string& path);  // throws Error naming the path and the system's reason
std::string sha256_hex(std::string_view bytes);
// A path that opens from the current folder: relative for what lies below it, else absolute.
std::string path_from_here(const std::string& path);

}  // namespace wl
