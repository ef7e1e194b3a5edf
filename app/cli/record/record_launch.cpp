// `record`: what was kept of a program's launch, or why nothing was.
#include "app/cli/record/record_program.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/launches/launch_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {
namespace {

std::string default_file(const std::string& entry) {
    const std::string name = bare_name(entry);
    return (name.empty() ? "launch" : name) + ".wllaunch";
}

uint64_t bytes_of(const launches::RecordedLaunch& l) {
    uint64_t bytes = 0;
    for (const launches::Memory& m : l.memory) bytes += m.before.size();
    return bytes;
}

std::string text_of(const Dim3& d) { return fmt::format("{} x {} x {}", d.x, d.y, d.z); }

std::string summary(const launches::RecordedLaunch& l, const std::string& file) {
    const auto changed = std::count_if(l.memory.begin(), l.memory.end(), [](const launches::Memory& m) {
        return m.after == launches::After::changed;
    });
    std::string out = fmt::format(
        "{}: launch {} of {} (number {} of the program), {} blocks of {} threads, on {}\n"
        "  {} bytes of parameters, {} allocations and variables of {} bytes, {} changed\n",
        file,
        l.of_entry,
        demangle(l.entry),
        l.number,
        text_of(l.grid),
        text_of(l.block),
        l.device,
        l.params.size(),
        l.memory.size(),
        bytes_of(l),
        changed
    );
    if (!l.fault.empty()) out += "  the launch ended with " + l.fault + "\n";
    for (const std::string& note : l.notes) out += "  " + note + "\n";
    return out;
}

std::string summary_json(const launches::RecordedLaunch& l, const std::string& file, int status) {
    const nlohmann::ordered_json json{
        {"warplens",  WL_VERSION                       },
        {"verb",      "record"                         },
        {"file",      file                             },
        {"kernel",    demangle(l.entry)                },
        {"entry",     l.entry                          },
        {"number",    l.number                         },
        {"of_kernel", l.of_entry                       },
        {"grid",      {l.grid.x, l.grid.y, l.grid.z}   },
        {"block",     {l.block.x, l.block.y, l.block.z}},
        {"on",        l.device                         },
        {"memory",    l.memory.size()                  },
        {"bytes",     bytes_of(l)                      },
        {"ptx",       !l.ptx.empty()                   },
        {"fault",     l.fault                          },
        {"notes",     l.notes                          },
        {"status",    status                           }
    };
    return json_text(json) + "\n";
}

// The kernels that were launched, most often first.
std::string launched_text(const std::map<std::string, uint64_t>& counts) {
    std::vector<std::pair<std::string, uint64_t>> all(counts.begin(), counts.end());
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.second > b.second;
    });
    std::string out;
    for (const auto& [name, n] : all) out += fmt::format("{:>8}  {}\n", n, demangle(name));
    return out;
}

std::string why_nothing(const RecordOptions& o, const RecordedProgram& program) {
    if (!program.met)
        return fmt::format(
            "{} launched no kernel by a CUDA driver that could be watched{}",
            o.program.front(),
            program.status == 0 ? "" : fmt::format("; it ended with {}", program.status)
        );
    uint64_t all = 0;
    for (const auto& [name, n] : program.counts)
        if (is_meant(o, name)) all += n;
    const std::string which = o.kernel.empty() ? "kernels" : o.kernel;
    if (all > 0)
        return fmt::format(
            "{} launches {} {} times, and --launch {} was asked for",
            o.program.front(),
            which,
            all,
            std::max<uint64_t>(o.launch, 1)
        );
    std::vector<std::string> names;
    for (const auto& [name, n] : program.counts) names.push_back(bare_name(name));
    const std::string near = nearest_word(o.kernel, names);
    return fmt::format(
        "{} launches no kernel named {}{}",
        o.program.front(),
        which,
        near.empty() ? "; `warplens record -- PROGRAM` lists those that it launches"
                     : "; did you mean " + near + "?"
    );
}

}  // namespace

int verb_record(const Command& command) {
    std::string file;
    const auto keep = [&](launches::Receiving& r) {
        r.launch.command = command.record.program;
        file = command.out.empty() ? default_file(r.launch.entry) : command.out;
        launches::write_launch(r.launch, file);
    };
    const RecordedProgram program = record_program(command.record, command.output.json, keep);
    if (program.launch && !program.launch->problem.empty())
        throw Error(fmt::format(
            "{} could not be recorded: {}", demangle(program.launch->launch.entry), program.launch->problem
        ));
    if (!program.launch) {
        const bool counts = command.record.kernel.empty() && command.record.launch == 0;
        if (!counts || program.counts.empty()) throw Error(why_nothing(command.record, program));
        nlohmann::ordered_json json{
            {"warplens", WL_VERSION                     },
            {"verb",     "record"                       },
            {"launched", nlohmann::ordered_json::array()}
        };
        for (const auto& [name, n] : program.counts)
            json["launched"].push_back({
                {"kernel",   demangle(name)},
                {"entry",    name          },
                {"launches", n             }
            });
        const std::string text = command.output.json ? json_text(json) + "\n" : launched_text(program.counts);
        print_text(text);
        return kExitOk;
    }
    const launches::RecordedLaunch& l = program.launch->launch;
    const std::string text = command.output.json ? summary_json(l, file, program.status) : summary(l, file);
    print_text(text);
    if (program.status != 0)
        print_notice(
            fmt::format("warplens: {} ended with {}\n", command.record.program.front(), program.status)
        );
    return l.ptx.empty() ? kExitUnsupported : kExitOk;
}

}  // namespace wl::app
