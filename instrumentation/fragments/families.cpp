// base/fragment_layout.h by name, and what lies beyond it: a warpgroup's fragments, tensor memory, metadata.
#include "instrumentation/fragments/families.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace wl::fragments {
namespace {

constexpr int kLanes = 32, kWarpgroup = 4;

FragmentPlace place(int row, int column, int matrix = 0) {
    return {static_cast<int16_t>(row), static_cast<int16_t>(column), static_cast<int16_t>(matrix)};
}

MatrixOperand operand_of(const std::string& name) {
    return name == "a" ? MatrixOperand::a : name == "b" ? MatrixOperand::b : MatrixOperand::c;
}

void name_axes(Map& map) {
    const MatrixOperand operand = operand_of(map.operand);
    map.row_axis = operand == MatrixOperand::b ? "k" : "m";
    map.column_axis = operand == MatrixOperand::a ? "k" : "n";
}

FragmentForm form_of(const Asked& asked) {
    const std::string_view word = asked.row->word;
    FragmentForm form;
    form.instruction = word == "wmma" ? MatrixInstruction::wmma
        : word == "mma.sp"            ? MatrixInstruction::mma_sparse
                                      : MatrixInstruction::mma;
    form.operand = operand_of(asked.operand);
    form.shape = matrix_shape_from_name(asked.shape).value();
    form.bits = bits_of_type(asked.type);
    form.column = asked.column;
    form.repeated = word == "wmma" && form.operand != MatrixOperand::c && asked.type == "f16";
    return form;
}

void set_product(Map& map, const Asked& asked) {
    map.layout = fragment_layout(form_of(asked));
    name_axes(map);
}

// 9.7.15.5.1: warp w of the four has rows 16 w to 16 w + 15, as an m16n8 product side by side has them.
void set_warpgroup(Map& map, const Asked& asked) {
    const MatrixShape shape = matrix_shape_from_name(asked.shape).value();
    FragmentForm block;
    block.operand = operand_of(asked.operand);
    block.shape = {16, 8, shape.k};
    block.bits = bits_of_type(asked.type);
    const FragmentLayout of_block = fragment_layout(block);
    const int blocks = block.operand == MatrixOperand::c ? shape.n / 8 : 1;
    FragmentLayout& layout = map.layout;
    layout = of_block;
    layout.rows = shape.m;
    layout.columns = of_block.columns * blocks;
    layout.elements = layout.distinct = of_block.elements * blocks;
    layout.registers = of_block.registers * blocks;
    layout.places.clear();
    for (int warp = 0; warp < kWarpgroup; ++warp)
        for (int lane = 0; lane < kLanes; ++lane)
            for (int b = 0; b < blocks; ++b)
                for (int i = 0; i < of_block.elements; ++i) {
                    const FragmentPlace& p = of_block.at(lane, i);
                    layout.places.push_back(place(p.row + 16 * warp, p.column + 8 * b));
                }
    map.lanes = kLanes * kWarpgroup;
    name_axes(map);
}

// Four bits of metadata a group of a's row; the lanes that the selector does not choose hold none.
void set_metadata(Map& map, const Asked& asked) {
    FragmentForm a = form_of(asked);
    a.operand = MatrixOperand::a;
    const int selector = asked.operand[1] - '0', groups = a.shape.k / sparse_group_elements(a.bits);
    FragmentLayout& layout = map.layout;
    layout = {1, a.shape.m, groups, 4, 8, 8, 1, 32, {}};
    layout.places.assign(static_cast<size_t>(kLanes) * 8, place(-1, -1));
    for (int row = 0; row < a.shape.m; ++row)
        for (int group = 0; group < groups; ++group) {
            const MetadataPlace at = metadata_place(a, selector, row, group);
            layout.places[static_cast<size_t>(at.lane * 8 + at.bit / 4)] = place(row, group);
        }
    map.row_axis = "m";
    map.column_axis = "group of k";
}

void set_move(Map& map, const Asked& asked) {
    const bool moves_one = asked.shape.empty();
    map.layout =
        matrix_move_layout(moves_one ? 1 : asked.shape[1] - '0', asked.trans || asked.operand == "d");
    map.row_axis = "row";
    map.column_axis = "column";
}

// 32-bit columns of tensor memory; CUTLASS 4, include/cute/atom/copy_traits_sm100.hpp. One warp: of 16x...
// shapes the 16 rows that its address names.
FragmentPlace tensor_memory_place(const std::string& pattern, int lane, int reg) {
    if (pattern == "32x32b") return place(lane, reg);
    if (pattern == "16x32bx2") return place(lane % 16, reg, lane / 16);
    if (pattern == "16x64b") return place(lane / 4 + 8 * (lane % 2), lane / 2 % 2 + 2 * reg);
    if (pattern == "16x128b") return place(lane / 4 + 8 * (reg % 2), lane % 4 + 4 * (reg / 2));
    return place(lane / 4 + 8 * (reg / 2 % 2), lane % 4 * 2 + reg % 2 + 8 * (reg / 4));  // 16x256b
}

void set_tensor_memory(Map& map, const Asked& asked) {
    const std::string pattern = asked.pattern;
    const int count = std::stoi(asked.shape.substr(1));
    FragmentLayout& layout = map.layout;
    layout.bits = 32;
    layout.matrices = pattern == "16x32bx2" ? 2 : 1;
    layout.registers = count * (pattern == "16x128b" ? 2 : pattern == "16x256b" ? 4 : 1);
    layout.elements = layout.distinct = layout.registers;
    layout.rows = pattern == "32x32b" ? 32 : 16;
    layout.columns = layout.registers * kLanes / layout.rows / layout.matrices;
    for (int lane = 0; lane < kLanes; ++lane)
        for (int reg = 0; reg < layout.registers; ++reg)
            layout.places.push_back(tensor_memory_place(pattern, lane, reg));
    map.row_axis = "tensor memory lane";
    map.column_axis = "column";
}

bool holds(std::string_view words, std::string_view word) {
    for (size_t at = 0; at <= words.size();) {
        const size_t end = std::min(words.find('|', at), words.size());
        if (words.substr(at, end - at) == word) return true;
        at = end + 1;
    }
    return false;
}

void set_proof(Map& map, const Asked& asked) {
    const Instruction& row = *asked.row;
    const std::string_view word = row.word;
    const bool sum = asked.operand == "c", metadata = asked.operand.starts_with('e');
    const std::string_view measured = sum ? row.measured_sums : row.measured;
    if (word.starts_with("tcgen05")) {
        map.proof = Proof::cutlass;
    } else if (holds(measured, asked.type)) {
        map.proof = Proof::measured;
    } else if (!measured.empty() && !sum) {
        map.proof = Proof::alike;
        map.alike = measured.substr(0, measured.find('|'));
    }
    if (metadata && asked.type == "e5m2") map.alike = "e4m3";
}

std::string name_of(const Asked& asked) {
    std::string name = asked.row->word;
    if (!asked.shape.empty()) name += "." + asked.shape;
    if (asked.trans) name += ".trans";
    if (!asked.operand.empty()) name += " " + asked.operand;
    if (std::string_view(asked.row->types) != "b16" && std::string_view(asked.row->types) != "b32")
        name += " " + asked.type;
    return name;
}

}  // namespace

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
        {"b16",  16},
        {"tf32", 32},
        {"f32",  32},
        {"s32",  32},
        {"b32",  32},
        {"f64",  64}
    };
    return kBits.at(type);
}

Map make_map(const Asked& asked) {
    const std::string_view word = asked.row->word;
    Map map;
    map.instruction = std::string(word) + (asked.shape.empty() ? "" : "." + asked.shape);
    map.operand = asked.operand;
    map.type = asked.type;
    map.section = asked.row->section;
    map.name = name_of(asked);
    if (word.starts_with("tcgen05"))
        set_tensor_memory(map, asked);
    else if (word == "wgmma")
        set_warpgroup(map, asked);
    else if (asked.operand.starts_with('e'))
        set_metadata(map, asked);
    else if (std::string_view(asked.row->types) == "b16")
        set_move(map, asked);
    else
        set_product(map, asked);
    set_proof(map, asked);
    return map;
}

}  // namespace wl::fragments
