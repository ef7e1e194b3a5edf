// What decided about the steps of a slice: the registers behind addresses, and the branches and predicates
// that let a step happen, followed back beside the values. Internal to travel.
#pragma once

#include "instrumentation/travel/call_values.h"
#include "instrumentation/travel/control.h"
#include "instrumentation/travel/slice.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace wl::travel {

struct RegisterKey {
    int warp = 0;
    uint32_t depth = 0;
    int32_t reg = 0;
    bool operator==(const RegisterKey&) const = default;
};
struct HashKey {
    size_t operator()(const RegisterKey& k) const {
        return (static_cast<size_t>(k.warp) << 48) ^ (static_cast<size_t>(k.depth) << 32) ^
            static_cast<uint32_t>(k.reg);
    }
};

// Wanted for one question, of which there are two for each step of the slice.
struct Share {
    uint32_t question = 0;
    uint32_t mask = 0;  // lanes of a register, bytes of a word
};

// An executed instruction whose branch has not been met yet.
struct Undecided {
    uint32_t question = 0;
    int warp = 0, lane = 0;
    uint32_t depth = 0, site = 0;
};

struct Deciding {
    const Route& route;
    bool deep = false;
    std::vector<std::pair<uint32_t, Decider::Kind>> questions{};  // sites of steps
    std::unordered_map<RegisterKey, std::vector<Share>, HashKey> registers{};
    std::unordered_map<uint64_t, std::vector<Share>> words{};
    std::map<PassedKey, std::vector<uint32_t>> passed{};
    std::vector<Undecided> undecided{};
    std::map<std::pair<uint32_t, uint32_t>, SliceStep> steps{};  // by question and site
    std::map<const ptx::Function*, Control> controls{};
    std::map<uint32_t, std::vector<int32_t>> kept_by{};  // by site of a branch: what it may leave unwritten
};

using WantedRegisters = std::unordered_map<RegisterKey, uint32_t, HashKey>;  // lanes

// The step's last execution is met: what decided about its lane is asked for.
void ask_for_deciders(Deciding& d, const Executed& e, const SliceStep& step);

// Walks back over an instruction. Call before its own step is asked about.
void decide_back(Deciding& d, const Log& log, const Executed& e);

// What is wanted could have been written here, and was not: what decided that is asked for (relevant slices,
// Agrawal, Horgan, Krauser and London, ICSM 1993). Call before decide_back.
void ask_what_kept(Deciding& d, const Executed& e, const WantedRegisters& values);

bool nothing_wanted(const Deciding& d);

// By rising order of their step.
std::vector<Decider> deciders_of(const Deciding& d);

}  // namespace wl::travel
