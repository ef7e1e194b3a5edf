// Text to nodes, by operator precedence.
#include "instrumentation/base/error.h"
#include "instrumentation/watch/watch.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace wl::watch {
namespace {

constexpr int kDeepest = 200;  // nested operators

struct Parser {
    Watch watch;
    size_t at = 0;
    int depth = 0;
};

[[noreturn]] void fail(const Parser& p, size_t at, const std::string& what) {
    throw Error(fmt::format("\"{}\": {} at column {}.", p.watch.text, what, at + 1));
}

void skip_blanks(Parser& p) {
    while (p.at < p.watch.text.size() && std::isspace(static_cast<unsigned char>(p.watch.text[p.at])) != 0)
        ++p.at;
}

bool starts(Parser& p, std::string_view token) {
    skip_blanks(p);
    return std::string_view(p.watch.text).substr(p.at, token.size()) == token;
}

bool accept(Parser& p, std::string_view token) {
    if (!starts(p, token)) return false;
    p.at += token.size();
    return true;
}

void expect(Parser& p, std::string_view token) {
    if (!accept(p, token)) fail(p, p.at, fmt::format("expected \"{}\"", token));
}

int add(Parser& p, Node node) {
    p.watch.nodes.push_back(std::move(node));
    return static_cast<int>(p.watch.nodes.size()) - 1;
}

int add(Parser& p, Node::Kind kind, std::string text, std::vector<int> children, size_t at) {
    Node node;
    node.kind = kind;
    node.text = std::move(text);
    node.children = std::move(children);
    node.at = at;
    return add(p, std::move(node));
}

bool starts_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

std::string take_name(Parser& p) {
    skip_blanks(p);
    const std::string& text = p.watch.text;
    const size_t begin = p.at;
    if (begin >= text.size() || !starts_name(text[begin])) fail(p, begin, "expected a name");
    ++p.at;
    const auto scope = [&] {
        return text.compare(p.at, 2, "::") == 0 && p.at + 2 < text.size() && starts_name(text[p.at + 2]);
    };
    while (p.at < text.size() && (in_name(text[p.at]) || scope())) p.at += in_name(text[p.at]) ? 1 : 2;
    return text.substr(begin, p.at - begin);
}

bool is_type_word(std::string_view word) {
    constexpr std::string_view kWords[] = {
        "bool",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "signed",
        "unsigned",
        "int8_t",
        "uint8_t",
        "int16_t",
        "uint16_t",
        "int32_t",
        "uint32_t",
        "int64_t",
        "uint64_t",
        "size_t"};
    return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// "(unsigned int)": its words, one blank between them; empty, and nothing taken, where no cast begins.
std::string take_cast(Parser& p) {
    const size_t begin = p.at;
    std::string words;
    if (accept(p, "("))
        for (skip_blanks(p); p.at < p.watch.text.size() && starts_name(p.watch.text[p.at]); skip_blanks(p)) {
            const std::string word = take_name(p);
            if (!is_type_word(word)) break;
            words += (words.empty() ? "" : " ") + word;
            if (accept(p, ")")) return words;
        }
    p.at = begin;
    return {};
}

int take_number(Parser& p) {
    const char* begin = p.watch.text.c_str() + p.at;
    char *whole_end = nullptr, *real_end = nullptr;
    Node node;
    node.at = p.at;
    errno = 0;
    node.integer = static_cast<int64_t>(std::strtoull(begin, &whole_end, 0));
    const bool too_large = errno == ERANGE;
    node.real = std::strtod(begin, &real_end);
    node.whole = whole_end >= real_end;
    if (node.whole && too_large) fail(p, p.at, "this number does not fit in 64 bits");
    p.at += static_cast<size_t>((node.whole ? whole_end : real_end) - begin);
    if (!node.whole && (starts(p, "f") || starts(p, "F"))) ++p.at;
    while (node.whole && (starts(p, "u") || starts(p, "U") || starts(p, "l") || starts(p, "L"))) ++p.at;
    return add(p, std::move(node));
}

int parse_level(Parser& p, size_t level);

int parse_whole(Parser& p) {
    if (++p.depth > kDeepest) fail(p, p.at, "this is nested too deeply");
    const int condition = parse_level(p, 0);
    int result = condition;
    const size_t at = p.at;
    if (accept(p, "?")) {
        const int then = parse_whole(p);
        expect(p, ":");
        const int otherwise = parse_whole(p);
        result = add(p, Node::Kind::conditional, "?:", {condition, then, otherwise}, at);
    }
    --p.depth;
    return result;
}

std::vector<int> parse_arguments(Parser& p) {
    std::vector<int> arguments;
    if (accept(p, ")")) return arguments;
    do arguments.push_back(parse_whole(p));
    while (accept(p, ","));
    expect(p, ")");
    return arguments;
}

// Names whose dots are part of them, where the first part is no variable.
bool is_prefix(const std::string& name) {
    return name == "tid" || name == "ntid" || name == "ctaid" || name == "nctaid" || name == "threadIdx" ||
        name == "blockIdx" || name == "blockDim" || name == "gridDim" || name == "warp";
}

int parse_primary(Parser& p) {
    skip_blanks(p);
    if (p.at >= p.watch.text.size()) fail(p, p.at, "the expression ends too early");
    const size_t at = p.at;
    const char c = p.watch.text[at];
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return take_number(p);
    if (accept(p, "(")) {
        const int inner = parse_whole(p);
        expect(p, ")");
        return inner;
    }
    std::string name = take_name(p);
    if (name == "true" || name == "false") {
        Node node;
        node.at = at;
        node.integer = name == "true" ? 1 : 0;
        return add(p, std::move(node));
    }
    if (is_prefix(name) && accept(p, ".")) name += "." + take_name(p);
    if (accept(p, "(")) return add(p, Node::Kind::call, name, parse_arguments(p), at);
    return add(p, Node::Kind::name, name, {}, at);
}

int parse_postfix(Parser& p) {
    int node = parse_primary(p);
    for (;;) {
        skip_blanks(p);
        const size_t at = p.at;
        if (accept(p, "[")) {
            const int index = parse_whole(p);
            expect(p, "]");
            node = add(p, Node::Kind::index, "[]", {node, index}, at);
        } else if (accept(p, "->") || accept(p, ".")) {
            const std::string text = take_name(p);
            node = add(p, Node::Kind::member, text, {node}, at);
        } else {
            return node;
        }
    }
}

int parse_unary(Parser& p) {
    skip_blanks(p);
    const size_t at = p.at;
    for (const char* op : {"-", "+", "!", "~", "*", "&"}) {
        if (starts(p, "&&") || !accept(p, op)) continue;
        if (++p.depth > kDeepest) fail(p, at, "this is nested too deeply");
        const int operand = parse_unary(p);
        --p.depth;
        return add(p, Node::Kind::unary, op, {operand}, at);
    }
    if (const std::string type = take_cast(p); !type.empty()) {
        if (++p.depth > kDeepest) fail(p, at, "this is nested too deeply");
        const int operand = parse_unary(p);
        --p.depth;
        return add(p, Node::Kind::cast, type, {operand}, at);
    }
    return parse_postfix(p);
}

// From the weakest to the strongest; longer operators before their beginnings.
constexpr std::array<std::array<std::string_view, 4>, 10> kLevels = {
    {
     {"||"},
     {"&&"},
     {"|"},
     {"^"},
     {"&"},
     {"==", "!="},
     {"<=", ">=", "<", ">"},
     {"<<", ">>"},
     {"+", "-"},
     {"*", "/", "%"},
     }
};

std::string_view operator_here(Parser& p, size_t level) {
    for (const std::string_view op : kLevels[level]) {
        if (op.empty() || !starts(p, op)) continue;
        const bool part_of_longer = (op == "|" && starts(p, "||")) || (op == "&" && starts(p, "&&")) ||
            (op == "<" && starts(p, "<<")) || (op == ">" && starts(p, ">>"));
        if (!part_of_longer) return op;
    }
    return {};
}

int parse_level(Parser& p, size_t level) {
    if (level == kLevels.size()) return parse_unary(p);
    int left = parse_level(p, level + 1);
    for (;;) {
        const std::string_view op = operator_here(p, level);
        if (op.empty()) return left;
        const size_t at = p.at;
        p.at += op.size();
        const int right = parse_level(p, level + 1);
        left = add(p, Node::Kind::binary, std::string(op), {left, right}, at);
    }
}

}  // namespace

Watch parse(std::string_view text) {
    Parser p;
    p.watch.text = std::string(text);
    parse_whole(p);
    skip_blanks(p);
    if (p.at != p.watch.text.size()) fail(p, p.at, "this belongs to nothing");
    return std::move(p.watch);
}

std::vector<std::string> parted(std::string_view text) {
    std::vector<std::string> parts;
    int depth = 0;
    size_t begin = 0;
    for (size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : ',';
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (at < text.size() && (c != ',' || depth > 0)) continue;
        parts.emplace_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    return parts;
}

}  // namespace wl::watch
