// Launches that CUDA would accept, one after the other.
#include "instrumentation/base/error.h"
#include "instrumentation/base/launch_limits.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/binding.h"
#include "instrumentation/manifest/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace wl::manifest {
namespace {

constexpr size_t kMostLaunches = 10'000;

std::string grouped(int64_t n) {  // 232,448
    std::string digits = fmt::format("{}", n);
    for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<size_t>(at), ",");
    return digits;
}

std::array<int64_t, 3> extents(
    const Binding& b, const std::string& key, const std::vector<std::string>& expressions
) {
    std::array<int64_t, 3> extent = {1, 1, 1};
    for (size_t i = 0; i < expressions.size(); ++i)
        extent[i] = evaluate_whole(expressions[i], b.variables, b.at(fmt::format("{}[{}]", key, i)), 1);
    return extent;
}

Dim3 dim3(const std::array<int64_t, 3>& e) {
    return {static_cast<uint32_t>(e[0]), static_cast<uint32_t>(e[1]), static_cast<uint32_t>(e[2])};
}

// Of an entry "reduce<256>(int*)": "reduce".
std::string plain_name(const std::string& entry) { return entry.substr(0, entry.find_first_of("<(")); }

std::string name_of(const Binding& b, const LaunchRule& rule) {
    std::string name = !rule.name.empty() ? rule.name : plain_name(rule.entry);
    if (name.empty()) name = b.kernel.name;
    std::vector<std::string> turns;
    for (const auto& [turn, value] : b.turns) turns.push_back(fmt::format("{}={}", turn, value));
    return turns.empty() ? name : name + " (" + join(turns, ", ") + ")";
}

std::vector<Parameter> parameters_of(Binding& b, const LaunchRule& rule) {
    std::vector<Parameter> out;
    const auto index_of = [&](const std::string& name) {
        const auto found = std::find_if(b.kernel.args.begin(), b.kernel.args.end(), [&](const Argument& a) {
            return a.name == name;
        });
        return static_cast<int>(found - b.kernel.args.begin());
    };
    if (!rule.args) {
        for (size_t i = 0; i < b.kernel.args.size(); ++i) out.push_back({static_cast<int>(i), {}});
        return out;
    }
    for (size_t i = 0; i < rule.args->size(); ++i) {
        const LaunchArgument& argument = (*rule.args)[i];
        if (!argument.of.empty())
            out.push_back({index_of(argument.of), {}});
        else
            out.push_back({-1, bind_argument(b, argument.own, "", fmt::format("{}.args[{}]", rule.key, i))});
    }
    return out;
}

BoundLaunch bind_launch(Binding& b, const LaunchRule& rule) {
    BoundLaunch launch;
    launch.name = name_of(b, rule), launch.entry = rule.entry, launch.key = rule.key;
    launch.turns = b.turns, launch.outputs = rule.outputs, launch.cooperative = rule.cooperative;
    const auto name = [&](const std::string& key) { return b.at(rule.key + "." + key); };
    LaunchShape shape{extents(b, rule.key + ".grid", rule.grid), extents(b, rule.key + ".block", rule.block)};
    shape.dynamic_shared = evaluate_whole(rule.shared, b.variables, name("shared"), 0);
    shape.stack = evaluate_whole(rule.stack, b.variables, name("stack"), 0);
    if (const std::string problem = launch_problem(shape, name); !problem.empty()) throw Error(problem);
    launch.grid = dim3(shape.grid), launch.block = dim3(shape.block);
    launch.shared = static_cast<uint32_t>(shape.dynamic_shared),
    launch.stack = static_cast<uint32_t>(shape.stack);
    launch.parameters = parameters_of(b, rule);
    return launch;
}

void bind_rules(Binding& b, const std::vector<LaunchRule>& rules, Problem& problem) {
    for (const LaunchRule& rule : rules) {
        const int64_t times =
            rule.repeat.empty() ? 1 : evaluate_whole(rule.repeat, b.variables, b.at(rule.key + ".repeat"), 0);
        for (int64_t turn = 0; turn < times; ++turn) {
            if (!rule.turn.empty())
                b.variables[rule.turn] = static_cast<double>(turn), b.turns.emplace_back(rule.turn, turn);
            if (rule.launches.empty())
                problem.launches.push_back(bind_launch(b, rule));
            else
                bind_rules(b, rule.launches, problem);
            if (!rule.turn.empty()) b.turns.pop_back(), b.variables.erase(rule.turn);
            if (problem.launches.size() > kMostLaunches)
                throw Error(fmt::format(
                    "{}: more than {} launches; repeat fewer of them.",
                    b.at(rule.key + ".repeat"),
                    grouped(kMostLaunches)
                ));
        }
    }
}

// --launch 2, or --launch NAME: the first of that name.
size_t chosen_launch(const Problem& problem, const std::string& wanted) {
    size_t number = 0;
    const char* end = wanted.data() + wanted.size();
    const auto [stop, fault] = std::from_chars(wanted.data(), end, number);
    if (fault == std::errc() && stop == end && number >= 1 && number <= problem.launches.size())
        return number - 1;
    std::vector<std::string> names;
    for (size_t i = 0; i < problem.launches.size(); ++i) {
        const std::string& name = problem.launches[i].name;
        if (name == wanted || name.substr(0, name.find(" (")) == wanted) return i;
        if (names.size() < 12) names.push_back(fmt::format("{} {}", i + 1, name));
    }
    throw Error(fmt::format(
        "--launch {}: {} has no such launch; it has {}{}",
        wanted,
        problem.kernel.name,
        join(names, ", "),
        names.size() < problem.launches.size() ? ", ..." : ""
    ));
}

}  // namespace

const LaunchRule* find_rule(const std::vector<LaunchRule>& rules, const std::string& key) {
    for (const LaunchRule& rule : rules) {
        if (rule.key == key) return &rule;
        if (const LaunchRule* inner = find_rule(rule.launches, key)) return inner;
    }
    return nullptr;
}

std::vector<std::string> template_entries(const Problem& problem) {
    std::vector<std::string> out;
    for (const BoundLaunch& launch : problem.launches) {
        const bool known = std::find(out.begin(), out.end(), launch.entry) != out.end();
        if (launch.entry.find('<') != std::string::npos && !known) out.push_back(launch.entry);
    }
    return out;
}

void bind_launches(Binding& b, Problem& problem) {
    bind_rules(b, b.kernel.launches, problem);
    if (problem.launches.empty())
        throw Error(b.at("launch") + ": every launch is repeated 0 times, so that nothing runs.");
    problem.chosen = !b.options.launch.empty();
    problem.at = problem.chosen ? chosen_launch(problem, b.options.launch) : problem.launches.size() - 1;
}

}  // namespace wl::manifest
