// Comments, literals, raw literals; lines of #include are left as they are.
#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <cctype>

namespace wl::compile {
namespace {

void blank(std::string& text, size_t begin, size_t end) {
    for (size_t i = begin; i < std::min(end, text.size()); ++i)
        if (text[i] != '\n') text[i] = ' ';
}

size_t past(const std::string& text, const std::string& closing, size_t from) {
    const size_t at = text.find(closing, from);
    return at == std::string::npos ? text.size() : at + closing.size();
}

// Behind the literal whose quote stands at `at`; an unfinished one ends with its line.
size_t past_literal(const std::string& text, size_t at) {
    const char quote = text[at];
    if (quote == '"' && at > 0 && text[at - 1] == 'R') {
        const size_t open = text.find('(', at);
        if (open != std::string::npos)
            return past(text, ")" + text.substr(at + 1, open - at - 1) + "\"", open);
    }
    for (size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text[i] == quote)
            return i + 1;
    }
    return text.find('\n', at) == std::string::npos ? text.size() : text.find('\n', at);
}

bool is_include_line(const std::string& text, size_t at) {
    size_t begin = text.rfind('\n', at);
    begin = begin == std::string::npos ? 0 : begin + 1;
    begin = text.find_first_not_of(" \t", begin);
    if (begin >= at || text[begin] != '#') return false;
    begin = text.find_first_not_of(" \t", begin + 1);
    return text.compare(begin, 7, "include") == 0;
}

}  // namespace

std::string code_of(const std::string& source) {
    std::string code = source;
    for (size_t i = 0; i < code.size();) {
        if (code.compare(i, 2, "//") == 0) {
            const size_t end = std::min(source.find('\n', i), source.size());
            blank(code, i, end);
            i = end;
        } else if (code.compare(i, 2, "/*") == 0) {
            const size_t end = past(source, "*/", i + 2);
            blank(code, i, end);
            i = end;
        } else if (code[i] == '"' || (code[i] == '\'' && (i == 0 || !is_word_char(code[i - 1])))) {
            const size_t end = past_literal(source, i);
            if (!is_include_line(source, i)) blank(code, i + 1, end - 1);
            i = end;
        } else {
            ++i;
        }
    }
    return code;
}

int line_at(const std::string& text, size_t offset) {
    return 1 +
        static_cast<int>(
               std::count(text.begin(), text.begin() + static_cast<long>(std::min(offset, text.size())), '\n')
        );
}

size_t past_bracket(const std::string& code, size_t open) {
    int depth = 0;
    for (size_t i = open; i < code.size(); ++i) {
        if (code[i] == '(' || code[i] == '[' || code[i] == '{') ++depth;
        if ((code[i] == ')' || code[i] == ']' || code[i] == '}') && --depth == 0) return i + 1;
    }
    return std::string::npos;
}

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

size_t find_word(const std::string& code, const std::string& word, size_t from) {
    for (size_t at = code.find(word, from); at != std::string::npos; at = code.find(word, at + 1)) {
        const size_t end = at + word.size();
        if ((at == 0 || !is_word_char(code[at - 1])) && (end == code.size() || !is_word_char(code[end])))
            return at;
    }
    return std::string::npos;
}

}  // namespace wl::compile
