// Launches that a device refuses before the kernel starts, and twins of them that it takes.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

// A manifest for an entry of tests/kernels/refused.cu, and what diagnose says of it.
struct Refused : testing::Test {
    TemporaryFolder folder;

    json diagnose(
        const std::string& entry, const std::string& launch, const std::vector<std::string>& options
    ) {
        write_file(folder.path + "/refused.cu", read_file(source_path("tests/kernels/refused.cu")));
        write_file(
            folder.path + "/refused.toml",
            "entry = \"" + entry +
                "\"\nargs = [ { name = \"out\", dtype = \"f32\", shape = [163840], output = true, fill = "
                "\"zeros\" } ]\n"
                "[launch]\ngrid = [1]\n" +
                launch +
                "\n[output.out]\ncompare = false\n[fault.bound]\nabout = \"a\"\n[fault.static]\nabout = "
                "\"b\"\n[fault.registers]\nabout = "
                "\"c\"\n"
        );
        std::vector<std::string> words = {"diagnose", folder.path + "/refused.toml", "--json"};
        words.insert(words.end(), options.begin(), options.end());
        const Said said = warplens(words);
        json answer = json::parse(said.out, nullptr, false);
        EXPECT_FALSE(answer.is_discarded()) << said.out << said.err;
        return answer;
    }
    static std::string title(const json& answer) {
        if (answer.at("findings").empty()) return answer.at("verdict");
        EXPECT_EQ(answer.at("findings").at(0).at("rule"), "launch_impossible");
        return answer.at("findings").at(0).at("title");
    }
};

TEST_F(Refused, MoreThreadsThanTheLaunchBounds) {
    EXPECT_EQ(
        title(diagnose("bounded", "block = [256]", {"--fault", "bound"})),
        "the launch is impossible: 256 threads a block, __launch_bounds__ allows 128"
    );
    EXPECT_EQ(title(diagnose("bounded", "block = [256]", {})), "ok");
}

TEST_F(Refused, MoreStaticSharedMemoryThanAnyDeviceGives) {
    EXPECT_EQ(
        title(diagnose("fixed", "block = [256]", {"--fault", "static"})),
        "the kernel cannot be assembled: 65536 bytes of static shared memory, 49152 are allowed"
    );
    EXPECT_EQ(title(diagnose("fixed", "block = [256]", {})), "ok");
}

TEST_F(Refused, MoreSharedMemoryThanTheChosenDeviceGives) {
    const std::string launch = "block = [256]\nshared = 204800";
    EXPECT_EQ(title(diagnose("dynamic", launch, {"--arch", "compute_90"})), "ok");
    const json refused = diagnose("dynamic", launch, {"--arch", "compute_86"});
    EXPECT_EQ(
        title(refused),
        "the launch is impossible: a block asks for 204800 bytes of shared memory, a device of compute "
        "capability 8.6 gives 101376"
    );
    EXPECT_EQ(refused.at("findings").at(0).at("where").at("line"), 6);
    EXPECT_EQ(refused.at("findings").at(0).at("evidence").at("limit"), 101376);
    EXPECT_NE(
        title(diagnose("dynamic", launch, {"--arch", "compute_75"})).find("7.5 gives 65536"),
        std::string::npos
    );
}

TEST_F(Refused, MoreRegistersThanABlockHas) {
    const json refused = diagnose("wide", "block = [1024]", {"--fault", "registers"});
    EXPECT_NE(title(refused).find(" times 1024 threads, a block has 65536"), std::string::npos)
        << title(refused);
    EXPECT_GT(refused.at("findings").at(0).at("evidence").at("asked"), 65536);
    EXPECT_EQ(title(diagnose("wide", "block = [1024]", {})), "ok");
    EXPECT_EQ(title(diagnose("wide", "block = [256]", {"--fault", "registers"})), "ok");
}

TEST_F(Refused, WithoutPtxasRegistersAreUnknownAndSaidToBe) {
    setenv("WARPLENS_PTXAS", "/nonexistent/ptxas", 1);
    const json answer = diagnose("wide", "block = [1024]", {"--fault", "registers"});
    unsetenv("WARPLENS_PTXAS");
    EXPECT_EQ(title(answer), "ok");
    EXPECT_NE(
        answer.dump().find("whether 1024 threads a block have registers enough is unknown"), std::string::npos
    );
}

}  // namespace
}  // namespace wl::test
