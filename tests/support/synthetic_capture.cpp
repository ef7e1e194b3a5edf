// Float arithmetic of the kernel beside its double reference, and the events that its stores would leave.
#include "tests/support/synthetic_capture.h"

#include "tests/support/synthetic_attention.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace wl::testing {
namespace {

using namespace capture;

// 2^-16 of the largest reference: far above the noise of float, far below the fault.
std::vector<float> bounds(const Matrix<double>& reference) {
    double largest = 0;
    for (const double x : reference.data) largest = std::max(largest, std::fabs(x));
    return std::vector<float>(reference.data.size(), static_cast<float>(std::ldexp(largest, -16)));
}

void judge(Tile& tile, const std::vector<double>& got, const std::vector<double>& reference, double bound) {
    tile.min = *std::min_element(got.begin(), got.end());
    tile.max = *std::max_element(got.begin(), got.end());
    tile.compared = static_cast<int64_t>(got.size());
    for (size_t i = 0; i < got.size(); ++i) {
        const double difference = std::fabs(got[i] - reference[i]);
        tile.max_difference = std::max(tile.max_difference, difference);
        tile.max_excess = std::max(tile.max_excess, difference / bound);
        if (difference <= bound) continue;
        if (tile.bad++ == 0) {
            tile.first_bad_row = static_cast<int>(i) / tile.cols;
            tile.first_bad_col = static_cast<int>(i) % tile.cols;
        }
    }
    tile.verdict = tile.bad > 0 ? Verdict::bad : Verdict::ok;
}

// The emulator's view of the recorded block: clocks, epochs and the events of its stores.
struct Recorder {
    BlockRecord record;
    std::array<uint32_t, kWarps> clock{};
    uint16_t epoch = 0;

    Event& add(EventKind kind, int warp, SiteIndex site) {
        Event& event = record.events.emplace_back();
        event.kind = kind;
        event.warp = static_cast<uint8_t>(warp);
        event.lane = 255;
        event.time = ++clock[static_cast<size_t>(warp)];
        event.site = site;
        event.epoch = epoch;
        return event;
    }
    void join() { clock.fill(*std::max_element(clock.begin(), clock.end())); }

    void enter_stage(uint64_t stage) {
        for (int warp = 0; warp < kWarps; ++warp) add(EventKind::stage, warp, stage_mark).value = stage;
    }
    void block_barrier() {
        for (int warp = 0; warp < kWarps; ++warp) add(EventKind::barrier_arrive, warp, barrier);
        join();
        ++epoch;
        for (int warp = 0; warp < kWarps; ++warp) {
            Event& event = add(EventKind::barrier_release, warp, barrier);
            event.time = --clock[static_cast<size_t>(warp)];
        }
    }
    // Every warp stores its 8 rows, 32 lanes an instruction, after computing for a while.
    void store(const ProbeRow& probe, const Matrix<float>& values, SiteIndex site) {
        for (int warp = 0; warp < kWarps; ++warp) {
            clock[static_cast<size_t>(warp)] += static_cast<uint32_t>(40 + 3 * warp);
            for (int row = warp * kRowsOfWarp; row < (warp + 1) * kRowsOfWarp; ++row)
                for (int first = 0; first < values.cols; first += 32)
                    store_lanes(probe, values, {warp, row, first, site});
        }
    }
    struct Instruction {
        int warp, row, first_col;
        SiteIndex site;
    };
    void store_lanes(const ProbeRow& probe, const Matrix<float>& values, Instruction at) {
        const uint32_t time = ++clock[static_cast<size_t>(at.warp)];
        for (int col = at.first_col; col < std::min(values.cols, at.first_col + 32); ++col) {
            Event& event = record.events.emplace_back();
            event.address = probe.address + 4 * static_cast<uint64_t>(at.row * probe.ld + col);
            event.value = std::bit_cast<uint32_t>(values(at.row, col));
            event.time = time;
            event.site = at.site;
            event.epoch = epoch;
            event.warp = static_cast<uint8_t>(at.warp);
            event.lane = static_cast<uint8_t>(col % 32);
            event.bytes = 4;
        }
    }
    uint64_t mark(int probe, int iteration) {
        for (int warp = 0; warp < kWarps; ++warp) {
            Event& event = add(EventKind::tile, warp, tile_mark);
            event.value = static_cast<uint64_t>(probe);
            event.address = static_cast<uint64_t>(iteration);
        }
        join();
        return clock[0];
    }
};

struct Mark {
    ProbeIndex probe;
    SiteIndex site;
    int iteration;
};

std::vector<Owner> owners_of(const ProbeRow& row, uint16_t epoch, uint32_t site) {
    std::vector<Owner> owners;
    for (int i = 0; i < row.rows; ++i)
        for (int j = 0; j < row.cols; ++j)
            owners.push_back(
                {static_cast<uint8_t>(i / kRowsOfWarp), static_cast<uint8_t>(j % 32), epoch, site}
            );
    return owners;
}

void add_tile(
    Capture& capture,
    Recorder& recorder,
    Mark mark,
    const Attention<float>& got,
    const Attention<double>& truth
) {
    const ProbeRow& row = kProbes[static_cast<size_t>(mark.probe)];
    const Matrix<float>& values = tensor(got, mark.probe);
    const Matrix<double>& reference = tensor(truth, mark.probe);
    const std::vector<float> bound = bounds(reference);
    recorder.store(row, values, mark.site);
    Tile tile;
    tile.probe = mark.probe;
    tile.iteration = mark.iteration;
    tile.rows = row.rows;
    tile.cols = row.cols;
    tile.time = recorder.mark(mark.probe, mark.iteration);
    tile.address = row.address;
    tile.ld = row.ld;
    tile.values = add_blob(capture.blobs, values.data);
    tile.reference = add_blob(capture.blobs, reference.data);
    tile.bound = add_blob(capture.blobs, bound);
    tile.owner = add_blob(capture.blobs, owners_of(row, recorder.epoch, mark.site));
    judge(tile, {values.data.begin(), values.data.end()}, reference.data, bound[0]);
    capture.tiles.push_back(tile);
}

void run_recorded_block(Capture& capture, Attention<float>& got, Attention<double>& truth) {
    Recorder recorder;
    recorder.record.warps = kWarps;
    recorder.store(kProbes[o_accum], got.o, store_o);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        got.iterate(iteration);
        truth.iterate(iteration);
        const auto tile = [&](ProbeIndex probe, SiteIndex site) {
            add_tile(capture, recorder, {probe, site, iteration}, got, truth);
        };
        recorder.enter_stage(0);
        tile(scores, store_scores);
        recorder.block_barrier();
        recorder.enter_stage(1);
        tile(masked, store_masked);
        tile(m, store_m);
        tile(alpha, store_alpha);
        tile(p, store_p);
        tile(l, store_l);
        recorder.block_barrier();
        recorder.enter_stage(2);
        tile(o_accum, store_o);
        recorder.block_barrier();
    }
    recorder.enter_stage(3);
    for (int warp = 0; warp < kWarps; ++warp) recorder.add(EventKind::exit, warp, exit_site);
    capture.records.push_back(std::move(recorder.record));
}

// Block 0's rows, once for each block.
void add_output(Capture& capture, const Attention<float>& got, const Attention<double>& truth) {
    std::vector<uint16_t> halves;
    std::vector<double> values, reference;
    for (int row = 0; row < kBlocks * kRows; ++row)
        for (int d = 0; d < kDim; ++d) {
            const int r = row % kRows;
            uint16_t half = 0;
            from_double(DType::f16, static_cast<double>(got.o(r, d) / got.l(r, 0)), &half);
            halves.push_back(half);
            values.push_back(to_double(DType::f16, &half));
            reference.push_back(truth.o(r, d) / truth.l(r, 0));
        }
    Tile tile;
    tile.probe = o_output;
    tile.block = kWholeLaunch;
    tile.rows = kBlocks * kRows;
    tile.cols = kDim;
    tile.address = kProbes[o_output].address;
    tile.ld = kDim;
    tile.values = add_blob(capture.blobs, halves);
    tile.reference = add_blob(capture.blobs, reference);
    tile.bound = add_blob(capture.blobs, std::vector<float>(values.size(), 1.0F / 1024));
    judge(tile, values, reference, 1.0 / 1024);

    Output out;
    out.name = "O";
    out.tile = static_cast<int>(capture.tiles.size());
    out.shape = {1, 8, 512, 64};
    out.max_difference = tile.max_difference;
    out.bound = 1.0 / 1024;
    out.min = tile.min;
    out.max = tile.max;
    out.reference_min = *std::min_element(reference.begin(), reference.end());
    out.reference_max = *std::max_element(reference.begin(), reference.end());
    out.verdict = tile.verdict;
    capture.tiles.push_back(tile);
    capture.outputs.push_back(std::move(out));
}

// The recorded block keeps its elements, the others its verdicts; ordered by (block, time).
void spread_over_blocks(Capture& capture, int64_t recorded_block) {
    const std::vector<Tile> recorded = capture.tiles;
    capture.tiles.clear();
    for (int64_t block = 0; block < kBlocks; ++block)
        for (Tile tile : recorded) {
            tile.block = block;
            if (block != recorded_block) tile.values = tile.reference = tile.bound = tile.owner = kNoBlob;
            capture.tiles.push_back(tile);
        }
}

void add_findings(Capture& capture, int64_t block) {
    Finding cause;
    cause.rule = "constant_factor";
    cause.title = "l is 32x the reference: a warp reduction over a value that all 32 lanes already held";
    cause.explanation =
        "Line 21 lets every lane sum the whole row, so all 32 lanes hold the same l_add. warp_reduce_sum "
        "then adds "
        "these 32 equal values. Remove the call at line 22, or let each lane sum only its own keys.";
    cause.where.file = cause.other.file = "attention.cu";
    cause.where.line = 22;
    cause.where.tile = cause.other.tile = "l";
    cause.where.element[0] = cause.where.element[1] = 0;
    cause.where.block = cause.other.block = block;
    cause.where.warp = cause.other.warp = 0;
    cause.where.lanes = "0-31";
    cause.where.iteration = 0;
    cause.where.epoch = 1;
    cause.other.line = 23;
    cause.proof = "dividing l by 32 brings every tile inside its bound (0 of 64 elements left)";
    cause.evidence_kind = EvidenceKind::proven;
    cause.evidence = {
        {"ratio",  32.0  },
        {"spread", 1.5e-7}
    };
    cause.count = kBlocks * kIterations;
    Finding consequence;
    consequence.rule = "constant_factor";
    consequence.title = "O is the reference divided by 32";
    consequence.explanation = "The output divides O_accum by l, and l is 32 times too large.";
    consequence.where.file = "attention.cu";
    consequence.where.line = 31;
    consequence.where.tile = "O";
    consequence.where.block = block;
    consequence.evidence = {
        {"ratio", 1.0 / 32}
    };
    consequence.caused_by = 0;
    capture.findings = {cause, consequence};
}

Capture frame() {
    Capture capture;
    capture.tool_version = "0.1.0";
    capture.created = "2025-10-14T12:00:00Z";
    capture.launch.kernel = capture.launch.entry = "attention";
    capture.launch.faults = {"32x"};
    capture.launch.params = {
        {"B", 1  },
        {"H", 8  },
        {"S", 512},
        {"D", 64 }
    };
    capture.launch.grid = {8, 8, 1};
    capture.launch.block = {32 * kWarps, 1, 1};
    capture.launch.dynamic_shared = kShared;
    capture.launch.arch = "compute_90";
    capture.launch.build = "optimised";
    capture.launch.executor = "emulator";
    capture.launch.inputs = "normal";
    capture.sources = {
        {"attention.cu", kSourceText}
    };
    for (const SiteRow& site : kSites)
        capture.sites.push_back({0, site.line, 5, site.inlined_at, site.function, site.text});
    capture.ptx = ".version 9.0\n.target sm_90\n.visible .entry attention() { ret; }\n";
    capture.stages = {"scores", "softmax", "PV", "output"};
    for (const ProbeRow& row : kProbes) {
        const auto step = static_cast<int>(capture.probes.size());
        capture.probes.push_back(
            {row.name,
             ProbeKind::tile,
             DType::f32,
             row.rows,
             row.cols,
             step,
             tile_mark,
             "shared",
             row.reference}
        );
    }
    capture.probes[o_output].kind = ProbeKind::output;
    capture.probes[o_output].dtype = DType::f16;
    capture.probes[o_output].site = -1;
    capture.probes[o_output].memory = "global";
    capture.covered = {
        kBlocks, kBlocks, {"races",      "uninitialised", "bounds", "barriers", "reference"},
          1, {},
          {}
    };
    capture.seconds = {
        {"compile", 0.07},
        {"run",     0.31},
        {"compare", 0.02}
    };
    capture.counters = {
        {"warp_instructions", 41'000'000}
    };
    capture.verdict = "findings";
    return capture;
}

}  // namespace

Capture synthetic_capture(int64_t recorded_block) {
    Capture capture = frame();
    Attention<float> got = attention<float>(kFault);
    Attention<double> truth = attention<double>(1);
    run_recorded_block(capture, got, truth);
    spread_over_blocks(capture, recorded_block);
    capture.records[0].block = recorded_block;
    add_output(capture, got, truth);
    add_findings(capture, recorded_block);
    capture.notes = {"made without running a kernel"};
    return capture;
}

Capture synthetic_tiles(size_t bytes) {
    Capture capture = frame();
    constexpr size_t kTileBytes = size_t{4} * kRows * kKeys;
    const size_t tiles = bytes / kTileBytes;
    capture.launch.grid = {static_cast<uint32_t>(tiles / kIterations + 1), 1, 1};
    for (size_t i = 0; i < tiles; ++i) {
        Tile tile;
        tile.block = static_cast<int64_t>(i / kIterations);
        tile.iteration = static_cast<int>(i % kIterations);
        tile.rows = kRows;
        tile.cols = kKeys;
        tile.values = add_blob(capture.blobs, normal<float>(kRows, kKeys, static_cast<unsigned>(i)).data);
        capture.tiles.push_back(tile);
    }
    return capture;
}

}  // namespace wl::testing
