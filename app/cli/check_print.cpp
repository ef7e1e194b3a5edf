// The report of `warplens check` as text and as JSON.
#include "app/cli/check.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using emulator::EntryCheck;
using emulator::Refusal;
using nlohmann::ordered_json;

constexpr size_t kPlacesShown = 8;  // of one instruction in one entry; --json has all

const ptx::Function& function_of(const CheckReport& r, int function) {
    return r.module.functions[static_cast<size_t>(function)];
}

std::string place_text(const CheckReport& r, const EntryCheck& entry, const Refusal& refusal) {
    std::string out = fmt::format("PTX line {}", refusal.ptx_line);
    if (refusal.location >= 0) out += ", " + ptx::describe(r.module, refusal.location, true);
    if (refusal.function != entry.function) out += ", in " + demangle(function_of(r, refusal.function).name);
    return out;
}

// Equal refusals are one paragraph: what, why, and where it stands.
std::string refusals_text(const CheckReport& r, const EntryCheck& entry) {
    std::map<std::pair<std::string, std::string>, std::vector<const Refusal*>> groups;
    std::vector<const std::vector<const Refusal*>*> in_order;
    for (const Refusal& refusal : entry.refused) {
        auto& group = groups[{refusal.what, refusal.why}];
        if (group.empty()) in_order.push_back(&group);
        group.push_back(&refusal);
    }
    std::string out;
    for (const auto* group : in_order) {
        const Refusal& first = *group->front();
        const std::string times = group->size() > 1 ? fmt::format(" ({} times)", group->size()) : "";
        out += fmt::format("    {}{}: {}\n", first.what, times, first.why);
        for (size_t i = 0; i < std::min(group->size(), kPlacesShown); ++i)
            out += "        " + place_text(r, entry, *(*group)[i]) + "\n";
        if (group->size() > kPlacesShown)
            out += fmt::format("        and {} more (--json lists them)\n", group->size() - kPlacesShown);
    }
    return out;
}

// "ok", "unlinked" (it runs once other files are linked in) or "unsupported"
std::string verdict_of(const EntryCheck& entry) {
    if (entry.refused.empty()) return "ok";
    return emulator::only_unlinked(entry) ? "unlinked" : "unsupported";
}

// The names that other files define, each once.
std::vector<std::string> missing_names(const EntryCheck& entry) {
    std::vector<std::string> names;
    for (const Refusal& refusal : entry.refused)
        if (!refusal.missing.empty() && std::find(names.begin(), names.end(), refusal.missing) == names.end())
            names.push_back(refusal.missing);
    return names;
}

std::string what_lacks(const EntryCheck& entry) {
    if (entry.refused.empty()) return "";
    if (emulator::only_unlinked(entry))
        return ", runs once linked with what defines " + join(missing_names(entry), ", ");
    return fmt::format(", {} refused", entry.refused.size());
}

std::string entry_text(const CheckReport& r, const EntryCheck& entry, const Style& style) {
    const bool ok = entry.refused.empty();
    const size_t called = entry.functions.size() - 1;
    return fmt::format(
        "{}  {}  {} instruction{}{}{}\n",
        paint(style, ok ? Color::good : Color::warn, fmt::format("{:11}", verdict_of(entry))),
        paint(style, Color::bold, demangle(function_of(r, entry.function).name)),
        entry.instructions,
        entry.instructions == 1 ? "" : "s",
        called > 0 ? fmt::format(", {} function{} reached", called, called == 1 ? "" : "s") : "",
        what_lacks(entry)
    );
}

ordered_json refusal_json(const CheckReport& r, const Refusal& refusal) {
    ordered_json j{
        {"instruction", refusal.what },
        {"reason",      refusal.why  },
        {"function",    function_of(r, refusal.function).name},
        {"ptx_line",             refusal.ptx_line                }
    };
    if (!refusal.missing.empty()) j["missing"] = refusal.missing;
    if (refusal.location < 0) return j;
    const ptx::Location& where = r.module.locations[static_cast<size_t>(refusal.location)];
    if (where.file >= 0) j["file"] = r.module.files[static_cast<size_t>(where.file)];
    j["line"] = where.line;
    return j;
}

}  // namespace

std::string check_text(const CheckReport& r, const OutputOptions& output) {
    const Style style = style_of(output);
    size_t fine = 0;
    std::string out = fmt::format("{}: PTX {} for {}", r.file, r.module.version, r.module.target);
    if (!r.compiler.empty() && r.compiler != "NVRTC") out += ", by " + r.compiler;
    if (!r.found.empty()) out += ", with headers found in " + join(r.found, ", ");
    out += '\n';
    for (const EntryCheck& entry : r.entries) {
        fine += entry.refused.empty() ? 1 : 0;
        out += entry_text(r, entry, style) + refusals_text(r, entry);
    }
    if (r.entries.empty()) return out + "no entry and no function with a body: there is nothing to run\n";
    const bool one = r.entries.size() == 1, library = !is_entry(r, r.entries.front());
    const char* noun =
        library ? (one ? "function" : "functions, and no entry,") : (one ? "entry" : "entries");
    return out + fmt::format("{} of {} {} can run\n", fine, r.entries.size(), noun);
}

namespace {

ReportItem item_of(const CheckReport& r, const Refusal& refusal) {
    ReportItem out;
    out.rule = "unsupported", out.title = refusal.what + ": " + refusal.why;
    out.text = fmt::format("{} (PTX line {})", out.title, refusal.ptx_line);
    if (refusal.location < 0) return out;
    const ptx::Location& where = r.module.locations[static_cast<size_t>(refusal.location)];
    if (where.file >= 0) out.file = r.module.files[static_cast<size_t>(where.file)], out.line = where.line;
    return out;
}

ordered_json parameters_json(const CheckReport& r, const EntryCheck& entry) {
    ordered_json out = ordered_json::array();
    for (const ParameterText& p : parameters_of(r, entry))
        out.push_back({
            {"name",  p.name },
            {"type",  p.type },
            {"ptx",   p.word },
            {"bytes", p.bytes}
        });
    return out;
}

}  // namespace

Report check_report(const CheckReport& r) {
    Report out{"check", {}};
    for (const EntryCheck& entry : r.entries) {
        ReportCase one;
        one.name = demangle(function_of(r, entry.function).name), one.group = r.file;
        one.verdict = entry.refused.empty() ? "ok" : "unsupported";
        for (const Refusal& refusal : entry.refused) one.items.push_back(item_of(r, refusal));
        out.cases.push_back(std::move(one));
    }
    return out;
}

std::string check_json(const CheckReport& r) {
    ordered_json entries = ordered_json::array(), unsupported = ordered_json::array();
    for (const EntryCheck& entry : r.entries) {
        ordered_json refused = ordered_json::array(), functions = ordered_json::array();
        for (const int function : entry.functions) functions.push_back(function_of(r, function).name);
        for (const Refusal& refusal : entry.refused) {
            refused.push_back(refusal_json(r, refusal));
            unsupported.push_back(fmt::format(
                "unsupported: {} at {}",
                refusal.what,
                refusal.location >= 0 ? ptx::describe(r.module, refusal.location)
                                      : fmt::format("PTX line {}", refusal.ptx_line)
            ));
        }
        const std::string& name = function_of(r, entry.function).name;
        entries.push_back({
            {"name",       name             },
            {"demangled",  demangle(name)   },
            {"parameters", parameters_json(r, entry)},
            {"verdict",            verdict_of(entry)                    },
            {"instructions",            entry.instructions},
            {"functions",            functions                       },
            {"missing",            missing_names(entry)},
            {"unsupported",            refused                   }
        });
    }
    const ordered_json j{
        {"warplens",    WL_VERSION                                                                            },
        {"verb",        "check"                                                                               },
        {"file",        r.file                                                                                },
        {"ptx",         {{"version", r.module.version}, {"target", r.module.target}, {"compiler", r.compiler}}},
        {"verdict",     all_can_run(r) ? "ok" : "unsupported"                                                 },
        {"entries",     entries                                                                               },
        {"unsupported", unsupported                                                                           }
    };
    return json_text(j);
}

}  // namespace wl::app
