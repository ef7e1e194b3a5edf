// A kernel with the numbers, inputs and schedule of a run: as options, as words of the command line, and as a
// capture remembers it.
#pragma once

#include "instrumentation/capture/capture.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct KernelOptions {
    std::string kernel = {};  // shipped name, .toml, .cu, or a .wlcap where a verb takes one
    std::vector<std::string> faults = {}, set = {};
    std::string launch = {};  // of a sequence: a number from 1, or a name
    std::string preset = {}, shape = {}, inputs = {}, check = {}, on = "cpu", arch = "compute_90";
    int device = 0;                              // of --on gpu and both
    std::string host = {}, remote_program = {};  // USER@MACHINE that runs it, and warplens there; empty: here
    bool causal = false;
    uint64_t seed = 0, schedule = 0, budget = 0;
    int threads = 0;
    std::vector<std::string> record = {};  // blocks "X,Y,Z"
    uint64_t record_limit = 1000;          // megabytes
    std::optional<uint64_t> search = {};   // seconds, for a change that mends; nothing: as the verb does
    std::vector<std::string> ideas = {};   // changes to be tried
    bool trust = false;                    // what a capture names may be opened, compiled and run
    bool operator==(const KernelOptions&) const = default;
};

// The kernel and what differs from the defaults, as every verb that takes a kernel reads them.
std::vector<std::string> words_of(const KernelOptions& options);

// Replaces what decides a run's results by what the launch had: faults, parameters (by value, instead of a
// preset or a shape), inputs, seeds, architecture. The kernel's name stays.
void repeat_launch(KernelOptions& options, const capture::Launch& launch);

}  // namespace wl::app
