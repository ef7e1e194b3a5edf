// Every launch is guessed and measured as a kernel of its own; the host's names say which arguments are the
// same.
#include "app/cli/init/launches.h"

#include "app/cli/init/measure.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>

namespace wl::app {
namespace {

using manifest::Argument;

struct Step {
    const LaunchText* launch = nullptr;
    std::string entry;  // as a manifest calls it
    Guess guess;        // of the kernel alone
};

bool is_same(const LaunchText& a, const LaunchText& b) {
    return a.kernel == b.kernel && a.config == b.config && a.args == b.args;
}

std::string plain(const std::string& kernel) { return kernel.substr(0, kernel.find('<')); }

// The entry that a launch names; -1: none of the user's, or one of several instances.
int entry_of_launch(const LaunchText& launch, const std::vector<std::string>& names) {
    int found = -1;
    for (size_t i = 0; i < names.size(); ++i) {
        if (names[i] == launch.kernel) return static_cast<int>(i);
        if (names[i].substr(0, names[i].find_first_of("<(")) != plain(launch.kernel)) continue;
        if (found >= 0) return -1;
        found = static_cast<int>(i);
    }
    return found;
}

// Launches of one function, each text once: timing loops say the same again.
std::vector<std::vector<const LaunchText*>> functions_of(const SourceText& source) {
    std::map<int, std::vector<const LaunchText*>> by_function;
    for (const LaunchText& launch : source.launches) {
        std::vector<const LaunchText*>& all = by_function[launch.function];
        const bool again =
            std::any_of(all.begin(), all.end(), [&](const LaunchText* l) { return is_same(*l, launch); });
        if (!again) all.push_back(&launch);
    }
    std::vector<std::vector<const LaunchText*>> out;
    for (auto& [function, all] : by_function)
        if (all.size() > 1) out.push_back(std::move(all));
    return out;
}

bool is_name(const std::string& text) {
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
        std::all_of(text.begin(), text.end(), compile::is_word_char);
}

// What the host passes for a parameter, as a name; of what is no name one of its own.
std::string host_name(const Step& s, size_t param) {
    const std::string text = param < s.launch->args.size() ? s.launch->args[param] : "";
    return is_name(text) ? text : fmt::format("{}.{}.{}", s.launch->line, s.entry, param);
}

bool is_number(const std::string& extent) {
    return extent.find_first_not_of("0123456789") == std::string::npos;
}

bool is_array(const Argument& a) { return !a.shape.empty() || !a.rows_of.empty(); }

// Does a launch read what one before it wrote, in the turn of their loop before, if they have one?
bool flows(const std::vector<Step>& steps) {
    std::set<std::string> written;
    const bool again = std::all_of(steps.begin(), steps.end(), [&](const Step& s) {
        return s.launch->loop >= 0 && s.launch->loop == steps.front().launch->loop;
    });
    for (int turn = 0; turn < (again ? 2 : 1); ++turn)
        for (const Step& s : steps) {
            const std::vector<Argument>& args = s.guess.kernel.args;
            for (size_t i = 0; i < args.size(); ++i)
                if (is_array(args[i]) && !args[i].fill.empty() && written.contains(host_name(s, i)))
                    return true;
            for (size_t i = 0; i < args.size(); ++i)
                if (is_array(args[i]) && args[i].output) written.insert(host_name(s, i));
        }
    return false;
}

std::string renamed(const std::string& text, const std::map<std::string, std::string>& names) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        size_t end = at;
        while (end < text.size() && compile::is_word_char(text[end])) ++end;
        const auto found = names.find(text.substr(at, end - at));
        if (end == at)
            out += text[at++];
        else
            out += found == names.end() ? text.substr(at, end - at) : found->second, at = end;
    }
    return out;
}

// The steps put together: names of the host stand for what several launches share.
struct Merger {
    const SourceText& source;
    Guess out = {};
    std::map<std::string, std::string> arrays = {}, params = {};  // by the host's name
    std::set<std::string> taken = {};

    std::string fresh(std::string name) {
        while (!taken.insert(name).second) name += '_';
        return name;
    }

    // The argument of a parameter; -1: it is the guess's own.
    static int argument_of(const Step& s, const std::string& param) {
        const std::vector<Argument>& args = s.guess.kernel.args;
        for (size_t i = 0; i < args.size(); ++i)
            if (args[i].value == param && !is_array(args[i])) return static_cast<int>(i);
        return -1;
    }
    static std::string host_of(const Step& s, const std::string& param) {
        const int argument = argument_of(s, param);
        if (argument >= 0) return host_name(s, static_cast<size_t>(argument));
        return param == "N" ? param : s.entry + "." + param;
    }

    // What the host computes from other arguments of its launches; empty: nothing.
    std::string computed(const Step& s, const std::string& param, const std::set<std::string>& hosts) const {
        const int argument = argument_of(s, param);
        if (argument < 0 || static_cast<size_t>(argument) >= s.launch->args.size()) return {};
        std::map<std::string, std::string> others;
        for (const std::string& host : hosts) {
            const auto known = params.find(host);
            if (host != host_of(s, param)) others[host] = known == params.end() ? host : known->second;
        }
        const auto value = manifest_expression(
            source, s.launch->args[static_cast<size_t>(argument)], s.launch->line, others
        );
        const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
        return value && std::any_of(value->begin(), value->end(), is_letter) ? *value : std::string();
    }

    void add_param(const Step& s, const std::string& name, const std::string& value, bool is_computed) {
        const std::string own = fresh(name);
        params[host_of(s, name)] = own;
        out.kernel.params.emplace_back(own, value);
        if (is_computed) return;
        for (const auto& [size, odd] : s.guess.ragged)
            if (size == name) out.ragged.emplace_back(own, odd);
        const std::vector<std::string>& sizes = s.guess.sizes;
        if (std::find(sizes.begin(), sizes.end(), name) != sizes.end()) out.sizes.push_back(own);
    }

    // Those that the host gives first, then those that it computes from them.
    void all_params(const std::vector<Step>& steps) {
        std::set<std::string> hosts;
        for (const Step& s : steps)
            for (const auto& [name, value] : s.guess.kernel.params) hosts.insert(host_of(s, name));
        for (const bool second : {false, true})
            for (const Step& s : steps)
                for (const auto& [name, value] : s.guess.kernel.params) {
                    const std::string expression = computed(s, name, hosts);
                    if (expression.empty() == second || params.contains(host_of(s, name))) continue;
                    add_param(s, name, second ? expression : value, second);
                }
    }

    // The kernel's parameter names, as those of the whole.
    std::map<std::string, std::string> names_of(const Step& s) {
        std::map<std::string, std::string> names;
        for (const auto& [name, value] : s.guess.kernel.params) names[name] = params.at(host_of(s, name));
        return names;
    }

    void array(const Step& s, size_t i, const std::map<std::string, std::string>& names) {
        const Argument& a = s.guess.kernel.args[i];
        const std::string host = host_name(s, i);
        const auto known = arrays.find(host);
        if (known != arrays.end()) {
            for (Argument& other : out.kernel.args) {
                if (other.name != known->second) continue;
                if (other.output && !a.fill.empty() && !a.output) out.read_later.insert(other.name);
                other.output = other.output || a.output;
                if (!a.shape.empty() && is_number(other.shape.front()) && !is_number(a.shape.front()))
                    other.shape.front() = renamed(a.shape.front(), names);
            }
            return;
        }
        std::string name = is_name(host) ? host : a.name;
        if (name.starts_with("d_") && name.size() > 2) name = name.substr(2);
        Argument made = a;
        made.name = arrays[host] = fresh(name);
        for (std::string& extent : made.shape) extent = renamed(extent, names);
        made.fill = renamed(made.fill, names);
        out.kernel.args.push_back(made);
        out.types.push_back(s.guess.types[i]);
    }

    static void rename_values(Argument& a, const std::map<std::string, std::string>& names) {
        a.value = renamed(a.value, names);
        for (Argument& field : a.fields) rename_values(field, names);
    }

    void add(const Step& s) {
        const std::map<std::string, std::string> names = names_of(s);
        manifest::LaunchRule rule = s.guess.kernel.launches.front();
        rule.entry = s.entry;
        for (std::vector<std::string>* extents : {&rule.grid, &rule.block})
            for (std::string& extent : *extents) extent = renamed(extent, names);
        rule.shared = renamed(rule.shared, names);
        rule.args.emplace();
        for (size_t i = 0; i < s.guess.kernel.args.size(); ++i) {
            manifest::LaunchArgument& given = rule.args->emplace_back();
            if (is_array(s.guess.kernel.args[i])) {
                array(s, i, names);
                given.of = arrays.at(host_name(s, i));
                continue;
            }
            given.own = s.guess.kernel.args[i];
            rename_values(given.own, names);
        }
        out.kernel.launches.push_back(std::move(rule));
        out.launch_assumed = out.launch_assumed || s.guess.launch_assumed;
        for (const std::string& what : s.guess.unknown) {
            const std::string said = s.entry + ": " + what;
            if (std::find(out.unknown.begin(), out.unknown.end(), said) == out.unknown.end())
                out.unknown.push_back(said);
        }
    }
};

}  // namespace

std::optional<Guess> guess_launches(
    const ptx::Module& module,
    const std::vector<std::string>& entries,
    const std::vector<std::string>& names,
    const SourceText& source,
    const std::string& file
) {
    constexpr size_t kMostSteps = 12;
    for (const std::vector<const LaunchText*>& launches : functions_of(source)) {
        std::vector<Step> steps;
        for (const LaunchText* launch : launches) {
            const int entry = entry_of_launch(*launch, names);
            if (entry < 0) continue;
            Step s{launch, names[static_cast<size_t>(entry)], {}};
            const ptx::Function& function = ptx::entry_of(module, entries[static_cast<size_t>(entry)]);
            s.guess = guess_kernel(module, function, source, file, launch);
            measure_arrays(s.guess, module, function);
            steps.push_back(std::move(s));
        }
        if (steps.size() < 2 || steps.size() > kMostSteps || !flows(steps)) continue;
        Merger merger{source};
        merger.all_params(steps);
        for (const Step& s : steps) merger.add(s);
        merger.out.launch_from = fmt::format("{}:{}", file, steps.front().launch->line);
        merger.out.unknown.emplace_back(
            "launches that the host makes in a loop stand here once: repeat = ... has them again"
        );
        return std::move(merger.out);
    }
    return std::nullopt;
}

}  // namespace wl::app
