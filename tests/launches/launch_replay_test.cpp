// A recorded launch is run again, with every check, and compared with what it left: as a user does it.
#include "instrumentation/launches/launch_file.h"
#include "tests/support/program.h"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using launches::After;
using launches::RecordedLaunch;
using Bytes = std::vector<std::byte>;
using Json = nlohmann::json;

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

// out[i] = 2 * in[i], of a struct {const float* in; float* out; int n;}.
const std::string kScale = kHead + R"(.visible .entry scale(.param .align 8 .b8 field[24]) {
.reg .pred %p; .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .b64 %rd<6>;
ld.param.u64 %rd1, [field];
ld.param.u64 %rd2, [field+8];
ld.param.u32 %r1, [field+16];
mov.u32 %r2, %tid.x;
setp.ge.s32 %p, %r2, %r1;
@%p bra done;
mul.wide.s32 %rd3, %r2, 4;
add.s64 %rd4, %rd1, %rd3;
add.s64 %rd5, %rd2, %rd3;
ld.global.f32 %f1, [%rd4];
add.f32 %f2, %f1, %f1;
st.global.f32 [%rd5], %f2;
done: ret;
}
)";

template <class T>
Bytes bytes_of(const std::vector<T>& values) {
    Bytes out(values.size() * sizeof(T));
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

std::vector<float> ramp(size_t n, float step) {
    std::vector<float> out(n);
    for (size_t i = 0; i < n; ++i) out[i] = step * static_cast<float>(i + 1);
    return out;
}

// Addresses of a process on another machine.
constexpr uint64_t kIn = 0x7f3a'1220'0000, kOut = 0x7f3a'1220'0200, kTable = 0x7f3a'4000'0000;

RecordedLaunch scale_launch(int n) {
    RecordedLaunch l;
    l.ptx = kScale, l.entry = "scale", l.block = {32, 1, 1}, l.device = "NVIDIA H200", l.number = 5,
    l.of_entry = 2;
    l.command = {"./prog", "1024"};
    l.params.resize(24);
    std::memcpy(l.params.data(), &kIn, 8), std::memcpy(l.params.data() + 8, &kOut, 8);
    std::memcpy(l.params.data() + 16, &n, 4);
    l.memory = {
        {"", false, kIn,  bytes_of(ramp(20,                 0.5F)),         After::unchanged, {}    },
        {"", false, kOut, bytes_of(std::vector<float>(20)), After::changed, bytes_of(ramp(20, 1.0F))}
    };
    return l;
}

struct Replayed {
    Said said;
    Json json;
};
Replayed replay(
    const RecordedLaunch& launch, const TemporaryFolder& folder, const std::string& verb = "run"
) {
    const std::string file = folder.path + "/x.wllaunch";
    launches::write_launch(launch, file);
    Replayed out;
    out.said = warplens({verb, file, "--json", "-o", folder.path + "/x.wlcap"});
    if (!out.said.out.empty()) out.json = Json::parse(out.said.out);
    return out;
}

std::string first_rule(const Replayed& r) {
    return r.json["findings"].empty() ? "" : r.json["findings"][0]["rule"].get<std::string>();
}

TEST(Replay, IsComparedWithWhatTheLaunchLeft) {
    const TemporaryFolder folder;
    const Replayed r = replay(scale_launch(20), folder);
    ASSERT_EQ(r.said.status, 0) << r.said.out << r.said.err;
    EXPECT_EQ(r.json["verdict"], "ok");
    ASSERT_EQ(r.json["outputs"].size(), 1U);
    EXPECT_EQ(r.json["outputs"][0]["name"], "arg0+8");
    EXPECT_EQ(r.json["outputs"][0]["max_abs_difference"], 0);
    EXPECT_EQ(r.json["covered"]["checks"].size(), 5U) << r.json["covered"];
    bool told = false;
    for (const Json& note : r.json["notes"])
        told = told || note == "recorded on NVIDIA H200: launch 2 of scale by ./prog 1024";
    EXPECT_TRUE(told) << r.json["notes"];
    const Said why = warplens({"why", folder.path + "/x.wlcap", "--tile", "arg0+8", "--element", "0,3"});
    EXPECT_EQ(why.status, 0) << why.err;
    EXPECT_NE(why.out.find("arg0"), std::string::npos) << why.out;
}

// The two allocations begin and end at odd addresses, and touch in the middle of a word: each has its own
// shadow.
TEST(Replay, MemoryLiesAnywhere) {
    for (const uint64_t before : {1U, 3U, 31U, 4093U}) {
        RecordedLaunch l = scale_launch(20);
        const auto at = [](uint64_t base, uint64_t end, uint64_t floats, const std::vector<float>& values) {
            Bytes out(end - base, std::byte{0x5a});
            std::memcpy(out.data() + (floats - base), values.data(), values.size() * sizeof(float));
            return out;
        };
        const uint64_t first = kIn - before, second = kOut - 3, end = kOut + 20 * sizeof(float) + 1;
        const Bytes in = at(first, second, kIn, ramp(20, 0.5F));
        l.memory = {
            {"",             false, first, in, After::unchanged, {}},
            { "",
             false, second,
             at(second, end, kOut, std::vector<float>(20)),
             After::changed,
             at(second, end, kOut, ramp(20, 1.0F))}
        };
        const TemporaryFolder folder;
        const Replayed r = replay(l, folder, "diagnose");
        ASSERT_EQ(r.said.status, 0) << before << r.said.out << r.said.err;
        EXPECT_EQ(r.json["verdict"], "ok") << before;
        EXPECT_EQ(r.json["covered"]["checks"].size(), 5U) << r.json["covered"];
    }
}

// In window 1 lies shared memory: no allocation does.
TEST(Replay, MemoryOutsideOfGlobalMemoryIsRefused) {
    RecordedLaunch l = scale_launch(20);
    const uint64_t base = 0x00ff'ffff'ffff'fff0;
    l.memory[0].base = base;
    std::memcpy(l.params.data(), &base, 8);
    const TemporaryFolder folder;
    const Replayed r = replay(l, folder);
    EXPECT_EQ(r.said.status, 2) << r.said.out;
    EXPECT_NE(r.said.err.find("leave the addresses that global memory has"), std::string::npos) << r.said.err;
}

TEST(Replay, AnotherValueOnTheDeviceIsAFinding) {
    const TemporaryFolder folder;
    RecordedLaunch l = scale_launch(20);
    std::vector<float> left = ramp(20, 1.0F);
    left[7] = 3;
    launches::set_left(l.memory[1], bytes_of(left));
    const Replayed r = replay(l, folder);
    EXPECT_EQ(r.said.status, 1);
    ASSERT_FALSE(r.json["findings"].empty());
    EXPECT_EQ(r.json["findings"][0]["where"]["element"], (Json{0, 7})) << r.json["findings"][0];
}

TEST(Replay, ARoundingIsNoFinding) {
    const TemporaryFolder folder;
    RecordedLaunch l = scale_launch(20);
    std::vector<float> left = ramp(20, 1.0F);
    left[7] += 1e-6F;
    launches::set_left(l.memory[1], bytes_of(left));
    const Replayed r = replay(l, folder);
    EXPECT_EQ(r.said.status, 0) << r.said.out;
}

TEST(Replay, ReadsBehindAnAllocationAreFound) {
    const TemporaryFolder folder;
    const Replayed r = replay(scale_launch(21), folder, "diagnose");
    EXPECT_EQ(r.said.status, 1);
    EXPECT_EQ(first_rule(r), "out_of_bounds");
    EXPECT_NE(r.json["findings"][0].dump().find("arg0"), std::string::npos) << r.json["findings"][0];
}

// sums[t] = table[0][t] + table[1][t]
TEST(Replay, TablesOfPointersMeanWhatTheyMeant) {
    RecordedLaunch l = scale_launch(20);
    l.ptx = kHead + R"(.visible .entry _Z6gatherPKPKfPf(.param .u64 table, .param .u64 sums) {
.reg .b32 %r<2>; .reg .f32 %f<4>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [table];
ld.param.u64 %rd2, [sums];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
ld.global.u64 %rd4, [%rd1];
ld.global.u64 %rd5, [%rd1+8];
add.s64 %rd4, %rd4, %rd3;
add.s64 %rd5, %rd5, %rd3;
ld.global.f32 %f1, [%rd4];
ld.global.f32 %f2, [%rd5];
add.f32 %f3, %f1, %f2;
add.s64 %rd2, %rd2, %rd3;
st.global.f32 [%rd2], %f3;
ret;
}
)";
    l.entry = "_Z6gatherPKPKfPf", l.block = {10, 1, 1};
    l.params.resize(16);
    std::memcpy(l.params.data(), &kTable, 8);
    l.memory.push_back(
        {"", false, kTable, bytes_of(std::vector<uint64_t>{kIn, kIn + 40}), After::unchanged, {}}
    );
    std::vector<float> left(20);
    for (size_t i = 0; i < 10; ++i) left[i] = 0.5F * static_cast<float>(i + 1 + i + 11);
    launches::set_left(l.memory[1], bytes_of(left));
    const TemporaryFolder folder;
    const Replayed r = replay(l, folder);
    ASSERT_EQ(r.said.status, 0) << r.said.out << r.said.err;
    EXPECT_EQ(r.json["outputs"][0]["name"], "arg1");
    EXPECT_EQ(r.json["outputs"][0]["max_abs_difference"], 0);
    l.memory.pop_back();
    EXPECT_EQ(first_rule(replay(l, folder)), "out_of_bounds");  // nobody kept the table
}

// *history = coefficient * counter; counter += 1
TEST(Replay, VariablesOfTheModuleHoldWhatTheyHeld) {
    RecordedLaunch l = scale_launch(20);
    l.ptx = kHead + R"(.visible .const .align 4 .f32 coefficient;
.visible .global .align 4 .f32 counter = 0f42000000;
.visible .global .align 8 .u64 history;
.visible .entry step() {
.reg .f32 %f<4>; .reg .b64 %rd<4>;
ld.const.f32 %f1, [coefficient];
ld.global.f32 %f2, [counter];
mul.f32 %f3, %f1, %f2;
ld.global.u64 %rd1, [history];
st.global.f32 [%rd1], %f3;
add.f32 %f2, %f2, 0f3F800000;
st.global.f32 [counter], %f2;
ret;
}
)";
    l.entry = "step", l.block = {1, 1, 1}, l.params.clear();
    std::vector<float> left(20);
    left[0] = 21;
    launches::set_left(l.memory[1], bytes_of(left));
    l.memory.push_back(
        {"coefficient", true, 0x7f3a'5000'0000, bytes_of(std::vector<float>{3}), After::unchanged, {}}
    );
    l.memory.push_back(
        {"history", true, 0x7f3a'5000'0100, bytes_of(std::vector<uint64_t>{kOut}), After::unchanged, {}}
    );
    l.memory.push_back(
        {"counter", true, 0x7f3a'5000'0200, bytes_of(std::vector<float>{7}), After::unknown, {}}
    );
    launches::set_left(l.memory.back(), bytes_of(std::vector<float>{8}));
    const TemporaryFolder folder;
    const Replayed r = replay(l, folder);
    ASSERT_EQ(r.said.status, 0) << r.said.out << r.said.err;
    ASSERT_EQ(r.json["outputs"].size(), 2U);
    for (const Json& output : r.json["outputs"]) EXPECT_EQ(output["max_abs_difference"], 0) << output;
}

// Neighbours in shared memory, with the barrier and without.
std::string neighbours(bool barrier) {
    return kHead + R"(.visible .entry neighbours(.param .u64 out) {
.reg .b32 %r<6>; .reg .b64 %rd<4>;
.shared .align 4 .b8 part[256];
ld.param.u64 %rd1, [out];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, part;
add.u32 %r3, %r3, %r2;
st.shared.u32 [%r3], %r1;
)" + (barrier ? "bar.sync 0;\n" : "") +
        R"(xor.b32 %r4, %r2, 128;
mov.u32 %r5, part;
add.u32 %r5, %r5, %r4;
ld.shared.u32 %r4, [%r5];
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r4;
ret;
}
)";
}

TEST(Replay, EveryCheckIsMade) {
    RecordedLaunch l;
    l.ptx = neighbours(true), l.entry = "neighbours", l.block = {64, 1, 1}, l.device = "NVIDIA H200";
    l.params = bytes_of(std::vector<uint64_t>{kOut});
    std::vector<uint32_t> left(64);
    for (uint32_t i = 0; i < 64; ++i) left[i] = i ^ 32;
    l.memory = {
        {"", false, kOut, Bytes(256), After::unknown, {}}
    };
    launches::set_left(l.memory[0], bytes_of(left));
    const TemporaryFolder folder;
    EXPECT_EQ(replay(l, folder).said.status, 0);
    l.ptx = neighbours(false);
    const Replayed racy = replay(l, folder);
    EXPECT_EQ(racy.said.status, 1);
    EXPECT_EQ(first_rule(racy), "race_shared");
    EXPECT_EQ(warplens({"hazards", folder.path + "/x.wllaunch"}).status, 1);
}

// tests/gpu/record_run.py has recorded them on an H200: CUDA C++, a PyTorch extension, CuPy, Triton,
// PyTorch's NVRTC. Two are wrong, and ended well there.
TEST(Replay, WhatAnH200LeftIsWhatTheEmulatorMakes) {
    const std::map<std::string, std::string> wrong = {
        {"program-racing_sums", "race_shared"  },
        {"exact-differences",   "out_of_bounds"}
    };
    const TemporaryFolder folder;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/golden/launches"))) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() != ".wllaunch") continue;
        ++files;
        const Said said = warplens({"run", entry.path().string(), "--json", "-o", folder.path + "/x.wlcap"});
        ASSERT_FALSE(said.out.empty()) << name << said.err;
        const Json json = Json::parse(said.out);
        const auto fault = wrong.find(name);
        EXPECT_EQ(json["verdict"], fault == wrong.end() ? "ok" : "findings") << name << ": " << said.out;
        if (fault != wrong.end()) {
            ASSERT_FALSE(json["findings"].empty()) << name;
            EXPECT_EQ(json["findings"][0]["rule"], fault->second) << name;
        }
        for (const Json& output : json["outputs"]) EXPECT_TRUE(output["ok"].is_boolean()) << name << output;
    }
    EXPECT_GE(files, 12);
}

TEST(Replay, ALaunchThatFailedHasNothingToBeComparedWith) {
    RecordedLaunch l = scale_launch(20);
    l.fault = "CUDA_ERROR_ILLEGAL_ADDRESS";
    for (launches::Memory& m : l.memory) m.after = After::unknown, m.left.clear();
    const TemporaryFolder folder;
    const Replayed r = replay(l, folder);
    EXPECT_NE(r.said.status, 2) << r.said.err;
    EXPECT_TRUE(r.json["outputs"].empty());
    EXPECT_NE(r.json.dump().find("it ended there with CUDA_ERROR_ILLEGAL_ADDRESS"), std::string::npos);
}

// An argument of 16 bytes more than its parameter: what is recorded is not what the kernel would take.
TEST(Replay, ABufferThatIsLargerThanTheParametersIsAnError) {
    const TemporaryFolder folder;
    RecordedLaunch l = scale_launch(20);
    l.params.resize(l.params.size() + 7);
    EXPECT_EQ(replay(l, folder).said.status, 0) << "padding";
    l.params.resize(l.params.size() + 9);
    const Said said = replay(l, folder).said;
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("scale takes 24 bytes of parameters, and 40 were recorded"), std::string::npos)
        << said.err;
}

TEST(Replay, WhatCannotBeRunIsSaid) {
    const TemporaryFolder folder;
    const auto said = [&](const RecordedLaunch& l) { return replay(l, folder).said; };
    RecordedLaunch l = scale_launch(20);
    l.ptx.clear(), l.image = "a cubin", l.notes = {"the module was a cubin without PTX: build it with ..."};
    EXPECT_EQ(said(l).status, 3);
    EXPECT_NE(
        said(l).err.find("x.wllaunch holds no PTX, which is what WarpLens runs: the module was a cubin"),
        std::string::npos
    ) << said(l).err;
    l = scale_launch(20), l.entry = "other";
    EXPECT_EQ(said(l).status, 2);
    EXPECT_NE(said(l).err.find("its PTX has no kernel other"), std::string::npos);
    l = scale_launch(20), l.params.resize(16);
    EXPECT_NE(
        said(l).err.find("scale takes 24 bytes of parameters, and 16 were recorded"), std::string::npos
    );
    launches::write_launch(scale_launch(20), folder.path + "/y.wllaunch");
    EXPECT_NE(
        warplens({"run", folder.path + "/y.wllaunch", "--set", "n=4"})
            .err.find("is a recorded launch: it has the parameters"),
        std::string::npos
    );
    const std::string file = read_file(folder.path + "/y.wllaunch");
    write_file(folder.path + "/y.wllaunch", file.substr(0, file.size() - 100));
    const Said cut = warplens({"run", folder.path + "/y.wllaunch"});
    EXPECT_EQ(cut.status, 2);
    EXPECT_NE(cut.err.find("y.wllaunch is truncated"), std::string::npos) << cut.err;
    EXPECT_EQ(warplens({"run", folder.path + "/none.wllaunch"}).status, 2);
}

}  // namespace
}  // namespace wl::test
