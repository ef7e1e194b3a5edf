// Turning one PTX instruction into an Instr: operands to slots, the form to an executor. Each family of
// instructions has one function; it answers nothing when the instruction is not its own or has no executor.
#pragma once

#include "instrumentation/emulator/program/program.h"

#include <map>
#include <span>

namespace wl::emulator {

// A 16-byte register is two planes of 8-byte cells, the low halves of all lanes first.
constexpr uint32_t kPlane = kLanes * 8;

// The executor by variant; empty: no executor.
struct Selected {
    Exec exec[kVariants] = {};
    Selected() = default;
    Selected(Exec all) : exec{all, all, all} {}
    Selected(Exec plain, Exec checked, Exec recorded) : exec{plain, checked, recorded} {}
    explicit operator bool() const { return exec[kPlain] != nullptr; }
};

// Where a variable lies in its window, or which global it is. Parameters that calls pass lie in rows of the
// register file and have no address.
struct Placed {
    ptx::Space space = ptx::Space::none;
    uint64_t offset = 0;  // rows: the slot
    int global = -1;
    bool rows = false;
};

// What the functions of a program have in common while they are lowered.
struct Linking {
    std::map<int, int> functions{};  // index in Module::functions -> in Program::functions
    std::vector<Placed> module_variables{};
    std::map<std::pair<int, std::string>, int> mark_groups{};  // (kind, name)
    uint64_t shared = 0;                                       // end of the shared variables placed so far
    uint64_t dynamic = 0;                                      // where dynamic shared memory begins
};

struct Lowering {
    const ptx::Module& module;
    const ptx::Function& function;
    Program& program;
    Linking& linking;
    FunctionCode& self;                                             // where the function goes
    uint32_t first_site = 0;                                        // of the function's instructions
    int first_mark = 0;                                             // in Listing::marks
    std::vector<uint32_t> register_slots{};                         // by register
    std::vector<char> read{};                                       // by register: some instruction reads it
    std::map<std::pair<int, uint64_t>, uint32_t> constant_slots{};  // (cell bytes, value) -> slot
    std::map<std::tuple<int, int64_t, bool, bool>, uint32_t> address_slots{};
    std::map<std::tuple<ptx::SpecialRegister, int64_t, bool>, uint32_t> special_slots{};
    std::vector<Placed> function_variables{}, params{}, results{};
    std::map<std::pair<uint32_t, bool>, uint32_t> local_slots{};  // (offset, wide) -> slot
    uint32_t scratch = 0;                                         // slot for `_` destinations, 16-byte cells
    const ptx::Instruction* in = nullptr;                         // the instruction being lowered
    Instr out{};
    bool failed = false;  // an operand of a kind that the form cannot have
};

// Slot of source operand k, read as cells of type t: registers as they are, immediates, special registers and
// addresses of variables as constants.
uint32_t source(Lowering& l, size_t k, ptx::Type t);
uint32_t source(Lowering& l, const ptx::Operand& operand, ptx::Type t);
// Slot of destination operand k; `_` is the scratch slot.
uint32_t destination(Lowering& l, size_t k);
uint32_t destination(Lowering& l, const ptx::Operand& operand);
// Predicate operand with the negation in bit 0.
uint32_t predicate_source(Lowering& l, size_t k);
uint32_t constant(Lowering& l, int cell_bytes, uint64_t value);

// Destination 0 and sources 1.. all of type t (shift counts and the like are set by the family afterwards).
void plain_operands(Lowering& l, ptx::Type t);

ptx::Type type_of_register(const Lowering& l, const ptx::Operand& operand);
bool is_wide(const Lowering& l, const ptx::Operand& operand);  // an 8-byte register
// Slots of every register of a vector operand (or the register alone), lowest element first; those of a
// 16-byte register are its two planes.
std::vector<uint32_t> vector_slots(Lowering& l, const ptx::Operand& operand, ptx::Type t, bool destinations);

// An address operand: slot of its base register, whether its cells have 8 bytes, displacement, and the space
// it turned out to be in.
struct AddressOperand {
    uint32_t slot = 0;
    bool wide = false;
    int64_t displacement = 0;
    ptx::Space space = ptx::Space::none;
};
AddressOperand address(Lowering& l, size_t k, ptx::Space space);

Selected lower_integer(Lowering& l);
Selected lower_carry(Lowering& l);
Selected lower_bits(Lowering& l);
Selected lower_float(Lowering& l);
Selected lower_half(Lowering& l);
Selected lower_approximate(Lowering& l);
Selected lower_convert(Lowering& l);
Selected lower_compare(Lowering& l);
Selected lower_logic(Lowering& l);
Selected lower_move(Lowering& l);
Selected lower_memory(Lowering& l);
Selected lower_policy(Lowering& l);
Selected lower_copy(Lowering& l);
Selected lower_copy_bulk(Lowering& l);
Selected lower_copy_tensor(Lowering& l);
Selected lower_atomic(Lowering& l);
Selected lower_video(Lowering& l);
Selected lower_video_simd(Lowering& l);
Selected lower_warp(Lowering& l);
Selected lower_matrix(Lowering& l);
Selected lower_barrier(Lowering& l);
Selected lower_cluster(Lowering& l);
Selected lower_mbarrier(Lowering& l);
Selected lower_texture(Lowering& l);
Selected lower_surface(Lowering& l);
Selected lower_control(Lowering& l);
Selected lower_param(Lowering& l);
Selected lower_call(Lowering& l);
Selected lower_stack(Lowering& l);
Selected lower_mark(Lowering& l);

// Notes where the instruction points, for what counts accesses. Called before its Instr is appended.
void add_memory_sites(Lowering& l);

// Notes what it does for the order of accesses; as above.
void add_order_site(Lowering& l);

// Slots of every register, reused where lifetimes do not overlap.
std::vector<uint32_t> assign_registers(const ptx::Function& function, RegisterFile& file);

// Give variables their places: those of the module, the shared ones of every function, dynamic shared memory
// behind them, then the others of a function.
void place_module_variables(const ptx::Module& module, Linking& linking, Program& program);
void place_shared(Lowering& l);
void place_dynamic_shared(const ptx::Module& module, Linking& linking, Program& program);
void place_function_variables(Lowering& l);

// The index in Program::functions behind the index of a function or an alias of it; -1: not of this program.
int function_index(const Lowering& l, int function);

// Sets order and leader of every instruction, from the first of the function on.
void order_blocks(const ptx::Function& function, std::span<Instr> code);

// Chains of shuffle and combination that reduce one value over the warp.
std::vector<Reduction> find_reductions(const ptx::Function& function);

}  // namespace wl::emulator
