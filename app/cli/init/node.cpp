#include "app/cli/init/node.h"

#include "instrumentation/base/type_names.h"

#include <fmt/format.h>

namespace wl::app {
namespace {

// Longer ones first.
constexpr Operator kOperators[] = {
    {"<<", 8 },
    {">>", 8 },
    {"<=", 7 },
    {">=", 7 },
    {"==", 6 },
    {"!=", 6 },
    {"&&", 2 },
    {"||", 1 },
    {"<",  7 },
    {">",  7 },
    {"+",  9 },
    {"-",  9 },
    {"*",  10},
    {"/",  10},
    {"%",  10},
    {"&",  5 },
    {"^",  4 },
    {"|",  3 }
};
constexpr int kEquality = 6, kComparison = 7, kSum = 9;

bool is_real_type(const std::string& type) {
    const auto named = type_from_name(type);
    return named && is_float(named->dtype);
}

}  // namespace

const Operator* operator_at(const std::string& text, size_t at) {
    for (const Operator& op : kOperators) {
        if (text.compare(at, op.text.size(), op.text) != 0) continue;
        const size_t end = at + op.text.size();
        const char next = end < text.size() ? text[end] : '\0',
                   second = end + 1 < text.size() ? text[end + 1] : '\0';
        const bool assigns = op.level != kEquality && op.level != kComparison && next == '=' && second != '=';
        const bool arrow = op.text == "-" && next == '>';
        return assigns || arrow ? nullptr : &op;
    }
    return nullptr;
}

Node wrapped(const char* function, const Node& node, bool real) {
    return {fmt::format("{}({})", function, node.text), Node::kPrimary, real, false, {}};
}

Node in_brackets(Node node, int level) {
    if (node.level < level) node.text = "(" + node.text + ")", node.level = Node::kPrimary;
    return node;
}

Node joined(Node left, const Operator& op, Node right) {
    left = in_brackets(std::move(left), op.level), right = in_brackets(std::move(right), op.level + 1);
    // C++ divides real numbers; a manifest divides whole ones as C++ does integers.
    if (op.text == "/" && left.rounded && (!right.real || right.rounded)) left = wrapped("float", left, true);
    Node out;
    out.text = fmt::format("{} {} {}", left.text, op.text, right.text);
    out.level = op.level;
    out.real = (left.real || right.real) && op.level >= kSum;
    out.rounded =
        out.real && op.text != "/" && (left.rounded || !left.real) && (right.rounded || !right.real);
    if (op.text == "*") {
        out.factors = left.factors.empty() ? std::vector{left.text} : left.factors;
        out.factors.push_back(right.text);
    }
    return out;
}

Node as_type(const Node& node, const std::string& type) {
    if (is_real_type(type)) return node.real ? node : wrapped("float", node, true);
    return node.real ? wrapped("int", node, false) : node;
}

}  // namespace wl::app
