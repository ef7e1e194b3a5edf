// Wrong input: one clear error on stderr that says what, where and what to do; exit status 2; nothing left
// behind.
#include "tests/support/program.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

// One line on stderr with every one of the words, nothing on stdout, status 2.
void expect_error(const Said& said, const std::vector<std::string>& words) {
    EXPECT_EQ(said.status, 2) << said.out << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err.rfind("warplens: error: ", 0), 0U) << said.err;
    for (const std::string& word : words)
        EXPECT_NE(said.err.find(word), std::string::npos) << "missing: " << word << "\nin: " << said.err;
}

// A user's kernel in a folder of its own: gemm with one edit in one of its files.
struct Kernel {
    TemporaryFolder folder;
    Kernel() {
        for (const char* file : {"gemm.cu", "gemm.toml", "gemm.py"})
            write_file(
                folder.path + "/" + file, read_file(source_path(std::string("tests/kernels/") + file))
            );
    }
    std::string toml() const { return folder.path + "/gemm.toml"; }
    void edit(const std::string& file, const std::string& from, const std::string& to) const {
        std::string text = read_file(folder.path + "/" + file);
        const size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        write_file(folder.path + "/" + file, text.replace(at, from.size(), to));
    }
};

std::string small_capture(const TemporaryFolder& folder) {
    std::string file = folder.path + "/good.wlcap";
    EXPECT_EQ(warplens({"run", "v2c_3", "--shape", "1,1,64,64", "-o", file}).status, 0);
    return file;
}

TEST(BadInput, UnknownKernelsVerbsFaultsAndOptionsGetTheNearestKnownWord) {
    expect_error(warplens({"diagnose", "v2c_33"}), {"v2c_33", "v2c_3"});
    expect_error(warplens({"diagnos", "v2c_3"}), {"diagnos", "diagnose"});
    expect_error(warplens({"diagnose", "v2c_3", "--fault", "scal"}), {"scal", "scale"});
    expect_error(warplens({"diagnose", "v2c_3", "--shpae", "1,1,64,64"}), {"--shpae", "--shape"});
    expect_error(warplens({"diagnose", "v2c_3", "--preset", "mision"}), {"mision", "mission"});
    expect_error(warplens({"diagnose", "v2c_3", "--check", "race"}), {"race", "races"});
}

TEST(BadInput, ImpossibleShapesSayWhichExtent) {
    expect_error(warplens({"diagnose", "v2c_3", "--shape", "1,8,0,64"}), {"S"});
    expect_error(warplens({"diagnose", "v2c_3", "--shape", "1,8,512"}), {"B,H,S,D"});
    expect_error(warplens({"diagnose", "v2c_3", "--shape", "1,8,-5,64"}), {"S"});
    expect_error(warplens({"diagnose", "v2c_3", "--set", "S=x"}), {"S"});
}

TEST(BadInput, CompileErrorsShowTheUsersLine) {
    const Kernel k;
    k.edit("gemm.cu", "__syncthreads();", "__syncthread();");
    expect_error(warplens({"diagnose", k.toml()}), {"gemm.cu", "__syncthread"});
}

TEST(BadInput, ManifestsWithWrongTypesAndMisspeltKeysAreNamedByLine) {
    const Kernel wrong;
    wrong.edit("gemm.toml", "block = [\"TILE\", 8]", "block = 7.5");
    expect_error(warplens({"diagnose", wrong.toml()}), {"gemm.toml:", "block"});
    const Kernel misspelt;
    misspelt.edit("gemm.toml", "[launch]", "[lunch]");
    expect_error(warplens({"diagnose", misspelt.toml()}), {"gemm.toml:", "lunch", "launch"});
}

TEST(BadInput, AReferenceThatThrowsIsSaidAndTheRunGoesOnWithoutIt) {
    const Kernel k;
    k.edit("gemm.py", R"(a, b = inputs["A"], inputs["B"])", "raise ValueError('no truth today')");
    const Said said = warplens({"diagnose", k.toml()});
    EXPECT_NE(said.out.find("no truth today"), std::string::npos) << said.out << said.err;
    EXPECT_NE(said.out.find("gemm.py"), std::string::npos);
    EXPECT_NE(said.out.find("not compared"), std::string::npos);
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("warplens: error: no reference: "), std::string::npos) << said.err;
}

TEST(BadInput, TruncatedAndFlippedCapturesAreRefused) {
    const TemporaryFolder folder;
    const std::string good = read_file(small_capture(folder)), bad = folder.path + "/bad.wlcap";
    for (const size_t keep : {size_t{0}, size_t{10}, good.size() / 2, good.size() - 1}) {
        write_file(bad, good.substr(0, keep));
        expect_error(warplens({"tiles", bad}), {"bad.wlcap"});
    }
    int refused = 0;
    for (size_t i = 1; i < 12; ++i) {
        std::string flipped = good;
        flipped[good.size() * i / 12] ^= 0x10;
        write_file(bad, flipped);
        const Said said = warplens({"tiles", bad});
        EXPECT_TRUE(said.status == 2 || said.out == warplens({"tiles", folder.path + "/good.wlcap"}).out);
        refused += said.status == 2 ? 1 : 0;
    }
    EXPECT_GT(refused, 6);
    write_file(bad, "not a capture");
    expect_error(warplens({"diagnose", bad}), {"bad.wlcap"});
    expect_error(warplens({"tiles", folder.path + "/absent.wlcap"}), {"absent.wlcap"});
}

TEST(BadInput, AnUnwritablePlaceLeavesNothingBehind) {
    const TemporaryFolder folder;
    write_file(folder.path + "/file", "x");
    expect_error(
        warplens({"run", "v2c_3", "--shape", "1,1,64,64", "-o", folder.path + "/file/out.wlcap"}),
        {"out.wlcap"}
    );
    expect_error(
        warplens({"run", "v2c_3", "--shape", "1,1,64,64", "-o", "/proc/out.wlcap"}), {"/proc/out.wlcap"}
    );
}

TEST(BadInput, NoDisplayNamesTheScreenshot) {
    expect_error(warplens({"open", "v2c_3"}, {"DISPLAY=", "WAYLAND_DISPLAY="}), {"display", "--screenshot"});
}

TEST(BadInput, TilesThatAreNotThereAreNamed) {
    const TemporaryFolder folder;
    const std::string file = small_capture(folder), png = folder.path + "/x.png";
    expect_error(warplens({"show", file, "--tile", "score", "-o", png}), {"score", "scores"});
    expect_error(warplens({"show", file, "--tile", "scores", "--iteration", "9", "-o", png}), {"9"});
    expect_error(warplens({"show", file, "--tile", "scores", "--block", "7,0,0", "-o", png}), {"7,0,0"});
    expect_error(
        warplens({"show", file, "--tile", "scores", "--view", "rato", "-o", png}), {"rato", "ratio"}
    );
    EXPECT_FALSE(std::filesystem::exists(png));
}

TEST(BadInput, NoChangeIsProvenByAReferenceOfAnotherShape) {
    const TemporaryFolder folder;
    write_file(folder.path + "/one.cu", "__global__ void one(float* x) { x[0] = 1; }\n");
    write_file(
        folder.path + "/one.py",
        "import numpy as np\ndef reference(inputs, params):\n    return {'x': np.zeros(5)}\n"
    );
    write_file(
        folder.path + "/one.toml",
        "args = [ { name = \"x\", dtype = \"f32\", shape = [4], output = true } ]\n"
        "launch = { grid = [1], block = [32] }\n[reference]\npython = \"one.py\"\n"
    );
    const nlohmann::json answer = nlohmann::json::parse(
        warplens({"diagnose", folder.path + "/one.toml", "--json"}).out, nullptr, false
    );
    EXPECT_EQ(answer.at("findings").at(0).at("rule"), "never_written");
    EXPECT_EQ(answer.at("findings").at(0).at("proven"), false) << "zero for 1 is right by no reference";
}

}  // namespace
}  // namespace wl::test
