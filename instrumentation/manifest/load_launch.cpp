// Launches key by key; a repeated one holds its own launches, where these are several.
#include "instrumentation/manifest/load_launch.h"

#include "instrumentation/manifest/arguments.h"
#include "instrumentation/manifest/expression.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace wl::manifest {
namespace {

// What expressions know besides parameters.
const std::set<std::string> kMeanings{"warp", "iteration", "block", "lane", "element"};

// One expression, or a table with one for each buffer.
void read_shared(const Section& launch, LaunchRule& rule) {
    if (!launch.table->get("shared") || !launch.table->get("shared")->is_table()) {
        rule.shared = expression(launch, "shared").value_or("0");
        return;
    }
    const Section parts = *subsection(launch, "shared");
    std::string sum;
    for (const std::string& buffer : keys(parts)) {
        rule.shared_parts.emplace_back(buffer, *expression(parts, buffer));
        sum += (sum.empty() ? "(" : " + (") + rule.shared_parts.back().second + ")";
    }
    if (!sum.empty()) rule.shared = sum;
}

std::vector<std::string> read_extents(const Section& launch, const std::string& key) {
    auto values = required(launch, key, expressions(launch, key), "one to three extents, x first");
    if (values.empty() || values.size() > 3)
        fail(
            *launch.document,
            line_of(launch, key),
            fmt::format(
                "{} has {} extents; one to three are possible.", full_name(launch, key), values.size()
            )
        );
    return values;
}

// The variable that counts the turns of a repetition.
void read_turn(
    const Section& launch, const Kernel& kernel, const std::vector<std::string>& outer, LaunchRule& rule
) {
    rule.repeat = expression(launch, "repeat").value_or("");
    rule.turn = text(launch, "turn").value_or(rule.repeat.empty() ? "" : "turn");
    if (rule.turn.empty()) return;
    if (rule.repeat.empty())
        required<std::string>(launch, "repeat", std::nullopt, "\"turn\" counts the times of one");
    check_name(launch, "turn", rule.turn);
    const bool param = std::any_of(kernel.params.begin(), kernel.params.end(), [&](const auto& p) {
        return p.first == rule.turn;
    });
    const bool taken =
        param || has_meaning(rule.turn) || std::find(outer.begin(), outer.end(), rule.turn) != outer.end();
    if (taken)
        fail(
            *launch.document,
            line_of(launch, launch.table->contains("turn") ? "turn" : "repeat"),
            fmt::format(
                R"({}: "{}" has a meaning already; give this repetition a turn = "..." of its own.)",
                launch.name,
                rule.turn
            )
        );
}

// "C", and of a struct p's field "p.y".
void add_outputs(const Argument& argument, const std::string& owner, std::vector<std::string>& names) {
    if (argument.output) names.push_back(owner + argument.name);
    for (const Argument& field : argument.fields) add_outputs(field, owner + argument.name + ".", names);
}

// A limit of the user's own: at most `most`, else what it must be.
std::optional<double> allowance(
    const Section& section, const std::string& key, double most, const std::string& what
) {
    const std::optional<double> value = number(section, key);
    const bool fits = value && *value >= 0 && *value <= most;
    if (value && !fits)
        fail(
            *section.document,
            line_of(section, key),
            fmt::format("{} is {:g}; it must be {}.", full_name(section, key), *value, what)
        );
    return value;
}

LaunchRule read_launch(const Section& launch, const Kernel& kernel, std::vector<std::string> turns) {
    LaunchRule rule;
    rule.key = launch.name;
    read_turn(launch, kernel, turns, rule);
    if (!rule.turn.empty()) turns.push_back(rule.turn);
    if (launch.table->contains("launch")) {
        check_keys(launch, {"repeat", "turn", "launch"});
        const auto several = subsections(launch, "launch");
        for (const Section& one : *several) rule.launches.push_back(read_launch(one, kernel, turns));
        return rule;
    }
    check_keys(
        launch,
        {"name",
         "entry",
         "grid",
         "block",
         "shared",
         "cooperative",
         "stack",
         "args",
         "repeat",
         "turn",
         "launch",
         "output"}
    );
    rule.name = text(launch, "name").value_or("");
    rule.entry = text(launch, "entry").value_or(kernel.entry);
    rule.grid = read_extents(launch, "grid");
    rule.block = read_extents(launch, "block");
    read_shared(launch, rule);
    rule.stack = expression(launch, "stack").value_or("0");
    rule.cooperative = flag(launch, "cooperative").value_or(false);
    if (launch.table->contains("args")) rule.args = read_launch_arguments(launch, kernel.args);
    rule.outputs = read_outputs(launch, kernel);
    return rule;
}

}  // namespace

bool has_meaning(const std::string& name) { return is_function_name(name) || kMeanings.contains(name); }

std::vector<LaunchRule> read_launches(const Section& top, const Kernel& kernel) {
    const toml::node* node = top.table->get("launch");
    if (node == nullptr || !node->is_array()) {
        const Section launch =
            required(top, "launch", subsection(top, "launch"), "the table with grid and block");
        return {read_launch(launch, kernel, {})};
    }
    std::vector<LaunchRule> rules;
    const auto several = subsections(top, "launch");
    for (const Section& launch : *several) rules.push_back(read_launch(launch, kernel, {}));
    if (rules.empty())
        fail(*top.document, line_of(top, "launch"), "launch is empty: one [[launch]] a launch.");
    return rules;
}

std::map<std::string, OutputRule> read_outputs(const Section& parent, const Kernel& kernel) {
    std::map<std::string, OutputRule> rules;
    const auto outputs = subsection(parent, "output");
    if (!outputs) return rules;
    std::vector<std::string> known;
    for (const Argument& argument : kernel.args) add_outputs(argument, "", known);
    for (const std::string& name : keys(*outputs)) {
        const Section section = *subsection(*outputs, name);
        check_keys(section, {"of", "terms", "tolerance", "rtol", "compare", "partial"});
        if (std::find(known.begin(), known.end(), name) == known.end())
            fail(*section.document, line_of(section), unknown(name, "output", known));
        OutputRule& rule = rules[name];
        rule.of = text(section, "of").value_or(name);
        rule.terms = expression(section, "terms").value_or("");
        rule.tolerance = allowance(
            section, "tolerance", std::numeric_limits<float>::max(), "a finite number, and not negative"
        );
        rule.rtol = allowance(section, "rtol", 1 - 0x1p-24, "at least 0 and below 1: from 1 on zero passes");
        rule.compare = flag(section, "compare").value_or(true);
        rule.partial = flag(section, "partial").value_or(false);
    }
    return rules;
}

}  // namespace wl::manifest
