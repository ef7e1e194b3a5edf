// A right kernel whose one line is changed so that a product takes another operand, or one the wrong way
// round: the finding says which.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

constexpr const char* kLoadOfK = "wmma::load_matrix_sync(k, &sh.k[stage][key0][column], kLd);";
constexpr const char* kLayoutOfK = "__half, wmma::col_major> k;";

struct Change {
    std::string from, to;
};

// What is found on a kernel with these texts replaced, at one head and 128 keys.
json findings(
    const std::string& kernel, const std::vector<Change>& changes, const std::vector<Change>& of_manifest = {}
) {
    const TemporaryFolder folder;
    const auto changed = [](std::string text, const std::vector<Change>& replaced) {
        for (const Change& c : replaced) {
            const size_t at = text.find(c.from);
            EXPECT_NE(at, std::string::npos) << c.from;
            if (at != std::string::npos) text.replace(at, c.from.size(), c.to);
        }
        return text;
    };
    const std::string toml = "/" + kernel + ".toml";
    const std::string cu = "/" + kernel + ".cu";
    write_file(folder.path + cu, changed(read_file(source_path("kernels" + cu)), changes));
    write_file(folder.path + toml, changed(read_file(source_path("kernels" + toml)), of_manifest));
    const Said said =
        warplens({"diagnose", folder.path + toml, "--json", "--search", "0", "--shape", "1,1,128,64"});
    EXPECT_LT(said.status, 2) << said.err;
    const json j = json::parse(said.out, nullptr, false);
    return j.is_discarded() ? json::array() : j.at("findings");
}

const std::vector<Change> kRoom{
    {"2 * (M + 4 * N) * (D + 8) + 4 * M * N + 4 * M * (D + 8)",
     "2 * (M + 4 * N) * (D + 24) + 4 * M * N + 4 * M * (D + 24)"}
};

json first_finding(const std::vector<Change>& changes) {
    const json all = findings("v2c_2", changes);
    return all.empty() ? json() : all.at(0);
}

// Plain loads and stores, not fragments: the distance between rows stands in no instruction. Padding is
// zeroed first, or reading it would be the first finding.
const std::string kKeys = "    const int keys = CAUSAL ? min(seq, query0 + M) : seq;";
const Change kZeroed{kKeys, R"(
    for (int i = threadIdx.x; i < sizeof(sh.k) / 2; i += 256) sh.k[0][0][i] = __float2half(0.0f);
    __syncthreads();
)" + kKeys};

void expect_rows(const json& all, const std::string& title) {
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.at(0).at("rule"), "wrong_leading_dimension") << all.at(0).dump(1);
    EXPECT_EQ(all.at(0).at("title"), title);
    EXPECT_EQ(all.at(0).at("evidence_kind"), "response");
    const std::string proof = all.at(0).at("proof");
    EXPECT_NE(proof.find("equals all 4096 elements within "), std::string::npos) << proof;
    EXPECT_NE(proof.find("with another seed the same elements equal all 4096"), std::string::npos) << proof;
    for (size_t i = 1; i < all.size(); ++i) EXPECT_EQ(all.at(i).at("caused_by"), 0) << all.at(i).dump(1);
}

TEST(LeadingDimension, OfAPlainLoadIsNamed) {
    const json all = findings(
        "v2c_3",
        {
            kZeroed, {"&sh.k[stage][key0 + 16 * j][column]", "sh.k[stage][0] + (key0 + 16 * j) * D + column"}
    }
    );
    expect_rows(all, "K written with leading dimension 72, read with 64");
    EXPECT_NE(
        all.at(0).at("explanation").get<std::string>().find("K[1,0] comes from padding"), std::string::npos
    );
}

const std::vector<Change> kFurtherApart{
    kZeroed,
    {"__half (*to)[kLd]",                             "__half (*to)[88]"                          },
    {"__half q[M][kLd], k[2][N][kLd], v[2][N][kLd];", "__half q[M][88], k[2][N][88], v[2][N][88];"}
};

TEST(LeadingDimension, OfAPlainStoreIsNamed) {
    std::vector<Change> changes = kFurtherApart;
    changes.push_back(
        {"&sh.k[stage][key0 + 16 * j][column]", "sh.k[stage][0] + (key0 + 16 * j) * kLd + column"}
    );
    expect_rows(findings("v2c_3", changes, kRoom), "K written with leading dimension 88, read with 72");
}

TEST(LeadingDimension, IsTheReasonGivenForAReadOfPadding) {
    const json all = findings(
        "v2c_3",
        {
            {"&sh.k[stage][key0 + 16 * j][column]", "sh.k[stage][0] + (key0 + 16 * j) * D + column"}
    }
    );
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.at(0).at("rule"), "uninitialised");
    const std::string text = all.at(0).at("explanation");
    EXPECT_NE(text.find("wrote with 144 bytes from row to row, 128 of them filled"), std::string::npos)
        << text;
}

TEST(LeadingDimension, OfRowsReadWhereTheyWereWrittenIsNoFinding) {
    const json all = findings("v2c_3", kFurtherApart, kRoom);
    EXPECT_TRUE(all.empty()) << all.dump(1);
}

TEST(Operand, BlocksOfAFragmentTransposedAreMendedByItsLayout) {
    const json f = first_finding({
        {kLayoutOfK, "__half, wmma::row_major> k;"}
    });
    EXPECT_EQ(f.at("rule"), "permuted_operand") << f.dump(1);
    EXPECT_EQ(
        f.at("title"), "scores are Q K^T, K taken with each 16 x 16 block of it transposed instead of Q K^T"
    );
    EXPECT_EQ(f.at("proof").get<std::string>().find("with col_major for row_major at "), 0U) << f.dump(1);
}

TEST(Operand, BlocksInTransposedPlacesAreMendedByTheInverse) {
    const json f = first_finding({
        {kLoadOfK, "wmma::load_matrix_sync(k, &sh.k[stage][column][key0], kLd);"}
    });
    EXPECT_EQ(f.at("rule"), "permuted_operand") << f.dump(1);
    EXPECT_NE(
        f.at("title").get<std::string>().find("its 16 x 16 blocks in transposed places"), std::string::npos
    );
    EXPECT_NE(f.at("proof").get<std::string>().find("rearranged the same way"), std::string::npos)
        << f.dump(1);
}

TEST(Operand, ALeftOperandTransposedIsNamed) {
    const json f = first_finding({
        {"__half, wmma::row_major> q;", "__half, wmma::col_major> q;"},
        {"&sh.q[row0][column]",         "&sh.q[column][row0]"        }
    });
    EXPECT_EQ(f.at("rule"), "transposed_operand") << f.dump(1);
    EXPECT_EQ(f.at("title"), "scores are Q^T K^T instead of Q K^T");
}

TEST(Operand, AnotherInputIsNamedAndOnlyConsistentWith) {
    const json f = first_finding({
        {kLoadOfK, "wmma::load_matrix_sync(k, &sh.v[stage][key0][column], kLd);"}
    });
    EXPECT_EQ(f.at("rule"), "wrong_operand") << f.dump(1);
    EXPECT_EQ(f.at("title"), "scores are Q V^T instead of Q K^T");
    EXPECT_EQ(f.at("evidence_kind"), "fit");
}

}  // namespace
}  // namespace wl::test
