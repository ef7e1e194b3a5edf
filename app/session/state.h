// What the window holds: the loaded capture with everything derived from it, the running workers, and the
// status message. Functions over it lie in the units around it, which know each other downwards only.
#pragma once

#include "app/session/compare/sides.h"
#include "app/session/edit/watched.h"
#include "app/session/fragment_cells.h"
#include "app/session/history.h"
#include "app/session/selection.h"
#include "app/session/settings.h"
#include "app/session/shared_view.h"
#include "app/session/tile_load.h"
#include "app/session/tile_tree.h"
#include "app/session/tile_view.h"
#include "app/session/written/answer.h"
#include "app/worker/bank_table.h"
#include "app/worker/fragment_report.h"
#include "app/worker/kernel_options.h"
#include "app/worker/lane_report.h"
#include "app/worker/lesson_report.h"
#include "app/worker/provenance_report.h"
#include "app/worker/shared_report.h"
#include "app/worker/worker.h"
#include "app/worker/writes_report.h"
#include "instrumentation/analysis/timeline.h"
#include "instrumentation/capture/capture.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

// A kernel that the run panel offers; filled from the manifests.
struct KernelChoice {
    std::string name, title;
    std::string path;  // of one that is not shipped: what `warplens run` takes
    std::vector<std::string> faults, presets;
    std::string story = {};                                        // a few sentences; may be empty
    std::vector<std::pair<std::string, std::string>> params = {};  // with the manifest's values, expressions
    std::vector<std::string> files = {};                           // the manifest first, source, reference
    std::vector<std::pair<std::string, std::string>> about = {};   // faults: what each does
};

// What becomes of the capture that a worker brings.
enum class Purpose : uint8_t {
    fresh,   // it is shown
    again,   // it is shown where the user stands; what was shown becomes B
    record,  // the same, and B stays
    causes,  // its verdict is shown already
    other,   // it is B
};

// What is asked about an instant.
struct LaneWatch {
    bool debug = true;                 // of which build: source variables by name
    std::string condition;             // of arrivals at a line only those where it is true for a lane
    std::vector<std::string> watches;  // besides the variables
    std::vector<std::string> opened;   // objects whose parts are shown
    std::string across;                // told of every warp of the block; empty: none is
};

// Options of `warplens at`.
struct LaneQuestion {
    std::string warp;     // block, warp and build
    std::string instant;  // what decides: the selected element, tile, stage, or the instant itself
    std::string line;     // of the selected site, or the mark of the selected tile there
    LaneWatch watch;
};

// Where `go` stops.
struct Breakpoint {
    std::string file;          // its last part
    int line = 0;              // 0: on data
    std::string condition;     // over the lanes' variables; empty: always
    std::string element = {};  // NAME[i][j]: where it is written
};

// A source that does not compile.
struct Broken {
    std::vector<Complaint> complaints;
    std::string file, text;  // of the first: as it lies on disk
};

// The executor of a capture that is a text alone.
constexpr const char* kNotRun = "not run";

struct Message {
    std::string text;
    bool bad = false;
};

// What a worker of its own counted of the loaded capture's problem.
struct BanksAnswer {
    std::unique_ptr<Worker> worker;  // while it counts
    std::optional<BankTable> table;
    std::string problem;  // why there is none
};

// Questions by line to a worker that answers each with a line of JSON.
struct Conversation {
    std::unique_ptr<Worker> worker;  // from the first question on
    std::string asked;               // the question that has no answer yet; empty: none
    std::string next;                // asked when that answer has come
    std::string problem;             // why the worker ended
    std::string lost;                // the question that it left without an answer; empty: none
};

// One that travels through the loaded capture's problem.
struct LanesAnswer {
    Conversation talk;
    std::optional<LaneReport> report;
    LaneQuestion question;           // that was asked last, or to which a step's answer is the answer
    std::string shown;               // the question that the report answers
    LaneQuestion stepped_from;       // by the step that was asked last
    bool tile_stays = false;         // it led to a write of the selected element
    std::vector<std::string> steps;  // that wait for it
};

// One that follows elements of the loaded capture's tiles back to where they come from.
struct ProvenanceAnswer {
    Conversation talk;
    std::optional<ProvenanceReport> report;
};

// One that tells of the loaded capture's matrix instructions.
struct FragmentsAnswer {
    Conversation talk;
    std::optional<FragmentReport> report;
    FragmentView view;  // of that report
};

// One that tells of a block's shared memory.
struct SharedAnswered {
    Conversation talk;
    std::optional<SharedReport> report;
    SharedView view;       // of that report
    uint64_t content = 0;  // grows with every answer
};

// One that lists the writes to elements.
struct WritesAnswered {
    Conversation talk;
    std::optional<WritesReport> report;
};

struct Describing {
    std::unique_ptr<Worker> worker;  // while it writes
    std::string source;              // the .cu or .ptx
    std::vector<std::string> left;   // to do in what was written, in the words of `warplens init`
};

enum class LessonAction : uint8_t { list, read, start, check, hint };

struct LessonQuestion {
    LessonAction action = LessonAction::list;
    std::string number;  // "03"
};

struct LessonsAnswer {
    std::unique_ptr<Worker> worker;  // while one is answered; the next ones wait
    LessonQuestion asked;
    std::vector<LessonQuestion> next;
    std::string problem;  // of the last question
    LessonReport lesson;  // all that is known of the chosen one, and the list
};

// A capture with what the panels derive of all of it.
struct Loaded {
    capture::Capture capture;
    std::vector<BlockTiles> tree;
    std::vector<analysis::Timeline> timelines;  // one a record
    int first_bad = -1;                         // index in Capture::tiles
};

// A big file while it is read, on a thread of its own.
struct Opening {
    std::string path;
    bool remove = false;  // the file, when it was read
    std::optional<KernelOptions> made_by;
    std::string fix;  // as Session::fix
    std::future<Loaded> loaded;
};

// A file while it is written, on a thread of its own.
struct Keeping {
    std::string what, path;
    uint64_t of = 0;                   // Session::captures of a saved capture; 0: something else is written
    std::future<std::string> problem;  // empty: it is written
};

struct Session {
    std::string path;  // of the capture; empty: none is loaded
    capture::Capture capture;
    std::unique_ptr<Opening> opening;
    std::unique_ptr<Keeping> keeping;  // as long as it is there the capture stays
    uint64_t captures = 0;             // loaded so far; names the present one
    std::vector<BlockTiles> tree;
    std::vector<analysis::Timeline> timelines;  // one a record
    int first_bad = -1;                         // index in Capture::tiles
    TileView current;                           // the selected tile
    uint64_t held = 0;                          // bytes of elements and events in memory
    std::unique_ptr<TileLoad> loading;          // ... while it is measured
    uint64_t loads = 0;                         // tiles prepared so far; names TileView::content
    std::vector<KernelChoice> kernels;
    std::unique_ptr<Worker> worker;
    Purpose purpose = Purpose::fresh;  // of what it runs
    int64_t recording = -1;            // the block that it records besides; -1: none
    std::optional<Selection>
        judged_at;             // where the selection stood when the verdict was shown, before causes
    bool finds_block = false;  // the next provenance says which block is to be recorded
    std::string name_of_b;     // what the capture shown is called then; empty: B stays
    KernelOptions request;     // what the worker runs
    std::string
        fix;  // the change that mends, as `patch -p1` takes it: of the run shown; empty: none is known
    int fixing = -1;                       // the finding whose patch the worker tries; -1: none
    std::shared_ptr<const void> fix_room;  // the files that it runs
    std::optional<KernelOptions> made_by;  // the run that made the capture; nothing: it was opened
    std::string program;                   // this executable: the worker's
    std::string allowed;                   // the capture's kernel where it may be opened; empty: it may not
    std::string named;                     // what the capture names and is not opened; empty: nothing
    bool trusts = false;                   // the user allowed what it names
    Watched watched;                       // the loaded kernel's files
    std::string saved;                     // a file that was saved, since which nothing ran; empty: none
    Against against;                       // B
    uint64_t shown_against = 0;            // Against::number that `current` was made with; 0: the reference
    History history;
    Settings settings;
    Message message;
    std::optional<Broken> broken;  // of the latest run
    Describing describing;         // a kernel without a manifest
    std::vector<Breakpoint> breakpoints;
    BanksAnswer banks;
    WrittenAnswer written;
    LanesAnswer lanes;
    ProvenanceAnswer provenance;
    FragmentsAnswer fragments;
    SharedAnswered shared;
    WritesAnswered writes;
    LessonsAnswer lessons;
};

}  // namespace wl::app
