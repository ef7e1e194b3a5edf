// why on the command line, over the lineage's faults of an address or a guard: which lines are told to blame.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace wl::test {
namespace {

using nlohmann::json;

struct Asked {
    std::string kernel, fault, tile = "scores";
};
json why(const Asked& a) {
    const Said said =
        warplens({"why", a.kernel, "--fault", a.fault, "--shape", "1,1,128,64", "--tile", a.tile, "--json"});
    EXPECT_EQ(said.status, 1) << said.err;
    return json::parse(said.out);
}

// The lines of the kernel that the links marked as misled were inlined at, or lie on.
std::set<std::string> misled(const Asked& a, const json& j) {
    std::set<std::string> found;
    for (const json& line : j.at("lines")) {
        if (!line.at("misled").get<bool>()) continue;
        EXPECT_TRUE(line.at("suspect").get<bool>());
        const std::string source = source_path("kernels/" + a.kernel + ".cu");
        const bool own = line.at("file") == source;
        found.insert(source + ":" + (own ? line.at("line") : line.at("inlined_at").at(0)).dump());
    }
    return found;
}

std::string place(const Asked& a, const std::string& text) {
    return source_place("kernels/" + a.kernel + ".cu", text);
}

TEST(Why, AFragmentReadInTheWrongOrderIsToBlameAtItsLoad) {
    for (const auto& [asked, load] : std::vector<std::pair<Asked, std::string>>{
             {{"v2c_2", "qk"}, "&sh.k[stage][column][key0], kLd"},
             {{"v2c_4", "ld"}, "wmma::load_matrix_sync(k, "     }
    }) {
        const json j = why(asked);
        EXPECT_EQ(misled(asked, j), std::set{place(asked, load)}) << asked.kernel;
        const json& evidence = j.at("evidence");
        EXPECT_EQ(evidence.at("problem"), "");
        EXPECT_EQ(evidence.at("foreign").size(), 1u);
        EXPECT_EQ(evidence.at("foreign").at(0).at("argument"), "K");
        EXPECT_EQ(evidence.at("missing").at(0).at("argument"), "K");
        EXPECT_TRUE(evidence.at("belongs_to").is_null());
        EXPECT_EQ(evidence.at("laid_right"), (json{"Q", "K", "V"}));
    }
}

TEST(Why, AColumnMajorFragmentOfTheWrongMatrixIsToBlameAtItsLoad) {
    const Asked asked{"flashcore_2", "col_major"};
    const json j = why(asked);
    EXPECT_EQ(misled(asked, j).size(), 1u);
    EXPECT_EQ(j.at("evidence").at("foreign").at(0).at("argument"), "K");
}

TEST(Why, ARightValueInAnothersPlaceIsToBlameWhereItIsPutAndTaken) {
    const Asked asked{"v2c_1", "fragment"};
    const json j = why(asked);
    EXPECT_EQ(j.at("evidence").at("belongs_to"), (json{8, 0}));
    EXPECT_EQ(
        misled(asked, j),
        (std::set{place(asked, "ts[lane][e] = score.x[e];"), place(asked, "= ts[e / 16][e % 16]")})
    );
}

TEST(Why, RowsThatNobodyWroteAreReadAtTheLinesToBlame) {
    const Asked asked{"v2c_4", "stripe"};
    const json j = why(asked);
    EXPECT_EQ(misled(asked, j), std::set{place(asked, "wmma::load_matrix_sync(q, ")});
    EXPECT_TRUE(j.at("evidence").at("foreign").empty());
    EXPECT_EQ(j.at("evidence").at("missing").at(0).at("argument"), "Q");
}

TEST(Why, AFaultOfTheArithmeticBlamesNoAddress) {
    for (const Asked& asked : {
             Asked{"v2c_3", "scale"},
             Asked{ "v2c_3",  "32x",     "l"}
    }) {
        const json j = why(asked);
        EXPECT_TRUE(misled(asked, j).empty()) << asked.fault;
        EXPECT_TRUE(j.at("evidence").at("foreign").empty()) << asked.fault;
        EXPECT_TRUE(j.at("evidence").at("missing").empty()) << asked.fault;
    }
}

TEST(Why, AddressesAndGuardsAreLinksOfTheirOwnKind) {
    const Asked asked{"v2c_2", "qk"};
    const json j = why(asked);
    bool index = false, warp = false;
    for (const json& line : j.at("lines")) {
        EXPECT_EQ(line.at("kind"), "value");
        for (const json& d : line.at("decided_by")) {
            EXPECT_TRUE(d.at("kind") == "address" || d.at("kind") == "guard");
            EXPECT_LE(d.at("order"), line.at("order"));
            const std::string at = d.at("file").get<std::string>() + ":" + d.at("line").dump();
            const bool out_of_thread = d.at("out_of") == json{"threadIdx.x"};
            index = index || (d.at("kind") == "address" && at == place(asked, "const int row = i / (D / 8)"));
            warp = warp ||
                (d.at("kind") == "guard" && at == place(asked, "const int warp_id = threadIdx.x / 32") &&
                 out_of_thread);
        }
    }
    EXPECT_TRUE(index) << "the arithmetic of the copies' index";
    EXPECT_TRUE(warp) << "which warp copies";
}

TEST(Why, AMarkBehindTheAskedOneIsNotOnTheWay) {
    const Asked asked{"v2c_2", "qk"};
    const json j = why(asked);
    EXPECT_TRUE(j.at("elements").empty()) << "masked is taken later, of the same memory";
    EXPECT_TRUE(j.at("first_wrong").is_null());
}

json why_gemm(const std::string& fault) {
    const Said said = warplens(
        {"why",
         source_path("tests/kernels/gemm.toml"),
         "--fault",
         fault,
         "--tile",
         "C",
         "--element",
         "0,1",
         "--json"}
    );
    EXPECT_EQ(said.status, 1) << said.err;
    return json::parse(said.out);
}

// A reference in Python is asked again with other inputs, as the built-in one is.
TEST(Why, APythonReferenceTellsForeignAndMissingInputs) {
    const json stride = why_gemm("stride");
    EXPECT_EQ(stride.at("evidence").at("problem"), "");
    EXPECT_EQ(
        stride.at("evidence").at("missing"),
        (json{
            {{"argument", "B"}, {"element", {1, 1}}}
    })
    );
    ASSERT_FALSE(stride.at("evidence").at("foreign").empty());
    EXPECT_EQ(stride.at("evidence").at("foreign")[0].at("argument"), "B");
    int marked = 0;
    for (const json& line : stride.at("lines")) marked += line.at("misled").get<bool>() ? 1 : 0;
    EXPECT_EQ(marked, 1) << "the line whose address is wrong";
    const json last = why_gemm("last");
    EXPECT_TRUE(last.at("evidence").at("foreign").empty()) << "what it took is right, and not all";
    EXPECT_EQ(last.at("evidence").at("missing").size(), 2u);
}

TEST(Why, AReferenceThatFailsOnOtherInputsGivesNoEvidence) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/twice.cu",
        "__global__ void twice(const float* x, float* y) { y[threadIdx.x] = 2 * x[threadIdx.x ^ 1]; }\n"
    );
    write_file(
        folder.path + "/twice.py",
        "def reference(inputs, params):\n    x = inputs['x']\n"
        "    if abs(x).max() > 10: raise ValueError('out of range')\n    return {'y': 2 * x}\n"
    );
    write_file(
        folder.path + "/twice.toml",
        "args = [{ name = 'x', dtype = 'float', shape = [32], fill = 'normal' },\n"
        "{ name = 'y', dtype = 'float', shape = [32], output = true }]\n"
        "[launch]\ngrid = [1]\nblock = [32]\n[reference]\npython = 'twice.py'\n"
    );
    const Said said = warplens({"why", folder.path + "/twice.toml", "--tile", "y", "--json"});
    EXPECT_EQ(said.status, 1) << said.err;
    const json evidence = json::parse(said.out).at("evidence");
    EXPECT_NE(
        evidence.at("problem").get<std::string>().find("fails on inputs that were changed"), std::string::npos
    ) << evidence.dump();
    EXPECT_TRUE(evidence.at("foreign").empty());
}

// Block (1,3) writes it, and was not recorded.
TEST(Why, ABlockThatWasNotRecordedIsRunOnDemand) {
    const TemporaryFolder folder;
    for (const char* name : {"gemm.cu", "gemm.py", "gemm.toml"})
        write_file(folder.path + "/" + name, read_file(source_path(std::string("tests/kernels/") + name)));
    const std::string capture = folder.path + "/gemm.wlcap";
    ASSERT_EQ(warplens({"run", folder.path + "/gemm.toml", "-o", capture}).status, 0);
    for (const std::string& what : {folder.path + "/gemm.toml", capture}) {
        const Said said = warplens({"why", what, "--tile", "C", "--element", "100,60"});
        EXPECT_EQ(said.status, 0) << said.err;
        EXPECT_NE(said.out.find("block (1,3,0)"), std::string::npos) << said.out;
    }
}

}  // namespace
}  // namespace wl::test
