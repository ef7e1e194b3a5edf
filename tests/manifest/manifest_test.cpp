// Manifests read and bound: what they say becomes numbers, names become files.
#include "instrumentation/manifest/manifest.h"

#include "instrumentation/base/error.h"
#include "tests/manifest/manifest_fixture.h"

namespace wl::manifest {
namespace {

struct Manifest : ManifestFolder {};

std::string resolve_error(const std::string& kernel) {
    try {
        resolve(kernel);
    } catch (const Error& e) { return e.what(); }
    return "no error";
}

TEST_F(Manifest, EveryKeyArrives) {
    const Kernel kernel = load("gemm.toml");
    EXPECT_EQ(kernel.name, "gemm");
    EXPECT_EQ(kernel.title, "Tiled GEMM");
    EXPECT_EQ(kernel.source, "gemm.cu");
    EXPECT_EQ(kernel.entry, "");
    ASSERT_EQ(kernel.args.size(), 3u);
    EXPECT_EQ(kernel.args[0].dtype, DType::f16);
    EXPECT_EQ(kernel.args[0].shape, (std::vector<std::string>{"M", "K"}));
    EXPECT_EQ(kernel.args[0].line, 3);
    EXPECT_TRUE(kernel.args[1].output);
    EXPECT_EQ(kernel.args[2].value, "1.5");
    EXPECT_EQ(kernel.tiles.at("S").of, "scores");
    EXPECT_EQ(kernel.tiles.at("S").at.size(), 4u);
    EXPECT_EQ(kernel.outputs.at("C").of, "C");
    EXPECT_EQ(kernel.outputs.at("C").terms, "K");
    EXPECT_EQ(place(kernel, "launch.grid[1]"), "gemm.toml:19: launch.grid[1]");
}

TEST_F(Manifest, ParametersKeepTheOrderOfTheFile) {
    const Kernel kernel = load("gemm.toml");
    const std::vector<std::pair<std::string, std::string>> expected = {
        {"M",    "100"  },
        {"N",    "M - 4"},
        {"K",    "64"   },
        {"TILE", "32"   }
    };
    EXPECT_EQ(kernel.params, expected);
    ASSERT_EQ(kernel.faults.size(), 2u);
    EXPECT_EQ(kernel.faults[0].name, "32x");
    EXPECT_EQ(kernel.faults[1].about, "no barrier");
}

TEST_F(Manifest, StoriesAreOneLineWhateverTheFileBreaks) {
    write(
        "gemm.toml",
        "story = \"\"\"\nFirst it was slow.\n   Then it was wrong.\n\"\"\"\n" + std::string(kGemm) +
            "story = \"  a barrier\tfell out \"\n"
    );
    const Kernel kernel = load("gemm.toml");
    EXPECT_EQ(kernel.story, "First it was slow. Then it was wrong.");
    EXPECT_EQ(kernel.faults[0].story, "");
    EXPECT_EQ(kernel.faults[1].story, "a barrier fell out");
}

TEST_F(Manifest, LimitsAreTheAuthorsUnlessTheFileSaysOtherwise) {
    EXPECT_EQ(load("gemm.toml").limits.registers, "72");
    EXPECT_EQ(load("gemm.toml").limits.shared, "99 * 1024");
    write("gemm.toml", std::string(kGemm) + "[limits]\nregisters = 128\n");
    EXPECT_EQ(load("gemm.toml").limits.registers, "128");
    EXPECT_EQ(load("gemm.toml").limits.shared, "99 * 1024");
}

TEST_F(Manifest, SharedMemoryByBufferIsTheSumOfItsBuffers) {
    const Kernel kernel = loaded(edited(
        "shared = \"2 * TILE * (TILE + 1) * 4\"\n", "[launch.shared]\ntiles = \"TILE * 8\"\n\"m, l\" = 100\n"
    ));
    ASSERT_EQ(kernel.launches[0].shared_parts.size(), 2u) << "as they are written";
    EXPECT_EQ(kernel.launches[0].shared_parts[0], (std::pair<std::string, std::string>{"tiles", "TILE * 8"}));
    EXPECT_EQ(kernel.launches[0].shared_parts[1], (std::pair<std::string, std::string>{"m, l", "100"}));
    EXPECT_EQ(launch_of(bind(kernel, {})).shared, 356u);
}

TEST_F(Manifest, ADefinitionThatIsNoNumberIsHandedOnAsItStands) {
    const Problem problem =
        bind(loaded(edited("ONE = 1.0", "REAL = { text = \"float\" }\nEMPTY = { text = \"\" }")), {});
    const auto& defines = problem.defines;
    const auto has = [&](const std::string& name, const std::string& value) {
        return std::find(defines.begin(), defines.end(), std::pair(name, value)) != defines.end();
    };
    EXPECT_TRUE(has("TILE", "32"));
    EXPECT_TRUE(has("REAL", "float"));
    EXPECT_TRUE(has("EMPTY", ""));
    EXPECT_EQ(
        load_error("ONE = 1.0", "ONE = { value = 1 }"),
        "gemm.toml:17: unknown key \"value\" in define.ONE; known keys are text."
    );
}

TEST_F(Manifest, AFaultSetsParametersAndTheCommandLineWins) {
    const Kernel kernel =
        loaded(edited("about = \"no barrier\"", "about = \"no barrier\"\nset = { K = 32, TILE = 16 }"));
    BindOptions options;
    EXPECT_EQ(launch_of(bind(kernel, options)).block.x, 32u);
    options.faults = {"no-sync"};
    EXPECT_EQ(launch_of(bind(kernel, options)).block.x, 16u);
    options.set = {
        {"TILE", "8"}
    };
    EXPECT_EQ(launch_of(bind(kernel, options)).block.x, 8u);
    EXPECT_EQ(
        load_error("about = \"no barrier\"", "about = \"no barrier\"\nset = { TILES = 16 }").find("TILE\"") !=
            std::string::npos,
        true
    );
}

TEST_F(Manifest, BindingMakesNumbersOfIt) {
    const Problem problem = bind(load("gemm.toml"), {});
    const std::vector<std::pair<std::string, double>> params = {
        {"M",    100},
        {"N",    96 },
        {"K",    64 },
        {"TILE", 32 }
    };
    EXPECT_EQ(problem.params, params);
    const std::vector<std::pair<std::string, std::string>> defines = {
        {"TILE",  "32"   },
        {"SCALE", "0.125"},
        {"ONE",   "1.0"  }
    };
    EXPECT_EQ(problem.defines, defines);
    EXPECT_EQ(launch_of(problem).grid, (Dim3{3, 4, 1}));
    EXPECT_EQ(launch_of(problem).block, (Dim3{32, 8, 1}));
    EXPECT_EQ(launch_of(problem).shared, 8448u);
    EXPECT_EQ(problem.args[0].data.shape, (std::vector<int64_t>{100, 64}));
    EXPECT_EQ(problem.args[0].data.bytes.size(), 100u * 64 * 2);
    EXPECT_EQ(at(problem.args[2].data, 0), 1.5);
}

TEST_F(Manifest, SetWinsOverPresetWinsOverTheFile) {
    const Kernel kernel = load("gemm.toml");
    BindOptions options;
    options.preset = "large";
    EXPECT_EQ(bind(kernel, options).params[0].second, 4096);
    EXPECT_EQ(bind(kernel, options).params[1].second, 4092) << "N follows M";
    options.set = {
        {"M", "64"    },
        {"M", "2 * 40"},
        {"N", "M / 3" }
    };
    EXPECT_EQ(bind(kernel, options).params[0].second, 80) << "the later --set wins";
    EXPECT_EQ(bind(kernel, options).params[1].second, 26);
}

TEST_F(Manifest, FaultsBecomeMacros) {
    BindOptions options;
    options.faults = {"no-sync", "32x", "no-sync"};
    const Problem problem = bind(load("gemm.toml"), options);
    EXPECT_EQ(problem.faults, (std::vector<std::string>{"no-sync", "32x"}));
    ASSERT_EQ(problem.defines.size(), 5u);
    EXPECT_EQ(problem.defines[3].first, "WL_FAULT_NO_SYNC");
    EXPECT_EQ(problem.defines[4].first, "WL_FAULT_32X");
}

TEST_F(Manifest, AWindowLiesWhereItsExpressionsSay) {
    const Problem problem = bind(load("gemm.toml"), {});
    const TileRule& rule = problem.kernel.tiles.at("S");
    EXPECT_EQ(window_origin(problem, rule, {2, 5, 7}, 3, 4), (std::vector<int64_t>{7, 8, 200, 384}));
    const TileRule uneven{"scores", {"block.x * 0.5"}, "", {}, {}, "", ""};
    EXPECT_THROW(window_origin(problem, uneven, {1, 0, 0}, 0, 0), Error);
    EXPECT_EQ(window_origin(problem, uneven, {2, 0, 0}, 0, 0), (std::vector<int64_t>{1}));
}

TEST_F(Manifest, RegistersHoldTheElementsThatTheirExpressionsSay) {
    const Problem problem = bind(load("gemm.toml"), {});
    TileRule rule;
    rule.row = "lane / 4 + element % 2 * 8", rule.col = "lane % 4";
    const std::vector<LanePlace> places = lane_places(problem, rule, 32, 2);
    ASSERT_EQ(places.size(), 64U);
    EXPECT_EQ(places[2 * 31].row, 7);
    EXPECT_EQ(places[2 * 31 + 1].row, 15);
    EXPECT_EQ(places[2 * 31 + 1].col, 3);
    rule.row = "lane - 1";
    EXPECT_THROW(lane_places(problem, rule, 32, 1), Error);
    rule.row = "lane * 1000";
    EXPECT_THROW(lane_places(problem, rule, 32, 1), Error);
}

TEST_F(Manifest, ShippedManifestsBind) {
    ASSERT_FALSE(shipped().empty());
    for (const std::string& path : shipped()) {
        const Kernel kernel = load(path);
        EXPECT_GT(bind(kernel, {}).args.size(), 0u) << path;
        for (const auto& [preset, values] : kernel.presets) {
            BindOptions options;
            options.preset = preset;
            options.inputs = "zeros";
            EXPECT_GT(launch_of(bind(kernel, options)).grid.x, 0u) << path << " " << preset;
        }
    }
}

TEST_F(Manifest, AKernelIsFoundByNameManifestOrSource) {
    write("kernels/v2b.toml", "");
    write("kernels/v2c_3.toml", "");
    setenv("WARPLENS_KERNELS", (folder / "kernels/").c_str(), 1);
    EXPECT_EQ(resolve("v2b"), (folder / "kernels/v2b.toml").string());
    EXPECT_EQ(resolve("gemm.toml"), "gemm.toml");
    EXPECT_EQ(resolve("./gemm.cu"), "./gemm.toml");
    EXPECT_EQ(
        resolve_error("v2c3"),
        "unknown kernel \"v2c3\"; did you mean \"v2c_3\"? Shipped kernels: v2b, v2c_3. A kernel of your own "
        "is named by its path, such as ./gemm.toml."
    );
    EXPECT_EQ(resolve_error("banana").substr(0, 24), "unknown kernel \"banana\".");
    EXPECT_EQ(resolve_error("none.toml"), "there is no manifest none.toml.");
    EXPECT_EQ(resolve_error("none.cu"), "there is no kernel source none.cu.");
    write("alone.cu", "");
    EXPECT_EQ(
        resolve_error("alone.cu"),
        "alone.cu has no manifest: `warplens init alone.cu` writes alone.toml to go on with."
    );
    EXPECT_EQ(display_path((folder / "kernels/v2b.cu").string()), "kernels/v2b.cu");
    EXPECT_EQ(display_path((folder / "gemm.cu").string()), "gemm.cu");
    EXPECT_EQ(display_path("/somewhere/else.cu"), "/somewhere/else.cu");
}

}  // namespace
}  // namespace wl::manifest
