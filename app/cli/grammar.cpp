// One function a verb or family of options; CLI11 holds what they say.
#include "app/cli/grammar.h"

#include "app/cli/accept/accept_options.h"
#include "app/cli/bench/bench_options.h"
#include "app/cli/formats/format_options.h"
#include "app/cli/fragments/fragment_options.h"
#include "app/cli/init/source_options.h"
#include "app/cli/layout/layout_options.h"
#include "app/cli/learn/learn_options.h"
#include "app/cli/programs/program_options.h"
#include "app/cli/questions/parse_questions.h"
#include "app/cli/record/record_options.h"
#include "app/cli/remote/remote.h"
#include "app/cli/run_options/run_options.h"
#include "app/cli/sweep/sweep_options.h"
#include "instrumentation/base/text.h"
#include "instrumentation/base/type_names.h"

#include <CLI/CLI.hpp>

namespace wl::app {

namespace {

void add_output_options(CLI::App& verb, Command& c) {
    verb.add_flag_callback(
        "--json", [&c] { set_format(c, "json"); }, "print one JSON object, and nothing else, on stdout"
    );
    verb.add_flag("--quiet", c.output.quiet, "no progress and no hints");
    verb.add_option("--color", c.output.color, "auto: on a terminal, unless NO_COLOR is set; always; never")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    verb.add_flag_callback(
        "--no-color", [&c] { c.output.color = "never"; }, "the same as --color=never"
    );
}

constexpr const char* kKernel = "a shipped kernel, a .toml or a .cu";
constexpr const char* kKernelOrCapture = "a shipped kernel, a .toml, a .cu, or a .wlcap";

// The kernel that the verb is about, and all that decides its run.
void add_kernel(CLI::App& verb, Command& c, std::string_view about) {
    verb.add_option("kernel", c.kernel.kernel, std::string(about))->required();
    add_kernel_options(verb, c);
    if (about == kKernelOrCapture) add_trust_option(verb, c);
}

CLI::App* add_verb(CLI::App& app, Command& c, const char* name, const char* about, const char* example) {
    CLI::App* verb = app.add_subcommand(name, about);
    verb->footer(std::string("Example:\n  ") + example);
    verb->callback([&c, name] { c.verb = name; });
    add_output_options(*verb, c);
    return verb;
}

void add_init(CLI::App& app, Command& c) {
    CLI::App* init = add_verb(
        app,
        c,
        "init",
        "write the manifest of a kernel and a reference to fill in, and say what is left to do",
        "warplens init mine.cu --define TILE=32\n  warplens init mine.cu --run -o kernels -- ./mine 1024"
    );
    add_init_options(*init, c);
    init->footer(
        init->get_footer() + "\n\nElement types, and what each may be called:\n" + type_names_text(2)
    );
}

void add_check(CLI::App& app, Command& c) {
    CLI::App* check = add_verb(
        app,
        c,
        "check",
        "will WarpLens run my kernel? Lists every instruction that it lacks, by name and line",
        "warplens check mine.cu --entry scale --arch sm_80 --define TILE=32 -I include"
    );
    check->add_option("file", c.kernel.kernel, "a .ptx, or a .cu, host code and all")->required();
    add_source_options(*check, c.check);
    add_format(*check, c);
    check->add_flag("--debug", c.check.debug, "compile a .cu as a debug build (-G)");
}

void add_banks(CLI::App& app, Command& c) {
    CLI::App* banks = add_verb(
        app,
        c,
        "banks",
        "bank conflicts and sectors by line, worst first, with the layout that removes them",
        "warplens banks v2c_3"
    );
    banks->add_option("--block", c.blocks, "X,Y,Z: only this block (repeatable); default: all");
    add_kernel(*banks, c, kKernelOrCapture);
}

void add_writers(CLI::App& app, Command& c) {
    const char* about =
        "who stored to each element of the outputs: last block, warp, lane and line, and how often";
    CLI::App* writers =
        add_verb(app, c, "writers", about, "warplens writers v2c_3 --array O -o O_writers.npy");
    writers->add_option("--array", c.arrays, "an array of the kernel's (repeatable); default: every output");
    writers->add_option(
        "-o,--out", c.out, "an .npy: after its axes block (-1: never set, -2: as before), warp, lane, stores"
    );
    add_kernel(*writers, c, kKernelOrCapture);
}

void add_bench(CLI::App& app, Command& c) {
    CLI::App* bench = add_verb(
        app,
        c,
        "bench",
        "how long the plain kernel takes on a GPU, once its outputs are right there",
        "warplens bench v2c_9 --preset mission --flops '4*B*H*S*S*D' --against torch"
    );
    add_bench_options(*bench, c.bench);
    add_kernel(*bench, c, kKernel);
}

void add_hazards(CLI::App& app, Command& c) {
    CLI::App* hazards = add_verb(
        app,
        c,
        "hazards",
        "races, barriers, addresses and uninitialised values, and what other schedules change",
        "warplens hazards v2b --explore 50"
    );
    hazards->add_option("--explore", c.explore, "how many other schedules to try; default: none");
    add_format(*hazards, c);
    add_baseline(*hazards, c);
    add_verbose(*hazards, c);
    hazards->add_option("-o,--out", c.out, "the capture to write");
    add_kernel(*hazards, c, kKernel);
}

void add_fragments(CLI::App& app, Command& c) {
    CLI::App* fragments = add_verb(
        app,
        c,
        "fragments",
        "which lane holds which element of a matrix instruction's operand; as text, JSON or a drawing",
        "warplens fragments wmma.m16n16k16 a f16 row --element 9,4"
    );
    add_fragment_options(*fragments, c);
}

void add_layout(CLI::App& app, Command& c) {
    CLI::App* layout = add_verb(
        app,
        c,
        "layout",
        "a layout in CuTe's notation: offsets, algebra, bank conflicts, the swizzle that takes them away",
        "warplens layout 'row(64,64,64)' --type f16 --banks ldmatrix"
    );
    add_layout_options(*layout, c);
}

void add_estimate(CLI::App& app, Command& c) {
    CLI::App* estimate = add_verb(
        app,
        c,
        "estimate",
        "what a recording would take, by block: events, tiles, memory, file",
        "warplens estimate v2c_3 --record 0,0,0 --record 1,0,0"
    );
    add_kernel(*estimate, c, kKernel);
}

void add_at(CLI::App& app, Command& c) {
    CLI::App* at = add_verb(
        app,
        c,
        "at",
        "any instant of a block: what the source variables of a warp's 32 lanes hold there",
        "warplens at v2c_3 --fault 32x --warp 3 --line 104 --print l_add,m_old"
    );
    add_instant_options(*at, c.at);
    add_shared_options(*at, c.at.shared);
    at->add_option("-o,--out", c.out, "of --shared: write a .svg, .png, .json or .txt");
    at->add_flag("--serve", c.at.serve, "answer lines of these options on stdin by lines of JSON");
    add_kernel(*at, c, kKernelOrCapture);
}

void add_accept(CLI::App& app, Command& c) {
    CLI::App* accept = add_verb(
        app,
        c,
        "accept",
        "the acceptance table: every preset of every kernel, right, silent and inside its limits",
        "warplens accept v2b v2c_3 --presets mission,mission_causal"
    );
    add_accept_options(*accept, c.accept);
    add_format(*accept, c);
    add_baseline(*accept, c);
    accept->add_option("--fault", c.kernel.faults, "switch a named fault on in every kernel (repeatable)");
    add_common_options(*accept, c);
}

void add_why(CLI::App& app, Command& c) {
    CLI::App* why = add_verb(
        app,
        c,
        "why",
        "where an element of a tile or an output comes from, back to the inputs, with the first wrong link",
        "warplens why v2c_3 --fault 32x --tile O --element 0,0"
    );
    add_element_options(*why, c.why);
    why->add_flag("--serve", c.why.serve, "answer lines of these options on stdin by lines of JSON");
    add_kernel(*why, c, kKernelOrCapture);
}

void add_compare(CLI::App& app, Command& c) {
    CLI::App* compare = add_verb(
        app,
        c,
        "compare",
        "two iterations or captures stage by stage: where they first differ, and the change of source there",
        "warplens compare v2c_3 v2c_3+32x --preset mission"
    );
    compare->add_option("a", c.compare.a, "a kernel, KERNEL+FAULT, or a .wlcap")->required();
    compare->add_option("b", c.compare.b, "the other")->required();
    compare->add_option("--block", c.compare.block, "X,Y,Z; default: of the first wrong tile, else 0,0,0");
    compare->add_flag("--all", c.compare.all, "every change of the source");
    add_kernel_options(*compare, c);
}

void add_open(CLI::App& app, Command& c) {
    const char* what = "the window, on a capture or on a kernel that it runs";
    CLI::App* open = add_verb(app, c, "open", what, "warplens open v2c_3 --fault 32x");
    open->add_option(
        "what", c.kernel.kernel, "a .wlcap, a kernel, its text without a manifest (.cu, .ptx), or a .npy"
    );
    c.theme.clear();  // not asked for: as the window was left
    open->add_option("--theme", c.theme, "dark or light")->check(CLI::IsMember({"dark", "light"}));
    open->add_option("--screenshot", c.screenshot, "draw one frame without a display into this PNG");
    open->add_option("--script", c.script, "drive the window by a script (docs/internals/window.md)");
    open->add_option("--size", c.size, "WIDTHxHEIGHT of the window");
    open->add_option("--scale", c.scale, "of the interface, 0.5 to 4; default: the display's")
        ->check(CLI::Range(0.5F, 4.0F));
    add_kernel_options(*open, c);
    add_trust_option(*open, c);
    add_remote_options(*open, c.kernel);
}

void add_sweep(CLI::App& app, Command& c) {
    CLI::App* sweep = add_verb(
        app,
        c,
        "sweep",
        "kernels x presets x sizes x faults x schedules x seeds, on cores, GPUs, machines: one table",
        "warplens sweep v2c_3 --presets mission --set S=64,128 --set H=1 --seeds 2"
    );
    add_sweep_options(*sweep, c);
}

void add_record(CLI::App& app, Command& c) {
    CLI::App* record = add_verb(
        app,
        c,
        "record",
        "run a program on the GPU and keep one launch of a kernel as it was, to be run again anywhere",
        "warplens record --kernel scale --launch 3 -o scale.wllaunch -- ./prog 1024"
    );
    add_record_options(*record, c);
}

void add_learn(CLI::App& app, Command& c) {
    CLI::App* learn = add_verb(
        app,
        c,
        "learn",
        "lessons: a text with what WarpLens prints live, a kernel to mend, and a run that says whether "
        "it is",
        "warplens learn 08"
    );
    add_learn_options(*learn, c.learn);
}

void add_tiles(CLI::App& app, Command& c) {
    CLI::App* tiles = add_verb(
        app, c, "tiles", "the captured tiles with shape, type and verdict", "warplens tiles bad.wlcap"
    );
    CLI::App* show = add_verb(
        app,
        c,
        "show",
        "one picture of one tile",
        "warplens show bad.wlcap --tile l --iteration 0 --view ratio -o l.png"
    );
    for (CLI::App* verb : {tiles, show}) verb->add_option("capture", c.kernel.kernel, "a .wlcap")->required();
    show->add_option("--tile", c.tile.tile, "the tile's name")->required();
    show->add_option("--block", c.tile.block, "X,Y,Z; default: the recorded block");
    show->add_option("--iteration", c.tile.iteration, "default: the first wrong one, else the last");
    show->add_option("--view", c.tile.view, "got, reference, difference, ratio, ulp, owner, coverage");
    show->add_flag("--plain", c.tile.plain, "the elements alone, a pixel or a square each; needs no OpenGL");
    show->add_option("-o,--out", c.tile.out, "the PNG to write")->required();
}

void add_verbs(CLI::App& app, Command& c) {
    add_verb(app, c, "kernels", "list the shipped kernels, their faults and presets", "warplens kernels");
    add_verb(app, c, "devices", "who can execute kernels here, and what is missing", "warplens devices");
    CLI::App* run = add_verb(
        app,
        c,
        "run",
        "execute, check, record and compare a kernel; write a capture",
        "warplens run v2c_3 --fault 32x -o bad.wlcap"
    );
    CLI::App* diagnose = add_verb(
        app,
        c,
        "diagnose",
        "the verdict on a kernel or a capture, with witness and proof",
        "warplens diagnose v2c_3 --fault 32x"
    );
    add_programs(app, *run, c);
    for (CLI::App* verb : {run, diagnose}) {
        verb->add_option("-o,--out", c.out, "the capture to write");
        verb->add_option(
            "--suggest", c.suggest, "a file for the patch that mends, as `patch -p1` takes it; -: stdout"
        );
        add_format(*verb, c);
        add_baseline(*verb, c);
        add_page(*verb, c);
        add_verbose(*verb, c);
        add_kernel(*verb, c, verb == diagnose ? kKernelOrCapture : kKernel);
        add_remote_options(*verb, c.kernel);
    }
    diagnose->add_option("--seeds", c.seeds, "so many seeds, from --seed on; default: one")
        ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 20));
    diagnose
        ->add_option(
            "--presets", c.presets, "each of these presets; all: the manifest's, and it as it stands"
        )
        ->delimiter(',');
    add_tiles(app, c);
    add_open(app, c);
    add_init(app, c);
    add_check(app, c);
    add_banks(app, c);
    add_bench(app, c);
    add_hazards(app, c);
    add_estimate(app, c);
    add_at(app, c);
    add_accept(app, c);
    add_sweep(app, c);
    add_record(app, c);
    add_why(app, c);
    add_writers(app, c);
    add_compare(app, c);
    add_fragments(app, c);
    add_layout(app, c);
    add_learn(app, c);
    add_help_verbs(app, c);
}

}  // namespace

std::unique_ptr<CLI::App> make_grammar(Command& command) {
    auto app = std::make_unique<CLI::App>(
        "WarpLens runs a CUDA kernel, shows every tile beside its FP64 reference, and names the bug.",
        "warplens"
    );
    app->set_version_flag("-V,--version", WL_VERSION);
    app->require_subcommand(1);
    app->footer(
        "Exit status: 0 clean, 1 findings, 2 wrong usage or an error, 3 unsupported or "
        "incomplete.\n`warplens "
        "help VERB` "
        "shows the options of a verb and an example."
    );
    add_verbs(*app, command);
    return app;
}

std::vector<const CLI::App*> verbs_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* find_verb(const CLI::App& app, const std::string& name) {
    for (const CLI::App* verb : verbs_of(app))
        if (verb->get_name() == name) return verb;
    return nullptr;
}

std::string unknown_verb(const CLI::App& app, const std::string& name) {
    std::vector<std::string> verbs;
    for (const CLI::App* verb : verbs_of(app)) verbs.push_back(verb->get_name());
    const std::string near = nearest_word(name, verbs);
    return "there is no verb '" + name + "'; " +
        (near.empty() ? "there are " + join(verbs, ", ") : "did you mean '" + near + "'?");
}

}  // namespace wl::app
