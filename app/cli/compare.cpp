// Two runs that record the same block, or two captures, and what parts them.
#include "app/cli/compare.h"

#include "app/cli/executors.h"
#include "app/cli/progress.h"
#include "app/cli/record/record_words.h"
#include "app/cli/verbs.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/verdict.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::app {

namespace {

capture::Capture run_or_read(
    const Command& c, const std::string& what, const std::vector<std::string>& blocks
) {
    if (is_capture(what)) return capture::read_capture(what);
    KernelOptions options = c.kernel;
    options.kernel = what;
    manifest::Problem problem = bind(options);
    diagnosis::Options run = run_options(options);
    for (const std::string& block : blocks) run.record.push_back(block_of_launch(block, problem));
    const auto report = progress_reporter(c.output);
    run.on_progress = [&](const diagnosis::Progress& p) {
        return report({what + " " + p.stage, p.fraction});
    };
    return diagnosis::run(std::move(problem), run);
}

// "X,Y,Z" of the first wrong tile; empty: none is.
std::string first_bad_block(const capture::Capture& c) {
    const int bad = analysis::first_bad_tile(c);
    if (bad < 0 || c.tiles[static_cast<size_t>(bad)].block == capture::kWholeLaunch) return {};
    return block_words(c.tiles[static_cast<size_t>(bad)].block, c.launch.grid);
}

// A wrong block of one kernel is recorded of the other too: a further run where that has not happened yet.
void record_same_block(const Command& c, Compared& out) {
    if (!c.compare.block.empty()) return;
    const std::string bad_a = first_bad_block(out.a), bad_b = first_bad_block(out.b);
    if (bad_a == bad_b) return;
    if (!bad_b.empty() && bad_b != "0,0,0" && !is_capture(out.name_a))
        out.a = run_or_read(c, out.name_a, {bad_b});
    else if (bad_b.empty() && bad_a != "0,0,0" && !is_capture(out.name_b))
        out.b = run_or_read(c, out.name_b, {bad_a});
}

}  // namespace

bool same_findings(const Compared& c) {
    return std::equal(
        c.a.findings.begin(),
        c.a.findings.end(),
        c.b.findings.begin(),
        c.b.findings.end(),
        [](const capture::Finding& x, const capture::Finding& y) {
            return x.rule == y.rule && x.where.tile == y.where.tile;
        }
    );
}

std::string compare_verdict(const Compared& c) {
    return c.comparison.first || !same_findings(c) ? "findings" : "ok";
}

int verb_compare(const Command& c) {
    require_emulator(c.verb, c.kernel);
    std::vector<std::string> blocks = record_words(c.kernel).blocks;
    if (!c.compare.block.empty()) blocks.push_back(c.compare.block);
    Compared out{c.compare.a, c.compare.b, {}, {}, {}};
    out.a = run_or_read(c, out.name_a, blocks);
    Command second = c;  // of the launch that A is a capture of
    if (out.a.launch.all > 1) second.kernel.launch = std::to_string(out.a.launch.number);
    out.b = run_or_read(second, out.name_b, blocks);
    for (const capture::Capture* side : {&out.a, &out.b})
        if (side->verdict == "unsupported") throw Unsupported(side->unsupported.front());
    record_same_block(c, out);
    out.comparison = analysis::compare_captures(out.a, out.b);
    const std::string text =
        c.output.json ? compare_json(out) + "\n" : compare_text(out, c.compare.all, style_of(c.output));
    print_text(text);
    return capture::status_of(compare_verdict(out));
}

}  // namespace wl::app
