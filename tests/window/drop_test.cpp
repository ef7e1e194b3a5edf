// Files dropped on the window, as another program's drag drops them: each kind that opens here, and those
// that do not. A kernel without a manifest leads on to one.
#include "app/session/edit/describe.h"
#include "instrumentation/base/text.h"
#include "tests/support/desktop.h"
#include "tests/support/x_client.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScale = R"(__global__ void scale(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
)";
constexpr const char* kManifest = R"toml(source = "scale.cu"
args = [{ name = "x", dtype = "f32", shape = ["n"], fill = "normal" },
        { name = "y", dtype = "f32", shape = ["n"], output = true },
        { name = "n", dtype = "s32", value = "n" }]
[params]
n = 300
[launch]
grid = ["ceil_div(n, 128)"]
block = [128]
[reference]
python = "scale.py"
[output.y]
terms = 1
)toml";
constexpr const char* kReference = "def reference(inputs, params):\n    return {'y': 2 * inputs['x']}\n";

struct Drop : testing::Test {
    test::Desktop desktop{1280, 720};
    Session& session = desktop.shell.app.session;
    fs::path folder = fs::path(desktop.folder.path) / "a folder";

    void SetUp() override {
        ASSERT_TRUE(desktop.display.started) << "Xvfb does not start";
        fs::create_directories(folder);
        desktop.play("wait 2\n");
    }
    std::string file(const std::string& name, const std::string& text) const {
        std::ofstream(folder / name) << text;
        return (folder / name).string();
    }
    void described() const { file("scale.toml", kManifest), file("scale.py", kReference); }
    void drop(const std::string& path) {
        EXPECT_TRUE(test::drop_files({path}, {600, 300}, [&] { desktop.shell.draw(nullptr); })) << path;
        desktop.play("wait 3\n");
        while (is_waiting(session)) desktop.play("wait 1\n");
        desktop.play("wait 3\n");
    }
    std::string value(const char* key) const { return value_of(desktop.shell.app, key); }
};

TEST_F(Drop, ASourceAndAManifestRun) {
    described();
    for (const std::string& path : {file("scale.cu", kScale), (folder / "scale.toml").string()}) {
        const uint64_t before = session.captures;
        desktop.shell.app.workspace.at_home = true;
        drop(path);
        EXPECT_EQ(value("home"), "hidden") << path;
        EXPECT_GT(session.captures, before) << path << ": " << session.message.text;
        EXPECT_EQ(value("verdict"), "ok") << path << ": " << session.message.text;
        EXPECT_EQ(value("tile"), "y");
    }
}

TEST_F(Drop, ACaptureAndAnArrayAreShown) {
    described();
    const std::string capture = (folder / "kept.wlcap").string();
    const test::Said said =
        test::warplens({"run", file("scale.cu", kScale), "-o", capture, "--quiet", "--set", "n=77"});
    ASSERT_EQ(said.status, 0) << said.err;
    desktop.shell.app.workspace.at_home = true;
    drop(capture);
    EXPECT_EQ(value("home"), "hidden");
    EXPECT_EQ(session.path, capture);
    EXPECT_EQ(value("kernel"), "scale");
    const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    std::string npy = "\x93NUMPY\x01" + std::string(1, '\0') + "v" + std::string(1, '\0') + header +
        std::string(117 - header.size(), ' ') + "\n";
    const float values[] = {1, 2, 3, 4, 5, 6};
    npy.append(reinterpret_cast<const char*>(values), sizeof values);
    drop(file("weights.npy", npy));
    EXPECT_EQ(value("tile"), "weights") << session.message.text;
    EXPECT_EQ(session.current.data.rows, 2);
    EXPECT_EQ(session.current.data.cols, 3);
}

TEST_F(Drop, OfTwoCapturesTheSecondIsB) {
    described();
    std::vector<std::string> captures;
    for (const char* size : {"n=77", "n=78"}) {
        captures.push_back((folder / (std::string(size) + ".wlcap")).string());
        ASSERT_EQ(
            test::warplens({"run", file("scale.cu", kScale), "-o", captures.back(), "--quiet", "--set", size})
                .status,
            0
        );
    }
    EXPECT_TRUE(test::drop_files(captures, {600, 300}, [&] { desktop.shell.draw(nullptr); }));
    desktop.play("wait 3\n");
    EXPECT_EQ(session.path, captures[0]);
    EXPECT_EQ(value("b"), "n=78.wlcap");
}

TEST_F(Drop, PtxIsShownAndWhatIsNoneOfThemIsSaid) {
    drop(file(
        "empty.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n"
    ));
    EXPECT_EQ(value("kernel"), "empty") << session.message.text;
    EXPECT_TRUE(is_undescribed(session));
    drop(file("notes.txt", "buy milk\n"));
    EXPECT_TRUE(session.message.bad);
    EXPECT_NE(session.message.text.find("A .wlcap, .cu, .toml, .ptx or .npy opens here."), std::string::npos);
    EXPECT_EQ(value("kernel"), "empty") << "what was shown stays";
}

TEST_F(Drop, AKernelWithoutAManifestIsShownAndGetsOneByAPress) {
    drop(file("scale.cu", kScale));
    EXPECT_TRUE(is_undescribed(session));
    EXPECT_EQ(session.capture.sources[0].text, kScale);
    ASSERT_TRUE(desktop.shows("source/2")) << "Source is in front";
    EXPECT_TRUE(session.watched.files.empty()) << "a text alone is not run when it is saved";
    desktop.play("click run/describe\nuntil verdict incomplete\nuntil waiting no\n");
    EXPECT_EQ(value("tile"), "y");
    EXPECT_FALSE(session.message.bad) << session.message.text;
    EXPECT_TRUE(fs::exists(folder / "scale.toml"));
    EXPECT_TRUE(fs::exists(folder / "scale.py"));
    EXPECT_GE(session.describing.left.size(), 2U);
    ASSERT_TRUE(desktop.shows("run/written.py"));
    session.settings.editor = "touch \"" + (folder / "edited").string() + "\" {file}";
    desktop.play("click run/written.py\nwait 3\n");
    for (int i = 0; i < 100 && !fs::exists(folder / "edited"); ++i) desktop.play("wait 1\n");
    EXPECT_TRUE(fs::exists(folder / "edited"));

    const std::string manifest = read_text_file((folder / "scale.toml").string());
    const size_t assumed = manifest.find("assumed = [");
    file("scale.toml", manifest.substr(0, assumed) + manifest.substr(manifest.find('\n', assumed) + 1));
    file("scale.py", kReference);
    desktop.play("until verdict ok\nwait 3\n");
    EXPECT_FALSE(desktop.shows("run/written.py")) << "nothing is left to do";
}

TEST_F(Drop, WhyNoManifestCanBeMadeIsSaidAtItsLine) {
    drop(file("broken.cu", "__global__ void k(float* y) {\n    y[0] = missing;\n}\n"));
    desktop.play(
        "click run/describe\nuntil broken " + (folder / "broken.cu").string() +
        ":2: identifier \"missing\" is undefined\nwait 3\nmove source/broken/2\n"
    );
    EXPECT_FALSE(fs::exists(folder / "broken.toml"));
    file("broken.py", "");
    drop(file("broken.cu", kScale));
    desktop.play("click run/describe\nuntil waiting no\n");
    EXPECT_NE(session.message.text.find("broken.py is there already"), std::string::npos)
        << session.message.text;
}

}  // namespace
}  // namespace wl::app
