// Lines are searched by patterns; expressions of whole numbers are computed.
#include "app/worker/declaration.h"

#include "instrumentation/base/matched.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>
#include <vector>

namespace wl::app {

namespace {

std::vector<std::string> lines_of(const std::string& source) {
    std::vector<std::string> lines;
    std::istringstream in(source);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string without_comment(const std::string& line) { return line.substr(0, line.find("//")); }

constexpr size_t kLongestName = 1024;  // of which an expression is made

// A line that nobody writes declares nothing.
std::string matchable(const std::string& line) {
    return line.size() <= kLongestMatched ? without_comment(line) : "";
}

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Line and position of the expression behind "NAME =" or "#define NAME".
struct Definition {
    size_t line = 0, begin = 0, end = 0;
    bool found = false;
};
Definition definition_of(const std::vector<std::string>& lines, const std::string& name) {
    if (name.size() > kLongestName) return {};
    const std::regex assigned("\\b" + name + R"(\s*=\s*([^;,=]+)[;,])"),
        defined("#\\s*define\\s+" + name + R"(\s+(.+)$)");
    for (size_t k = 0; k < lines.size(); ++k) {
        const std::string line = matchable(lines[k]);
        std::smatch match;
        const bool constant = line.find("const") != std::string::npos;
        if ((constant && std::regex_search(line, match, assigned)) ||
            std::regex_search(line, match, defined)) {
            const auto begin = static_cast<size_t>(match.position(1));
            return {k, begin, begin + static_cast<size_t>(match.length(1)), true};
        }
    }
    return {};
}

// Sums, products and brackets of whole numbers and names. 0: not computed.
struct Evaluation {
    const std::vector<std::string>& lines;
    const Numbers& numbers;
    std::string text;
    size_t at = 0;
    int depth = 0;
    bool sound = true;

    char next() {
        while (at < text.size() && text[at] == ' ') ++at;
        return at < text.size() ? text[at] : '\0';
    }
    int64_t named(const std::string& name) {
        if (const auto known = numbers.find(name); known != numbers.end()) return known->second;
        const Definition d = definition_of(lines, name);
        sound = sound && d.found && depth < 8;
        if (!sound) return 0;
        Evaluation inner{lines, numbers, lines[d.line].substr(d.begin, d.end - d.begin), 0, depth + 1};
        const int64_t value = inner.all();
        sound = sound && inner.sound;
        return value;
    }
    int64_t factor() {
        const char c = next();
        const size_t begin = at;
        if (c == '(') {
            ++at;
            const int64_t value = sum();
            sound = sound && next() == ')';
            ++at;
            return value;
        }
        while (at < text.size() && is_word(text[at])) ++at;
        const std::string word = text.substr(begin, at - begin);
        sound = sound && !word.empty() && word.size() < 40;
        if (!sound) return 0;
        if (std::isdigit(static_cast<unsigned char>(word.front())) == 0) return named(word);
        return std::atoll(word.c_str());
    }
    int64_t product() {
        int64_t value = factor();
        for (char c = next(); sound && (c == '*' || c == '/'); c = next()) {
            ++at;
            const int64_t other = factor();
            sound = sound && (c == '*' || other != 0);
            if (sound) value = c == '*' ? value * other : value / other;
        }
        return value;
    }
    int64_t sum() {
        int64_t value = product();
        for (char c = next(); sound && (c == '+' || c == '-'); c = next()) {
            ++at;
            const int64_t other = product();
            value = c == '+' ? value + other : value - other;
        }
        return value;
    }
    int64_t all() {
        const int64_t value = sum();
        sound = sound && next() == '\0';
        return sound ? value : 0;
    }
};

// The arguments of the mark of that name in the line, without its name.
std::vector<std::string> arguments_of(const std::string& line, const std::string& name) {
    std::vector<std::string> out;
    const size_t named = line.find("\"" + name + "\"");
    if (named == std::string::npos) return out;
    int depth = 0;
    std::string part;
    for (size_t at = line.find(',', named); at != std::string::npos && at < line.size(); ++at) {
        const char c = line[at];
        if (c == '(' || c == '[' || c == '{') ++depth;
        if ((c == ')' || c == ']' || c == '}') && --depth < 0) break;
        if (c == ',' && depth == 0) {
            if (!part.empty()) out.push_back(trimmed(part));
            part.clear();
        } else {
            part += c;
        }
    }
    if (!part.empty()) out.push_back(trimmed(part));
    return out;
}

std::vector<std::string> mark_at(const std::vector<std::string>& lines, int line, const std::string& name) {
    if (line < 1 || static_cast<size_t>(line) > lines.size()) return {};
    return arguments_of(without_comment(lines[static_cast<size_t>(line) - 1]), name);
}

// "k" of "&sh.k[stage][0]", of "sh.k + n".
std::string array_in(const std::string& pointer) {
    static const std::regex kChain(R"(^[&*(\s]*([A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*))");
    std::smatch match;
    if (pointer.size() > kLongestMatched || !std::regex_search(pointer, match, kChain)) return "";
    const std::string chain = match[1];
    return chain.substr(chain.find_last_of(".>") + 1);  // npos + 1 is 0
}

}  // namespace

Declaration declaration_of(const std::string& source, const std::string& name, const Numbers& numbers) {
    Declaration out;
    const bool is_name = !name.empty() && name.size() <= kLongestName;
    if (!is_name || !std::all_of(name.begin(), name.end(), is_word)) return out;
    const std::vector<std::string> lines = lines_of(source);
    const std::regex declared(
        R"(([A-Za-z_][\w:]*(?:<[^>]*>)?)\s+(?:[^;()=]*,\s*)?)" + name + R"(\s*((?:\[[^\]]*\])+))"
    );
    for (size_t k = 0; k < lines.size() && out.line == 0; ++k) {
        const std::string line = matchable(lines[k]);
        std::smatch match;
        if (!std::regex_search(line, match, declared) || match[1] == "return") continue;
        const std::string extents = match[2];
        out.line = static_cast<int>(k) + 1, out.text = trimmed(line), out.element = match[1];
        out.dimensions = static_cast<int>(std::count(extents.begin(), extents.end(), '['));
        const size_t last = extents.rfind('[');
        out.extent = trimmed(extents.substr(last + 1, extents.size() - last - 2));
        Evaluation e{lines, numbers, out.extent};
        if (!out.extent.empty()) out.value = e.all();
    }
    return out;
}

std::string marked_array(const std::string& source, int line, const std::string& name) {
    const std::vector<std::string> arguments = mark_at(lines_of(source), line, name);
    return arguments.empty() ? "" : array_in(arguments.front());
}

LeadingLine leading_line(const std::string& source, int line, const std::string& name, int more) {
    const std::vector<std::string> lines = lines_of(source);
    const std::vector<std::string> arguments = mark_at(lines, line, name);
    const std::string plus = " + " + std::to_string(more), ld = arguments.size() > 3 ? arguments[3] : "";
    if (!ld.empty() && std::isalpha(static_cast<unsigned char>(ld.front())) != 0 &&
        std::all_of(ld.begin(), ld.end(), is_word))
        if (const Definition d = definition_of(lines, ld); d.found) {
            const std::string now = without_comment(lines[d.line]);
            return {
                static_cast<int>(d.line) + 1, trimmed(now), trimmed(std::string(now).insert(d.end, plus))};
        }
    const std::string array = arguments.empty() ? name : array_in(arguments.front());
    const Declaration d = declaration_of(source, array, {});
    if (d.line == 0 || d.dimensions < 2) return {};
    const std::string now = without_comment(lines[static_cast<size_t>(d.line) - 1]);
    const size_t at = now.rfind("[" + d.extent + "]");
    if (at == std::string::npos) return {};
    return {d.line, trimmed(now), trimmed(std::string(now).insert(at + 1 + d.extent.size(), plus))};
}

}  // namespace wl::app
