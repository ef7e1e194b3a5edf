// What is known of floating point values while a block runs. Internal to the FP64 trace.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/emulator/fp64/fp64.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/poison/poison_plan.h"

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace wl::emulator {

// The companion of a value, noted where the value stands. It is the value's as long as the same bits stand
// there: whatever writes others there ends it, followed or not.
struct Wide {
    uint64_t bits = 0;
    double value = 0;
    uint32_t born = kNoSite, parted = kNoSite;
    float before = 0, behind = 0;
    DType format = DType::u8;  // u8: nothing is noted
    DType born_in = DType::u8;
};

// By two bytes; a value's is noted at its first two.
constexpr uint32_t kUnit = 2;
constexpr uint64_t kPageBytes = 512;
using WideUnits = std::vector<Wide>;

// What an instruction does, as far as it concerns floating point values.
enum class Fp64Way : uint8_t {
    none,
    move,
    choose,
    permute,
    operate,
    convert,
    load,
    store,
    add_to_memory,
    shuffle,
    load_fragment,
    store_fragment,
    load_rows,
    store_rows,
    product,
    unknown,  // of floating point, and not followed
};
struct Fp64Step {
    Fp64Way way = Fp64Way::none;
    DType format = DType::f32, source = DType::f32;
    uint8_t parts = 1;  // values in a register: 2 of f16x2, bf16x2
};
std::vector<Fp64Step> plan_fp64(const PoisonPlan& plan);

// One operand of one lane: the value and its companion.
struct WideOperand {
    Wide wide;
    double actual = 0;
};

// A result before its instruction was executed.
struct Coming {
    uint32_t at = 0;   // bytes into the register file
    Wide wide;         // .value and .format
    double ideal = 0;  // of the operands as they were, not rounded
    Wide dominant;     // the operand's that most of the difference comes in with; of no format: none has one
    double came_in = 0;   // how much of it, absolute
    double relative = 0;  // the dominant operand's relative difference
    bool whole = false;   // a trick that rounds to a whole number: the companion is the value
};

struct Fp64 {
    const PoisonPlan* plan = nullptr;
    const std::vector<Fp64Step>* steps = nullptr;
    std::vector<uint8_t> unrounded;  // by site; empty: all are
    std::map<const Frame*, WideUnits> frames;
    std::unordered_map<uint64_t, std::array<Wide, kPageBytes / kUnit>>
        pages;  // of memory, by key / kPageBytes
    std::set<std::string> not_followed;
    std::vector<Coming> coming;

    // Of the instruction that is being executed.
    Warp* warp = nullptr;
    const Instr* at = nullptr;
    const PoisonStep* step = nullptr;
    Fp64Step kind;
    const Frame* frame = nullptr;
    WideUnits* registers = nullptr;  // of the frame
    uint32_t lanes = 0;              // guards considered
};

// Places in memory, apart for each space and, of local memory, each lane.
enum class KeySpace : uint64_t { global, shared, local };
uint64_t key_of(const Fp64& f, const Place& place, int lane);
constexpr KeySpace space_of_key(uint64_t key) { return static_cast<KeySpace>(key >> 60); }
Wide& unit_at(Fp64& f, uint64_t key);

// Bytes into the register file of a lane's cell.
constexpr uint32_t at_lane(PoisonCell cell, int lane) {
    return cell.slot + (cell.bits == 64 ? 8u : 4u) * static_cast<uint32_t>(lane);
}

inline uint64_t bits_in_register(const Fp64& f, uint32_t at, uint32_t bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, f.warp->registers + at, bytes);
    return bits;
}

// The companion of what stands in a place, or the value itself where none is noted.
WideOperand read_wide(const Wide& noted, DType format, uint64_t bits);
WideOperand read_register(const Fp64& f, uint32_t at, DType format);
// Source k of a lane; `part` of a pair.
WideOperand read_source(const Fp64& f, const PoisonSource& source, int lane, uint32_t part, DType format);

double rounded(DType format, double value);
// |a - b| of the larger of both; infinite where just one of them is finite.
double relative_difference(double a, double b);

// Operand k's part of the result's difference is parts[k]: fills what `coming` says of it.
void take_dominant(Coming& coming, const WideOperand* operands, const double* parts, size_t count);
// Behind the instruction: notes the companion, and where the difference comes from.
void note_result(Fp64& f, const Coming& coming);

void operate(Fp64& f);
void convert(Fp64& f);
void move(Fp64& f);  // moves, choices, permutations of halves, shuffles
void move_memory(Fp64& f);
void follow_product(Fp64& f);
void move_matrix(Fp64& f);

}  // namespace wl::emulator
