// One run that only counts, and one block recorded for what it takes in a file.
#include "instrumentation/diagnosis/estimate.h"

#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/diagnosis/assemble.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/record.h"
#include "instrumentation/diagnosis/sequence.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace wl::diagnosis {

namespace {

bool is_compared(const Experiment& e, const Options& asked) {
    return asked.reference && e.problem.kernel.reference.kind != manifest::ReferenceRule::Kind::none;
}

// FP64 reference and f32 bound of a tile that the manifest names a reference for.
uint64_t reference_bytes(const Experiment& e, const std::string& name, const execution::TileSnapshot& s) {
    if (!e.problem.kernel.tiles.contains(name)) return 0;
    return static_cast<uint64_t>(s.rows) * static_cast<uint64_t>(s.cols) * (sizeof(double) + sizeof(float));
}

std::vector<BlockSize> count_events(
    const Experiment& e,
    const execution::Executable& executable,
    const std::vector<int64_t>& blocks,
    bool compared
) {
    Prepared prepared = prepare(e);
    std::map<int64_t, BlockSize> sizes;
    std::mutex lock;
    execution::RunOptions options = run_options(e.options, "estimate");
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    options.blocks = blocks, options.record = true, options.max_events = 0;
    options.recording = e.options.recording;
    if (options.recording.barriers)
        options.arrays = arrays_of(e.module, *executable.listing, prepared.launch.dynamic_shared);
    options.on_tile = [&](execution::TileSnapshot&& s) {
        const ptx::Mark& mark = mark_of(*executable.listing, options.arrays, s.mark);
        const uint64_t references = compared ? reference_bytes(e, mark.name, s) : 0;
        const std::scoped_lock guard(lock);
        BlockSize& size = sizes[s.block];
        ++size.tiles;
        size.reference_bytes += references;
        size.tile_bytes += s.values.size() + s.owners.size() * sizeof(capture::Owner) + references;
    };
    const execution::RunResult result = executable.run(prepared.launch, prepared.memory, options);
    if (result.cancelled) throw_cancelled();
    for (size_t k = 0; k < result.records.size(); ++k)
        sizes[result.records[k].block].events = result.events[k];
    std::vector<BlockSize> out;
    out.reserve(blocks.size());
    for (const int64_t block : blocks) {
        out.push_back(sizes[block]);
        out.back().block = block;
    }
    return out;
}

// Elements, and of what is compared FP64 references and f32 bounds.
uint64_t output_bytes(const Experiment& e, bool compared) {
    uint64_t sum = 0;
    for (const manifest::BoundArgument& a : e.problem.args)
        if (a.array && a.output)
            sum += elements(a.data.shape) *
                (size_of(a.data.dtype) + (compared ? sizeof(double) + sizeof(float) : 0));
    return sum;
}

// What a file takes for a recorded block without references, beyond a file without it, and for the row of a
// tile of another block.
struct Sample {
    uint64_t block = 0;
    double row = 0;
};
Sample sample_file(
    const Experiment& e, const execution::Executable& executable, capture::Capture c, int64_t block
) {
    const uint64_t before = capture::encode(c, "the estimate").size();
    Experiment sample = e;
    sample.options.record_bytes = ~uint64_t{0};
    Observer observer{.problem = sample.problem, .listing = *executable.listing, .keep = true, .capture = c};
    record_blocks(sample, executable, observer, {block});
    const uint64_t after = capture::encode(c, "the estimate").size();
    Sample out{after - before, 0};
    if (c.tiles.empty()) return out;
    constexpr size_t kRows = 1000;
    capture::Tile row = c.tiles.front();
    row.values = row.reference = row.bound = row.owner = capture::kNoBlob;
    c.tiles.insert(c.tiles.end(), kRows, row);
    out.row = static_cast<double>(capture::encode(c, "the estimate").size() - after) / kRows;
    return out;
}

}  // namespace

Estimate estimate(manifest::Problem problem, const Options& options, const std::vector<int64_t>& blocks) {
    Estimate out;
    Options plain = options;
    plain.reference = false;
    const Experiment e = make_experiment(std::move(problem), plain, out.about);
    const bool compared = is_compared(e, options);
    if (!options.executor.can.record) throw Error(options.executor.name + " records no events");
    const execution::Executable executable = options.executor.prepare(e.module, e.entry);
    describe_launch(e, executable, out.about);
    out.blocks = count_events(e, executable, blocks, compared);
    out.limit = options.record_bytes;
    uint64_t kept = 0;
    for (const BlockSize& b : out.blocks) {
        out.bytes += b.bytes();
        if (out.bytes > out.limit || out.fitting != static_cast<size_t>(&b - out.blocks.data())) continue;
        ++out.fitting;
        kept = out.bytes;
    }
    if (out.fitting == 0) kept = out.blocks.front().tile_bytes;
    const Sample sample = sample_file(e, executable, out.about, blocks.front());
    const BlockSize& block = out.blocks.front();
    const auto first = static_cast<double>(std::max<uint64_t>(block.bytes(), 1));
    const double ratio = static_cast<double>(sample.block + block.reference_bytes) / first;
    out.record_bytes = static_cast<uint64_t>(ratio * static_cast<double>(kept));
    out.output_bytes = output_bytes(e, compared);
    const Dim3 grid = manifest::launch_of(e.problem).grid;
    const uint64_t others = uint64_t{grid.x} * grid.y * grid.z - std::max<size_t>(out.fitting, 1);
    out.row_bytes =
        static_cast<uint64_t>(sample.row * static_cast<double>(others * out.blocks.front().tiles));
    out.file_bytes = capture::encode(out.about, "the estimate").size() + out.record_bytes + out.output_bytes +
        out.row_bytes;
    return out;
}

}  // namespace wl::diagnosis
