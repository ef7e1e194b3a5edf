// toml++ with the project's messages.
#include "instrumentation/manifest/toml_reader.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/expression.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/toml_depth.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace wl::manifest {
namespace {

std::string type_of(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::string: return "a string";
        case toml::node_type::integer: return "a whole number";
        case toml::node_type::floating_point: return "a number";
        case toml::node_type::boolean: return "true or false";
        case toml::node_type::array: return "an array";
        case toml::node_type::table: return "a table";
        default: return "a date or time";
    }
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

[[noreturn]] void wrong_type(
    const Document& document, const toml::node& node, const std::string& name, const std::string& wanted
) {
    fail(document, line_of(node), fmt::format("{} must be {}, not {}.", name, wanted, type_of(node)));
}

const toml::node* find(const Section& section, const std::string& key) {
    const toml::node* node = section.table->get(key);
    if (node) section.document->lines[full_name(section, key)] = line_of(*node);
    return node;
}

std::string text_value(const Document& document, const toml::node& node, const std::string& name) {
    if (!node.is_string()) wrong_type(document, node, name, "a string");
    return **node.as_string();
}

std::string expression_value(const Document& document, const toml::node& node, const std::string& name) {
    if (node.is_string()) return **node.as_string();
    if (node.is_integer()) return fmt::format("{}", **node.as_integer());
    if (!node.is_floating_point()) wrong_type(document, node, name, "an expression (a string or a number)");
    const double value = **node.as_floating_point();
    if (!std::isfinite(value)) fail(document, line_of(node), name + " must be finite.");
    return fmt::format("{:#}", value);  // with its point: 1.0 is no whole number
}

using Convert = std::string (*)(const Document&, const toml::node&, const std::string&);

std::optional<std::vector<std::string>> list(
    const Section& section, const std::string& key, const std::string& wanted, Convert convert
) {
    const toml::node* node = find(section, key);
    if (!node) return std::nullopt;
    if (!node->is_array()) wrong_type(*section.document, *node, full_name(section, key), wanted);
    std::vector<std::string> values;
    for (const toml::node& element : *node->as_array()) {
        const std::string name = fmt::format("{}[{}]", full_name(section, key), values.size());
        section.document->lines[name] = line_of(element);
        values.push_back(convert(*section.document, element, name));
    }
    return values;
}

}  // namespace

Document parse_document(const std::string& text, const std::string& path) {
    Document document;
    document.path = display_path(path);
    if (const std::optional<TooDeep> deep = too_deep(text)) fail(document, deep->line, deep->what + ".");
    try {
        document.root = toml::parse(text, document.path);
    } catch (const toml::parse_error& e) {
        fail(document, static_cast<int>(e.source().begin.line), std::string(e.description()) + ".");
    }
    return document;
}

Section root(Document& document) { return {&document, &document.root, ""}; }

void fail(const Document& document, int line, const std::string& message) {
    throw Error(fmt::format("{}:{}: {}", document.path, std::max(line, 1), message));
}

int line_of(const Section& section, const std::string& key) {
    const toml::node* node = key.empty() ? nullptr : section.table->get(key);
    return line_of(node ? *node : *section.table);
}

std::string full_name(const Section& section, const std::string& key) {
    return section.name.empty() ? key : section.name + "." + key;
}

void check_keys(const Section& section, const std::vector<std::string>& known) {
    for (const std::string& key : keys(section)) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        const std::string nearest = nearest_word(key, known);
        const std::string place = section.name.empty() ? "" : " in " + section.name;
        const std::string help = nearest.empty() ? "known keys are " + join(known, ", ") + "."
                                                 : "did you mean \"" + nearest + "\"?";
        fail(
            *section.document,
            line_of(section, key),
            fmt::format("unknown key \"{}\"{}; {}", key, place, help)
        );
    }
}

std::vector<std::string> keys(const Section& section) {
    std::vector<std::pair<toml::source_position, std::string>> found;
    for (const auto& [key, node] : *section.table) found.emplace_back(key.source().begin, key.str());
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    names.reserve(found.size());
    for (auto& [position, name] : found) names.push_back(std::move(name));
    return names;
}

std::optional<std::string> text(const Section& section, const std::string& key) {
    const toml::node* node = find(section, key);
    if (!node) return std::nullopt;
    return text_value(*section.document, *node, full_name(section, key));
}

std::optional<std::string> expression(const Section& section, const std::string& key) {
    const toml::node* node = find(section, key);
    if (!node) return std::nullopt;
    return expression_value(*section.document, *node, full_name(section, key));
}

std::optional<bool> flag(const Section& section, const std::string& key) {
    const toml::node* node = find(section, key);
    if (!node) return std::nullopt;
    if (!node->is_boolean()) wrong_type(*section.document, *node, full_name(section, key), "true or false");
    return **node->as_boolean();
}

std::optional<double> number(const Section& section, const std::string& key) {
    const toml::node* node = find(section, key);
    if (!node) return std::nullopt;
    if (!node->is_number()) wrong_type(*section.document, *node, full_name(section, key), "a number");
    return node->value<double>();
}

std::optional<int> whole(const Section& section, const std::string& key) {
    const toml::node* node = find(section, key);
    if (!node) return std::nullopt;
    if (!node->is_integer()) wrong_type(*section.document, *node, full_name(section, key), "a whole number");
    const int64_t value = **node->as_integer();
    if (value != static_cast<int>(value))
        fail(
            *section.document,
            line_of(*node),
            fmt::format("{} is {}, out of range.", full_name(section, key), value)
        );
    return static_cast<int>(value);
}

std::optional<std::vector<std::string>> texts(const Section& section, const std::string& key) {
    return list(section, key, "an array of strings", text_value);
}

std::optional<std::vector<std::string>> expressions(const Section& section, const std::string& key) {
    return list(section, key, "an array of expressions (strings or numbers)", expression_value);
}

std::optional<Section> subsection(const Section& section, const std::string& key) {
    const toml::node* node = find(section, key);
    if (!node) return std::nullopt;
    if (!node->is_table()) wrong_type(*section.document, *node, full_name(section, key), "a table");
    return Section{section.document, node->as_table(), full_name(section, key)};
}

std::optional<std::vector<Section>> subsections(const Section& section, const std::string& key) {
    const toml::node* node = find(section, key);
    if (!node) return std::nullopt;
    const std::string name = full_name(section, key);
    if (!node->is_array()) wrong_type(*section.document, *node, name, "an array of tables");
    std::vector<Section> sections;
    for (const toml::node& element : *node->as_array()) {
        const std::string element_name = fmt::format("{}[{}]", name, sections.size());
        section.document->lines[element_name] = line_of(element);
        if (!element.is_table()) wrong_type(*section.document, element, element_name, "a table");
        sections.push_back({section.document, element.as_table(), element_name});
    }
    return sections;
}

std::string place_of(const Section& section, const std::string& key) {
    return fmt::format("{}:{}: {}", section.document->path, line_of(section, key), full_name(section, key));
}

void check_name(const Section& section, const std::string& key, const std::string& name) {
    if (!is_identifier(name))
        fail(
            *section.document,
            line_of(section, key),
            fmt::format("\"{}\" is no name: letters, digits and _ make one.", name)
        );
}

std::string unknown(const std::string& word, const std::string& what, const std::vector<std::string>& known) {
    const std::string nearest = nearest_word(word, known);
    const std::string help = nearest.empty()
        ? (known.empty() ? "there is none" : "there are " + join(known, ", ")) + "."
        : "did you mean \"" + nearest + "\"?";
    return fmt::format("unknown {} \"{}\"; {}", what, word, help);
}

}  // namespace wl::manifest
