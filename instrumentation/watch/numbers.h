// Numbers by lane, and what operators, casts and functions make of them. Internal to watch.
#pragma once

#include "instrumentation/watch/objects.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace wl::watch {

double real_at(const Value& v, size_t lane);
bool true_at(const Value& v, size_t lane);

// Integer or real. Throws Error when it is neither.
Value numeric(const Value& value, const Environment& environment);

// f: lane -> double
template <class F>
Value real_by_lane(uint32_t lanes, F f) {
    Value out;
    out.kind = Value::Kind::real;
    out.lanes = lanes;
    for (size_t lane = 0; lane < kLanes; ++lane)
        if ((lanes >> lane & 1) != 0) out.number[lane] = f(lane);
    return out;
}

// f: lane -> std::optional<int64_t>
template <class F>
Value whole_by_lane(uint32_t lanes, F f) {
    Value out;
    out.kind = Value::Kind::integer;
    for (size_t lane = 0; lane < kLanes; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        const std::optional<int64_t> v = f(lane);
        if (!v) continue;
        out.whole[lane] = *v;
        out.lanes |= 1u << lane;
    }
    return out;
}

// As lane 0 has it, in all of these lanes.
Value everywhere(const Value& one, uint32_t lanes);

// Two's complement of 64 bits; no value where C has none.
std::optional<int64_t> integer_binary(const std::string& op, int64_t a, int64_t b);

Value binary(const std::string& op, const Value& left, const Value& right, const Environment& environment);
Value unary(const std::string& op, const Value& operand, const Environment& environment);
// "float", "unsigned char", "int16_t".
Value cast(const std::string& type, const Value& operand, const Environment& environment);
// Throws Error on an unknown function, naming the nearest, and on a wrong number of arguments.
Value call(const std::string& name, const std::vector<Value>& arguments, const Environment& environment);

}  // namespace wl::watch
