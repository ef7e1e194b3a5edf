// PTX as a typed value: what the parser makes, the emulator and the GPU path execute, and diagnosis copies
// and edits.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/ptx/opcodes.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wl::ptx {

// A line of the user's source, with the calls through which it was inlined.
struct Location {
    int file = -1;  // index in Module::files
    int line = 0, column = 0;
    int inlined_at = -1;   // index in Module::locations of the call site; -1: not inlined
    std::string function;  // name of the inlined function; empty: the entry's own line
};

struct Operand {
    enum class Kind : uint8_t {
        none,
        reg,        // index: register of the function
        immediate,  // bits: integer sign-extended to 64 bits, or the float's bits in the width that the text
                    // gave (type f32/f64 by `wide`)
        address,    // [base + offset]: base is a register (base_kind reg), a variable (symbol) or none
                    // (absolute offset)
        symbol,     // index in Module::variables or Function::variables (see `local`): its address
        function,   // index in Module::functions (call targets)
        label,      // index: instruction that follows the label
        special,    // special register, index: SpecialRegister
        vector,     // elements: {%f1, %f2, ...}
        sink,       // `_`
    };
    Kind kind = Kind::none;
    Kind base_kind = Kind::none;  // for address
    bool negated = false;         // !%p, or -x where the ISA allows it
    bool local = false;           // symbol of the function, not of the module
    bool floating = false;        // immediate written as a floating point number
    int32_t index = -1;           // register, symbol, label, special register; for address: the base's
    int64_t offset = 0;           // address: bytes
    uint64_t bits = 0;            // immediate
    std::vector<Operand> elements;
};

struct Guard {
    int32_t reg = -1;  // -1: always
    bool negated = false;
};

struct Instruction {
    Op op = Op::invalid;
    std::vector<Type> types;  // every type in the mnemonic, in its order: cvt.f32.f16 -> {f32, f16}
    Modifiers modifiers;
    Guard guard;
    std::vector<Operand> operands;  // as written: destinations first (p|q pairs are two operands, second
                                    // marked by modifiers.pair)
    int32_t location = -1;          // index in Module::locations
    int32_t mark = -1;              // index in Function::marks, for Op::mark
    uint32_t text_line = 0;         // line of the PTX text, 1-based
    std::string mnemonic;           // as written: "ld.global.nc.v4.f32"
};

// One probe mark (instrumentation/probe/warplens.cuh). Its operands are those of the Op::mark instruction.
struct Mark {
    enum class Kind : uint8_t { stage, tile, warp_tile, fragment, lanes, layout };
    Kind kind = Kind::stage;
    std::string name;
    DType dtype = DType::f32;
    int order = 0;  // layout: 0 row-major, 1 column-major
};

struct Register {
    std::string name;  // "%f12"
    Type type = Type::none;
};

struct Initialiser {  // at byte `offset` of a variable
    uint32_t offset = 0;
    std::vector<std::byte> bytes;
    int32_t address_of =
        -1;  // variable or (is_function) function whose address is stored here, plus `addend`
    bool is_function = false, generic = false;
    int64_t addend = 0;
};

struct Variable {
    std::string name;
    Space space = Space::none;  // shared, global, constant, local, param
    Type type = Type::none;
    uint32_t align = 1;
    uint64_t bytes = 0;  // 0: extern with unknown extent (dynamic shared memory)
    bool is_extern = false;
    std::vector<Initialiser> init;
};

struct Function {
    std::string name;
    bool is_entry = false, is_declaration = false;
    std::vector<Variable> params;   // space param, in order
    std::vector<Variable> results;  // return parameters of a .func
    std::vector<Register> registers;
    std::vector<Variable> variables;  // declared in the body (.shared, .local, .param)
    std::vector<Instruction> code;
    std::map<std::string, int32_t> labels;
    std::vector<std::vector<int32_t>> branch_targets;  // .branchtargets lists, by label operands of brx.idx
    std::vector<Mark> marks;
    uint32_t max_threads[3] = {0, 0, 0}, required_threads[3] = {0, 0, 0};
};

struct Module {
    std::string version, target;     // "9.0", "sm_90"
    std::vector<std::string> files;  // .file paths
    std::vector<Location> locations;
    std::vector<Variable> variables;  // module scope
    std::vector<Function> functions;
    std::map<std::string, std::string> sections;  // .section name -> raw text (.debug_info, ...)
    std::string text;                             // what was parsed
};

// Throws Error with the PTX line on malformed text. An opcode or modifier that the table lacks is no parse
// error: it becomes an Op::unsupported instruction whose mnemonic says what it is, so that `check` can list
// them all.
Module parse(std::string_view text);

// PTX text again; parse(print(m)) equals m up to text_line.
std::string print(const Module& module);
std::string print(const Module& module, const Function& function, const Instruction& instruction);

const Function* find_entry(
    const Module& module, std::string_view name
);  // name empty: the only entry; nullptr when absent or ambiguous

// "kernels/v2c_3.cu:118", with the inlining chain when asked: "kernels/v2c_3.cu:40 inlined at
// kernels/v2c_3.cu:118".
std::string describe(const Module& module, int32_t location, bool with_chain = false);

}  // namespace wl::ptx
