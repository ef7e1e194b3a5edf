#include "instrumentation/diagnosis/kernel_reference.h"

#include "instrumentation/analysis/assembled.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/emulator/observe/part_exited.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace wl::diagnosis {
namespace {

using manifest::BoundArgument;
using manifest::Problem;

Problem bind_like(const Problem& p, const manifest::Kernel& kernel) {
    manifest::BindOptions options;
    options.seed = p.seed, options.inputs = p.inputs;
    for (const auto& given : p.params) {
        const bool has = std::any_of(kernel.params.begin(), kernel.params.end(), [&](const auto& own) {
            return own.first == given.first;
        });
        if (has) options.set.emplace_back(given.first, fmt::format("{}", given.second));
    }
    Problem other = manifest::bind(kernel, options);
    for (BoundArgument& own : other.args) {
        for (const BoundArgument& given : p.args) {
            const bool same = own.array && given.array && own.name == given.name &&
                own.data.dtype == given.data.dtype && own.data.shape == given.data.shape;
            if (same && (!own.output || own.filled) && (!given.output || given.filled)) own.data = given.data;
        }
    }
    return other;
}

std::vector<analysis::Piece> pieces_of(const Problem& p, const capture::Capture& c);

// The outputs, with their elements, and every tile of every launch.
struct Left {
    capture::Capture capture;
    std::vector<analysis::Piece> pieces;
    std::string problem;
};

// The launch that is looked at; its tiles become pieces. Outputs are those that the last one leaves.
void run_launch(const Experiment& e, execution::GlobalMemory& memory, Left& left) {
    const execution::Executable executable = e.options.executor.prepare(e.module, e.entry);
    capture::Capture c;
    Observer observer{.problem = e.problem, .listing = *executable.listing, .keep = true, .capture = c};
    execution::RunOptions run = run_options(e.options, "reference");
    run.checks = {.races = false, .uninitialised = false, .uniform = false};
    run.marks = !e.problem.kernel.tiles.empty();
    run.on_tile = [&](execution::TileSnapshot&& s) { add_tile(observer, std::move(s)); };
    const execution::Launch launch = launch_in(e.problem, entry_of(e.module, e.entry), memory);
    execution::RunResult ran = executable.run(launch, memory, run);
    emulator::drop_part_exited(ran.incidents);
    if (!ran.incidents.empty())
        left.problem = "it comes to grief; `warplens diagnose " +
            manifest::display_path(e.problem.kernel.path) + "` says where";
    if (e.problem.at + 1 == e.problem.launches.size()) compare_outputs(observer, memory);
    finish(observer);
    std::vector<analysis::Piece> pieces = pieces_of(e.problem, c);
    std::move(pieces.begin(), pieces.end(), std::back_inserter(left.pieces));
    left.capture = std::move(c);
}

Left run_kernel(const Problem& p) {
    Left left;
    Options options;
    options.reference = false;
    Experiment e = make_experiment(p, options, left.capture);
    execution::GlobalMemory memory = fresh_memory(p);
    try {
        for (e.problem.at = 0; e.problem.at < e.problem.launches.size() && left.problem.empty();
             ++e.problem.at) {
            e.entry = e.entries[e.problem.at];
            run_launch(e, memory, left);
        }
    } catch (const Unsupported& u) { left.problem = u.what(); }
    return left;
}

std::string name_in_reference(const Problem& p, const std::string& output) {
    const auto rule = p.kernel.outputs.find(output);
    return rule == p.kernel.outputs.end() || rule->second.of.empty() ? output : rule->second.of;
}

std::vector<Tensor> outputs_of(const Problem& p, const capture::Capture& c) {
    std::vector<Tensor> all;
    for (const capture::Output& o : c.outputs) {
        const analysis::TileData data = analysis::load_tile(c, c.tiles[static_cast<size_t>(o.tile)]);
        all.push_back({name_in_reference(p, o.name), data.dtype, o.shape, data.raw});
    }
    return all;
}

std::vector<analysis::Piece> pieces_of(const Problem& p, const capture::Capture& c) {
    std::vector<analysis::Piece> all;
    for (const capture::Tile& t : c.tiles) {
        const capture::Probe& probe = c.probes[static_cast<size_t>(t.probe)];
        const auto rule = p.kernel.tiles.find(probe.name);
        if (t.block == capture::kWholeLaunch || rule == p.kernel.tiles.end() || probe.memory == "register")
            continue;
        const manifest::TileRule& r = rule->second;
        analysis::Piece piece;
        piece.window.tensor = r.of;
        piece.window.at = manifest::window_origin(
            p,
            r,
            from_linear(static_cast<uint64_t>(t.block), manifest::launch_of(p).grid),
            t.warp,
            t.iteration
        );
        piece.window.rows = t.rows, piece.window.cols = t.cols;
        piece.window.row_axis = r.row_axis.value_or(-1), piece.window.col_axis = r.col_axis.value_or(-1);
        piece.value = analysis::load_tile(c, t).got;
        all.push_back(std::move(piece));
    }
    return all;
}

}  // namespace

MadeReference kernel_reference(const Problem& p, const std::string& manifest_path) {
    const Problem other = bind_like(p, manifest::load(manifest_path));
    const std::string name = manifest::display_path(manifest_path);
    const Left left = run_kernel(other);
    if (!left.problem.empty()) return {std::nullopt, "the reference kernel " + name + ": " + left.problem};
    for (const capture::Output& o : left.capture.outputs)
        if (o.of.unwritten > 0)
            return {
                std::nullopt,
                fmt::format(
                    "the reference kernel {} never writes {} elements of {}", name, o.of.unwritten, o.name
                )};
    for (const capture::Output& o : left.capture.outputs)
        if (o.nan > 0)
            return {
                std::nullopt,
                fmt::format("the reference kernel {} leaves {} NaN in {}", name, o.nan, o.name)};
    return {
        analysis::assembled_reference(
            name + ", emulated", outputs_of(other, left.capture), left.pieces, terms_of(p)
        ),
        {}};
}

}  // namespace wl::diagnosis
