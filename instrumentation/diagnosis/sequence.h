// Launches in order over the same memory: what a launch finds there, and who wrote what.
#pragma once

#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/launch.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

// The experiment's launch in memory as those before it leave it. They run without checks, once, where
// Experiment::before is not set. Throws Unsupported and Cancelled.
Prepared prepare(const Experiment& e);
// The same with other inputs.
Prepared prepare(const Experiment& e, const manifest::Problem& inputs);

// The launch of `problem` that is looked at, without checks: the warp instructions that it took.
uint64_t run_plain(const Experiment& e, const manifest::Problem& problem, execution::GlobalMemory& memory);

// An experiment that keeps the memory before its launch, and copies it for every run.
Experiment with_memory(Experiment e);

// The launch that stored to each element of each output last, from 0; kNobody: none.
struct Writers {
    static constexpr int kNobody = -1;
    std::map<std::string, std::vector<int>> last;
};
// Runs the first `launches` of the sequence once more, without checks.
Writers writers_of(const Experiment& e, size_t launches);

// As if this launch had written all that launches before it wrote of its outputs.
Writers all_by(Writers writers, size_t launch);

// Does this launch get the array, itself, in a struct or through a table of addresses?
bool takes(const manifest::Problem& problem, size_t launch, const std::string& array);

// The launch that answers for an element of an output, by who wrote it last: of what nobody wrote the last
// one that wrote any of the output, or else could have. One that did not run may have been to write it.
size_t answers_for(
    const Experiment& e, const std::string& output, const std::vector<int>& last, size_t element, size_t ran
);

// Of the first `ran` launches, whose elements they are seen from this one.
Unsettled unsettled_after(const Experiment& e, const Writers& writers, size_t launch, size_t ran);

// After a launch whose own results nobody can judge.
Unsettled nothing_settled(const Writers& writers);

// The block of the experiment's launch that stores to a byte of an array last; nothing: none does, or blocks
// wait for each other, so that none runs alone. Runs halves of the launch, and their halves.
std::optional<int64_t> block_that_writes(const Experiment& e, const std::string& array, uint64_t byte);

// "launch 2 of 3 (finish)".
std::string launch_text(const manifest::Problem& problem, size_t launch);
std::string launch_names(
    const manifest::Problem& problem, const std::vector<size_t>& launches
);  // "1 (fill), 3 (sum)"

}  // namespace wl::diagnosis
