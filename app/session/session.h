// What the window holds: the loaded capture with everything derived from it, the running worker, and the
// status message.
#pragma once

#include "app/session/compare/against.h"
#include "app/session/edit/describe.h"
#include "app/session/edit/watched.h"
#include "app/session/fragment_view.h"
#include "app/session/history.h"
#include "app/session/lessons.h"
#include "app/session/selection.h"
#include "app/session/settings.h"
#include "app/session/shared_view.h"
#include "app/session/tile_load.h"
#include "app/session/tile_tree.h"
#include "app/session/tile_view.h"
#include "app/session/written/written_view.h"
#include "app/worker/bank_table.h"
#include "app/worker/fragment_report.h"
#include "app/worker/kernel_options.h"
#include "app/worker/lane_report.h"
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

// The words of `warplens run`.
std::vector<std::string> command_line(
    const KernelOptions& request, const std::string& program, const std::string& capture
);

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
bool is_empty(const LaneQuestion& question);
std::string words_of(const LaneQuestion& question);
std::string watch_words(const LaneWatch& watch);

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

// What kept the worker from compiling; nothing: something else, or in a file that is not there.
std::optional<Broken> broken_by(const Worker& worker);

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

// A capture with what the panels derive of all of it.
struct Loaded {
    capture::Capture capture;
    std::vector<BlockTiles> tree;
    std::vector<analysis::Timeline> timelines;  // one a record
    int first_bad = -1;                         // index in Capture::tiles
};
Loaded derive(capture::Capture capture);

// A big file while it is read, on a thread of its own.
struct Opening {
    std::string path;
    bool remove = false;  // the file, when it was read
    std::optional<KernelOptions> made_by;
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
// A worker may have something to say at any time: look often.
bool is_waiting(const Session& session);
// Of that which is waited for, without drawing a frame. False: nothing but perhaps how far it is.
bool has_news(const Session& session);

// Replaces the capture and moves the selection to the first finding, else the first bad tile, else the last
// output.
void load(Session& session, Selection& selection, Loaded loaded, std::string path);
void load(Session& session, Selection& selection, capture::Capture capture, std::string path);
bool is_big_file(const std::string& path);  // reading it takes longer than a frame
// A big file is read while the window goes on. An Error becomes the message.
void load_file(Session& session, Selection& selection, const std::string& path, bool remove = false);

// Called before a frame is drawn: the selected tile is loaded and the worker looked after. True: something
// changed.
bool prepare(Session& session, Selection& selection);

void run(Session& session, const KernelOptions& request);  // an Error becomes the message
bool may_run(const Session& session);  // no worker runs, or none but one that looks for causes
void end_causes(Session& session);     // of a run whose verdict is shown

// ---- look-ups that several panels need
const capture::Tile* tile_of(const Session& session, const Selection& selection);
const capture::Probe* probe_of(const Session& session, const Selection& selection);
int record_index(const Session& session, int64_t block);  // -1: that block was not recorded

std::string block_text(const capture::Capture& capture, int64_t block);  // "block (2, 1, 0)", "whole launch"
std::string block_text(int64_t block, Dim3 grid);
std::string launch_text(const capture::Capture& capture, int number);  // "launch 2 of 3 (finish)"
// The site, or the call of the author's through which it was inlined out of a toolkit's header.
int user_site(const capture::Capture& capture, int site);
std::string place_text(const capture::Capture& capture, int site);  // of that: "v2c_3.cu:118"; empty: unknown
std::string file_name(const std::string& path);

// One element of the same mark in every iteration of that block, in order.
struct HistoryPoint {
    int iteration = 0, tile = -1;
    double got = 0, reference = 0;  // NaN: not kept, or not read yet
    capture::Verdict verdict = capture::Verdict::not_compared;
};
std::vector<HistoryPoint> element_history(const capture::Capture& capture, int tile, Element element);

}  // namespace wl::app
