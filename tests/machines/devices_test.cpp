// Who can execute here, and what is said where that is nobody but the emulator.
#include "tests/support/program.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

bool has_driver() { return dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr; }

TEST(Devices, TellsWhoExecutesAndWhatThatGives) {
    const Said said = warplens({"devices"});
    EXPECT_EQ(said.status, 0);
    EXPECT_NE(said.out.find("cpu   the emulator"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("values are simulated"), std::string::npos);
    EXPECT_NE(said.out.find("\ngpu   "), std::string::npos);
    const nlohmann::json json = nlohmann::json::parse(warplens({"devices", "--json"}).out);
    EXPECT_EQ(json.at("executors").at(0).at("executor"), "cpu");
    EXPECT_EQ(json.at("missing").get<std::string>().empty(), json.at("executors").size() > 1);
}

TEST(Devices, AGpuThatIsNotThereIsUnsupportedInOneSentence) {
    if (has_driver()) GTEST_SKIP() << "this machine has a driver";
    for (const char* on : {"gpu", "both"}) {
        const Said said = warplens({"run", "v2c_3", "--on", on});
        EXPECT_EQ(said.status, 3) << said.out;
        EXPECT_EQ(
            said.err,
            "warplens: unsupported: there is no CUDA driver (libcuda.so.1 cannot be opened); install "
            "NVIDIA's driver; "
            "the emulator (--on cpu) needs none\n"
        );
    }
    EXPECT_EQ(warplens({"bench", "v2c_3"}).status, 3);
    const Said open = warplens({"open", "v2c_3", "--on", "gpu", "--screenshot", "x.png"});
    EXPECT_EQ(open.status, 3) << open.err;
}

TEST(Devices, AutoTakesTheEmulatorWhereThereIsNoGpu) {
    if (has_driver()) GTEST_SKIP() << "this machine has a driver";
    const Said said = warplens({"run", "v2c_3", "--on", "auto", "--set", "H=1", "--set", "S=64"});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_NE(said.out.find("; values simulated by the CPU emulator\n"), std::string::npos);
}

TEST(Devices, VerbsThatWatchEveryAccessStayWithTheEmulator) {
    for (const char* verb : {"banks", "estimate", "accept", "at", "why"}) {
        const Said said = warplens({verb, "v2c_3", "--on", "gpu"});
        EXPECT_EQ(said.status, 3) << verb << said.err;
        EXPECT_NE(said.err.find("needs the emulator; leave --on out"), std::string::npos) << verb << said.err;
    }
    EXPECT_EQ(warplens({"run", "v2c_3", "--on", "tpu"}).status, 2);
    EXPECT_EQ(warplens({"run", "v2c_3", "--device", "-1"}).status, 2);
}

}  // namespace
}  // namespace wl::test
