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
        const bool own = line.at("file") == "kernels/" + a.kernel + ".cu";
        found.insert(
            "kernels/" + a.kernel + ".cu:" + (own ? line.at("line") : line.at("inlined_at").at(0)).dump()
        );
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

}  // namespace
}  // namespace wl::test
