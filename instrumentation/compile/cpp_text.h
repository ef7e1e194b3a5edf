// C++ as text: without what the compiler does not read.
#pragma once

#include <string>

namespace wl::compile {

// The same text with comments and what stands between quotes blanked out by spaces, so that every offset and
// every line stays; names of #include stay, too.
std::string code_of(const std::string& source);

// The line of an offset, from 1.
int line_at(const std::string& text, size_t offset);

// Behind the bracket that closes the one at `open`; npos where none does. Of code_of.
size_t past_bracket(const std::string& code, size_t open);

bool is_word_char(char c);

// Where `word` stands as a whole word at or after `from`; npos: nowhere.
size_t find_word(const std::string& code, const std::string& word, size_t from = 0);

}  // namespace wl::compile
