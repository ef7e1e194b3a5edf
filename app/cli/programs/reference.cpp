// One launch and one reference, joined in a launch file that is run as any other.
#include "app/cli/programs/reference.h"

#include "app/cli/verbs.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/launches/joined.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wl::app {
namespace {

namespace fs = std::filesystem;
using launches::Memory;
using launches::RecordedLaunch;

std::string name_of(const RecordedLaunch& l) {
    return fmt::format("launch {} ({} of {})", l.number, l.of_entry, demangle(l.entry));
}

std::string name_of(const ReferenceSource& source, const RecordedLaunch& reference) {
    switch (source.kind) {
        case ReferenceSource::Kind::function: return fmt::format("{}:{}", source.path, source.function);
        case ReferenceSource::Kind::file: return name_of(reference) + " in " + source.path;
        case ReferenceSource::Kind::program: return name_of(reference) + " of " + source.command.front();
    }
    return {};
}

int say_incomplete(const Command& c, const std::string& what, const std::vector<std::string>& reasons) {
    if (c.output.json) {
        const nlohmann::ordered_json json{
            {"warplens", WL_VERSION  },
            {"verb",     "run"       },
            {"verdict",  "incomplete"},
            {"compared", what        },
            {"reasons",  reasons     }
        };
        print_text(json_text(json) + "\n");
    } else {
        std::string text = "incomplete: " + what + "\n";
        for (const std::string& reason : reasons) text += "  " + reason + "\n";
        print_text(text);
    }
    return capture::status_of("incomplete");
}

}  // namespace

ReferenceSource reference_source(const Command& c) {
    const std::string& said = c.program.reference;
    ReferenceSource out;
    if (const size_t colon = said.rfind(".py:"); colon != std::string::npos) {
        out.kind = ReferenceSource::Kind::function;
        out.path = said.substr(0, colon + 3), out.function = said.substr(colon + 4);
        if (out.function.empty()) throw Error("--reference " + said + " names no function after the colon");
    } else if (launches::is_launch_file(said)) {
        out.kind = ReferenceSource::Kind::file, out.path = said;
    } else if (said.ends_with(".wlcap") || said.ends_with(".py")) {
        throw Error(fmt::format(
            "--reference takes a program, FILE.wllaunch or FILE.py:FUNCTION; {} is {}",
            said,
            said.ends_with(".py")
                ? "a script without a function"
                : "a capture, which lacks what the launch found (record it by -o FILE.wllaunch)"
        ));
    } else {
        out.command = c.program.words, out.command.front() = said;
        return out;
    }
    if (!fs::exists(out.path)) throw Error("--reference: there is no file " + out.path);
    return out;
}

RecordedLaunch reference_of(const ReferenceSource& source, const RecordedLaunch& launch) {
    return source.kind == ReferenceSource::Kind::file ? launches::read_launch(source.path)
                                                      : returned_by_function(source, launch);
}

int compare_with_reference(
    const Command& c, const ReferenceSource& source, RecordedLaunch launch, const RecordedLaunch& reference
) {
    const std::string what = fmt::format(
        "{} of {}, compared with {}", name_of(launch), c.program.words.front(), name_of(source, reference)
    );
    // Memory is called by the parameters that lead to it, as in every recorded launch.
    for (Memory& m : launch.memory)
        if (!m.is_variable) m.name.clear();
    launches::Joined both = launches::joined(launch, reference);
    if (!both.hinder.empty()) return say_incomplete(c, what, both.hinder);
    both.launch.notes.insert(both.launch.notes.begin(), what);
    Command again = c;
    again.program = {}, again.kernel.launch.clear();
    again.kernel.kernel =
        fs::path(c.out.empty() ? "launch.wlcap" : c.out).replace_extension(".wllaunch").string();
    again.out = fs::path(again.kernel.kernel).replace_extension(".wlcap").string();
    launches::write_launch(both.launch, again.kernel.kernel);
    return verb_run(again);
}

}  // namespace wl::app
