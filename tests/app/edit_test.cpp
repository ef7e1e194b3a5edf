// Edit and see, and A against B: a saved file runs the kernel again and the user stays where he was; what was
// shown before is B. The worker is a script that understands as much of `run` as matters here.
#include "app/session/edit/editor.h"
#include "app/session/edit/open.h"
#include "app/session/edit/place.h"
#include "app/session/edit/rerun.h"
#include "app/session/edit/watched.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

// P of block 0 times a factor, from that iteration on: what an edit would change.
capture::Capture changed_capture(float factor, int from) {
    capture::Capture c = testing::synthetic_capture();
    for (capture::Tile& tile : c.tiles) {
        if (c.probes[static_cast<size_t>(tile.probe)].name != "P" || tile.iteration < from ||
            tile.values == capture::kNoBlob)
            continue;
        const analysis::TileData data = analysis::load_tile(c, tile);
        std::vector<std::byte> raw(data.raw.size());
        for (size_t i = 0; i < data.got.data.size(); ++i)
            from_double(
                data.dtype,
                data.got.data[i] * static_cast<double>(factor),
                raw.data() + i * size_of(data.dtype)
            );
        c.blobs.blobs.push_back(raw);
        tile.values = static_cast<capture::BlobId>(c.blobs.blobs.size()) - 1;
    }
    return c;
}

// A folder with the kernel's source; `run` of the program copies next.wlcap, or says what fails.txt holds.
struct Workbench {
    fs::path folder = fs::temp_directory_path() / ("wl_edit_test_" + std::to_string(getpid()));
    OffscreenShell shell{1920, 1080, 1};

    Workbench() {
        fs::create_directories(folder);
        const std::string program = file("program");
        std::ofstream(program) << "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
                               << "if [ -s " << file("fails.txt") << " ]; then cat " << file("fails.txt")
                               << " >&2; exit 2; fi\ncp " << file("next.wlcap") << " \"$out\"\n";
        chmod(program.c_str(), 0755);
        capture::Capture c = testing::synthetic_capture();
        write(c.sources[0].text);
        c.sources[0].path = file("attention.cu");
        shell.app.session.program = program;
        load(shell.app.session, shell.app.selection, c, "");
        shell.app.session.allowed = "attention";  // as one that the user named
        watch_files(shell.app.session);
        play("click tiles/b0/i0\nclick tiles/b0/i3\nclick tiles/b0/i3/P\nclick heat/got .5 .5\n");
    }
    Workbench(const Workbench&) = delete;
    Workbench& operator=(const Workbench&) = delete;
    ~Workbench() { fs::remove_all(folder); }

    std::string file(const char* name) const { return (folder / name).string(); }
    void write(const std::string& text) const { std::ofstream(file("attention.cu")) << text; }
    void next(capture::Capture c, const std::string& source) const {
        c.sources[0] = {file("attention.cu"), source};
        capture::write_capture(c, file("next.wlcap"));
    }
    void save(const std::string& text) {
        next(changed_capture(2, 2), text);
        write(text);
    }
    void play(const std::string& script) { app::play(shell, parse_script(script, "script")); }
    std::string source() const { return read_text_file(file("attention.cu")); }
};

TEST(Edit, ASavedFileRunsAgainAndTheUserStaysWhereHeWas) {
    Workbench desk;
    const Selection stood = desk.shell.app.selection;
    desk.save(desk.source() + "// edited\n");
    desk.play("until captures 2\n");
    const Selection& now = desk.shell.app.selection;
    EXPECT_EQ(now.element, stood.element);
    EXPECT_EQ(now.iteration, 3);
    EXPECT_EQ(now.time, stood.time);
    EXPECT_EQ(now.site, stood.site);
    desk.play("expect tile P\nexpect b before attention.cu was saved\n");
    while (is_counting(desk.shell.app.session.against)) desk.shell.draw();
    desk.shell.draw();
    EXPECT_EQ(
        desk.shell.app.session.message.text.find(
            "A differs from B at P, iteration 2, block (0, 0, 0): 4096 of 4096 elements"
        ),
        0U
    ) << desk.shell.app.session.message.text;
}

TEST(Edit, ErrorsOfTheCompilerStandAtTheirLineAndWhatWasShownStays) {
    Workbench desk;
    std::ofstream(desk.file("fails.txt"))
        << desk.file("attention.cu") << ":12: error: identifier \"x\" is undefined\n";
    desk.write(desk.source() + "x\n");
    desk.play(
        "until broken " + desk.file("attention.cu") +
        ":12: identifier \"x\" is undefined\n"
        "wait 3\nmove source/broken/12\nexpect captures 1\nexpect tile P\nexpect b none\n"
    );
    fs::remove(desk.file("fails.txt"));
    desk.save(desk.source() + "// mended\n");
    desk.play("until captures 2\nexpect broken no\nexpect tile P\n");
}

TEST(Edit, TilesStandAgainstBInTheSameHeatmaps) {
    Workbench desk;
    desk.save(desk.source() + "// edited\n");
    desk.play(R"(
        until captures 2
        expect against reference
        key V
        wait 3
        expect against B
        expect differ 4096
        click tiles/b0/i1
        click tiles/b0/i1/P
        expect differ 0
        key M
        until iteration 2
        expect tile P
        click heat/arrange/split
        drag heat/split .5 .5 200 0
        click heat/arrange/blend
        drag heat/blend .5 .5 30 0
        key X
        expect flipped yes
        click heat/versus
        wait 3
        expect against reference)");
    EXPECT_GT(desk.shell.app.workspace.heatmaps.split, 0.6F);
    EXPECT_GT(desk.shell.app.workspace.heatmaps.blend, 0.6F);
    desk.play(
        "click tab/Compare\nwait 3\nclick compare/mark/P\nwait 3\nexpect iteration 2\nclick "
        "compare/swap\nwait 3\n"
    );
    EXPECT_EQ(desk.shell.app.session.captures, 3U);
    desk.play("click compare/drop\nwait 3\nexpect b none\nclick compare/earlier\nwait 3\nexpect against B\n");
}

// A NaN is a value of B as any other: on one side alone it is a difference, on both it is none.
TEST(Edit, ANaNOfBAloneDiffers) {
    Workbench desk;
    Session& session = desk.shell.app.session;
    const auto with_nan = [](const std::vector<size_t>& places) {
        capture::Capture c = testing::synthetic_capture();
        for (capture::Tile& tile : c.tiles) {
            if (c.probes[static_cast<size_t>(tile.probe)].name != "scores" || tile.values == capture::kNoBlob)
                continue;
            std::vector<std::byte> raw = analysis::load_tile(c, tile).raw;
            const DType dtype = c.probes[static_cast<size_t>(tile.probe)].dtype;
            for (const size_t at : places) from_double(dtype, std::nan(""), raw.data() + at * size_of(dtype));
            c.blobs.blobs.push_back(raw);
            tile.values = static_cast<capture::BlobId>(c.blobs.blobs.size()) - 1;
        }
        return c;
    };
    load(session, desk.shell.app.selection, with_nan({7}), "");
    set_other(session, std::make_shared<capture::Capture>(with_nan({7, 130})), "with a NaN");
    session.against.shown = true;
    desk.play("click tiles/b0/i0/scores\nexpect against B\nexpect differ 1\n");
    const TileView& view = session.current;
    EXPECT_TRUE(std::isnan(view.metric[0].values(2, 2)));
    EXPECT_FALSE(is_absent(view.metric[0].values(2, 2))) << "it was compared";
    EXPECT_EQ(view.metric[0].values(0, 7), 0) << "a NaN of both agrees";
    ASSERT_EQ(view.worst.size(), 1U);
    EXPECT_EQ(view.worst[0], (Element{2, 2}));
}

TEST(Edit, AnUnrecordedBlockIsRecordedByAClick) {
    Workbench desk;
    desk.next(testing::synthetic_capture(1), desk.source());
    Session& session = desk.shell.app.session;
    for (size_t i = 0; i < session.capture.tiles.size(); ++i)
        if (session.capture.tiles[i].block == 1 && session.capture.tiles[i].values == capture::kNoBlob)
            desk.shell.app.selection.tile = static_cast<int>(i);
    desk.play("wait 3\nclick heat/record\nuntil captures 2\nwait 3\nexpect block 1\n");
    EXPECT_TRUE(has_values(session.current));
}

KernelChoice attention_choice(const Workbench& desk) {
    KernelChoice choice{"attention", "Attention", desk.file("attention.cu"), {"32x"}, {"long"}};
    choice.story = "A story.";
    choice.params = {
        {"D", "64"},
        {"M", "D" }
    };
    choice.files = {desk.file("attention.toml"), desk.file("attention.cu")};
    return choice;
}

TEST(Edit, TheRunBarSaysWhatIsWrongBesideItsField) {
    Workbench desk;
    Session& session = desk.shell.app.session;
    session.kernels = {attention_choice(desk)};
    std::ofstream(desk.file("fails.txt"))
        << "warplens: error: --set D=foo: unknown name \"foo\" in \"foo\".\n";
    desk.play(
        "click run/set/D\ntype foo\nclick run/seed\ntype 7\nclick run/preset\nwait 2\n"
        "click run/preset/long\nclick run/start\nuntil worker none\nwait 3\n"
    );
    EXPECT_EQ(session.request.set[1], "D=foo");
    EXPECT_EQ(session.request.seed, 7U);
    EXPECT_EQ(session.request.preset, "long");
    EXPECT_TRUE(session.message.bad);
    EXPECT_EQ(field_of(session.message.text), "set/D");
    EXPECT_EQ(session.captures, 1U);
    EXPECT_EQ(field_of("block 99,0,0 lies outside the grid of 8 x 8 x 1 blocks"), "block");
    EXPECT_EQ(field_of("v2c_3 has no fault \"xx\"; it has sync."), "fault");
    EXPECT_EQ(field_of("the worker was killed"), "");
    EXPECT_EQ(field_of("a.toml:9: launch.grid[0] is 0 (from \"ceil_div(N, 32)\"); at least 1."), "set/N");
    EXPECT_EQ(field_of("the connection to me@far failed or broke before the run was over"), "host");
    EXPECT_EQ(field_of("me@far has no program warplens: put warplens on its PATH"), "host");
}

TEST(Edit, EnterInAFieldOfTheRunBarRuns) {
    Workbench desk;
    Session& session = desk.shell.app.session;
    session.kernels = {attention_choice(desk)};
    desk.next(changed_capture(1, 0), desk.source());
    desk.play("click run/seed\ntype 9\nkey Enter\nuntil captures 2\n");
    EXPECT_EQ(session.request.seed, 9U);
    desk.play("click run/seed\nkey Escape\nwait 3\nexpect captures 2\n");
    EXPECT_FALSE(session.worker) << "leaving a field is no run";
}

// Where it ran, it runs again; where the field is empty, here.
TEST(Edit, TheRunBarSaysOnWhichMachine) {
    Workbench desk;
    Session& session = desk.shell.app.session;
    session.kernels = {attention_choice(desk)};
    session.request.remote_program = "/opt/warplens";
    RunPanel panel;
    take_request(panel, session, session.request);
    EXPECT_EQ(request_of(panel, session).host, "");
    EXPECT_EQ(request_of(panel, session).remote_program, "");
    std::ofstream(desk.file("fails.txt"))
        << "warplens: error: the connection to me@far failed or broke before the run was over\n";
    desk.play("click run/host\ntype me@far\nclick run/start\nuntil worker none\nwait 3\n");
    EXPECT_EQ(session.request.host, "me@far");
    const std::vector<std::string> words = command_line(session.request, "warplens", "x.wlcap");
    const auto told = std::find(words.begin(), words.end(), "--host");
    ASSERT_NE(told, words.end());
    EXPECT_EQ(told[1], "me@far");
    EXPECT_EQ(field_of(session.message.text), "host");
}

TEST(Edit, ASeedThatIsNoWholeNumberStartsNothing) {
    Workbench desk;
    Session& session = desk.shell.app.session;
    session.kernels = {attention_choice(desk)};
    desk.next(changed_capture(3, 5), desk.source());
    for (const char* wrong : {"7x", "-1", "1.5", "99999999999999999999"}) {
        desk.play(std::string("click run/seed\ntype ") + wrong + "\nclick run/start\nwait 3\n");
        EXPECT_EQ(field_of(session.message.text), "seed") << session.message.text;
        EXPECT_EQ(session.captures, 1U) << wrong;
        EXPECT_EQ(session.worker, nullptr) << wrong;
    }
    desk.play("click run/seed\ntype 12\nclick run/start\nuntil worker none\n");
    EXPECT_EQ(session.request.seed, 12U);
    EXPECT_EQ(session.captures, 2U);
}

TEST(Edit, RunAsBComparesWithAnotherRun) {
    Workbench desk;
    desk.shell.app.session.kernels = {attention_choice(desk)};
    desk.next(changed_capture(3, 5), desk.source());
    desk.play(
        "click run/start-b\nuntil against B\nexpect captures 1\nexpect tile P\nexpect b attention + 32x\n"
        "key M\nuntil iteration 5\n"
    );
}

TEST(Edit, HomeRunsAKernelWithAFaultByOneClick) {
    Workbench desk;
    Session& session = desk.shell.app.session;
    session.kernels = {attention_choice(desk)};
    session.settings.recent = {desk.file("next.wlcap")};
    desk.next(testing::synthetic_capture(), desk.source());
    desk.play(
        "hold Ctrl\nkey H\nrelease Ctrl\nwait 3\nexpect home shown\nclick home/attention/32x\n"
        "until captures 2\nwait 3\nexpect home hidden\n"
    );
    EXPECT_EQ(session.request.faults, std::vector<std::string>{"32x"});
    desk.play("click menu/home\nwait 3\nexpect home shown\nclick home/recent/0\nwait 3\nexpect captures 3\n");
}

// The worker writes what it found, then what it makes of it.
TEST(Edit, TheVerdictComesBeforeItsCauses) {
    Workbench desk;
    capture::Capture c = testing::synthetic_capture();
    const std::vector<capture::Finding> findings = c.findings;
    c.findings.clear();
    desk.next(c, desk.source());
    capture::write_capture(testing::synthetic_capture(), desk.file("final.wlcap"));
    std::ofstream(desk.file("program"))
        << "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
        << "cp " << desk.file("next.wlcap") << " \"$out\"\n"
        << "echo progress judged 1 >&2\nwhile [ ! -e " << desk.file("go") << " ]; do sleep 0.02; done\ncp "
        << desk.file("final.wlcap") << " \"$out\"\n";
    const Session& session = desk.shell.app.session;
    desk.play("click run/start\nuntil captures 2\nexpect worker running\nexpect tile l\n");
    EXPECT_TRUE(session.capture.findings.empty());
    // An answer leads Source to the author's line meanwhile: nobody chose that.
    desk.shell.app.selection.source = 0, desk.shell.app.selection.line = 2, desk.shell.app.selection.site = 1;
    std::ofstream(desk.file("go")) << "now";
    desk.play("until captures 3\nexpect worker none\nexpect finding 0\nexpect b none\n");
    EXPECT_EQ(session.capture.findings.size(), findings.size());
}

// While causes are looked for, the next run takes their place; what is opened is not replaced by them.
TEST(Edit, CausesDoNotStandInTheWay) {
    Workbench desk;
    const capture::Capture judged = testing::synthetic_capture();
    desk.next(judged, desk.source());
    capture::write_capture(judged, desk.file("other.wlcap"));
    std::ofstream(desk.file("program"))
        << "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
        << "cp " << desk.file("next.wlcap") << " \"$out\"\n"
        << "echo progress judged 1 >&2\nexec sleep 60\n";
    Session& session = desk.shell.app.session;
    desk.play("click run/start\nuntil captures 2\nexpect worker running\n");
    const std::string left = session.worker->capture;
    desk.play("hold Ctrl\nkey Enter\nrelease Ctrl\nuntil captures 3\nexpect worker running\n");
    EXPECT_FALSE(std::filesystem::exists(left)) << "the run before left no file";
    open_anything(session, desk.shell.app.selection, desk.file("other.wlcap"));
    desk.play("until worker none\nexpect captures 4\n");
    EXPECT_EQ(session.path, desk.file("other.wlcap"));
}

TEST(Edit, ALineIsCarriedOverAnEdit) {
    EXPECT_EQ(carried_line("a\nb\nc\n", "a\nb\nc\n", 2), 2);
    EXPECT_EQ(carried_line("a\nb\nc\n", "a\nx\ny\nb\nc\n", 2), 4);
    EXPECT_EQ(carried_line("a\nb\nc\n", "a\nx\ny\nb\nc\n", 1), 1);
    EXPECT_EQ(carried_line("a\nb\nc\n", "a\nc\n", 3), 2);
    EXPECT_EQ(carried_line("a\nb\nc\n", "", 3), 1);
}

TEST(Edit, AWatchedFileCountsOnceItStoodStill) {
    const fs::path path = fs::temp_directory_path() / ("wl_watched_" + std::to_string(getpid()));
    std::ofstream(path) << "one";
    Watched watched;
    watch(watched, {path.string()});
    const auto look = [&] {
        watched.looked = 0;
        return take_changed(watched).size();
    };
    EXPECT_EQ(look(), 0U);
    std::ofstream(path) << "longer";
    EXPECT_EQ(look(), 0U) << "it may still be written";
    EXPECT_EQ(look(), 1U);
    EXPECT_EQ(look(), 0U) << "told once";
    fs::remove(path);
    EXPECT_EQ(look() + look(), 0U) << "an editor that replaces the file is not done yet";
    std::ofstream(path) << "again!!";
    EXPECT_EQ(look() + look(), 1U);
    fs::remove(path);
}

TEST(Edit, TheEditorIsStartedAtTheLine) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(editor_words("code --goto {file}:{line}", "a b", 12), (Words{"code", "--goto", "a b:12"}));
    EXPECT_EQ(editor_words("vim '+{line}'", "k.cu", 3), (Words{"vim", "+3", "k.cu"}));
    EXPECT_THROW(editor_words("", "k.cu", 3), Error);
    EXPECT_THROW(editor_words("vim '+{line}", "k.cu", 3), Error);
    EXPECT_THROW(open_editor("/no/such/editor {file}", "k.cu", 3), Error);
    Workbench desk;
    const std::string told = desk.file("told");
    std::ofstream(desk.file("editor"))
        << "#!/bin/sh\necho \"$@\" > " << told << ".new; mv " << told << ".new " << told << "\n";
    chmod(desk.file("editor").c_str(), 0755);
    desk.shell.app.session.settings.editor = desk.file("editor") + " {file} {line}";
    desk.play("key F4\nwait 2\n");
    for (int i = 0; i < 400 && !fs::exists(told); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(read_text_file(told).find(desk.file("attention.cu") + " "), 0U);
}

}  // namespace
}  // namespace wl::app
