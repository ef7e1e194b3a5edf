// warplens at --shared: who wrote what when, what is in flight, what an access costs and would cost.
#include "tests/support/program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

json ask(std::vector<std::string> words) {
    words.insert(words.begin(), "at");
    words.insert(words.end(), {"--shared", "--json"});
    const Said said = warplens(words);
    EXPECT_EQ(said.status, 0) << said.err;
    return said.status == 0 ? json::parse(said.out) : json();
}

std::string line_of(const std::string& file, const std::string& text) {
    const std::string place = source_place(file, text);
    return place.substr(place.rfind(':') + 1);
}

const json& region(const json& j, const std::string& name) {
    for (const json& r : j["regions"])
        if (r["name"] == name && r["current"] == true) return r;
    ADD_FAILURE() << "no region " << name;
    return j["regions"].front();
}

// tests/kernels/hazards/stage: 128 threads copy 128 floats a step into one of two buffers, and wait for the
// copies of the step before.
struct Stage {
    std::string kernel = source_path("tests/kernels/hazards/stage.toml");
    std::string read = line_of("tests/kernels/hazards/stage.cu", "to[step * 128 + i] =");
};

TEST(Shared, ACopyIsInFlightUntilItIsWaitedFor) {
    const Stage stage;
    const json j = ask({stage.kernel, "--line", stage.read, "--hit", "1", "--warp", "2"});
    EXPECT_EQ(j["bytes"], 1024);
    EXPECT_EQ(
        j["states"],
        json({
            {"now",       0  },
            {"stale",     512},
            {"in_flight", 512},
            {"never",     0  }
    })
    );
    // Step 1 reads the second buffer; the first is being filled for step 2, and still holds step 0's.
    for (const json& run : j["runs"]) {
        const int begin = run[0], thread = begin % 512 / 4;
        EXPECT_EQ(run[1], 4);
        EXPECT_EQ(run[3], thread % 32);  // lane
        const json& write = j["writes"][run[2].get<size_t>()];
        EXPECT_EQ(write["warp"], thread / 32);
        EXPECT_EQ(write["copy"], true);
        EXPECT_EQ(run[4].get<int>() >= 0, begin < 512);
        EXPECT_EQ(write["epochs_ago"], begin < 512 ? 3 : 1);
        EXPECT_EQ(run[7], 1);  // writers
    }
    const json& tiles = region(j, "tiles");
    EXPECT_EQ(tiles["rows"], 2);
    EXPECT_EQ(tiles["cols"], 128);
    EXPECT_EQ(tiles["dtype"], "f32");
}

TEST(Shared, NothingIsWrittenBeforeTheFirstInstructionDoes) {
    const Stage stage;
    const json j = ask({stage.kernel, "--time", "0"});
    EXPECT_EQ(
        j["states"],
        json({
            {"now",       0   },
            {"stale",     0   },
            {"in_flight", 0   },
            {"never",     1024}
    })
    );
    EXPECT_EQ(j["values"].get<std::string>().size(), 2048U);
    const json last = ask({stage.kernel});  // its last instant
    EXPECT_EQ(last["states"]["in_flight"], 0);
    EXPECT_EQ(last["states"]["stale"], 1024);
}

TEST(Shared, MarksAreRegionsAndTheStateSaysHowManyIterationsAgo) {
    const std::string softmax = line_of("kernels/v2c_3.cu", "WL_STAGE(\"softmax\")");
    const json j = ask({"v2c_3", "--shape", "1,1,256,64", "--stage", "softmax", "--iteration", "2"});
    const json& scores = region(j, "scores");
    EXPECT_EQ(scores["kind"], "tile");
    EXPECT_EQ(scores["rows"].get<int>() * scores["cols"].get<int>(), 64 * 64);
    EXPECT_EQ(region(j, "K")["kind"], "layout");
    int older = 0;
    for (const json& write : j["writes"]) older = std::max(older, write["iterations_ago"].get<int>());
    EXPECT_GE(older, 1);
    EXPECT_FALSE(softmax.empty());
}

// What `warplens banks` counts of a line over the block, and what it says that padding saves.
TEST(Shared, AnAccessCostsWhatBanksCounts) {
    const Said said = warplens({"banks", "v2b", "--shape", "1,1,64,64", "--block", "0,0,0", "--json"});
    const json banks = json::parse(said.out);
    int compared = 0;
    for (const json& line : banks["shared"]["lines"]) {
        if (line["instructions"] != 1) continue;
        const json j = ask(
            {"v2b",
             "--shape",
             "1,1,64,64",
             "--warp",
             std::to_string(line["witness"]["warp"].get<int>()),
             "--access",
             std::to_string(line["line"].get<int>())}
        );
        int degree = 0;
        for (const json& r : j["requests"])
            if (r["global"] == false) degree = std::max(degree, r["cost"]["degree"].get<int>());
        EXPECT_EQ(degree, line["degree"]) << line["line"];
        ++compared;
    }
    EXPECT_GE(compared, 1);
}

TEST(Shared, PaddingInPlaceOfConflictsNamesTheLineOfTheSource) {
    const std::string line = line_of("kernels/v2b.cu", "sh.s[first_row + lane][key] = score * kScale");
    const json j = ask({"v2b", "--shape", "1,1,64,64", "--access", line, "--what-if", "pad=4"});
    EXPECT_EQ(j["requests"][0]["cost"]["degree"], 8);
    EXPECT_EQ(j["requests"][0]["what_if"]["degree"], 1);
    EXPECT_EQ(j["what_if"]["matrix"], "scores");
    EXPECT_EQ(j["what_if"]["line"], std::stoi(line_of("kernels/v2b.cu", "float s[M][N];")));
    EXPECT_EQ(j["what_if"]["now"], "float s[M][N];");
    EXPECT_EQ(j["what_if"]["then"], "float s[M][N + 4];");
    // As `warplens banks` counts when it runs the kernel with that padding.
    EXPECT_EQ(j["what_if"]["before"], 6656);
    EXPECT_EQ(j["what_if"]["after"], 3072);
    EXPECT_EQ(j["what_if"]["ideal"], 3072);
    const json ld = ask(
        {"v2c_4",
         "--shape",
         "1,1,64,64",
         "--access",
         line_of("kernels/v2c_4.cu", "wmma::load_matrix_sync(q, &sh.q"),
         "--what-if",
         "pad=8"}
    );
    EXPECT_EQ(ld["what_if"]["then"], "constexpr int kLd = D + 8 + 8;");
}

// Q of v2c_4 has rows of 72 halves; any other notation of that reads the same bytes.
TEST(Shared, TheSameBytesAreReadByAnyNotation) {
    const std::vector<std::string> kernel = {
        "v2c_4", "--shape", "1,1,64,64", "--stage", "scores", "--shared", "Q"};
    const auto text = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {"at"};
        words.insert(words.end(), kernel.begin(), kernel.end());
        words.insert(words.end(), {"--colour", "value"});
        words.insert(words.end(), more.begin(), more.end());
        const Said said = warplens(words);
        EXPECT_EQ(said.status, 0) << said.err;
        return said.out.substr(std::min(said.out.find("  values:"), said.out.size()));
    };
    const std::string marked = text({});
    EXPECT_NE(marked.find("  values:\n       0"), std::string::npos);
    for (const char* as :
         {"f16 64x64:ld=72", "f16 row(64,64,72)", "f16 (64,64):(72,1)", "@0 f16 (64,(8,8)):(72,(1,8))"})
        EXPECT_EQ(text({"--as", as}), marked) << as;
    EXPECT_NE(text({"--as", "f16 64x64:ld=72:col"}), marked);
    const Said wrong =
        warplens({"at", "v2c_4", "--shape", "1,1,64,64", "--shared", "q", "--as", "f16 64x64"});
    EXPECT_NE(wrong.err.find("--shared q: no such region; there are memory, Q"), std::string::npos)
        << wrong.err;
}

TEST(Shared, AManifestNamesLayoutsThatNoMarkCan) {
    TemporaryFolder folder;
    write_file(folder.path + "/stage.cu", read_file(source_path("tests/kernels/hazards/stage.cu")));
    const std::string manifest = read_file(source_path("tests/kernels/hazards/stage.toml"));
    write_file(
        folder.path + "/stage.toml",
        manifest +
            "\n[layout.second]\nof = \"tiles\"\nat = 512\nas = \"f32 #ttg.shared_linear<{offset = [[0, 1], "
            "[0, 2], [0, 4], [0, 8], [1, 1], [2, 2], [4, 4]]}>\"\n"
    );
    const json j = ask({folder.path + "/stage.toml"});
    EXPECT_EQ(region(j, "second")["begin"], 512);
    EXPECT_EQ(region(j, "second")["end"], 1024);
    EXPECT_EQ(region(j, "tiles")["begin"], 0);
    write_file(folder.path + "/stage.toml", manifest + "\n[layout.tiles]\nas = \"f32 8x8:ld=4\"\n");
    const Said wrong = warplens({"at", folder.path + "/stage.toml", "--shared"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_NE(wrong.err.find("layout.tiles.as"), std::string::npos) << wrong.err;
    EXPECT_NE(wrong.err.find("is no matrix"), std::string::npos) << wrong.err;
}

// A swizzle that rows, columns and ld cannot say, in the mark itself.
TEST(Shared, AMarkNamesAnyNotation) {
    TemporaryFolder folder;
    std::string source = read_file(source_path("tests/kernels/hazards/stage.cu"));
    const std::string reads = "        to[step * 128 + i] =";
    ASSERT_NE(source.find(reads), std::string::npos);
    const auto write = [&](const std::string& notation) {
        std::string marked = source;
        marked.insert(
            marked.find(reads), R"(        WL_LAYOUT("tile", tiles[step % 2], ")" + notation + "\");\n"
        );
        write_file(folder.path + "/stage.cu", "#include <warplens.cuh>\n" + marked);
    };
    write_file(folder.path + "/stage.toml", read_file(source_path("tests/kernels/hazards/stage.toml")));
    write("Swizzle<2,2,3> o (4,32):(32,1)");
    const json j = ask({folder.path + "/stage.toml"});
    const json& tile = region(j, "tile");
    EXPECT_EQ(tile["kind"], "layout");
    EXPECT_EQ(tile["layout"], "f32 Swizzle<2,2,3> o (4,32):(32,1)");
    EXPECT_EQ(tile["end"].get<int>() - tile["begin"].get<int>(), 512);
    const auto values = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"at", folder.path + "/stage.toml", "--shared", "tile"};
        words.insert(words.end(), more.begin(), more.end());
        words.insert(words.end(), {"--colour", "value"});
        const Said said = warplens(words);
        EXPECT_EQ(said.status, 0) << said.err;
        return said.out.substr(std::min(said.out.find("  values:"), said.out.size()));
    };
    EXPECT_NE(values({}).find("  values:\n       0"), std::string::npos);
    EXPECT_EQ(values({}), values({"--as", "f32 Swizzle<2,2,3> o (4,32):(32,1)"}));
    EXPECT_NE(values({}), values({"--as", "f32 (4,32):(32,1)"})) << "the swizzle moves elements";
    write("(4,32:(32,1)");
    for (const char* verb : {"run", "at"}) {
        const Said wrong = warplens({verb, folder.path + "/stage.toml"});
        EXPECT_EQ(wrong.status, 2) << verb;
        EXPECT_NE(wrong.err.find("WL_LAYOUT(\"tile\", ..., \"(4,32:(32,1)\"): "), std::string::npos)
            << wrong.err;
    }
}

TEST(Shared, IsWrittenAsDrawingAndText) {
    const Stage stage;
    TemporaryFolder folder;
    for (const auto& [suffix, begins] :
         {std::pair("svg", "<svg"),
          std::pair("png", "\x89PNG"),
          std::pair("txt", "stage: block"),
          std::pair("json", "{")}) {
        const std::string path = folder.path + "/out." + suffix;
        const Said said = warplens({"at", stage.kernel, "--shared", "tiles", "--colour", "lane", "-o", path});
        EXPECT_EQ(said.status, 0) << said.err;
        EXPECT_TRUE(read_file(path).starts_with(begins)) << suffix;
    }
}

TEST(Shared, WhatCannotBeAnsweredIsSaid) {
    const Stage stage;
    const auto err = [&](std::vector<std::string> words) {
        words.insert(words.begin(), {"at", stage.kernel, "--shared"});
        const Said said = warplens(words);
        EXPECT_EQ(said.status, 2);
        return said.err;
    };
    EXPECT_NE(err({"--access", "2"}).find("warp 0 asks for no memory at line 2"), std::string::npos);
    EXPECT_NE(err({"--access", "finding:1"}).find("findings are of a capture"), std::string::npos);
    EXPECT_NE(err({"--access", stage.read, "--what-if", "turn=3"}).find("write pad=N"), std::string::npos);
    EXPECT_NE(err({"--what-if", "pad=3"}).find("name by --access a line"), std::string::npos);
    EXPECT_NE(err({"--as", "f32 512x512"}).find("the block has 1024 bytes"), std::string::npos);
}

}  // namespace
}  // namespace wl::test
