// What one run leaves behind, as one flat value: launch, sources, tiles with their verdicts, events of
// recorded blocks, findings.
#pragma once

#include "instrumentation/base/dim3.h"
#include "instrumentation/base/dtype.h"
#include "instrumentation/capture/evidence.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace wl::capture {

// ---- where things come from
// -------------------------------------------------------------------------------------------------

struct Source {
    std::string path;  // as the compiler was given it, relative to the manifest's folder where possible
    std::string text;  // as it was compiled: the source panel can never show a newer file than was run
    bool operator==(const Source&) const = default;
};

// One instruction of the executed program; events, owners and findings name it by its index in
// Capture::sites.
struct Site {
    int source = -1;  // index in Capture::sources; -1: unknown
    int line = 0;     // 1-based; 0: unknown
    int column = 0;
    int inlined_at = -1;  // site of the call through which this instruction was inlined; -1: none
    std::string function;
    std::string text;  // the PTX instruction
    bool operator==(const Site&) const = default;
};

struct Launch {
    std::string kernel;  // manifest's stem: "v2c_3"
    std::string entry;
    std::vector<std::string> faults;  // named switches the kernel was compiled with
    std::vector<std::pair<std::string, double>> params;
    Dim3 grid, block;
    uint32_t dynamic_shared = 0, static_shared = 0;  // bytes
    std::string arch;                                // "compute_90"
    std::string build;                               // "optimised" | "debug"
    std::string executor;  // "emulator" (values are simulated) | "gpu: <device>" (values were measured)
    std::string inputs;    // "normal", "coordinates", "golden.npz", ...
    uint64_t seed = 0;
    uint64_t schedule_seed = 0;
    std::string name;         // of this launch: "finish"; of repeated ones "step (k=3)"
    int number = 1, all = 1;  // the 2nd of 3 launches
    bool operator==(const Launch&) const = default;
};

// A launch of a sequence, and what came of it. The capture holds tiles and records of one of them.
struct Launched {
    std::string name, entry;
    Dim3 grid, block;
    int64_t blocks = 0;             // that came to their end
    int64_t compared = 0, bad = 0;  // elements of its tiles, and of outputs that it wrote last
    std::string said;               // why it did not run, or not to its end; else empty
    bool operator==(const Launched&) const = default;
};

// ---- tiles
// --------------------------------------------------------------------------------------------------------------------

enum class ProbeKind : uint8_t { tile, warp_tile, fragment, lanes, output };

// One mark of the source (or one output argument): the name under which its tiles are found.
struct Probe {
    std::string name;
    ProbeKind kind = ProbeKind::tile;
    DType dtype = DType::f32;
    int rows = 0, cols = 0;  // of its largest tile
    int step = 0;            // position in kernel time within one iteration: order of first execution
    int site = -1;
    std::string memory;     // "shared", "global", "register"
    std::string reference;  // reference tensor that it is a window of; empty: shown without a reference
    bool operator==(const Probe&) const = default;
};

// undecided: by a limit that is too loose to say right, or a guess that may be too tight to say wrong.
enum class Verdict : uint8_t { ok, bad, not_compared, undecided };

// Last writer of one element, from the recorded run. 8 bytes, stored as it is.
struct Owner {
    static constexpr uint8_t kNobody = 255;
    uint8_t warp = kNobody;  // kNobody: never written since the block started
    uint8_t lane = 0;
    uint16_t epoch = 0;  // block barriers passed before the write
    uint32_t site = 0;
    bool operator==(const Owner&) const = default;
};
static_assert(sizeof(Owner) == 8);

using BlobId = int64_t;
constexpr BlobId kNoBlob = 0;
constexpr int64_t kWholeLaunch = -1;

// One matrix at one instant. Every tile of every block has its verdict; only tiles of recorded blocks keep
// their elements.
struct Tile {
    int probe = 0;
    int64_t block = 0;  // linear block index; kWholeLaunch for outputs
    int warp = -1;      // -1: the block's
    int iteration = 0;  // how often this block (or warp) executed this mark before
    int rows = 0, cols = 0;
    uint64_t time = 0;           // kernel time of the block: its clock when the mark was taken
    uint64_t address = 0;        // of element (0, 0); shared: offset in the block's window, global: device
    int ld = 0;                  // elements from one row to the next in memory; 0: no memory (registers)
    BlobId values = kNoBlob;     // rows * cols elements of the probe's dtype, row-major, no padding
    BlobId reference = kNoBlob;  // rows * cols f64; NaN where not compared
    BlobId bound = kNoBlob;      // rows * cols f32: limit for |got - reference|
    BlobId owner = kNoBlob;      // rows * cols Owner
    double min = 0, max = 0;     // over finite elements
    int64_t nan = 0, inf = 0;
    Verdict verdict = Verdict::not_compared;
    bool estimated_bound = false;
    int64_t compared = 0, bad = 0;  // elements; bad: outside the bound, or NaN where the reference is not
    double max_difference = 0;      // max |got - reference| over compared finite elements
    double max_excess = 0;          // max |got - reference| / bound
    int first_bad_row = -1, first_bad_col = -1;
    bool operator==(const Tile&) const = default;
};

// ---- events of recorded blocks
// ----------------------------------------------------------------------------------------------

enum class EventKind : uint8_t {
    shared_write,  // address, bytes, value
    global_write,
    barrier_arrive,  // address: barrier id
    barrier_release,
    syncwarp,
    copy_commit,  // cp.async.commit_group
    copy_wait,    // cp.async.wait_group
    stage,        // value: index in Capture::stages
    tile,         // value: index of the probe, address: iteration
    exit,
};

// Fixed size, stored as it is (numpy reads it with Capture::event_dtype). A vector access of 16 bytes is two
// events. Events lie in the order of execution; `time` is the warp's clock: instructions issued by the warp,
// joined to the latest of all warps at every block barrier and every block mark, so that warps which the
// emulator ran one after the other stand side by side, and what a warp does after a mark has a later time.
struct Event {
    uint64_t address = 0;  // shared: offset in the block's window; global: device address
    uint64_t value = 0;    // the bytes written, little endian
    uint32_t time = 0;
    uint32_t site = 0;
    uint16_t epoch = 0;
    uint8_t warp = 0;
    uint8_t lane = 0;  // 255: the whole warp
    EventKind kind = EventKind::shared_write;
    uint8_t bytes = 0;  // 1, 2, 4 or 8 for accesses
    uint16_t reserved = 0;
    bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 32);
constexpr const char* kEventDtype =
    "[('address','<u8'),('value','<u8'),('time','<u4'),('site','<u4'),('epoch','<u2'),('warp','u1'),('lane','"
    "u1'),('kind','u1'),('bytes','u1'),('reserved','<u2')]";

// A block that was run with everything recorded.
struct BlockRecord {
    int64_t block = 0;
    int warps = 0;
    std::vector<Event> events;  // in order of execution
    bool truncated = false;     // the cap on events was reached: what follows is missing
    bool operator==(const BlockRecord&) const = default;
};

// ---- findings
// -------------------------------------------------------------------------------------------------------------------

struct Where {
    std::string file;
    int line = 0;
    std::string tile;  // probe name; empty: none
    int element[2] = {-1, -1};
    int64_t block = -1;  // linear
    int warp = -1;
    std::string lanes;  // "0-31", "3,7"
    int iteration = -1;
    int epoch = -1;
    int launch = 0;  // of a sequence, from 1; 0: the capture's own
    bool operator==(const Where&) const = default;
};

// A fault of the kernel under test, with what it rests on (cli.md lists the rule names).
struct Finding {
    std::string rule;
    std::string title;
    std::string explanation;  // two or three sentences a colleague would write, with the mending
    std::string pattern;  // which elements are wrong: "columns 512 and up in every row"; empty: none named
    Where where;
    Where other;  // second access of a race, last writer of a bad value; line 0: none
    EvidenceKind evidence_kind = EvidenceKind::witness;
    std::string proof;  // what was seen, fitted or run, and what it showed
    std::vector<std::pair<std::string, double>> evidence;
    int caused_by = -1;  // index of the finding whose consequence this is
    uint64_t count = 1;  // occurrences of the same cause
    bool operator==(const Finding&) const = default;
};
inline bool is_proven(const Finding& f) { return f.evidence_kind == EvidenceKind::proven; }

// ---- the whole
// ------------------------------------------------------------------------------------------------------------------

// What decides whether an element is right.
enum class Limit : uint8_t {
    none,        // nothing was compared
    worst_case,  // derived, whatever the roundings are
    probable,    // derived for roundings that are independent, and exceeded at kFailure at most
    estimated,   // derived from a guess of the sum of absolute terms
    tolerance,   // the manifest's
    exact,       // integers
};
constexpr double kFailure = 1e-6;  // of an output's probable limits: that any element is outside by chance

// What an output's verdict rests on: how much of it was compared, and by which limit. Text, JSON, the window
// and the acceptance table read it; nobody counts again.
struct Compared {
    int64_t elements = 0, compared = 0;
    int64_t unknown = 0;    // their reference is NaN: not compared
    int64_t unwritten = 0;  // nobody stored to them, and they had no fill
    Limit limit = Limit::none;
    double worst_case = 0, probable = 0;  // the largest of all elements; 0: not derived
    double typical = 0;                   // median of |reference| over elements that are not zero; 0: all are
    double share = 0;    // median limit before the output's own format rounds, over `typical`
    bool wanted = true;  // false: the manifest or the command line leaves it out
    bool operator==(const Compared&) const = default;
};

struct Output {
    std::string name;
    int tile = -1;  // its Tile; shape is the argument's
    std::vector<int64_t> shape;
    double max_difference = 0,
           bound = 0;  // bound: the largest limit of an element, by the limit that decided
    int64_t nan = 0;
    double min = 0, max = 0, reference_min = 0, reference_max = 0;
    Verdict verdict = Verdict::not_compared;
    Compared of;
    std::string note;  // why it was not compared, or not decided
    bool operator==(const Output&) const = default;
};

struct Covered {
    int64_t blocks = 0, blocks_compared = 0;
    std::vector<std::string> checks;  // "races", "uninitialised", "bounds", "barriers", "reference"
    int schedules = 1;
    std::string reference_problem;     // why the reference that the manifest asks for could not be had
    std::vector<std::string> assumed;  // of the manifest, made up by init and not yet checked by anyone
    bool operator==(const Covered&) const = default;
};

class StoredBlobs;  // stored.h

// Blob contents by id; equal contents share one id. Id 0 is "none".
struct BlobStore {
    std::vector<std::vector<std::byte>> blobs{1};  // empty where the content is in `stored`
    std::multimap<uint64_t, BlobId> by_hash;       // XXH3 of the contents that are here
    std::shared_ptr<StoredBlobs>
        stored;  // of a capture that was opened: read when asked for; copies share it
    bool operator==(const BlobStore& other) const;
};
// Throws Error where the file of an opened capture is damaged. May be called by several threads.
const std::vector<std::byte>& content_of(const BlobStore& store, BlobId id);
bool is_at_hand(const BlobStore& store, BlobId id);  // nothing has to be read for it
uint64_t bytes_at_hand(const BlobStore& store);      // in memory
BlobId add_blob(BlobStore& store, std::vector<std::byte> bytes);
// Forgets the blobs from `first` on: those that were added last.
void drop_blobs(BlobStore& store, BlobId first);
uint64_t content_hash(std::span<const std::byte> bytes);

template <class T>
BlobId add_blob(BlobStore& store, const std::vector<T>& elements) {
    const auto bytes = std::as_bytes(std::span(elements));
    return add_blob(store, std::vector<std::byte>(bytes.begin(), bytes.end()));
}

struct Capture {
    std::string tool_version, created;  // created: ISO 8601, UTC
    Launch launch;
    std::vector<Launched> launches;  // of a sequence, in order; else empty
    std::vector<Source> sources;
    std::vector<Site> sites;  // index = instruction index of the executed function
    std::string ptx;
    std::vector<std::string> stages;  // WL_STAGE names
    std::vector<Probe> probes;        // in kernel-time order (step)
    std::vector<Tile> tiles;          // ordered by (block, time)
    std::vector<Output> outputs;
    std::vector<BlockRecord> records;
    std::vector<Finding> findings;
    std::vector<std::string> unsupported;
    Covered covered;
    std::vector<std::pair<std::string, double>> seconds;  // "compile", "run", "compare", "record", "diagnose"
    std::vector<std::pair<std::string, double>> counters;  // "warp_instructions", ...
    std::vector<std::string> notes;  // what a reader must know: dropped tiles, reference missing and why
    std::string verdict;             // one of kVerdictWords (verdict.h)
    BlobStore blobs;
    bool complete = true;  // false: the writer did not finish; what is here was recovered
    bool operator==(const Capture&) const = default;
};

// Of the launch that a place lies in.
inline Dim3 grid_of(const Capture& c, const Where& w) {
    const bool other = w.launch > 0 && w.launch != c.launch.number;
    return other ? c.launches[static_cast<size_t>(w.launch - 1)].grid : c.launch.grid;
}

}  // namespace wl::capture
