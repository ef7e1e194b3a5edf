// Manifests of several launches, and of tables of addresses, that say what cannot be.
#include "tests/manifest/manifest_fixture.h"

#include <array>
#include <vector>

namespace wl::manifest {
namespace {

constexpr const char* kTwo = R"text(source = "gemm.cu"
args = [
  { name = "a", dtype = "f32", shape = ["N"], fill = "ones" },
  { name = "b", dtype = "f32", shape = ["N"], output = true },
  { name = "t", pointers = [{ name = "x", dtype = "f32", shape = [4], fill = "ones" }, "a"] },
]
[params]
N = 8
[[launch]]
entry = "first"
args = ["a", "b", { name = "n", dtype = "s32", value = "N" }]
grid = [1]
block = [32]
[[launch]]
repeat = "N / 4"
turn = "k"
  [[launch.launch]]
  entry = "second<64>"
  grid = ["k + 1"]
  block = [64]
)text";

struct LaunchErrors : ManifestFolder {
    std::string error(const std::string& from, const std::string& to, const BindOptions& options = {}) {
        std::string text = kTwo;
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        if (at != std::string::npos) text.replace(at, from.size(), to);
        write("two.toml", text);
        try {
            bind(load("two.toml"), options);
        } catch (const Error& e) { return e.what(); }
        return "no error";
    }
};

TEST_F(LaunchErrors, RepetitionsAreWrittenOut) {
    write("two.toml", kTwo);
    const Problem p = bind(load("two.toml"), {});
    ASSERT_EQ(p.launches.size(), 3u);
    EXPECT_EQ(p.launches[0].name, "first");
    EXPECT_EQ(p.launches[2].name, "second (k=1)");
    EXPECT_EQ(p.launches[2].grid.x, 2u);
    EXPECT_EQ(p.launches[2].key, "launch[1].launch[0]");
    EXPECT_EQ(p.at, 2u) << "the last, unless one is chosen";
    EXPECT_EQ(p.args[2].pointers.size(), 2u);
    EXPECT_EQ(p.args[2].pointers[0].first, "t.x");
    BindOptions chosen;
    chosen.launch = "second";
    EXPECT_EQ(bind(load("two.toml"), chosen).at, 1u);
}

TEST_F(LaunchErrors, EachIsOneSentenceWithItsLine) {
    const std::vector<std::array<std::string, 3>> cases = {
        {R"("a", "b", {)",                                                   R"("a", "c", {)",                             R"(two.toml:11: unknown argument in launch[0].args[1] "c")"                         },
        {R"({ name = "n", dtype = "s32", value = "N" })",
         R"({ name = "n", dtype = "s32", shape = [2], fill = "ones" })",                                                   "two.toml:11: launch[0].args[2] is an array: launches share theirs"                 },
        {R"(args = ["a", "b", { name = "n", dtype = "s32", value = "N" }])",
         "args = 3",                                                                                                       "two.toml:11: launch[0].args must be a list"                                        },
        {R"("N / 4")",                                                       "-1",                                         "two.toml:15: launch[1].repeat is -1"                                               },
        {R"("N / 4")",                                                       "99999",                                      "more than 10,000 launches"                                                         },
        {R"(turn = "k")",                                                    R"(turn = "N")",                              R"(two.toml:16: launch[1]: "N" has a meaning already)"                              },
        {"repeat = \"N / 4\"\n",                                             "",                                           "launch[1].repeat is missing"                                                       },
        {R"(grid = ["k + 1"])",                                              R"(grid = ["K + 1"])",                        R"(launch[1].launch[0].grid[0]: unknown name "K")"                                  },
        {"block = [32]",                                                     "block = [32]\n[launch.output.c]\nterms = 2", R"(unknown output "c")"                                                             },
        {R"("a"] },)",
         R"("z"] },)",                                                                                                     R"(two.toml:5: args[2]: there is no array "z" to point to; there are a, b, t, t.x.)"},
        {"pointers = [{",                                                    "pointers = [3, {",                           "two.toml:5: args[2].pointers is a list of arrays"                                  },
        {"pointers = [{",
         "output = true, pointers = [{",                                                                                   "two.toml:5: args[2].output is not for an array of addresses"                       },
    };
    for (const auto& [from, to, said] : cases)
        EXPECT_NE(error(from, to).find(said), std::string::npos) << error(from, to) << "\nwanted: " << said;
    BindOptions none;
    none.launch = "4";
    EXPECT_EQ(
        error("N = 8", "N = 8", none),
        "--launch 4: two has no such launch; it has 1 first, 2 second (k=0), 3 second (k=1)"
    );
    EXPECT_NE(error("grid = [1]", "grid = [1]\nrepeat = 0").find("no error"), std::string::npos)
        << "the others run";
}

}  // namespace
}  // namespace wl::manifest
