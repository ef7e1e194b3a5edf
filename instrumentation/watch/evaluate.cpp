// One node after the other, 32 lanes at a time.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/watch/numbers.h"

#include <fmt/format.h>

namespace wl::watch {
namespace {

using Kind = Value::Kind;

// "Mode::on", "on": whatever enumeration has it first.
std::optional<Value> enumerator(const std::string& name, const Environment& environment) {
    const size_t scope = name.rfind("::");
    const std::string own = scope == std::string::npos ? name : name.substr(scope + 2);
    if (environment.types == nullptr) return std::nullopt;
    for (const variables::Type& t : *environment.types) {
        if (scope != std::string::npos && !name.substr(0, scope).ends_with(t.name)) continue;
        for (const variables::Enumerator& e : t.enumerators)
            if (e.name == own)
                return whole_by_lane(environment.lanes, [&](size_t) { return std::optional(e.value); });
    }
    return std::nullopt;
}

Value find(const std::string& name, const Environment& environment) {
    if (std::optional<Value> value = environment.find(name)) return referred(*value, environment);
    if (const auto self = environment.find("this"))
        if (auto value = member_if_any(pointed_at(*self, environment), name, environment)) return *value;
    if (std::optional<Value> value = enumerator(name, environment)) return *value;
    const std::string near = environment.names ? nearest_word(name, environment.names()) : "";
    throw Error(fmt::format(
        "nothing here is called {}{}{}",
        name,
        near.empty() ? "" : " (did you mean " + near + "?)",
        environment.hint ? environment.hint(name) : ""
    ));
}

Value conditional(
    const Value& condition, const Value& then, const Value& otherwise, const Environment& environment
) {
    const Value c = numeric(condition, environment), a = numeric(then, environment),
                b = numeric(otherwise, environment);
    const auto taken = [&](size_t k) -> const Value& { return true_at(c, k) ? a : b; };
    uint32_t lanes = 0;
    for (size_t k = 0; k < kLanes; ++k) lanes |= c.lanes & taken(k).lanes & 1u << k;
    if (a.kind == Kind::integer && b.kind == Kind::integer) {
        Value out = whole_by_lane(lanes, [&](size_t k) { return std::optional(taken(k).whole[k]); });
        out.is_natural = a.is_natural || b.is_natural;
        return out;
    }
    return real_by_lane(lanes, [&](size_t k) { return real_at(taken(k), k); });
}

Value evaluate_node(const Node& node, const std::vector<Value>& children, const Environment& environment) {
    switch (node.kind) {
        case Node::Kind::number: {
            Value one;
            one.kind = node.whole ? Kind::integer : Kind::real;
            one.whole[0] = node.integer;
            one.number[0] = node.real;
            return everywhere(one, environment.lanes);
        }
        case Node::Kind::name: return find(node.text, environment);
        case Node::Kind::unary: return unary(node.text, children[0], environment);
        case Node::Kind::cast: return cast(node.text, children[0], environment);
        case Node::Kind::binary: return binary(node.text, children[0], children[1], environment);
        case Node::Kind::conditional: return conditional(children[0], children[1], children[2], environment);
        case Node::Kind::index: return element(children[0], children[1], environment);
        case Node::Kind::member: return member(children[0], node.text, environment);
        case Node::Kind::call: return call(node.text, children, environment);
    }
    return {};
}

}  // namespace

Value evaluate(const Watch& watch, const Environment& environment) {
    std::vector<Value> values;
    values.reserve(watch.nodes.size());
    for (const Node& node : watch.nodes) {
        std::vector<Value> children;
        for (const int child : node.children) children.push_back(values[static_cast<size_t>(child)]);
        try {
            values.push_back(evaluate_node(node, children, environment));
        } catch (const Error& error) {
            throw Error(fmt::format("\"{}\": {} at column {}.", watch.text, error.what(), node.at + 1));
        }
    }
    return scalar(values.back(), environment);
}

}  // namespace wl::watch
