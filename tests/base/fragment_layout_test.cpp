// Every fragment map that was measured on an H200 against the formulas.
#include "instrumentation/base/fragment_layout.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace wl {
namespace {

using nlohmann::json;

std::vector<json> maps_in(const std::string& file) {
    std::ifstream in(std::string(WL_SOURCE_DIR) + "/tests/golden/" + file);
    std::vector<json> maps;
    for (std::string line; std::getline(in, line);) maps.push_back(json::parse(line));
    if (!maps.empty()) maps.erase(maps.begin());  // the device
    return maps;
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

int bits_of_type(const std::string& type) {
    static const std::map<std::string, int> kBits = {
        {"b1",   1 },
        {"s4",   4 },
        {"u4",   4 },
        {"s8",   8 },
        {"u8",   8 },
        {"e4m3", 8 },
        {"e5m2", 8 },
        {"f16",  16},
        {"bf16", 16},
        {"tf32", 32},
        {"f32",  32},
        {"s32",  32},
        {"f64",  64}
    };
    return kBits.at(type);
}

MatrixOperand operand_of(const std::string& name) {
    if (name == "a" || name == "matrix_a") return MatrixOperand::a;
    return name == "b" || name == "matrix_b" ? MatrixOperand::b : MatrixOperand::c;
}

// "matrix_a.m16n16k16.f16", "mma.b.m16n8k8.tf32", "mma.a.m8n8k4.row.f16", "mma.sp.a.m16n8k32.f16"
FragmentForm form_of(const std::string& name) {
    std::vector<std::string> words = split(name);
    FragmentForm form;
    form.instruction = words[0] != "mma" ? MatrixInstruction::wmma
        : words[1] == "sp"               ? MatrixInstruction::mma_sparse
                                         : MatrixInstruction::mma;
    if (words[0] == "mma") words.erase(words.begin());
    if (words[0] == "sp") words.erase(words.begin());
    form.operand = operand_of(words[0]);
    form.shape = matrix_shape_from_name(words[1]).value();
    form.bits = bits_of_type(words.back());
    form.column = words.size() > 3 && words[2] == "col";
    form.repeated = form.instruction == MatrixInstruction::wmma && form.operand != MatrixOperand::c &&
        words.back() == "f16";
    return form;
}

FragmentLayout layout_of(const std::string& name) {
    if (!name.starts_with("ldmatrix") && !name.starts_with("stmatrix")) return fragment_layout(form_of(name));
    const std::vector<std::string> words = split(name);  // "ldmatrix.m8n8.x4.trans.b16"
    return matrix_move_layout(words[2][1] - '0', words[3] == "trans");
}

// [row, column], [matrix, row, column], or matrix * 64 + row * 8 + column.
FragmentPlace place_of(const json& element) {
    if (element.is_number()) {
        const int number = element;
        return {
            static_cast<int16_t>(number / 8 % 8),
            static_cast<int16_t>(number % 8),
            static_cast<int16_t>(number / 64)};
    }
    if (element.size() == 2) return {element[0], element[1], 0};
    return {element[1], element[2], element[0]};
}

// "mma.sp.metadata.m16n8k32.f16": [lane, lowest bit, row, group] of every four bits that count.
void compare_metadata(const json& map) {
    const std::vector<std::string> words = split(map["frag"]);
    const FragmentForm a{
        MatrixInstruction::mma_sparse,
        MatrixOperand::a,
        matrix_shape_from_name(words[3]).value(),
        bits_of_type(words[4])};
    const int groups = a.shape.k / sparse_group_elements(a.bits);
    EXPECT_EQ(static_cast<int>(map["places"].size()), a.shape.m * groups) << map["of"];
    for (const json& place : map["places"]) {
        const MetadataPlace at = metadata_place(a, map["selector"], place[2], place[3]);
        EXPECT_EQ(at.lane, place[0].get<int>()) << map["of"] << place;
        EXPECT_EQ(at.bit, place[1].get<int>()) << map["of"] << place;
    }
}

void compare_all(const std::string& file, size_t least) {
    const std::vector<json> maps = maps_in(file);
    EXPECT_GE(maps.size(), least);
    for (const json& map : maps) {
        const std::string name = map["frag"];
        ASSERT_TRUE(map.value("confirmed", true)) << name;
        if (map.contains("places")) {
            compare_metadata(map);
            continue;
        }
        const FragmentLayout layout = layout_of(name);
        for (int lane = 0; lane < 32; ++lane) {
            const json& elements = map["lanes"][static_cast<size_t>(lane)];
            ASSERT_EQ(static_cast<int>(elements.size()), layout.elements) << name;
            for (int i = 0; i < layout.elements; ++i)
                ASSERT_EQ(layout.at(lane, i), place_of(elements[static_cast<size_t>(i)]))
                    << name << " lane " << lane << " element " << i;
        }
    }
}

TEST(FragmentLayout, EveryMeasuredMapIsTheFormula) { compare_all("fragments_sm90.jsonl", 251); }
TEST(FragmentLayout, TheOlderMapsAreTheFormulaToo) { compare_all("wmma_fragments_sm90.jsonl", 44); }

using Key = std::tuple<int, int, int>;
Key key_of(const FragmentPlace& p) { return {p.matrix, p.row, p.column}; }

TEST(FragmentLayout, EveryElementIsHeldExactlyOnceWhereNothingIsRepeated) {
    for (const char* name :
         {"mma.a.m8n8k4.row.f16",
          "mma.a.m8n8k4.col.f16",
          "mma.b.m8n8k4.row.f16",
          "mma.b.m8n8k4.col.f16",
          "mma.c.m8n8k4.f16",
          "mma.c.m8n8k4.f32",
          "mma.a.m16n8k64.s4",
          "mma.sp.a.m16n8k64.s8",
          "mma.sp.b.m16n8k64.s8",
          "matrix_b.m8n32k16.u8",
          "accumulator.m8n32k16.f32"}) {
        const FragmentLayout layout = layout_of(name);
        std::set<Key> seen;
        for (const FragmentPlace& p : layout.places) {
            EXPECT_LT(p.row, layout.rows) << name;
            EXPECT_LT(p.column, layout.columns) << name;
            EXPECT_TRUE(seen.insert(key_of(p)).second) << name << " row " << p.row << " column " << p.column;
        }
        EXPECT_EQ(static_cast<int>(seen.size()), layout.matrices * layout.rows * layout.columns) << name;
    }
}

TEST(FragmentLayout, MetadataFillsEveryBitOfItsLanes) {
    // PTX ISA 9.7.14.6.1: one lane of four, a pair, or all.
    const std::tuple<MatrixShape, int, int, int> cases[] = {
        {{16, 8, 16},  16, 3, 8 },
        {{16, 8, 32},  16, 1, 16},
        {{16, 8, 8},   32, 2, 8 },
        {{16, 8, 16},  32, 1, 16},
        {{16, 8, 32},  8,  0, 16},
        {{16, 8, 64},  8,  0, 32},
        {{16, 8, 64},  4,  1, 16},
        {{16, 8, 128}, 4,  0, 32}
    };
    for (const auto& [shape, bits, selector, lanes] : cases) {
        const FragmentForm a{MatrixInstruction::mma_sparse, MatrixOperand::a, shape, bits};
        std::set<std::pair<int, int>> seen;
        std::set<int> used;
        for (int row = 0; row < 16; ++row)
            for (int group = 0; group < shape.k / sparse_group_elements(bits); ++group) {
                const MetadataPlace at = metadata_place(a, selector, row, group);
                EXPECT_TRUE(seen.insert({at.lane, at.bit}).second);
                EXPECT_LT(at.lane, 32);
                EXPECT_LT(at.bit, 32);
                used.insert(at.lane);
            }
        EXPECT_EQ(static_cast<int>(used.size()), lanes);
        EXPECT_EQ(static_cast<int>(seen.size()), lanes * 8);
    }
}

}  // namespace
}  // namespace wl
