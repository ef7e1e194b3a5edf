// Running the launches before the one that is looked at.
#include "instrumentation/diagnosis/sequence.h"

#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

bool leads_to(const manifest::BoundArgument& a, const std::string& array) {
    if (a.array && a.data.name == array) return true;
    const auto is_of = [&](const auto& pointer) { return pointer.first == array; };
    return std::any_of(a.pointers.begin(), a.pointers.end(), is_of) ||
        std::any_of(a.fields.begin(), a.fields.end(), [&](const auto& f) { return leads_to(f, array); });
}

}  // namespace

uint64_t run_plain(const Experiment& e, const manifest::Problem& problem, execution::GlobalMemory& memory) {
    const std::string& entry = e.entries[problem.at];
    const execution::Executable executable = e.options.executor.prepare(e.module, entry);
    execution::RunOptions options = run_options(e.options, "launches before");
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    options.marks = false;
    const execution::Launch launch = launch_in(problem, entry_of(e.module, entry), memory);
    const execution::RunResult ran = executable.run(launch, memory, options);
    if (ran.cancelled) throw_cancelled();
    return ran.warp_instructions;
}

Prepared prepare(const Experiment& e, const manifest::Problem& inputs) {
    Prepared out;
    out.memory = fresh_memory(inputs);
    manifest::Problem before = inputs;
    for (before.at = 0; before.at < e.problem.at; ++before.at) run_plain(e, before, out.memory);
    out.launch = launch_in(before, entry_of(e.module, e.entry), out.memory);
    return out;
}

Prepared prepare(const Experiment& e) {
    if (!e.before) return prepare(e, e.problem);
    Prepared out;
    out.memory = execution::copy_of(*e.before);
    out.launch = launch_in(e.problem, entry_of(e.module, e.entry), out.memory);
    return out;
}

Experiment with_memory(Experiment e) {
    if (e.problem.at > 0 && !e.before)
        e.before = std::make_shared<const execution::GlobalMemory>(prepare(e, e.problem).memory);
    return e;
}

Writers writers_of(const Experiment& e, size_t launches) {
    Writers out;
    execution::GlobalMemory memory = fresh_memory(e.problem);
    manifest::Problem problem = e.problem;
    for (problem.at = 0; problem.at < launches; ++problem.at) {
        for (const manifest::BoundArgument* a : manifest::arrays(problem))
            if (execution::Allocation* m = a->output ? execution::find_named(memory, a->data.name) : nullptr)
                m->written.assign(m->bytes.size(), 0);
        run_plain(e, problem, memory);
        for (const manifest::BoundArgument* a : manifest::arrays(problem)) {
            if (!a->output) continue;
            const execution::Allocation& m = *execution::find_named(memory, a->data.name);
            const size_t size = size_of(a->data.dtype);
            std::vector<int>& last = out.last[a->data.name];
            last.resize(m.bytes.size() / size, Writers::kNobody);
            for (size_t byte = 0; byte < m.bytes.size(); ++byte)
                if (m.written[byte] != 0) last[byte / size] = static_cast<int>(problem.at);
        }
    }
    return out;
}

Writers all_by(Writers writers, size_t launch) {
    const auto by = static_cast<int>(launch);
    for (auto& [name, last] : writers.last)
        if (std::find(last.begin(), last.end(), by) != last.end())
            for (int& writer : last) writer = writer == Writers::kNobody ? writer : std::max(writer, by);
    return writers;
}

bool takes(const manifest::Problem& problem, size_t launch, const std::string& array) {
    const std::vector<manifest::Parameter>& given = problem.launches[launch].parameters;
    return std::any_of(given.begin(), given.end(), [&](const manifest::Parameter& p) {
        return leads_to(p.argument < 0 ? p.own : problem.args[static_cast<size_t>(p.argument)], array);
    });
}

size_t answers_for(
    const Experiment& e, const std::string& output, const std::vector<int>& last, size_t element, size_t ran
) {
    if (last[element] != Writers::kNobody) return static_cast<size_t>(last[element]);
    for (size_t k = ran; k < e.problem.launches.size(); ++k)
        if (takes(e.problem, k, output)) return k;
    const int other = last.empty() ? Writers::kNobody : *std::max_element(last.begin(), last.end());
    if (other != Writers::kNobody) return static_cast<size_t>(other);
    for (size_t k = ran; k-- > 0;)
        if (takes(e.problem, k, output)) return k;
    return ran - 1;
}

Unsettled unsettled_after(const Experiment& e, const Writers& writers, size_t launch, size_t ran) {
    Unsettled out;
    for (const auto& [name, last] : writers.last) {
        std::vector<Whose>& whose = out.elements[name];
        const auto nobody =
            static_cast<size_t>(std::find(last.begin(), last.end(), Writers::kNobody) - last.begin());
        const size_t unwritten = nobody < last.size() ? answers_for(e, name, last, nobody, ran) : 0;
        for (const int writer : last) {
            const size_t by = writer == Writers::kNobody ? unwritten : static_cast<size_t>(writer);
            whose.push_back(by > launch ? Whose::later : by < launch ? Whose::earlier : Whose::own);
        }
    }
    return out;
}

Unsettled nothing_settled(const Writers& writers) {
    Unsettled out;
    for (const auto& [name, last] : writers.last) out.elements[name].assign(last.size(), Whose::later);
    return out;
}

std::optional<int64_t> block_that_writes(
    const Experiment& experiment, const std::string& array, uint64_t byte
) {
    const Experiment e = with_memory(experiment);
    if (manifest::launch_of(e.problem).cooperative) return std::nullopt;
    const execution::Executable executable = e.options.executor.prepare(e.module, e.entry);
    const auto writes = [&](int64_t first, int64_t end) {
        Prepared prepared = prepare(e);
        execution::Allocation* a = execution::find_named(prepared.memory, array);
        if (a == nullptr || byte >= a->bytes.size()) return false;
        a->written.assign(a->bytes.size(), 0);
        execution::RunOptions options = run_options(e.options, "search");
        options.checks = {.races = false, .uninitialised = false, .uniform = false}, options.marks = false;
        for (int64_t block = first; block < end; ++block) options.blocks.push_back(block);
        if (executable.run(prepared.launch, prepared.memory, options).cancelled) throw_cancelled();
        return execution::find_named(prepared.memory, array)->written[byte] != 0;
    };
    int64_t first = 0, end = static_cast<int64_t>(count(manifest::launch_of(e.problem).grid));
    if (!writes(first, end)) return std::nullopt;
    while (end - first > 1) {
        const int64_t middle = first + (end - first) / 2;
        (writes(middle, end) ? first : end) = middle;
    }
    return first;
}

std::string launch_text(const manifest::Problem& problem, size_t launch) {
    return fmt::format(
        "launch {} of {} ({})", launch + 1, problem.launches.size(), problem.launches[launch].name
    );
}

std::string launch_names(const manifest::Problem& problem, const std::vector<size_t>& launches) {
    constexpr size_t kMost = 6;
    std::string out;
    for (size_t i = 0; i < std::min(launches.size(), kMost); ++i)
        out += fmt::format(
            "{}{} ({})", out.empty() ? "" : ", ", launches[i] + 1, problem.launches[launches[i]].name
        );
    return launches.size() > kMost ? out + ", ..." : out;
}

}  // namespace wl::diagnosis
