// The program above a driver whose device is emulated: kernels without marks show their stores and shared
// arrays, whoever executes them.
#include "instrumentation/analysis/diff.h"
#include "instrumentation/analysis/ownership.h"
#include "instrumentation/capture/file.h"
#include "tests/support/program.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace wl::test {
namespace {

const std::vector<std::string> kDevice = {"LD_LIBRARY_PATH=" WL_DRIVER_FOLDER};

// Sums of rows in shared memory, by 4 warps; the fault leaves the rows of warp 3 unwritten.
const char* const kSource = R"(extern "C" __global__ void rows(const float* in, float* out) {
    __shared__ float sums[128];
    const int i = threadIdx.x;
#ifdef WL_FAULT_STRIPE
    if (i < 96)
#endif
        sums[i] = in[i] * 2.0f;
    __syncthreads();
    if (i < 64) sums[i] = sums[i] + sums[127 - i];
    __syncthreads();
    out[i] = sums[i % 64];
}
)";
const char* const kManifest = R"(args = [
  { name = "in", dtype = "f32", shape = [128], fill = "normal" },
  { name = "out", dtype = "f32", shape = [128], output = true },
]
[launch]
grid = [1]
block = [128]
[fault.stripe]
about = "the last warp stores nothing"
)";

class DevicesRecord : public testing::Test {
protected:
    TemporaryFolder folder;
    void SetUp() override {
        write_file(folder.path + "/rows.cu", kSource);
        write_file(folder.path + "/rows.toml", kManifest);
    }
    capture::Capture run(std::vector<std::string> more, bool device) {
        const std::string file = folder.path + (device ? "/gpu.wlcap" : "/cpu.wlcap");
        std::vector<std::string> words = {
            "run", folder.path + "/rows.toml", "-o", file, "--on", device ? "gpu" : "cpu"};
        words.insert(words.end(), more.begin(), more.end());
        const Said said = warplens(words, kDevice);
        EXPECT_LE(said.status, 3) << said.err;
        EXPECT_NE(said.status, 2) << said.err;
        return capture::read_capture(file);
    }
};

const capture::Tile* tile_of(const capture::Capture& c, const std::string& name, int iteration) {
    for (const capture::Tile& t : c.tiles)
        if (c.probes[static_cast<size_t>(t.probe)].name == name && t.iteration == iteration) return &t;
    return nullptr;
}

using Store = std::tuple<int, int, uint32_t, uint64_t, int, uint64_t, int>;
std::multiset<Store> stores_of(const capture::Capture& c) {
    std::multiset<Store> out;
    for (const capture::Event& e : c.records.at(0).events)
        if (e.kind == capture::EventKind::shared_write)
            out.insert({e.warp, e.lane, e.site, e.address, e.bytes, e.value, e.epoch});
    return out;
}

TEST_F(DevicesRecord, ADeviceTellsTheSameStoresAndArraysAsTheEmulator) {
    const std::vector<std::string> asked = {"--record", "stores", "--record", "barriers"};
    const capture::Capture cpu = run(asked, false), gpu = run(asked, true);
    EXPECT_EQ(gpu.launch.executor, "gpu: emulated device");
    EXPECT_EQ(stores_of(cpu).size(), 128u + 64u);
    EXPECT_EQ(stores_of(gpu), stores_of(cpu));
    for (const capture::Capture* c : {&cpu, &gpu}) {
        const capture::Tile *first = tile_of(*c, "shared.sums", 0), *second = tile_of(*c, "shared.sums", 1);
        ASSERT_NE(first, nullptr);
        ASSERT_NE(second, nullptr);
        EXPECT_EQ(first->rows, 4);
        EXPECT_EQ(first->cols, 32);
        const analysis::Ownership one = analysis::ownership(analysis::load_tile(*c, *first));
        EXPECT_EQ(one.by_warp, (std::vector<int64_t>{32, 32, 32, 32}));
        EXPECT_EQ(one.never_written, 0);
        const analysis::TileData data = analysis::load_tile(*c, *second);
        EXPECT_EQ(data.owner(0, 5).epoch, 1);
        EXPECT_EQ(data.owner(3, 5).epoch, 0);
    }
    EXPECT_EQ(
        analysis::load_tile(cpu, *tile_of(cpu, "shared.sums", 1)).raw,
        analysis::load_tile(gpu, *tile_of(gpu, "shared.sums", 1)).raw
    );
}

TEST_F(DevicesRecord, AStripeThatNobodyWritesIsSeenOnADevice) {
    const capture::Capture gpu =
        run({"--fault", "stripe", "--record", "stores", "--record", "barriers"}, true);
    const analysis::Ownership owned =
        analysis::ownership(analysis::load_tile(gpu, *tile_of(gpu, "shared.sums", 0)));
    EXPECT_EQ(owned.by_warp, (std::vector<int64_t>{32, 32, 32}));
    EXPECT_EQ(owned.never_written, 32);
    ASSERT_EQ(owned.rows_never_written.size(), 1u);
    EXPECT_EQ(owned.rows_never_written[0], (std::pair{3, 3}));
}

TEST_F(DevicesRecord, WarpsAndEpochsAreChosenOnTheDevice) {
    const std::vector<std::string> asked = {
        "--record", "stores", "--record", "barriers", "--record", "warp=1-2", "--record", "epoch=0"};
    const capture::Capture cpu = run(asked, false), gpu = run(asked, true);
    EXPECT_EQ(stores_of(cpu).size(), 64u);
    EXPECT_EQ(stores_of(gpu), stores_of(cpu));
    for (const capture::Capture* c : {&cpu, &gpu}) {
        EXPECT_NE(tile_of(*c, "shared.sums", 0), nullptr);
        EXPECT_EQ(tile_of(*c, "shared.sums", 1), nullptr);
    }
    // What is not recorded owns nothing: the owners of a part would be wrong.
    EXPECT_EQ(tile_of(gpu, "shared.sums", 0)->owner, capture::kNoBlob);
}

TEST_F(DevicesRecord, WithoutBeingAskedADeviceTellsNeither) {
    const capture::Capture gpu = run({}, true);
    EXPECT_TRUE(stores_of(gpu).empty());
    EXPECT_EQ(tile_of(gpu, "shared.sums", 0), nullptr);
}

TEST_F(DevicesRecord, WordsThatMeanNothingAreRefusedInOneSentence) {
    const auto said = [&](const std::string& word) {
        const Said s = warplens({"run", folder.path + "/rows.toml", "--record", word});
        EXPECT_EQ(s.status, 2) << word;
        EXPECT_EQ(std::count(s.err.begin(), s.err.end(), '\n'), 1) << s.err;
        return s.err;
    };
    EXPECT_NE(said("storse").find("did you mean stores?"), std::string::npos);
    EXPECT_NE(said("warp=3").find("add --record stores"), std::string::npos);
    EXPECT_NE(said("warp=40").find("warps 0 to 31"), std::string::npos);
    EXPECT_NE(said("epoch=4-2").find("epoch=2-5"), std::string::npos);
}

TEST_F(DevicesRecord, WhatWasStoredBeforeAFaultIsTold) {
    write_file(
        folder.path + "/rows.cu",
        "extern \"C\" __global__ void rows(const float* in, float* out) {\n"
        "    __shared__ float sums[128];\n"
        "    sums[threadIdx.x] = in[threadIdx.x];\n"  // line 3
        "    __syncthreads();\n"
        "    out[threadIdx.x * 1000000] = sums[127 - threadIdx.x];\n"
        "}\n"
    );
    const capture::Capture gpu = run({"--record", "stores"}, true);
    const auto fault = std::find_if(gpu.findings.begin(), gpu.findings.end(), [](const capture::Finding& f) {
        return f.rule == "device_fault";
    });
    ASSERT_NE(fault, gpu.findings.end());
    EXPECT_EQ(stores_of(gpu).size(), 128u);
    EXPECT_TRUE(std::any_of(gpu.notes.begin(), gpu.notes.end(), [](const std::string& note) {
        return note.find("block 0 warp 3 dumped last: a store at line 3") != std::string::npos;
    }));
}

// A mark stands where a barrier is missing: its dump orders what the plain kernel leaves unordered.
TEST_F(DevicesRecord, AResultThatObservingChangesIsAFindingWithTheRaceBehindIt) {
    write_file(
        folder.path + "/rows.cu",
        "#include <warplens.cuh>\n"
        "extern \"C\" __global__ void rows(const float* in, float* out) {\n"
        "    __shared__ float sums[128];\n"
        "    sums[threadIdx.x] = in[threadIdx.x];\n"
        "    WL_TILE(\"sums\", sums, 4, 32, 32);\n"
        "#ifndef WL_FAULT_STRIPE\n"
        "    __syncthreads();\n"
        "#endif\n"
        "    out[threadIdx.x] = sums[127 - threadIdx.x];\n"
        "}\n"
    );
    const capture::Capture clean = run({}, true), racy = run({"--fault", "stripe"}, true);
    EXPECT_TRUE(clean.findings.empty());
    const auto changed =
        std::find_if(racy.findings.begin(), racy.findings.end(), [](const capture::Finding& f) {
            return f.rule == "observing_changed";
        });
    ASSERT_NE(changed, racy.findings.end());
    EXPECT_EQ(changed->title, "observing the kernel changes out");
    EXPECT_EQ(changed->where.tile, "out");
    EXPECT_NE(changed->explanation.find("out: 64 elements differ"), std::string::npos)
        << changed->explanation;
    EXPECT_NE(changed->explanation.find("The emulator finds a race"), std::string::npos)
        << changed->explanation;
    ASSERT_GE(changed->caused_by, 0);
    EXPECT_EQ(racy.findings[static_cast<size_t>(changed->caused_by)].rule, "race_shared");
    EXPECT_EQ(racy.verdict, "findings");
}

TEST_F(DevicesRecord, TwoWitnessesCompareTheSharedArrays) {
    const Said said = warplens(
        {"run",
         folder.path + "/rows.toml",
         "-o",
         folder.path + "/both.wlcap",
         "--on",
         "both",
         "--record",
         "barriers"},
        kDevice
    );
    EXPECT_NE(
        said.out.find("tile shared.sums: 2 tiles, 256 of 256 elements equal in all their bits"),
        std::string::npos
    ) << said.out;
}

// A device that multiplies by 6 where the kernel says 5: the first store that differs is named.
TEST_F(DevicesRecord, TwoWitnessesThatDisagreeNameTheFirstStoreThatDiffers) {
    write_file(
        folder.path + "/rows.cu",
        "extern \"C\" __global__ void rows(const float* in, float* out) {\n"
        "    __shared__ float sums[128];\n"
        "    sums[threadIdx.x] = in[threadIdx.x] * 3.0f;\n"
        "    __syncthreads();\n"
        "    sums[threadIdx.x] = sums[threadIdx.x] * 5.0f;\n"  // line 5
        "    __syncthreads();\n"
        "    out[threadIdx.x] = sums[127 - threadIdx.x] * 7.0f;\n"  // line 7
        "}\n"
    );
    write_file(folder.path + "/rows.py", "def reference(i, p): return {'out': i['in'][::-1] * 105.0}\n");
    write_file(folder.path + "/rows.toml", std::string(kManifest) + "[reference]\npython = \"rows.py\"\n");
    const auto said = [&](const std::string& change) {
        std::vector<std::string> environment = kDevice;
        environment.push_back("WL_DEVICE_CHANGE=" + change);
        return warplens({"diagnose", folder.path + "/rows.toml", "--on", "both", "--json"}, environment);
    };
    const Said same = said("nothing=else");
    EXPECT_EQ(same.status, 0) << same.out << same.err;
    const Said other = said("0f40A00000=0f40C00000");
    EXPECT_EQ(other.status, 1) << other.out << other.err;
    const nlohmann::json json = nlohmann::json::parse(other.out);
    const std::string parted = json.at("witnesses").at("parted");
    EXPECT_NE(parted.find("rows.cu:5: block (0,0,0), warp 0, lane 0"), std::string::npos) << parted;
    EXPECT_NE(parted.find("128 stores before it are the same in every bit"), std::string::npos) << parted;
    const auto& finding = json.at("findings").at(0);
    EXPECT_EQ(finding.at("rule"), "executors_disagree");
    EXPECT_EQ(finding.at("where").at("line"), 5);
    const std::string behind =
        nlohmann::json::parse(said("0f40E00000=0f41000000").out).at("witnesses").at("parted");
    EXPECT_NE(behind.find("all 256 stores of the block to shared memory are the same"), std::string::npos)
        << behind;
    EXPECT_NE(behind.find("rows.cu:7"), std::string::npos) << behind;
}

}  // namespace
}  // namespace wl::test
