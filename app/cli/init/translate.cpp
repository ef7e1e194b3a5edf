// A host's expressions into a manifest's: parsed by C++'s precedence, with casts, suffixes and variables
// resolved.
#include "app/cli/init/literal.h"
#include "app/cli/init/node.h"
#include "app/cli/init/source.h"
#include "instrumentation/base/text.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <tuple>

namespace wl::app {
namespace {

using Known = std::map<std::string, std::string>;
constexpr int kMostSteps = 8;  // from a variable to its value to that one's
constexpr int kDeepest = 100;  // nested parentheses
constexpr int kBlock = 256;    // threads, where the host leaves them to somebody else
constexpr int kSide = 16;

std::string lower(std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
    return s;
}

bool is_division(const std::string& name) {
    static const std::array kNames = {
        "ceil_div", "ceildiv", "cdiv", "div_ceil", "divup", "div_up", "idivup", "divceil", "div_round_up"};
    return std::ranges::find(kNames, lower(name)) != kNames.end();
}

// Values of a name, the likeliest first: the latest that it is initialised with above the line, others, what
// it is assigned.
std::vector<const HostValue*> values_of(const SourceText& source, const std::string& name, int line) {
    std::vector<const HostValue*> out;
    for (const HostValue& value : source.values)
        if (value.name == name) out.push_back(&value);
    std::stable_sort(out.begin(), out.end(), [line](const HostValue* a, const HostValue* b) {
        const auto rank = [line](const HostValue* v) {
            return std::tuple(v->assigned, v->line > line, v->line > line ? v->line : -v->line);
        };
        return rank(a) < rank(b);
    });
    return out;
}

struct Translator {
    const SourceText& source;
    const Known& known;
    int line;
    std::set<std::string>& busy;  // variables whose values are being translated
    bool& made_up;
    std::string text = {};
    size_t at = 0;
    int depth = 0;
    bool fine = true;

    std::optional<Node> all(const std::string& expression) {
        text = expression;
        Node node = whole();
        skip();
        return fine && at == text.size() && !node.text.empty() ? std::optional(node) : std::nullopt;
    }

    void skip() {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
    }
    char peek() {
        skip();
        return at < text.size() ? text[at] : '\0';
    }
    bool take(char c) {
        if (peek() != c) return false;
        ++at;
        return true;
    }
    Node fail() {
        fine = false;
        return {};
    }

    Node whole() {
        if (++depth > kDeepest) return fail();
        Node node = binary(1);
        if (fine && take('?')) {
            const Node yes = whole();
            if (!take(':')) return fail();
            const Node no = whole();
            node = {
                node.text + " ? " + yes.text + " : " + no.text,
                Node::kTernary,
                yes.real || no.real,
                false,
                {}};
        }
        --depth;
        return node;
    }
    Node binary(int least) {
        Node left = unary();
        while (fine) {
            skip();
            const Operator* op = operator_at(text, at);
            if (op == nullptr || op->level < least) return left;
            at += op->text.size();
            left = joined(left, *op, binary(op->level + 1));
        }
        return left;
    }
    Node unary() {
        const char c = peek();
        if (c == '-' || c == '!' || c == '~') {
            ++at;
            Node node = in_brackets(unary(), Node::kUnary);
            return {std::string(1, c) + node.text, Node::kUnary, node.real && c == '-', node.rounded, {}};
        }
        if (take('+')) return unary();
        return primary();
    }
    Node primary() {
        const char c = peek();
        if (c == '(') return bracket();
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
        if (compile::is_word_char(c)) return word();
        return fail();
    }
    Node bracket() {
        const size_t end = compile::past_bracket(text, at);
        if (end == text.npos) return fail();
        const std::string inside = text.substr(at + 1, end - at - 2);
        if (type_from_name(inside)) {
            at = end;
            return as_type(unary(), inside);
        }
        ++at;
        Node node = whole();
        if (!take(')')) return fail();
        if (node.level == Node::kPrimary && !node.text.starts_with('(')) return node;
        return node.text.starts_with('(') && node.level == Node::kPrimary ? node
                                                                          : in_brackets(std::move(node));
    }
    Node number() {
        const std::optional<Literal> literal = read_literal(text, at);
        return literal ? Node{literal->text, Node::kPrimary, literal->real, false, {}} : fail();
    }
    // Behind template arguments, if some stand here: static_cast<int>, min<int>.
    std::string template_arguments() {
        size_t end = at;
        int open = 0;
        do {
            if (end >= text.size()) return {};
            open += text[end] == '<' ? 1 : text[end] == '>' ? -1 : 0;
            ++end;
        } while (open > 0);
        const std::string inside = text.substr(at + 1, end - at - 2);
        at = end;
        return inside;
    }
    Node word() {
        const size_t begin = at;
        while (at < text.size() && (compile::is_word_char(text[at]) || text[at] == ':')) ++at;
        std::string name = text.substr(begin, at - begin);
        name.erase(0, name.rfind(':') == name.npos ? 0 : name.rfind(':') + 1);
        if (name == "true" || name == "false")
            return {name == "true" ? "1" : "0", Node::kPrimary, false, false, {}};
        if (name == "sizeof") return size_of_type();
        const char next = peek();
        if (name == "static_cast" && next == '<') {
            const std::string type = template_arguments();
            return peek() == '(' ? as_type(primary(), type) : fail();
        }
        if (next == '(' && type_from_name(name)) return as_type(primary(), name);
        const bool named_function = name == "min" || name == "max";
        if (named_function && next == '<') template_arguments();
        if (peek() == '(') return call(name);
        if (peek() == '.') return member(name);
        if (peek() == '[') return fail();
        return variable(name);
    }
    Node size_of_type() {
        if (peek() != '(') return fail();
        const size_t end = compile::past_bracket(text, at);
        const auto type = end == text.npos ? std::nullopt : type_from_name(text.substr(at + 1, end - at - 2));
        if (!type) return fail();
        at = end;
        const size_t bytes = wl::size_of(type->dtype) * static_cast<size_t>(type->lanes);
        return {std::to_string(bytes), Node::kPrimary, false, false, {}};
    }
    Node call(std::string name) {
        if (is_division(name)) name = "ceil_div";
        if (name.ends_with('f') && name != "f") name.pop_back();  // ceilf, sqrtf
        if (name == "fmin" || name == "fmax") name.erase(0, 1);
        static const std::array kFunctions = {
            "ceil_div", "min", "max", "ceil", "floor", "sqrt", "log2", "abs"};
        if (std::ranges::find(kFunctions, name) == kFunctions.end()) return fail();
        take('(');
        std::vector<Node> given;
        do given.push_back(whole());
        while (fine && take(','));
        if (!take(')')) return fail();
        if ((name == "ceil" || name == "floor") && !given[0].real) return given[0];
        std::vector<std::string> texts;
        for (const Node& node : given) texts.push_back(node.text);
        const bool any_real = std::any_of(given.begin(), given.end(), [](const Node& n) { return n.real; });
        const bool rounds = name == "ceil" || name == "floor";
        return {
            fmt::format("{}({})", name, join(texts, ", ")),
            Node::kPrimary,
            rounds || name == "sqrt" || name == "log2" || (any_real && name != "ceil_div"),
            rounds,
            {}};
    }
    Node member(const std::string& name) {
        take('.');
        skip();
        const size_t begin = at;
        while (at < text.size() && compile::is_word_char(text[at])) ++at;
        const std::string part = text.substr(begin, at - begin);
        const auto found = known.find(name + "." + part);
        if (found != known.end()) return {found->second, Node::kPrimary, false, false, {}};
        const bool axis = part == "x" || part == "y" || part == "z";
        if (!axis || busy.contains(name)) return fail();
        busy.insert(name);
        const auto extents = manifest_extents(source, name, line, known, &made_up);
        busy.erase(name);
        const size_t index = part == "x" ? 0 : part == "y" ? 1 : 2;
        if (!extents) return fail();
        const std::string extent = index < extents->size() ? (*extents)[index] : "1";
        const bool single = extent.find(' ') == extent.npos;
        return {single ? extent : "(" + extent + ")", Node::kPrimary, false, false, {}};
    }
    Node variable(const std::string& name) {
        if (const auto found = known.find(name); found != known.end())
            return {found->second, Node::kPrimary, false, false, {}};
        const std::vector<const HostValue*> values = values_of(source, name, line);
        if (busy.size() < kMostSteps && busy.insert(name).second) {
            std::optional<Node> node;
            for (size_t k = 0; k < values.size() && !node; ++k) {
                Translator inner{source, known, line, busy, made_up};
                node = inner.all(values[k]->value);
                if (node && !values[k]->type.empty()) node = as_type(*node, values[k]->type);
            }
            busy.erase(name);
            if (node) return *node;
        }
        const std::string word = lower(name);
        const bool threads =
            word.find("block") != word.npos || word.find("thread") != word.npos || word == "tpb";
        const bool guessed = threads && (values.empty() || word.find("size") != word.npos) &&
            word.find("num_blocks") == word.npos;
        if (!guessed) return fail();
        made_up = true;
        const bool side = word.find("sqrt") != word.npos;  // of a square block
        return {std::to_string(side ? kSide : kBlock), Node::kPrimary, false, false, {}};
    }
};

// NOLINTBEGIN(readability-non-const-parameter): the translator sets it
std::optional<Node> translated(
    const SourceText& source, const std::string& text, int line, const Known& known, bool* made_up
) {
    // NOLINTEND(readability-non-const-parameter)
    std::set<std::string> busy;
    bool own = false;
    auto node = Translator{source, known, line, busy, made_up != nullptr ? *made_up : own}.all(text);
    if (node && node->real && !node->rounded) node = wrapped("int", *node, false);
    return node;
}

}  // namespace

std::optional<std::string> manifest_expression(
    const SourceText& source, const std::string& text, int line, const Known& known, bool* made_up
) {
    const auto node = translated(source, text, line, known, made_up);
    return node ? std::optional(node->text) : std::nullopt;
}

std::optional<std::string> manifest_elements(
    const SourceText& source, const HostValue& allocation, uint64_t element, const Known& known
) {
    bool made_up = false;
    auto node = translated(source, allocation.value, allocation.line, known, &made_up);
    if (!node || made_up) return std::nullopt;
    const auto size = std::find(node->factors.begin(), node->factors.end(), std::to_string(element));
    if (size == node->factors.end())
        return element == 1 ? node->text : fmt::format("{} / {}", in_brackets(*node).text, element);
    node->factors.erase(size);
    if (node->factors.size() > 1) return join(node->factors, " * ");
    // The brackets of a single factor have nothing to hold together.
    const std::string& one = node->factors.front();
    const bool outer = one.starts_with('(') && compile::past_bracket(one, 0) == one.size();
    return outer ? one.substr(1, one.size() - 2) : one;
}

std::optional<std::vector<std::string>> manifest_extents(
    const SourceText& source, const std::string& text, int line, const Known& known, bool* made_up
) {
    std::string shape = text;
    for (int step = 0; step < kMostSteps && !shape.starts_with("dim3"); ++step) {
        const auto values = values_of(source, shape, line);
        if (values.empty()) break;
        shape = values.front()->value;
    }
    const size_t open = shape.find_first_of("({");
    if (!shape.starts_with("dim3") && !shape.starts_with('{')) {
        const auto one = manifest_expression(source, text, line, known, made_up);
        return one ? std::optional(std::vector{*one}) : std::nullopt;
    }
    if (open == shape.npos) return std::nullopt;
    std::vector<std::string> extents;
    int depth = 0;
    std::string part;
    for (size_t i = open + 1; i + 1 < shape.size(); ++i) {
        depth += shape[i] == '(' ? 1 : shape[i] == ')' ? -1 : 0;
        if (shape[i] != ',' || depth > 0) part += shape[i];
        if ((shape[i] == ',' && depth <= 0) || i + 2 == shape.size()) {
            const auto extent = manifest_expression(source, part, line, known, made_up);
            if (!extent) return std::nullopt;
            extents.push_back(*extent);
            part.clear();
        }
    }
    return extents.empty() || extents.size() > 3 ? std::nullopt : std::optional(extents);
}

}  // namespace wl::app
