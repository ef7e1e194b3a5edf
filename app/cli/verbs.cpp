// The verbs that run kernels and print captures.
#include "app/cli/verbs.h"

#include "app/cli/executors.h"
#include "app/cli/formats/baseline.h"
#include "app/cli/formats/page.h"
#include "app/cli/formats/report.h"
#include "app/cli/print.h"
#include "app/cli/programs/programs.h"
#include "app/cli/progress.h"
#include "app/cli/questions/carried.h"
#include "app/cli/questions/why.h"
#include "app/cli/record/record_words.h"
#include "app/cli/remote/remote.h"
#include "app/cli/sweep/diagnose_sweep.h"
#include "app/cli/tiles_json.h"
#include "app/worker/trusted.h"
#include "app/worker/worker.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/json.h"
#include "instrumentation/capture/verdict.h"
#include "instrumentation/diagnosis/device/witnesses.h"
#include "instrumentation/diagnosis/run.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace wl::app {

namespace {

struct Executed {
    capture::Capture capture;
    std::optional<diagnosis::Witnesses> witnesses;  // of --on both
    std::string patch;                              // of the source: a change that ran and came right
};

constexpr double kSearchSeconds = 30;  // unless it is told how long

// The window shows the verdict while the causes are looked for.
void show_judged(const Command& c, capture::Capture judged, const manifest::Problem& problem) {
    if (c.out.empty() || judged.verdict == "ok") return;
    carry(problem, judged);
    capture::write_capture(judged, c.out);
    print_notice(fmt::format("progress {} 1\n", kJudged));
}

Executed execute(const Command& c) {
    manifest::Problem problem = bind(c.kernel);
    trust(problem.kernel.path);  // it was named on the command line
    diagnosis::Options options = run_options(c.kernel);
    if (!c.kernel.search) options.search_seconds = kSearchSeconds;
    Executed made;
    options.on_patch = [&](const std::string& patch) { made.patch = patch; };
    const Executors who = choose_executors(c.kernel, options);
    for (const std::string& block : record_words(c.kernel).blocks)
        options.record.push_back(block_of_launch(block, problem));
    options.on_progress = progress_reporter(c.output);
    if (c.output.progress && c.verb == "run")
        options.on_judged = [&](const capture::Capture& judged) { show_judged(c, judged, problem); };
    made.capture = diagnosis::run(problem, options);
    carry(problem, made.capture);
    if (!who.witness || made.capture.verdict == "unsupported") return made;
    made.witnesses = diagnosis::witness(std::move(problem), options, *who.witness);
    diagnosis::add_witnesses(made.capture, *made.witnesses);
    return made;
}

std::string with_patch(const std::string& summary, const std::string& patch) {
    auto json = nlohmann::ordered_json::parse(summary);
    json["patch"] = patch;
    return json_text(json);
}

// The lines as they stand and as they would be right, of a patch.
std::string patch_text(const std::string& patch, const Style& style) {
    std::string out;
    std::istringstream lines(patch);
    for (std::string line; std::getline(lines, line);) {
        const bool header = line.starts_with("---") || line.starts_with("+++");
        if (header || line.empty() || (line.front() != '-' && line.front() != '+')) continue;
        const size_t text = std::min(line.find_first_not_of(" \t", 1), line.size());
        const Color color = line.front() == '-' ? Color::bad : Color::good;
        out += "    " + paint(style, color, line.substr(0, 1) + " " + line.substr(text)) + "\n";
    }
    return out;
}

void print_result(const Command& command, const Executed& e, const Report& report, const Gate& gated) {
    if (command.output.json) {
        std::string summary = with_baseline(capture::summary_json(e.capture, command.verb), gated);
        if (e.witnesses) summary = with_witnesses(summary, *e.witnesses);
        print_text((e.patch.empty() ? summary : with_patch(summary, e.patch)) + "\n");
        return;
    }
    if (is_report_format(command.output.format)) {
        print_text(report_text(report, command.output.format));
        return;
    }
    if (e.witnesses) print_text(diagnosis::witnesses_text(*e.witnesses) + "\n");
    const Style style = style_of(command.output);
    print_text(summary_text(e.capture, style, {command.verb == "run", command.output.verbose}));
    if (!e.patch.empty())
        print_text("the change that mends (`--suggest FILE` writes it):\n" + patch_text(e.patch, style));
    print_text(gated.text);
}

// Fails before minutes of work, not after them.
void require_writable(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
    std::error_code problem;
    if (!std::filesystem::is_directory(folder, problem))
        throw Error(
            "cannot write " + path + ": there is no folder " + folder.string() +
            "; create it, or choose another place with -o"
        );
}

std::string default_capture(const Command& c) {
    std::string name = std::filesystem::path(c.kernel.kernel).stem().string();
    for (const std::string& f : c.kernel.faults) name += "-" + f;
    return name + ".wlcap";
}

void write_patch(const Command& command, const std::string& patch) {
    if (command.suggest.empty()) return;
    if (patch.empty()) {
        if (command.output.progress) return;  // the window sees that there is no file
        print_notice(fmt::format(
            "warplens: no patch for {}: no change of the source is known to mend\n", command.suggest
        ));
        return;
    }
    if (command.suggest == "-") return print_data(patch);
    write_text_file(command.suggest, patch);
}

void write_report(const Command& command, const Executed& e) {
    if (command.report.empty()) return;
    write_page(e.capture, {e.patch, first_wrong_chain(command, e.capture)}, command.report);
}

// A reference that failed leaves nothing compared: that is said on stderr too, whatever stdout is read for.
int finished_status(const capture::Capture& c) {
    const std::string& problem = c.covered.reference_problem;
    if (c.verdict == "error")
        print_notice(fmt::format(
            "warplens: error: no reference: {}; the run went on without it\n",
            problem.substr(0, problem.find('\n'))  // all of it is among the notes
        ));
    return capture::status_of(c.verdict);
}

}  // namespace

int verb_run(const Command& command) {
    if (!command.program.words.empty()) return run_program(command);
    if (is_capture(command.kernel.kernel))
        throw Error(
            command.kernel.kernel +
            " is a capture: `warplens diagnose` or `warplens tiles` read it; `run` takes a kernel"
        );
    const std::string out = command.out.empty() ? default_capture(command) : command.out;
    require_writable(out);
    for (const std::string& path : {command.suggest, command.report})
        if (!path.empty() && path != "-") require_writable(path);
    require_baseline(command.output);
    if (!command.kernel.host.empty()) return run_remotely(command, out);
    const Executed executed = execute(command);
    const capture::Capture& c = executed.capture;
    if (const std::optional<int> status = dump_before_fault(command.kernel, c)) return *status;
    if (c.verdict != "unsupported") capture::write_capture(c, out);
    if (command.output.progress)
        for (const std::string& reason : c.unsupported)
            print_notice((reason.starts_with("unsupported: ") ? "" : "unsupported: ") + reason + "\n");
    Report report{command.verb, {case_of(c, command.verb, executed.patch)}};
    const Gate gated = gate(command.output, report, finished_status(c));
    print_result(command, executed, report, gated);
    write_patch(command, executed.patch);
    write_report(command, executed);
    if (command.output.format == "text" && c.verdict != "unsupported" && !command.output.quiet)
        print_text("capture: " + out + "\n");
    return gated.status;
}

int verb_diagnose(const Command& command) {
    const bool from_file = is_capture(command.kernel.kernel);
    for (const std::string& path : {command.out, command.suggest, command.report})
        if (!path.empty() && path != "-") require_writable(path);
    require_baseline(command.output);
    if (!command.kernel.host.empty() && !from_file) return run_remotely(command, command.out);
    if (is_sweep(command)) return diagnose_sweep(command);
    const Executed executed =
        from_file ? Executed{capture::read_capture(command.kernel.kernel), {}, {}} : execute(command);
    const capture::Capture& c = executed.capture;
    if (!from_file)
        if (const std::optional<int> status = dump_before_fault(command.kernel, c)) return *status;
    if (!command.out.empty() && c.verdict != "unsupported") capture::write_capture(c, command.out);
    Report report{command.verb, {case_of(c, command.verb, executed.patch)}};
    const Gate gated = gate(command.output, report, finished_status(c));
    print_result(command, executed, report, gated);
    write_patch(command, executed.patch);
    write_report(command, executed);
    return gated.status;
}

int verb_tiles(const Command& command) {
    const capture::Capture c = capture::read_capture(command.kernel.kernel);
    if (command.output.json) {
        print_text(tiles_json(c) + "\n");
    } else {
        print_text(headline(c, style_of(command.output)) + tiles_text(c, style_of(command.output)));
    }
    return capture::status_of(c.verdict);
}

int verb_kernels(const Command& command) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    std::string text;
    for (const std::string& path : manifest::shipped()) {
        const manifest::Kernel k = manifest::load(path);
        nlohmann::ordered_json faults = nlohmann::ordered_json::array(),
                               presets = nlohmann::ordered_json::array();
        text += fmt::format("{:<10} {}\n", k.name, k.title);
        if (!k.story.empty()) text += wrap(k.story, 4);
        for (const manifest::Fault& f : k.faults)
            text += fmt::format("    --fault {:<8} {}\n", f.name, f.about),
                faults.push_back({
                    {"name",  f.name },
                    {"about", f.about},
                    {"story", f.story}
            });
        text += "    presets:";
        for (const auto& [name, settings] : k.presets) text += " " + name, presets.push_back(name);
        text += '\n';
        list.push_back({
            {"name",    k.name },
            {"title",   k.title},
            {"story",   k.story},
            {"path",    path   },
            {"faults",  faults },
            {"presets", presets}
        });
    }
    const nlohmann::ordered_json all{
        {"warplens", WL_VERSION},
        {"verb",     "kernels" },
        {"kernels",  list      }
    };
    print_text(command.output.json ? json_text(all) + "\n" : text);
    return kExitOk;
}

}  // namespace wl::app
