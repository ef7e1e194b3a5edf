// What the command line said, before any of it is looked up.
#pragma once

#include "app/worker/kernel_options.h"
#include "instrumentation/capture/verdict.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/manifest/manifest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::app {

// Exit status: those of the verdicts.
constexpr int kExitOk = capture::status_of("ok"), kExitFindings = capture::status_of("findings"),
              kExitError = capture::status_of("error"), kExitUnsupported = capture::status_of("unsupported");

struct OutputOptions {
    bool json = false, quiet = false;
    bool verbose = false;                  // evidence, and all that an ok rests on
    std::string format = "text";           // "json" (and then `json` is set), "sarif", "junit", "github"
    std::string color = "auto";            // "always", "never"
    bool progress = false;                 // machine-readable progress lines on stderr, for the window
    std::string baseline, write_baseline;  // files of known findings: to judge by, to write
};

struct TileOptions {
    std::string tile, block, view = "got", out;
    int iteration = -1;  // -1: the first bad one, else the last
    bool plain = false;  // the elements alone, drawn without OpenGL
};

struct CheckOptions {
    std::string entry, arch = "sm_90";
    std::vector<std::string> defines, include;
    bool debug = false;
};

struct InitOptions {
    bool force = false;  // write over files that are there
};

// Of `at --shared`.
struct SharedOptions {
    bool asked = false;
    std::string name;             // of a region; empty: all of the memory
    std::vector<std::string> as;  // layouts::parse_matrix
    std::string access, what_if;  // a line, or finding:N; layouts::parse_change
    std::string colour = "state";
};

struct AtOptions {
    std::string block, file, stage, when;
    std::string build;  // empty: debug; of a capture with a schedule of its own the recorded one
    std::string tile, first, write, last_write, next_write;
    std::string writes;              // --writes: every one, in place of variables
    std::string serves, from_stage;  // --for, --from-stage
    std::string steps;               // --step
    std::string between;             // two places that every build passes, and how far from the first
    std::vector<std::string> breakpoints;
    int warp = -1;  // -1: 0, or any where it is asked who writes or makes something
    int line = 0, iteration = -1, barrier = -1, epoch = -1;
    uint32_t ptx_line = 0;
    int64_t time = -1, timeline = -1, order = -1, hit = 0, site = -1;
    int lane = -1;  // that steps follow
    std::vector<std::string> print, watch;
    std::vector<std::string> opened;  // objects whose parts are told, too
    std::string across;               // an expression, told of every warp of the block
    bool warps = false;               // where every warp stands
    bool fragments = false;           // of the matrix instruction there, in place of variables
    SharedOptions shared;             // in place of variables
    bool serve = false;
};

struct AcceptOptions {
    std::vector<std::string> kernels, presets;  // empty: all shipped, all of the manifest
    std::string registers, shared;              // limits in place of the manifest's; "72", "99K"
    std::string measured;                       // a record of `bench`: the GPU's times
};

struct WhyOptions {
    std::string tile, element, block;
    int iteration = -1, warp = -1;
    bool addresses = false;  // every line behind an address or a guard
    bool serve = false;
};

struct BenchOptions {
    int samples = 30, launches = 20;
    std::string flops, against;  // of one launch, an expression; "torch"
    bool observed = false;       // what dumping costs, too
};

struct CompareOptions {
    std::string a, b, block;  // kernels or captures
    bool all = false;         // every change of the source, not only those in the stage that differs
};

struct FragmentOptions {
    std::vector<std::string> words;  // of the instruction; empty: list them
    std::string element, colour = "lane";
    int lane = -1, reg = -1;
};

struct LayoutOptions {
    std::string expression, type = "f16", banks;
};

struct LearnOptions {
    std::string lesson, lessons;              // "03", "03-races", "races"; a folder of lessons
    std::optional<std::string> start, check;  // the student's folder; empty: the lesson's name, here
    bool hint = false;
};

struct SweepOptions {
    std::vector<std::string> kernels, presets, faults;  // presets, faults: "all"
    std::vector<std::string> set;                       // "S=64,128": each of these
    std::vector<std::string> shapes;                    // of attention kernels, "1,8,512,64"
    std::vector<std::string> hosts, devices;            // devices: numbers, "all"
    std::vector<std::string> merge;                     // files of --json
    std::string part, keep;                             // "2/8"; a folder of captures
    uint64_t seeds = 1, schedules = 1;
    int jobs = 0, parts = 0;  // 0: as many as the machine has cores; of Slurm: as many as there are cases
    bool slurm = false;
};

// Of `run -- PROGRAM` and `nvcc`.
struct ProgramOptions {
    std::vector<std::string> words;  // the program with its arguments; of nvcc its arguments
    int64_t first = -1;    // launches of each kernel and shape that are executed; 0: all; -1: all that matter
    int64_t explore = -1;  // other orders of a program's work; -1: one where it races and is short
    std::string reference;  // what --launch is compared with: a program, FILE.wllaunch or FILE.py:FUNCTION
};

struct RecordOptions {
    std::vector<std::string> program;  // and its arguments
    std::string kernel;                // which launches are meant; empty: all
    uint64_t launch = 0;               // of these, from 1; 0: the first, or with no kernel none
    uint64_t limit = 4000;             // megabytes of memory
};

struct Command {
    std::string verb;
    KernelOptions kernel;
    CheckOptions check;  // of init, too: how the file is compiled
    InitOptions init;
    AtOptions at;
    AcceptOptions accept;
    WhyOptions why;
    CompareOptions compare;
    BenchOptions bench;
    FragmentOptions fragments;
    LayoutOptions layout;
    LearnOptions learn;
    SweepOptions sweep;
    ProgramOptions program;
    RecordOptions record;
    OutputOptions output;
    TileOptions tile;
    std::vector<std::string> blocks;   // "X,Y,Z": --block of banks
    std::vector<std::string> arrays;   // --array of writers
    std::string topic;                 // help: a verb; completion: a shell
    std::string out;                   // -o of run, diagnose, hazards, init, fragments and layout
    uint64_t seeds = 1;                // diagnose: so many from --seed on
    std::vector<std::string> presets;  // diagnose: each of them; "all"
    std::string report;                // run, diagnose: an HTML page
    std::string suggest;               // run, diagnose: a file for the patch that mends; "-": stdout
    uint64_t explore = 0;              // schedules that hazards tries
    std::string screenshot, script, size = "1920x1080", theme = "dark";  // open
    float scale = 0;                                                     // of its interface; 0: the display's
};

bool is_capture(const std::string& path);  // by its suffix, .wlcap

// "NAME=VALUE" of --set. Throws Error where it is none.
std::pair<std::string, std::string> setting(const std::string& text);

// Of the kernel, in the order of the file; `wanted` empty: all of them, and where there is none the manifest
// as it stands, "". Throws Error for a name that there is not.
std::vector<std::string> presets_of(const manifest::Kernel& kernel, const std::vector<std::string>& wanted);

// "v2c_3+32x": the kernel v2c_3 with its fault 32x. A file whose own name holds a + is taken as it is.
KernelOptions split_faults(KernelOptions options);

// The kernel, its faults split off, bound to numbers. A capture in the place of the inputs gives those that
// it carries, in that of both (options_of) all that it carries. Throws Error on unknown kernels, faults,
// parameters and impossible shapes.
manifest::Problem bind(const KernelOptions& options);
diagnosis::Options run_options(const KernelOptions& options);

// "1,0,0" as a linear index in `grid`. Throws Error when it lies outside.
int64_t parse_block(const std::string& text, Dim3 grid);

// The same in the launch that is looked at; of a sequence --launch has to say which that is.
int64_t block_of_launch(const std::string& text, const manifest::Problem& problem);

}  // namespace wl::app
