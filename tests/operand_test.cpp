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

// The first finding on v2c_2 with these texts replaced, at one head and 128 keys.
json first_finding(const std::vector<Change>& changes) {
    const TemporaryFolder folder;
    std::string source = read_file(source_path("kernels/v2c_2.cu"));
    for (const Change& c : changes) {
        const size_t at = source.find(c.from);
        EXPECT_NE(at, std::string::npos) << c.from;
        if (at != std::string::npos) source.replace(at, c.from.size(), c.to);
    }
    write_file(folder.path + "/v2c_2.cu", source);
    write_file(folder.path + "/v2c_2.toml", read_file(source_path("kernels/v2c_2.toml")));
    const Said said = warplens({"diagnose", folder.path + "/v2c_2.toml", "--json", "--shape", "1,1,128,64"});
    EXPECT_LT(said.status, 2) << said.err;
    const json j = json::parse(said.out, nullptr, false);
    return j.is_discarded() || j.at("findings").empty() ? json() : j.at("findings").at(0);
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
    EXPECT_FALSE(f.at("proven").get<bool>());
}

}  // namespace
}  // namespace wl::test
