// Declarations of a source found by brackets, and which of them the device cannot use.
#include "instrumentation/compile/device_code.h"

#include "instrumentation/compile/cpp_text.h"
#include "instrumentation/compile/stand_ins.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace wl::compile {
namespace {

enum class Use : uint8_t { device, host, open };  // open: the text does not tell

struct Item {
    size_t begin = 0, end = 0;
    Use use = Use::open;
};

struct Declarations {
    std::vector<Item> items;       // of namespaces and classes; inner ones before the class around them
    std::vector<Item> directives;  // lines, with those that continue them
    bool balanced = true;
    bool only_by_launch = false;  // a kernel is static or in an unnamed namespace
};

// Brackets after these words belong to no list of parameters.
constexpr std::array<const char*, 8> kAttributes = {
    "alignas",
    "__align__",
    "__attribute__",
    "__declspec",
    "decltype",
    "__launch_bounds__",
    "noexcept",
    "requires"};
constexpr std::array<const char*, 5> kDeviceWords = {
    "__global__", "__device__", "__constant__", "__shared__", "__managed__"};

bool has_word(const std::string& text, const char* word) {
    return find_word(text, word) != std::string::npos;
}

bool is_for_device(const std::string& code) {
    return std::any_of(kDeviceWords.begin(), kDeviceWords.end(), [&](const char* w) {
        return has_word(code, w);
    });
}

size_t past_space(const std::string& code, size_t at) {
    while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) ++at;
    return at;
}

std::string word_at(const std::string& code, size_t at) {
    size_t end = at;
    while (end < code.size() && is_word_char(code[end])) ++end;
    return code.substr(at, end - at);
}

void fill_spaces(std::string& text, size_t begin, size_t end) {
    for (size_t k = begin; k < std::min(end, text.size()); ++k)
        if (text[k] != '\n') text[k] = ' ';
}

int depth_of(const std::string& code, size_t begin, size_t end) {
    int depth = 0;
    for (size_t k = begin; k < end; ++k) depth += code[k] == '{' ? 1 : code[k] == '}' ? -1 : 0;
    return depth;
}

// Where branches of a condition open or close different brackets, as of two heads of one loop, the first one
// stands for all.
struct Branches {
    size_t begin = 0;
    int first = 0;  // brackets that its first branch leaves open
    bool is_first = true;
};

void end_branch(std::string& code, Branches& b, size_t end) {
    const int depth = depth_of(code, b.begin, end);
    if (b.is_first)
        b.first = depth;
    else if (depth != 0 || b.first != 0)
        fill_spaces(code, b.begin, end);
    b.is_first = false;
}

// Blanks them out of `code`.
std::vector<Item> take_directives(std::string& code) {
    std::vector<Item> out;
    std::vector<Branches> open;
    for (size_t line = 0; line < code.size();) {
        size_t end = std::min(code.find('\n', line), code.size());
        const size_t hash = code.find_first_not_of(" \t", line);
        if (hash >= end || code[hash] != '#') {
            line = end + 1;
            continue;
        }
        while (end > line && end < code.size() && code[end - 1] == '\\')
            end = std::min(code.find('\n', end + 1), code.size());
        const std::string word =
            word_at(code, std::min(code.find_first_not_of(" \t", hash + 1), code.size()));
        if (word == "if" || word == "ifdef" || word == "ifndef") open.push_back({end});
        if ((word == "else" || word.starts_with("elif") || word == "endif") && !open.empty()) {
            end_branch(code, open.back(), line);
            open.back().begin = end;
            if (word == "endif") open.pop_back();
        }
        const bool include = word == "include" || word == "include_next";
        out.push_back({line, end, include ? Use::open : Use::device});
        line = end + 1;
    }
    for (const Item& d : out) fill_spaces(code, d.begin, d.end);
    return out;
}

// `template <...>` and attributes with their brackets left out: what remains has brackets if it is a
// function.
std::string without_attributes(const std::string& head) {
    std::string out = head;
    for (size_t at = 0; (at = find_word(out, "template", at)) != std::string::npos; ++at) {
        const size_t open = past_space(out, at + 8);
        int depth = 0;
        for (size_t k = open; k < out.size(); ++k) {
            depth += out[k] == '<' ? 1 : out[k] == '>' ? -1 : 0;
            if (depth == 0) {
                fill_spaces(out, at, k + 1);
                break;
            }
        }
    }
    for (const char* word : kAttributes)
        for (size_t at = 0; (at = find_word(out, word, at)) != std::string::npos; ++at) {
            const size_t open = past_space(out, at + std::string_view(word).size());
            if (open < out.size() && out[open] == '(')
                fill_spaces(out, at, std::min(past_bracket(out, open), out.size()));
        }
    return out;
}

bool is_function(const std::string& head) {
    const std::string plain = without_attributes(head);
    const size_t open = plain.find('(');
    if (open == plain.npos) return false;
    const size_t equals = plain.find('=');
    return equals > open || has_word(plain, "operator");
}

// KERNEL(scale), TEST(a, b), MY_INLINE int f(): who knows what these stand for?
bool names_macro(const std::string& head) {
    for (size_t k = 0; k < head.size();) {
        if (!is_word_char(head[k])) {
            ++k;
            continue;
        }
        const std::string word = word_at(head, k);
        const bool upper =
            std::none_of(word.begin(), word.end(), [](unsigned char c) { return std::islower(c) != 0; });
        const bool letter = std::isupper(static_cast<unsigned char>(word[0])) != 0;
        if (word.size() > 2 && upper && letter) return true;
        k += word.size();
    }
    return false;
}

Use use_of_function(const std::string& head) {
    if (is_for_device(head)) return Use::device;
    if (has_word(head, "constexpr") || has_word(head, "consteval") || has_word(head, "concept"))
        return Use::open;
    return has_word(head, "__host__") || !names_macro(head) ? Use::host : Use::open;
}

// `Point() : x{1}, y{2} {`: the bracket at `open` gives a member its first value.
bool is_member_value(const std::string& code, size_t begin, size_t open) {
    const std::string head = code.substr(begin, open - begin);
    const size_t list = head.rfind(')') == head.npos ? head.npos : head.find(':', head.find(')'));
    if (list == head.npos || head.compare(list, 2, "::") == 0) return false;
    const size_t end = past_bracket(code, open);
    if (end == std::string::npos) return false;
    const size_t next = past_space(code, end);
    return next < code.size() && (code[next] == ',' || code[next] == '{');
}

enum class Scope : uint8_t { named, unnamed, type };

struct Scan {
    const std::string& code;
    Declarations& found;
};

void scan(Scan& s, size_t at, size_t end, Scope scope);

bool is_linkage(const std::string& head) {
    const size_t quote = head.find('"');
    return head.starts_with("extern") && quote != head.npos &&
        past_space(head, std::min(head.find('"', quote + 1), head.size() - 1) + 1) >= head.size();
}

// The bracket at `open` in a declaration that begins at `begin`; the end of the declaration, or of the
// bracket where it goes on.
std::pair<size_t, bool> past_braces(Scan& s, size_t begin, size_t open, Scope scope) {
    const size_t close = past_bracket(s.code, open);
    if (close == std::string::npos) {
        s.found.balanced = false;
        return {s.code.size(), true};
    }
    const std::string head = s.code.substr(begin, open - begin);
    const size_t name = find_word(head, "namespace");
    if (name != head.npos || is_linkage(head)) {
        const bool unnamed = name != head.npos && past_space(head, name + 9) >= head.size();
        scan(s, open + 1, close - 1, unnamed ? Scope::unnamed : scope);
        return {close, true};
    }
    if (is_function(head)) {
        if (is_member_value(s.code, begin, open)) return {close, false};
        const bool kernel = has_word(head, "__global__");
        if (kernel && (scope == Scope::unnamed || has_word(head, "static"))) s.found.only_by_launch = true;
        s.found.items.push_back({begin, close, use_of_function(head)});
        return {close, true};
    }
    const bool type = has_word(head, "struct") || has_word(head, "class") || has_word(head, "union");
    if (type && head.find('=') == head.npos && !has_word(head, "enum"))
        scan(s, open + 1, close - 1, Scope::type);
    return {close, false};
}

void add_open(Scan& s, size_t begin, size_t end) {
    const bool device = is_for_device(s.code.substr(begin, end - begin));
    s.found.items.push_back({begin, end, device ? Use::device : Use::open});
}

void scan(Scan& s, size_t at, size_t end, Scope scope) {
    size_t begin = at = past_space(s.code, at);
    while (at < end) {
        const char c = s.code[at];
        if (c == '(' || c == '[') {
            at = past_bracket(s.code, at);
            if (at > end) s.found.balanced = false;
        } else if (c == '{') {
            const auto [past, done] = past_braces(s, begin, at, scope);
            at = past;
            if (done) begin = at = past_space(s.code, at);
        } else if (c == ';') {
            if (at > begin) add_open(s, begin, at + 1);
            begin = at = past_space(s.code, at + 1);
        } else if (c == ':' && scope == Scope::type && s.code[at + 1] != ':') {
            const std::string word = s.code.substr(begin, at - begin);
            ++at;
            if (word == "public" || word == "private" || word == "protected")
                begin = at = past_space(s.code, at);
        } else if (c == '}' || c == ')' || c == ']') {
            s.found.balanced = false;
            return;
        } else {
            at += s.code.compare(at, 2, "::") == 0 ? 2 : 1;
        }
    }
}

Declarations declarations_of(const std::string& source) {
    Declarations found;
    std::string code = code_of(source);
    found.directives = take_directives(code);
    Scan s{code, found};
    scan(s, 0, code.size(), Scope::named);
    return found;
}

// Directives stay: they may define what comes after.
void blank(std::string& text, const Declarations& of, const Item& item) {
    size_t at = item.begin;
    for (const Item& d : of.directives) {
        if (d.begin < at || d.begin >= item.end) continue;
        fill_spaces(text, at, d.begin);
        at = d.end;
    }
    if (at < item.end) fill_spaces(text, at, item.end);
}

// Headers of C++ have no suffix.
bool is_of_host_library(const std::string& line) {
    const size_t open = line.find('<'), close = line.find('>');
    if (open == line.npos || close == line.npos || close < open) return false;
    const std::string name = line.substr(open + 1, close - open - 1);
    return name.find_first_of("./") == name.npos && !is_stand_in(name);
}

// Lines of `path` that an error names.
std::set<int> lines_named(const std::string& log, const std::string& path, bool& elsewhere) {
    std::set<int> out;
    for (size_t begin = 0; begin < log.size();) {
        const size_t end = std::min(log.find('\n', begin), log.size());
        const std::string line = log.substr(begin, end - begin);
        begin = end + 1;
        size_t word = line.find("error:");
        if (const size_t fatal = line.find("catastrophic error:"); fatal != line.npos) word = fatal;
        if (word == line.npos) continue;
        size_t last = word;
        while (last > 0 && std::isdigit(static_cast<unsigned char>(line[last - 1])) == 0) --last;
        size_t first = last;
        while (first > 0 && std::isdigit(static_cast<unsigned char>(line[first - 1])) != 0) --first;
        if (first == last || first == 0 || line.substr(0, first - 1) != path)
            elsewhere = true;
        else
            out.insert(std::stoi(line.substr(first, std::min<size_t>(last - first, 9))));
    }
    return out;
}

}  // namespace

std::string device_code(const std::string& source) {
    const Declarations found = declarations_of(source);
    if (!found.balanced || found.only_by_launch) return source;
    std::string out = source;
    for (const Item& d : found.directives)
        if (d.use == Use::open && is_of_host_library(source.substr(d.begin, d.end - d.begin)))
            fill_spaces(out, d.begin, d.end);
    for (const Item& item : found.items)
        if (item.use == Use::host) blank(out, found, item);
    return out;
}

std::string without_refused(const std::string& text, const std::string& log, const std::string& path) {
    bool elsewhere = false;
    const std::set<int> lines = lines_named(log, path, elsewhere);
    const Declarations found = declarations_of(text);
    if (elsewhere || lines.empty() || !found.balanced || found.only_by_launch) return text;
    std::string out = text;
    for (const int line : lines) {
        const auto stands_in = [&](const Item& i) {
            return line_at(text, i.begin) <= line && line <= line_at(text, i.end > 0 ? i.end - 1 : 0);
        };
        const auto directive = std::find_if(found.directives.begin(), found.directives.end(), stands_in);
        if (directive != found.directives.end()) {
            if (directive->use != Use::open) return text;
            fill_spaces(out, directive->begin, directive->end);
            continue;
        }
        const auto item = std::find_if(found.items.begin(), found.items.end(), stands_in);
        if (item == found.items.end() || item->use == Use::device) return text;
        blank(out, found, *item);
    }
    return out;
}

}  // namespace wl::compile
