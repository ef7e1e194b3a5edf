// Expressions over the variables of a warp at one instant, a value for each of its 32 lanes:
// `s[tid.x][i] * 0.125`, `m - m_old`, `warp.any(isnan(acc))`.
// C's operators, casts and precedence; integers have 64 bits, floating point is double. A lane for which an
// operand has no value (out of scope, inactive, unreadable, divided by zero) has no value either.
#pragma once

#include "instrumentation/variables/variables.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::watch {

constexpr int kLanes = 32;

struct Value {
    enum class Kind : uint8_t {
        integer,  // `whole`
        real,     // `number`
        bytes,    // an object held in registers: `bytes`, lane after lane
        place,    // an object in memory: `space` and `address`
    };
    Kind kind = Kind::integer;
    int type = -1;            // index in Environment::types; integer with a type: a pointer
    uint32_t lanes = 0;       // mask of the lanes that have a value
    bool is_natural = false;  // integer: `whole` are the bits of an unsigned one of 64 bits
    ptx::Space space = ptx::Space::none;
    std::array<int64_t, kLanes> whole{};
    std::array<double, kLanes> number{};
    std::array<uint64_t, kLanes> address{};
    std::vector<std::byte> bytes;
};

// Where names and memory come from.
struct Environment {
    const std::vector<variables::Type>* types = nullptr;
    uint32_t lanes = 0;                                            // that exist
    std::function<std::optional<Value>(const std::string&)> find;  // by name: "acc", "%f12", "tid.x"
    std::function<std::vector<std::string>()> names;               // that find() knows, for "did you mean"
    std::function<std::string(const std::string&)> hint;           // said of a name that find() does not know
    // The generic address of one in a space; empty: it is that already.
    std::function<uint64_t(ptx::Space, uint64_t)> generic;
    // Reads `out.size()` bytes of a lane; false: unmapped, or nothing has been written there.
    std::function<bool(ptx::Space, uint64_t address, int lane, std::vector<std::byte>& out)> read;
};

struct Node {
    enum class Kind : uint8_t { number, name, unary, cast, binary, conditional, index, member, call };
    Kind kind = Kind::number;
    std::string text;  // name, operator, type of a cast, member or function
    bool whole = true;
    int64_t integer = 0;
    double real = 0;
    std::vector<int> children;  // indices in Watch::nodes
    size_t at = 0;              // offset in the text
};

struct Watch {
    std::string text;
    std::vector<Node> nodes;  // the last is the root
};

// Throws Error that quotes the expression and marks the place.
Watch parse(std::string_view text);

// "l_add, min(a, b), s[i][0]": several expressions, parted at commas outside parentheses and brackets.
std::vector<std::string> parted(std::string_view text);

// A scalar, or an object (array, structure) as it was found. Throws Error on an unknown name (with the
// nearest known one), member or function, and on operands that the operator cannot take.
Value evaluate(const Watch& watch, const Environment& environment);

// Objects of scalar type become integer or real; others stay.
Value scalar(const Value& value, const Environment& environment);

// The value of a lane as people write it: "0.125", "-3", "{low 1, high 2.5}", "[1, 2, ...]"; "-" without one.
std::string text_of(const Value& value, int lane, const Environment& environment);

}  // namespace wl::watch
