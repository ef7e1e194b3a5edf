// What a program registered together: PTX that is parsed when something of it is first used, and whose
// kernels are lowered once each.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/ptx/module.h"
#include "instrumentation/runtime/fat_binary.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace wl::runtime {

struct Module {
    const void* wrapper = nullptr;  // of the fat binary, which is read when it is used
    bool is_library = false;        // wrapper: as cudaLibraryLoadData takes it
    int number = 0;                 // from 1, in order of registration
    std::optional<ptx::Module> parsed;
    std::map<std::string, bool> speaking;                // by entry, as far as `speaks` was asked
    std::map<std::string, execution::Executable> ready;  // by entry
    std::set<std::string> placed;                        // entries whose variables have their addresses
    std::map<std::string, std::string> renamed;          // variables whose name another module has, too
};

struct Kernel {
    Module* module = nullptr;
    std::string entry, shown;          // mangled, and as people write it
    uint64_t most_dynamic_shared = 0;  // cudaFuncAttributeMaxDynamicSharedMemorySize; 0: not asked for
};

struct Symbol {
    Module* module = nullptr;
    std::string name;  // in the PTX
    uint64_t bytes = 0;
    bool constant = false;
    void** managed = nullptr;  // where the program keeps the address of a managed variable
};

// Parsed; `taken` are variables' names of the modules before. Throws Error (no PTX, malformed) and
// Unsupported.
const ptx::Module& parsed(Module& module, const std::vector<std::unique_ptr<Module>>& all);

// Throws Error where there is no such entry, Unsupported as execution::Executor::prepare does.
const execution::Executable& ready(
    Module& module, const std::string& entry, const execution::Executor& executor
);

// Of a module that is parsed: whether what the entry can come to prints, or can stop the device.
bool speaks(Module& module, const std::string& entry);

// Where a parameter of the entry begins in the parameter buffer.
struct ParamPlace {
    uint64_t offset = 0, bytes = 0;
};
std::vector<ParamPlace> params_of(const ptx::Function& entry);
uint64_t param_bytes(const ptx::Function& entry);

}  // namespace wl::runtime
