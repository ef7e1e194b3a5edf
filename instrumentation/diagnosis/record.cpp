// Blocks are recorded one after the other, so that no more than one lies beyond the limit at any time.
#include "instrumentation/diagnosis/record.h"

#include "instrumentation/base/block_text.h"
#include "instrumentation/diagnosis/early_return.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/sequence.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace wl::diagnosis {

namespace {

// The block's tiles leave the capture.
std::vector<capture::Tile> take_tiles(capture::Capture& c, int64_t block) {
    const auto middle = std::stable_partition(
        c.tiles.begin(), c.tiles.end(), [block](const capture::Tile& t) { return t.block != block; }
    );
    std::vector<capture::Tile> out(middle, c.tiles.end());
    c.tiles.erase(middle, c.tiles.end());
    return out;
}

uint64_t bytes_from(const capture::BlobStore& store, size_t first) {
    uint64_t sum = 0;
    for (size_t id = first; id < store.blobs.size(); ++id) sum += store.blobs[id].size();
    return sum;
}

std::string dropped_text(const Experiment& e, int64_t block, uint64_t events, bool elements_stay) {
    return fmt::format(
        "block {} was not recorded{}: its {} events and its tiles go beyond the limit of {}; "
        "--record-limit raises it, `warplens estimate` says what is needed",
        block_text(block, manifest::launch_of(e.problem).grid),
        elements_stay ? " but for its tiles" : "",
        events,
        bytes_text(e.options.record_bytes)
    );
}

}  // namespace

std::string bytes_text(uint64_t bytes) {
    const auto x = static_cast<double>(bytes);
    if (bytes < 1000) return fmt::format("{} B", bytes);
    if (bytes < 1'000'000) return fmt::format("{:.1f} kB", x / 1e3);
    if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", x / 1e6);
    return fmt::format("{:.2f} GB", x / 1e9);
}

std::vector<execution::Incident> record_blocks(
    const Experiment& e,
    const execution::Executable& executable,
    Observer& observer,
    const std::vector<int64_t>& blocks
) {
    capture::Capture& c = observer.capture;
    std::vector<execution::Incident> incidents;
    Prepared prepared = prepare(e);
    const uint64_t limit = e.options.record_bytes;
    uint64_t used = 0;
    observer.keep = true;
    if (e.options.recording.barriers)
        observer.arrays = arrays_of(e.module, *executable.listing, prepared.launch.dynamic_shared);
    for (const int64_t block : blocks) {
        std::vector<capture::Tile> summaries = take_tiles(c, block);
        const size_t first_blob = c.blobs.blobs.size();
        // Each block finds the memory from before the launch.
        if (block != blocks.front()) prepared = prepare(e);
        execution::RunOptions options = run_options(e.options, "record");
        options.blocks = {block}, options.record = true;
        options.recording = e.options.recording, options.arrays = observer.arrays;
        options.checks.races = false;  // looked for in the first pass, which knows what fences order
        options.max_events = (limit - used) / sizeof(capture::Event);
        options.on_tile = [&](execution::TileSnapshot&& s) {
            if (s.block == block) add_tile(observer, std::move(s));
        };
        execution::RunResult result = executable.run(prepared.launch, prepared.memory, options);
        if (result.cancelled) throw_cancelled();
        drop_part_exited(e, result.incidents);
        std::move(result.incidents.begin(), result.incidents.end(), std::back_inserter(incidents));
        c.stages = std::move(result.stages);
        for (const std::string& note : result.notes)
            if (std::find(c.notes.begin(), c.notes.end(), note) == c.notes.end()) c.notes.push_back(note);
        const uint64_t elements = bytes_from(c.blobs, first_blob),
                       bytes = result.events.at(0) * sizeof(capture::Event) + elements;
        if (bytes <= limit - used) {
            used += bytes;
            c.records.push_back(std::move(result.records.at(0)));
            continue;
        }
        const bool elements_stay = block == blocks.front();
        c.notes.push_back(dropped_text(e, block, result.events[0], elements_stay));
        if (elements_stay) {
            used = std::min(limit, used + elements);
            continue;
        }
        take_tiles(c, block);
        c.tiles.insert(c.tiles.end(), summaries.begin(), summaries.end());
        capture::drop_blobs(c.blobs, static_cast<capture::BlobId>(first_blob));
    }
    std::sort(c.records.begin(), c.records.end(), [](const auto& a, const auto& b) {
        return a.block < b.block;
    });
    finish(observer);
    name_probes(observer, c.records);
    return incidents;
}

}  // namespace wl::diagnosis
