// warplens fragments: every map that it prints against what GPUs answered, both directions, the four forms in
// which it leaves, and words that it does not know.
#include "app/cli/fragments/fragments.h"

#include "instrumentation/base/error.h"
#include "instrumentation/manifest/python.h"
#include "tests/support/program.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

namespace wl::app {
namespace {

using nlohmann::json;
using wl::test::Said;
using wl::test::warplens;

std::vector<json> records(const std::string& file) {
    std::ifstream in(wl::test::source_path("tests/golden/" + file));
    std::vector<json> maps;
    for (std::string line; std::getline(in, line);) maps.push_back(json::parse(line));
    if (!maps.empty()) maps.erase(maps.begin());  // the device
    return maps;
}

std::vector<std::string> parts(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, '.');) all.push_back(part);
    return all;
}

// What a person would type for a record: "matrix_a.m16n16k16.f16" is wmma.m16n16k16 a f16.
std::string words_of(const json& record) {
    const std::string name = record["frag"];
    const std::vector<std::string> p = parts(name);
    if (p[0] == "ldmatrix" || p[0] == "stmatrix")
        return p[0] + "." + p[2] + (p[3] == "trans" ? ".trans" : "");
    if (name.starts_with("mma.sp.metadata"))
        return "mma.sp." + p[3] + " e" + std::to_string(record["selector"].get<int>()) + " " + p[4];
    if (name.starts_with("mma.sp")) return "mma.sp." + p[3] + " " + p[2] + " " + p[4];
    if (p[0] == "mma") return "mma." + p[2] + " " + p[1] + " " + p[3] + (p.size() > 4 ? " " + p[4] : "");
    const std::string order = record.value("layout", "row_major").substr(0, 3);
    return "wmma." + p[1] + " " + p[0] + " " + p[2] + " " + order;
}

FragmentAnswer one(const std::string& words, FragmentOptions o = {}) {
    o.words = {words};
    std::vector<FragmentAnswer> answers = answer(o);
    EXPECT_EQ(answers.size(), 1u) << words;
    return answers.front();
}

FragmentOptions asking(const std::string& element, int lane) {
    FragmentOptions o;
    o.element = element, o.lane = lane;
    return o;
}

FragmentPlace place_of(const json& element) {
    if (element.is_number()) {  // matrix * 64 + row * 8 + column
        const int number = element;
        return {
            static_cast<int16_t>(number / 8 % 8),
            static_cast<int16_t>(number % 8),
            static_cast<int16_t>(number / 64)};
    }
    if (element.size() == 2) return {element[0], element[1], 0};
    return {element[1], element[2], element[0]};
}

int differences(const json& record, const fragments::Map& map) {
    int different = 0;
    if (record.contains("places")) {
        int places = 0;
        for (int lane = 0; lane < 32; ++lane) places += static_cast<int>(fragments::held(map, lane).size());
        different += std::abs(places - static_cast<int>(record["places"].size()));
        for (const json& p : record["places"])
            if (map.layout.at(p[0], p[1].get<int>() / 4) != FragmentPlace{p[2], p[3], 0}) ++different;
        return different;
    }
    for (int lane = 0; lane < 32; ++lane) {
        const json& elements = record["lanes"][static_cast<size_t>(lane)];
        if (static_cast<int>(elements.size()) != map.layout.elements) return 1;
        for (int i = 0; i < map.layout.elements; ++i)
            if (map.layout.at(lane, i) != place_of(elements[static_cast<size_t>(i)])) ++different;
    }
    return different;
}

// (2, lanes, elements): the rows, then the columns. By name: 128 lanes of a warpgroup, or 32 of movmatrix.
int differences(const Tensor& record, const fragments::Map& map) {
    const std::vector<int64_t> shape = {2, map.lanes, map.layout.elements};
    EXPECT_EQ(record.shape, shape) << record.name;
    if (record.shape != shape || record.dtype != DType::s16) return 1;
    const auto* places = reinterpret_cast<const int16_t*>(record.bytes.data());
    const size_t count = map.layout.places.size();
    int different = 0;
    for (size_t i = 0; i < count; ++i)
        if (map.layout.places[i] != FragmentPlace{places[i], places[count + i], 0}) ++different;
    return different;
}

// Those of wgmma and movmatrix; how many.
int compare_warpgroups(std::set<std::string>& measured) {
    int compared = 0;
    for (const Tensor& record :
         manifest::read_npz(wl::test::source_path("tests/golden/warpgroup_sm90.npz"))) {
        if (record.name == "record") continue;
        const FragmentAnswer a = one(record.name);
        EXPECT_EQ(a.map.name, record.name);
        EXPECT_EQ(a.map.proof, fragments::Proof::measured) << a.map.name;
        EXPECT_EQ(differences(record, a.map), 0) << a.map.name;
        measured.insert(a.map.name);
        ++compared;
    }
    return compared;
}

TEST(Fragments, EveryMeasuredMapIsPrintedAsItWasMeasured) {
    std::set<std::string> measured;
    EXPECT_EQ(compare_warpgroups(measured), 412);
    int compared = 0;
    for (const char* file : {"fragments_sm90.jsonl", "wmma_fragments_sm90.jsonl"})
        for (const json& record : records(file)) {
            const FragmentAnswer a = one(words_of(record));
            EXPECT_EQ(a.map.proof, fragments::Proof::measured) << a.map.name;
            EXPECT_EQ(differences(record, a.map), 0) << a.map.name;
            ++compared;
            measured.insert(one(a.map.name).map.name);
            const size_t order = std::min(a.map.name.find(" row"), a.map.name.find(" col"));
            if (a.map.name.starts_with("wmma")) measured.insert(a.map.name.substr(0, order));
        }
    EXPECT_EQ(compared, 251 + 44);
    for (const std::string& name : fragments::every_name()) {
        const FragmentAnswer a = one(name);
        EXPECT_EQ(a.map.name, name);
        EXPECT_EQ(a.map.proof == fragments::Proof::measured, measured.contains(name)) << name;
    }
}

TEST(Fragments, BothDirectionsAgreeInEveryMap) {
    for (const std::string& name : fragments::every_name()) {
        const FragmentAnswer a = one(name);
        std::set<std::tuple<int, int, int>> seen;
        for (int lane = 0; lane < a.map.lanes; ++lane)
            for (const fragments::Held& h : fragments::held(a.map, lane)) {
                ASSERT_LT(h.place.row, a.map.layout.rows) << name;
                ASSERT_LT(h.place.column, a.map.layout.columns) << name;
                ASSERT_LT(h.holder.reg, a.map.layout.registers) << name;
                const bool first = seen.emplace(h.place.matrix, h.place.row, h.place.column).second;
                if (!first || lane % 29 != 5) continue;
                const auto holders = fragments::holders(a.map, h.place);
                EXPECT_NE(std::find(holders.begin(), holders.end(), h.holder), holders.end()) << name;
            }
        const FragmentLayout& l = a.map.layout;
        EXPECT_EQ(static_cast<int>(seen.size()), l.matrices * l.rows * l.columns) << name;
    }
}

// PTX ISA 9.0, figures of 9.7.15.5.1: d of lane 37 (warp 1, lane 5 of it) in a warpgroup.
TEST(Fragments, AWarpgroupsAccumulatorIsThatOfTheIsa) {
    const FragmentAnswer d = one("wgmma.m64n64k16 d f32", asking("17,2", 37));
    EXPECT_EQ(d.map.lanes, 128);
    ASSERT_EQ(d.held.size(), 32u);
    const std::pair<int, int> first[] = {
        {17, 2 },
        {17, 3 },
        {25, 2 },
        {25, 3 },
        {17, 10}
    };
    for (size_t i = 0; i < std::size(first); ++i)
        EXPECT_EQ(std::pair(int{d.held[i].place.row}, int{d.held[i].place.column}), first[i]);
    ASSERT_EQ(d.holders.size(), 1u);
    EXPECT_EQ(d.holders[0], (fragments::Holder{37, 0, 0, 0, 32}));
    EXPECT_EQ(one("wgmma.m64n8k32 a e4m3").map.layout.registers, 4);
}

TEST(Fragments, TensorMemoryIsThatOfTheCopyTraits) {
    const FragmentAnswer a = one("tcgen05.ld.16x64b.x2", asking("8,1", 1));
    EXPECT_EQ(a.map.proof, fragments::Proof::cutlass);
    EXPECT_EQ(a.held[0].place, (FragmentPlace{8, 0, 0}));
    EXPECT_EQ(a.held[1].place, (FragmentPlace{8, 2, 0}));
    EXPECT_EQ(a.holders[0].lane, 3);
    EXPECT_EQ(one("tcgen05.st.16x256b.x1").map.layout.at(5, 3), (FragmentPlace{9, 3, 0}));
    EXPECT_EQ(one("tcgen05.ld.32x32b.x4").map.layout.at(9, 3), (FragmentPlace{9, 3, 0}));
}

TEST(Fragments, SaysWhoHoldsAnElementAndWhatALaneHolds) {
    const Said element = warplens({"fragments", "wmma.m16n16k16", "c", "f32", "--element", "9,4"});
    EXPECT_EQ(element.status, 0);
    EXPECT_NE(element.out.find("    lane 6, register 2\n"), std::string::npos) << element.out;
    const Said half = warplens({"fragments", "mma.m16n8k16", "a", "f16", "--element", "9,5"});
    EXPECT_NE(half.out.find("    lane 6, register 1, high half\n"), std::string::npos) << half.out;
    const Said lane = warplens({"fragments", "mma.m16n8k16 b f16", "--lane", "5", "--register", "1"});
    EXPECT_NE(lane.out.find("lane 5, register 1, low half: (10, 1)\n"), std::string::npos) << lane.out;
    EXPECT_NE(lane.out.find("lane 5, register 1, high half: (11, 1)\n"), std::string::npos) << lane.out;
}

TEST(Fragments, AMnemonicOfPtxNamesItsOperands) {
    const json j = json::parse(
        warplens({"fragments", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "--json"}).out
    );
    ASSERT_EQ(j["maps"].size(), 3u);
    EXPECT_EQ(j["maps"][0]["name"], "mma.m16n8k16 a bf16");
    EXPECT_EQ(j["maps"][2]["name"], "mma.m16n8k16 c f32");
    EXPECT_EQ(j["maps"][1]["places"][6][3], json::parse("[13, 1]"));
    FragmentOptions brief;
    brief.words = {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"};
    EXPECT_EQ(answer(brief).size(), 3u);
    EXPECT_EQ(one("wmma.load.b.sync.aligned.col.m16n16k16.shared.f16").map.name, "wmma.m16n16k16 b f16 col");
}

TEST(Fragments, UnknownWordsAreAnsweredWithTheNearest) {
    const std::pair<const char*, const char*> wrong[] = {
        {"wmna.m16n16k16 a f16",  "did you mean wmma?"                      },
        {"mma.m16n8k17 a f16",    "did you mean m16n8k16?"                  },
        {"mma a f16",             "say which shape"                         },
        {"mma.m16n8k16",          "say which type; there are f16, bf16, f64"},
        {"mma.m16n8k16 tf32",     "mma.m16n8k16 has no tf32"                },
        {"wgmma.m64n64k16 b f16", "b lies in shared memory"                 },
        {"mma.m16n8k16 e0 f16",   "has no metadata"                         },
        {"ldmatrix.x3",           "did you mean x1?"                        },
        {"ldmatrix.x2.transs",    "did you mean trans?"                     },
    };
    for (const auto& [words, what] : wrong) {
        const Said said = warplens({"fragments", words});
        EXPECT_EQ(said.status, 2) << words;
        EXPECT_NE(said.err.find(what), std::string::npos) << words << ": " << said.err;
    }
    EXPECT_NE(
        warplens({"fragments", "mma.m16n8k16", "a", "f16", "--element", "16,0"})
            .err.find("has 16 rows and 16"),
        std::string::npos
    );
    EXPECT_EQ(warplens({"fragments", "mma.m16n8k16", "a", "f16", "--lane", "32"}).status, 2);
}

TEST(Fragments, WithoutAnInstructionListsWhatThereIs) {
    const Said said = warplens({"fragments"});
    EXPECT_EQ(said.status, 0);
    for (const fragments::Instruction& row : fragments::instructions())
        EXPECT_NE(said.out.find(row.word), std::string::npos) << row.word;
}

TEST(Fragments, LeavesAsDrawingJsonAndText) {
    const wl::test::TemporaryFolder folder;
    const auto text_of = [&](const std::string& name) {
        const std::string path = folder.path + "/" + name;
        EXPECT_EQ(warplens({"fragments", "wmma.m16n16k16", "a", "f16", "-o", path}).status, 0);
        return wl::test::read_file(path);
    };
    const std::string svg = text_of("a.svg");
    EXPECT_NE(svg.find("wmma.m16n16k16 a f16"), std::string::npos);
    EXPECT_NE(svg.find(">6.2<"), std::string::npos);  // (9, 4): lane 6, element 2
    EXPECT_EQ(text_of("a.txt"), warplens({"fragments", "wmma.m16n16k16 a f16"}).out);
    EXPECT_EQ(json::parse(text_of("a.json"))["maps"][0]["elements"], 16);
    EXPECT_EQ(text_of("a.png").substr(1, 3), "PNG");
    EXPECT_EQ(warplens({"fragments", "wmma.m16n16k16 a f16", "-o", folder.path + "/a.gif"}).status, 2);
}

}  // namespace
}  // namespace wl::app
