// The state of one parse, shared by the parser's files; nothing outside this folder includes it.
#pragma once

#include "instrumentation/ptx/module.h"
#include "instrumentation/ptx/parse/decode.h"
#include "instrumentation/ptx/parse/lexer.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace wl::ptx {

// What a name stands for. Registers of a range are made at their first use, so that `%r<100000>` costs
// nothing by itself.
struct Entry {
    enum class Kind : uint8_t {
        reg,
        vector,  // of registers: elements are name$x ...
        local,   // variable of the function
        param,
        result,
        prototype,
        branch_targets,
        call_targets,
        variable,  // of the module
        function,
    };
    Kind kind = Kind::reg;
    int32_t index = -1;  // reg: -1 until used; vector: how many elements
    Type type = Type::none;
};

struct Range {  // %r<count>
    uint64_t count = 0;
    Type type = Type::none;
};

// A label used before its place is known: in an instruction's first operand, or in a .branchtargets list.
struct LabelUse {
    std::string name;
    uint32_t line = 0;
    int32_t instruction = -1;
    int32_t list = -1, position = -1;
};

struct Scope {
    std::unordered_map<std::string, Entry> names;
    std::unordered_map<std::string, Range> ranges;
    std::unordered_map<std::string, int32_t> labels;
    std::vector<LabelUse> uses;
    uint32_t line = 0;
};

// One distinct `.loc`; it becomes a Location when an instruction stands under it.
struct LineMark {
    int file = 0, line = 0, column = 0;  // file: its number in the text
    int32_t inlined_at = -1;             // index in LineMarks::marks, always a smaller one
    int depth = 0;                       // of its chain of inlined calls
    std::string function;                // label in .debug_str, with its offset
    uint64_t function_offset = 0;
    int32_t location = -1;
};

struct LineMarks {
    std::vector<LineMark> marks;
    std::unordered_map<std::string, int32_t> by_key;    // every field
    std::unordered_map<std::string, int32_t> by_place;  // file, line and column: the latest
    std::unordered_map<int, int32_t> files;             // number in the text -> Module::files
};

// An address in an initialiser, resolved when every name of the module is known.
struct AddressUse {
    int32_t variable = -1, initialiser = -1;
    std::string name;
    uint32_t line = 0;
};

struct Parser {
    Lexer lexer;
    Module module;
    std::unordered_map<std::string, Entry> names;  // of the module
    Scope registers;  // .reg of the module (PTX ISA 1.x): every function has them as its own
    LineMarks lines;
    std::vector<AddressUse> address_uses;
    Decoder decoder;

    // Of the function being read.
    Function function;
    std::vector<Scope> scopes;
    std::unordered_set<std::string> taken;               // names of registers, variables and labels
    std::unordered_set<std::string> outer;               // names used of the module, and special registers
    std::unordered_map<std::string, uint32_t> suffixes;  // last one tried, by name
    int32_t line_mark = -1;                              // current `.loc`
};

// parse_module.cpp
void parse_file(Parser& p);
void parse_section(Parser& p);
void parse_pragma(Parser& p, std::vector<std::string>& pragmas);  // behind the word .pragma

// parse_variable.cpp
bool is_space(std::string_view word);  // ".global", ".shared", ...
void skip_bank(Parser& p);  // behind .const: [2], a bank of PTX before 2.2; all are one memory here
// From the word after the linkage: `.global .align 4 .u32 a[4] = {1, 2}, b;`, the semicolon included.
// Variables of the module (wherever they are declared) go there, those of the function come back.
std::vector<Variable> parse_variables(Parser& p, const std::string& linkage);
std::vector<Variable> parse_parameters(Parser& p);  // with both parentheses
void resolve_addresses(Parser& p);

// parse_function.cpp
void parse_function(Parser& p, const std::string& linkage);
std::string unique_name(Parser& p, std::string_view name);

// parse_body.cpp
void parse_body(Parser& p);  // with its braces, into the scopes pushed last
// From the word .reg, into the innermost scope. A body makes registers that are declared by their own names
// at once, so that declarations say their order.
void parse_registers(Parser& p, bool in_body);
const Entry* find_local(const Parser& p, std::string_view name);

// parse_instruction.cpp
void parse_instruction(Parser& p, Guard guard);
Operand parse_operand(Parser& p, int depth = 0);
int32_t use_register(Parser& p, std::string_view name);  // -1 when it is no register
void emit(Parser& p, Instruction&& instruction);

// parse_mark.cpp
void parse_mark(Parser& p);

// parse_location.cpp
void parse_location(Parser& p);
int32_t current_location(Parser& p);  // makes it in the module when it is new
void finish_locations(Parser& p);

}  // namespace wl::ptx
