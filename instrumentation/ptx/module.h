// PTX as a typed value: what the parser makes, executors run, and ptx/edit changes.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/ptx/table/opcodes.h"

#include <cstddef>
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
    int inlined_at =
        -1;             // index in Module::locations of the call site, always a smaller one; -1: not inlined
    int function = -1;  // index in Module::function_names of the inlined function; -1: not inlined

    friend bool operator==(const Location&, const Location&) = default;
};

struct Operand {
    enum class Kind : uint8_t {
        none,
        reg,        // index: register of the function
        immediate,  // bits: see `floating` and `wide`; value_of() gives it in a type
        address,    // [base + offset]: base_kind is reg, symbol, param, result, or none (absolute offset);
                    // elements: what follows the base, as in [texture, sampler, {x, y}] or [map, {i, j}]
        symbol,     // address of a variable, plus offset: index in Module::variables, or in
                    // Function::variables when `local`
        param,      // index in Function::params
        result,     // index in Function::results
        function,   // index in Module::functions (call targets, addresses of functions)
        label,      // index: instruction that follows the label; code.size() at the end of the body
        special,    // special register, index: SpecialRegister; offset: the number of envreg or pm
        vector,     // elements: {%f1, %f2, ...}; of a call: the results, the arguments (may be empty)
        sink,       // `_`
        branch_targets,  // index in Function::branch_targets (brx.idx)
        call_targets,    // index in Function::call_targets (indirect call)
        prototype,       // index in Function::prototypes (indirect call)
    };
    Kind kind = Kind::none;
    Kind base_kind = Kind::none;  // for address
    bool negated = false;         // !%p, or -x where the ISA allows it
    bool local = false;           // symbol of the function, not of the module
    bool floating = false;        // immediate written as a floating point number
    bool wide = false;  // floating: bits are those of an f64 (0d... or decimal), else of an f32 (0f...)
    // Video instructions, behind a register; 0: none. .b7654, .h1, ...: three bits a digit (the last digit
    // lowest), the number of digits << 12, and 0x8000 for h.
    uint16_t selector = 0;
    int32_t index = -1;  // register, symbol, label, special register; for address: the base's
    int64_t offset = 0;  // address, symbol: bytes
    uint64_t bits = 0;   // immediate: integer extended to 64 bits, or the float's bits
    std::vector<Operand> elements;

    friend bool operator==(const Operand&, const Operand&) = default;
};

// The bits of an immediate operand in a type: integers are truncated, floats converted to the type's width.
uint64_t value_of(const Operand& immediate, Type type);

struct Guard {
    int32_t reg = -1;  // -1: always
    bool negated = false;

    friend bool operator==(const Guard&, const Guard&) = default;
};

struct Instruction {
    // What it says.
    std::string mnemonic;  // as written: "ld.global.nc.v4.f32"
    Guard guard;
    std::vector<Operand> operands;  // as written: destinations first (p|q pairs are two operands, second
                                    // marked by modifiers.pair). call: {results}, target, {arguments} and,
                                    // if indirect, the prototype or targets. brx.idx: index, targets
    int32_t location = -1;          // index in Module::locations
    int32_t mark = -1;              // index in Function::marks, for Op::mark
    uint32_t text_line = 0;         // line of the PTX text, 1-based; of what was put in: its neighbour's

    // What the table makes of it: decode() alone fills these, for the parser and for every edit.
    Op op = Op::invalid;
    std::vector<Type> types;     // every type in the mnemonic, in its order: cvt.f32.f16 -> {f32, f16}
    Modifiers modifiers;         // but `pair`, which the operands say
    const Form* form = nullptr;  // row of the table; nullptr: a mark or Op::unsupported
};

// The instructions of a body. Anyone reads them; only the parser and ptx/edit write them (ptx/write.h), and
// both decode what they write: no instruction of a module contradicts itself.
class Code {
public:
    using const_iterator = std::vector<Instruction>::const_iterator;
    size_t size() const { return all_.size(); }
    bool empty() const { return all_.empty(); }
    const Instruction& operator[](size_t i) const { return all_[i]; }
    const Instruction& at(size_t i) const { return all_.at(i); }
    const Instruction& front() const { return all_.front(); }
    const Instruction& back() const { return all_.back(); }
    const Instruction* data() const { return all_.data(); }
    const_iterator begin() const { return all_.begin(); }
    const_iterator end() const { return all_.end(); }

private:
    std::vector<Instruction> all_;
    friend struct Writer;
};

// One probe mark (instrumentation/probe/warplens.cuh). Its operands are those of the Op::mark instruction.
struct Mark {
    enum class Kind : uint8_t { stage, tile, warp_tile, fragment, lanes, layout };
    Kind kind = Kind::stage;
    std::string name;
    DType dtype = DType::f32;
    int order = 0;       // layout: 0 row-major, 1 column-major
    std::string layout;  // a notation in place of rows, columns, ld and order, which are 0 then

    friend bool operator==(const Mark&, const Mark&) = default;
};

struct Register {
    std::string name;  // "%f12"; a register of an inner scope whose name is taken gets a suffix: "t$1"
    Type type = Type::none;

    friend bool operator==(const Register&, const Register&) = default;
};

struct Initialiser {  // at byte `offset` of a variable: `bytes`, or an address
    uint32_t offset = 0;
    std::vector<std::byte> bytes;
    int32_t address_of = -1;  // variable or (is_function) function whose address is stored, plus `addend`
    bool is_function = false, generic = false;
    uint8_t width = 8, shift = 0;  // stored are the `width` low bytes of (address >> shift)
    int64_t addend = 0;

    friend bool operator==(const Initialiser&, const Initialiser&) = default;
};

struct Variable {
    std::string name;
    Space space = Space::none;  // shared, global, constant, local, param
    Type type = Type::none;
    uint32_t align = 1;
    uint64_t bytes = 0;  // 0: extern with unknown extent (dynamic shared memory)
    bool is_extern = false;
    bool is_managed = false;
    bool is_register = false;  // a parameter in .reg space
    std::string linkage;       // ".visible", ".weak", ".common", ".extern"; empty: this module's own
    std::vector<Initialiser> init;

    friend bool operator==(const Variable&, const Variable&) = default;
};

// The signature of an indirect call.
struct Prototype {
    std::string name;
    std::vector<Variable> results, params;
    bool noreturn = false;

    friend bool operator==(const Prototype&, const Prototype&) = default;
};

struct Function {
    std::string name;
    bool is_entry = false, is_declaration = false, noreturn = false;
    std::string linkage;            // ".visible", ".extern", ".weak"; empty: this module's own
    int32_t alias_of = -1;          // .alias: the function that this name stands for
    std::vector<Variable> params;   // space param, in order
    std::vector<Variable> results;  // return parameters of a .func
    std::vector<Register> registers;
    std::vector<Variable> variables;  // declared in the body (.shared, .local, .param)
    Code code;
    std::map<std::string, int32_t> labels;
    std::vector<std::vector<int32_t>> branch_targets;  // .branchtargets: instructions, as of a label
    std::vector<std::vector<int32_t>> call_targets;    // .calltargets: functions
    std::vector<Prototype> prototypes;
    std::vector<Mark> marks;
    uint32_t max_threads[3] = {0, 0, 0}, required_threads[3] = {0, 0, 0};
    std::vector<std::string> attributes;  // before the name, as written: ".attribute(.unified(1,2))"
    std::vector<std::string> directives;  // before the body, as written: ".minnctapersm 2"
    std::vector<std::string> pragmas;     // of the function and inside its body
};

struct Module {
    std::string version, target;              // "9.0", "sm_90"
    std::vector<std::string> target_options;  // "debug"
    int address_size = 64;
    std::vector<std::string> files;           // .file paths
    std::vector<std::string> function_names;  // linkage names of inlined functions
    std::vector<Location> locations;
    std::vector<Variable> variables;  // module scope
    std::vector<Function> functions;
    std::vector<std::string> pragmas;
    std::map<std::string, std::string> sections;  // .section name -> raw text (.debug_info, ...)
    std::string text;                             // what was parsed
};

// Throws Error with the PTX line on malformed text. An opcode or modifier that the table lacks is no parse
// error: it becomes an Op::unsupported instruction whose mnemonic says what it is, so that `check` can list
// them all.
Module parse(std::string_view text);

// Decoded from what it says, for PTX of today: Op::unsupported when no row allows it.
Instruction instruction(std::string_view mnemonic, std::vector<Operand> operands = {}, Guard guard = {});

// PTX text again; parse(print(m)) equals m up to text_line.
std::string print(const Module& module);
std::string print(const Module& module, const Function& function, const Instruction& instruction);
std::string print(const Module& module, const Function& function, const Operand& operand);

// For an Op::unsupported instruction: "ld.foo.u32: .foo is in no form of ld", a full reason without the line.
std::string why_unsupported(const Instruction& instruction);

const Function* find_entry(
    const Module& module, std::string_view name
);  // name empty: the only entry; nullptr when absent or ambiguous

// The entry of this name, which is there.
const Function& entry_of(const Module& module, std::string_view name);

// "kernels/v2c_3.cu:118", with the inlining chain when asked: "kernels/v2c_3.cu:40 inlined at
// kernels/v2c_3.cu:118".
std::string describe(const Module& module, int32_t location, bool with_chain = false);

}  // namespace wl::ptx
