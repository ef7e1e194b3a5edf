// Launches of a program for `init`: each as a launch file, and beside it what that does not hold of the
// program's memory.
#pragma once

#include "instrumentation/execution/result.h"
#include "instrumentation/runtime/findings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::runtime {

struct Machine;
struct Kernel;

// In Settings::record: no file, but one for each launch that Settings::launch names, in the folder of the
// report.
// "": the first launch of each kernel, "*": all, "3", "2-5", "scale": the first of that kernel.
constexpr const char* kDescribe = "/";
constexpr const char* kEveryLaunch = "*";
// Of these at most so many.
constexpr int kMostDescribed = 200;

// Memory of the program as the launch found it.
struct DescribedMemory {
    uint64_t base = 0, bytes = 0;
    std::string name;                  // "allocation 3"
    std::string kind;                  // "device", "managed", "pinned", "registered", "variable", "array"
    bool wrote = false, read = false;  // the launch did
    // Bytes [first, second) that nobody had written; the rest of a list that is too long is left out.
    std::vector<std::pair<uint64_t, uint64_t>> unwritten;
    uint64_t left_unwritten = 0;  // bytes that nobody had written when the launch was over
    bool freed = false;
};

struct Description {
    std::string launch_file;  // in the folder
    std::string kernel;       // as people write it
    int number = 0;
    bool followed = false;  // what it read and wrote is known, not only what it changed
    bool has_heap = false;  // kernels before it used malloc
    std::vector<DescribedMemory> memory;
};

// Whether the settings ask for this launch.
bool is_described(const Machine& machine, const Kernel& kernel, int number);

// Leaves the launch in the folder of the report. `result`: what was run.
void describe(Machine& machine, const Kernel& kernel, const Asked& asked, const execution::RunResult& result);

// All of a folder, in the order of the launches. Throws Error where a file is damaged.
std::vector<Description> read_descriptions(const std::string& folder);

}  // namespace wl::runtime
