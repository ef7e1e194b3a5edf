// Budgets of a launch.
#include "instrumentation/diagnosis/launch_limits.h"

#include "instrumentation/base/text.h"
#include "instrumentation/manifest/expression.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace wl::diagnosis {

namespace {

using Variables = std::map<std::string, double>;

struct Buffer {
    std::string name, expression;
    uint64_t bytes = 0;
};

const manifest::LaunchRule& rule_of(const manifest::Problem& p) {
    return *manifest::find_rule(p.kernel.launches, manifest::launch_of(p).key);
}

uint64_t bytes_of(const std::string& expression, const Variables& variables, const manifest::Problem& p) {
    const double bytes = manifest::evaluate(
        expression, variables, manifest::place(p.kernel, manifest::launch_of(p).key + ".shared")
    );
    return static_cast<uint64_t>(std::max(0.0, bytes));
}

// Largest first.
std::vector<Buffer> buffers(const manifest::Problem& p, const Variables& variables, uint64_t static_shared) {
    std::vector<Buffer> out;
    if (rule_of(p).shared_parts.empty())
        out.push_back({"dynamic", rule_of(p).shared, manifest::launch_of(p).shared});
    for (const auto& [name, expression] : rule_of(p).shared_parts)
        out.push_back({name, expression, bytes_of(expression, variables, p)});
    if (static_shared > 0) out.push_back({"static", "", static_shared});
    std::stable_sort(out.begin(), out.end(), [](const Buffer& a, const Buffer& b) {
        return a.bytes > b.bytes;
    });
    return out;
}

// "102400 bytes (100.0 KB)"
std::string size_text(uint64_t bytes) {
    return fmt::format("{} bytes ({:.1f} KB)", bytes, static_cast<double>(bytes) / 1024);
}

// Parameters that alone, halved once or twice or one smaller, bring the sum inside the limit.
std::string remedies(
    const manifest::Problem& p, const Variables& variables, uint64_t static_shared, uint64_t limit
) {
    std::string out;
    for (const auto& [name, value] : p.params) {
        std::vector<double> smaller;
        if (value >= 2 && value <= 4) smaller.push_back(value - 1);
        for (const double divided : {value / 2, value / 4})
            if (divided >= 8 && divided == static_cast<double>(static_cast<int64_t>(divided)))
                smaller.push_back(divided);
        for (const double other : smaller) {
            Variables changed = variables;
            changed[name] = other;
            const uint64_t bytes = bytes_of(rule_of(p).shared, changed, p) + static_shared;
            if (bytes > limit) continue;
            out += fmt::format(
                "{}{} = {} ({:.1f} KB)",
                out.empty() ? "" : ", ",
                name,
                other,
                static_cast<double>(bytes) / 1024
            );
            break;
        }
    }
    return out;
}

}  // namespace

AcceptLimits limits_of(const manifest::Problem& p) {
    const std::map<std::string, double> variables(p.params.begin(), p.params.end());
    const auto whole = [&](const std::string& expression, const char* key) {
        return static_cast<uint64_t>(
            manifest::evaluate_whole(expression, variables, manifest::place(p.kernel, key), 0)
        );
    };
    return {
        whole(p.kernel.limits.registers, "limits.registers"), whole(p.kernel.limits.shared, "limits.shared")};
}

std::optional<capture::Finding> impossible_launch(const Experiment& e, const capture::Capture& c) {
    const manifest::Problem& p = e.problem;
    if (!p.kernel.lines.contains("limits.shared")) return std::nullopt;
    const uint64_t limit = limits_of(p).shared, static_shared = c.launch.static_shared;
    const uint64_t total = c.launch.dynamic_shared + static_shared;
    if (total <= limit) return std::nullopt;
    Variables variables(p.params.begin(), p.params.end());
    for (const auto& [turn, value] : manifest::launch_of(p).turns) variables[turn] = value;
    const std::vector<Buffer> parts = buffers(p, variables, static_shared);
    std::string sum;
    for (const Buffer& b : parts) sum += fmt::format("{}{} {}", sum.empty() ? "" : " + ", b.name, b.bytes);
    const std::string mending = remedies(p, variables, static_shared, limit);

    capture::Finding f;
    f.rule = "launch_impossible";
    f.where.file = path_from_here(p.kernel.path);
    const auto line = p.kernel.lines.find(manifest::launch_of(p).key + ".shared");
    if (line != p.kernel.lines.end()) f.where.line = line->second;
    f.title = fmt::format(
        "the launch is impossible: a block asks for {} of shared memory, the device gives {}",
        size_text(total),
        size_text(limit)
    );
    f.explanation = fmt::format(
        "The launch returns \"invalid configuration argument\" and the kernel never starts. Most of it is {} "
        "with "
        "{} bytes. {}",
        parts.front().name,
        parts.front().bytes,
        mending.empty() ? "No single parameter, halved, brings it inside the limit."
                        : "Each of these alone brings it inside the limit: " + mending + "."
    );
    f.proof = fmt::format("{} = {} bytes, {} more than {}", sum, total, total - limit, limit);
    f.evidence = {
        {"shared", static_cast<double>(total)},
        {"limit",  static_cast<double>(limit)}
    };
    for (const Buffer& b : parts) f.evidence.emplace_back(b.name, static_cast<double>(b.bytes));
    return f;
}

}  // namespace wl::diagnosis
