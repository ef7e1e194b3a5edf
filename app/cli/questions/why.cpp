// The verb: a capture, or a kernel that is run for one; its block once more; the chain.
#include "app/cli/questions/why.h"

#include "app/cli/executors.h"
#include "app/cli/progress.h"
#include "app/cli/questions/again.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/diagnosis/sequence.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

namespace wl::app {

namespace {

std::pair<int, int> parse_element(const std::string& text) {
    if (text.empty()) return {-1, -1};
    int row = 0, col = 0;
    const char *begin = text.data(), *end = begin + text.size();
    const auto first = std::from_chars(begin, end, row);
    const bool pair = first.ec == std::errc() && first.ptr != end && *first.ptr == ',';
    const auto second = pair ? std::from_chars(first.ptr + 1, end, col) : first;
    if (!pair || second.ec != std::errc() || second.ptr != end || row < 0 || col < 0)
        throw Error("--element " + text + ": write ROW,COLUMN, for example 0,0");
    return {row, col};
}

capture::Capture capture_of(const Command& command) {
    if (is_capture(command.kernel.kernel)) return capture::read_capture(command.kernel.kernel);
    require_emulator(command.verb, command.kernel);
    manifest::Problem problem = bind(command.kernel);
    diagnosis::Options options = run_options(command.kernel);
    if (!command.why.block.empty()) options.record.push_back(block_of_launch(command.why.block, problem));
    options.diagnose = false;
    options.on_progress = progress_reporter(command.output);
    return diagnosis::run(std::move(problem), options);
}

// The block prepared to be run again; once.
Trip& trip_of(Inquiry& inquiry, int64_t block) {
    std::unique_ptr<Trip>& trip = inquiry.trips[block];
    if (trip) return *trip;
    AtOptions at;
    at.build = inquiry.capture.launch.build;
    at.block = block_words(block, inquiry.capture.launch.grid);
    trip = make_trip(inquiry.command, at, &inquiry.capture);
    return *trip;
}

// A block that was asked for and is not recorded: the kernel runs once more.
void record_too(Inquiry& inquiry, int64_t block) {
    const capture::Capture& known = inquiry.capture;
    const bool recorded =
        std::any_of(known.records.begin(), known.records.end(), [&](const capture::BlockRecord& r) {
            return r.block == block;
        });
    if (recorded) return;
    KernelOptions kernel = inquiry.command.kernel;
    if (is_capture(kernel.kernel)) kernel = options_of(known, kernel);
    if (known.launch.all > 1) kernel.launch = std::to_string(known.launch.number);
    diagnosis::Options options = run_options(kernel);
    options.record = {block}, options.diagnose = false;
    for (const capture::BlockRecord& r : known.records) options.record.push_back(r.block);
    options.debug = known.launch.build == "debug";
    options.on_progress = progress_reporter(inquiry.command.output);
    capture::Capture again = diagnosis::run(bind(kernel), options);
    for (capture::Source& s : again.sources)
        for (const capture::Source& was : known.sources)
            if (s.text.empty() && s.path == was.path) s.text = was.text;
    // What it was made of, by which the kernel is known again: the manifest's text.
    for (const capture::Source& was : known.sources)
        if (std::none_of(again.sources.begin(), again.sources.end(), [&](const capture::Source& s) {
                return s.path == was.path;
            }))
            again.sources.push_back(was);
    inquiry.capture = std::move(again);
}

// What the reference reads is found by asking it again.
std::string reference_note(const Trip& trip) {
    const manifest::ReferenceRule& rule = trip.experiment.problem.kernel.reference;
    if (!trip.carried || rule.target.empty() || rule.kind == manifest::ReferenceRule::Kind::builtin)
        return "";
    return fmt::format(
        "the reference, {}, was not asked which inputs it reads: a file names it, so it does not run unless "
        "--trust is added",
        rule.target
    );
}

}  // namespace

std::unique_ptr<Inquiry> begin_inquiry(const Command& command) {
    auto inquiry = std::make_unique<Inquiry>(Inquiry{command, capture_of(command), {}});
    if (!inquiry->capture.unsupported.empty()) throw Unsupported(inquiry->capture.unsupported.front());
    return inquiry;
}

WhyReport why(Inquiry& inquiry, const WhyOptions& o) {
    if (o.tile.empty()) throw Error("--tile is missing: name the tile or the output of the element");
    diagnosis::Question q;
    q.name = o.tile;
    std::tie(q.row, q.col) = parse_element(o.element);
    q.iteration = o.iteration, q.warp = o.warp;
    if (!o.block.empty()) q.block = parse_block(o.block, inquiry.capture.launch.grid);
    const Trip& any = trip_of(inquiry, q.block >= 0 ? q.block : recorded_block(inquiry.capture));
    const auto argument = emulator::allocation_named(*any.route.traveller, q.name);
    const uint64_t address = argument ? argument->first : 0;
    if (q.block < 0) {
        const auto element = diagnosis::unrecorded_element(inquiry.capture, q, address);
        const auto block =
            element ? diagnosis::block_that_writes(any.experiment, q.name, *element) : std::nullopt;
        if (block) q.block = *block;
    }
    if (q.block >= 0) record_too(inquiry, q.block);
    const capture::Capture& c = inquiry.capture;
    const diagnosis::Asked asked = diagnosis::resolve(c, q, address);
    Trip& trip = trip_of(inquiry, asked.block);
    const diagnosis::Chain chain{trip.route, c, trip.experiment.problem, o.addresses};
    return {c, asked, o.addresses, diagnosis::provenance(chain, asked), reference_note(trip)};
}

std::string first_wrong_chain(const Command& command, const capture::Capture& c) {
    const int index = analysis::first_bad_tile(c);
    if (index < 0 || c.launch.executor != "emulator") return "";
    const capture::Tile& tile = c.tiles[static_cast<size_t>(index)];
    WhyOptions o;
    o.tile = c.probes[static_cast<size_t>(tile.probe)].name;
    o.element = fmt::format("{},{}", tile.first_bad_row, tile.first_bad_col);
    if (tile.block != capture::kWholeLaunch)
        o.block = block_words(tile.block, c.launch.grid), o.iteration = tile.iteration;
    try {
        Inquiry inquiry{command, c, {}};
        return why_text(why(inquiry, o));
    } catch (const std::exception&) { return ""; }
}

}  // namespace wl::app
