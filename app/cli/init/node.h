// Pieces of an expression of C++ on its way into a manifest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wl::app {

// What an expression became.
struct Node {
    std::string text;
    int level = kPrimary;  // of its outermost operator: what binds tighter needs no parentheses
    bool real = false;     // a float or double in C++
    bool rounded = false;  // real in C++, and of whole value, which a manifest takes for an integer
    std::vector<std::string> factors{};  // of a product
    static constexpr int kPrimary = 12, kUnary = 11, kTernary = 0;
};

struct Operator {
    std::string_view text;
    int level;  // 1 for ||, rising as it binds tighter
};
// The binary operator that stands there; nullptr: none does, or an assignment.
const Operator* operator_at(const std::string& text, size_t at);

Node wrapped(const char* function, const Node& node, bool real);  // "int(n / 2.0)"
Node in_brackets(Node node, int level = Node::kPrimary);          // where it binds less than that
Node joined(Node left, const Operator& op, Node right);
// A cast, or what a variable of the type holds.
Node as_type(const Node& node, const std::string& type);

}  // namespace wl::app
