// Values that calls pass: parameters and results of functions under the names that both sides have for them.
// Internal to travel.
#pragma once

#include "instrumentation/travel/dataflow.h"

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace wl::travel {

// A parameter or result of the function at this depth.
struct PassedKey {
    int warp = 0, lane = 0;
    uint32_t depth = 0;
    ptx::Operand::Kind kind = ptx::Operand::Kind::none;  // symbol: declared in the body
    int32_t index = 0;
    int64_t offset = 0;
    bool operator==(const PassedKey&) const = default;
    bool operator<(const PassedKey& o) const {
        return std::tie(warp, lane, depth, kind, index, offset) <
            std::tie(o.warp, o.lane, o.depth, o.kind, o.index, o.offset);
    }
};

// ld.param, of an entry's parameter or of a function's.
bool loads_parameter(const ptx::Instruction& in);
bool loads_entry_parameter(const Executed& e, const ptx::Instruction& in);  // of those
// What the register of the lane is loaded from.
PassedKey parameter_of(const Executed& e, const ptx::Instruction& in, int lane, int32_t reg);

// What st.param writes, with the register of the lane that it comes from.
std::vector<std::pair<PassedKey, int32_t>> stored_parameters(const Executed& e, const ptx::Instruction& in);

// Walking back over a call, the callee's parameters are what the caller passed; over a return, met before
// what the callee did, the caller's results are the callee's. Offsets stay: they are 0 here.
std::vector<std::pair<PassedKey, PassedKey>> renamed_by(
    const Route& route, const Log& log, const Executed& e, const ptx::Instruction& in
);

// Calls f(to, value) for every entry of a map by PassedKey whose name changes, after taking it out.
template <class Map, class F>
void rename_passed(Map& passed, const std::vector<std::pair<PassedKey, PassedKey>>& renamed, const F& again) {
    for (const auto& [from, to] : renamed) {
        PassedKey begin = from;
        begin.offset = INT64_MIN;
        for (auto at = passed.lower_bound(begin); at != passed.end();) {
            PassedKey same = at->first;
            same.offset = 0;
            if (same != from) break;
            PassedKey name = to;
            name.offset = at->first.offset;
            auto value = std::move(at->second);
            at = passed.erase(at);
            again(name, std::move(value));
        }
    }
}

}  // namespace wl::travel
