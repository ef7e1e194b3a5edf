// An instrumentation on its way; for the files of this folder.
#pragma once

#include "instrumentation/gpu/instrument.h"
#include "instrumentation/gpu/instrument_flow.h"
#include "instrumentation/gpu/snippets.h"
#include "instrumentation/ptx/edit/edit.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wl::gpu {

// One function.
struct Body {
    const ptx::Module& plain;
    const ptx::Function& function;
    size_t index = 0;         // in Module::functions
    uint32_t first_site = 0;  // in the listing
    uint32_t first_mark = 0;
    bool is_entry = false;
    Flow flow;
};

struct Work {
    const execution::Listing& listing;
    const Plan& plan;
    Instrumented out;
    int barrier = -1;
    std::deque<std::string> texts = {};  // what the insertions point into
    std::vector<ptx::Insertion> insertions = {};
};

// Registers that marks of one kind and name share.
struct Group {
    std::string counter, slot;
};
using Groups = std::map<std::pair<ptx::Mark::Kind, std::string>, Group>;

std::string operand(const Body& body, const ptx::Operand& o);
std::string new_register(Work& w, const Body& body, ptx::Type type, const char* name);
void put_in(Work& w, const Body& body, uint32_t at, std::string text, bool after = false);

// Does the plan look at this instruction, which is no mark?
bool is_recorded(const Work& w, const Body& body, uint32_t at);
// Registers of the function for what is_recorded.
void begin_recording(Work& w, const Body& body, Names& names);
// Puts in what the plan dumps of it.
void record_instruction(Work& w, const Body& body, uint32_t at, const Names& names, Groups& groups);

}  // namespace wl::gpu
