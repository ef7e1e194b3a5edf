// What a source says of its kernels beside what the compiler makes of them: names of parameters, launches,
// and what the host's variables are. Read as text: what it says wrongly, the run shows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct ParamText {
    std::string type, name;  // "const float*", "x"
};

struct KernelText {
    std::string name;
    int line = 0;
    std::vector<ParamText> params;
};

// NAME<<<config>>>(args)
struct LaunchText {
    std::string kernel;  // "reduce<256>"
    int line = 0;
    int function = 0;  // of the host: the same for launches in the same one
    int loop = -1;     // of the host, the innermost; -1: none
    std::vector<std::string> config, args;
};

struct HostValue {
    std::string name, value;  // "grid", "dim3((n + 15) / 16)"
    int line = 0;
    std::string type = {};  // as it is declared, "int"; empty: it is not told, or a macro's
    bool assigned = false;  // later than where it is declared
};

struct SourceText {
    std::vector<KernelText> kernels;
    std::vector<LaunchText> launches;
    std::vector<HostValue> values;       // of #define, of initialisers, of dim3
    std::vector<HostValue> allocations;  // by cudaMalloc and the like: bytes by the pointer's name
    std::map<std::string, std::vector<ParamText>> structs;  // their members, where these are plain
};

SourceText read_source(const std::string& text);

// nullptr: the source has none.
const KernelText* find_kernel(const SourceText& source, const std::string& name);
const LaunchText* find_launch(const SourceText& source, const std::string& name);

// The only launch of the source, where it is of a pointer to a kernel with so many parameters; else nullptr.
const LaunchText* find_indirect_launch(const SourceText& source, size_t params);

// A host's expression at a line as a manifest's, of whole value, with `known` names replaced; nothing where
// it holds what nobody knows. `made_up` becomes true where a block's threads are somebody else's and were
// made up.
std::optional<std::string> manifest_expression(
    const SourceText& source,
    const std::string& text,
    int line,
    const std::map<std::string, std::string>& known,
    bool* made_up = nullptr
);

// Elements of `element` bytes that an allocation has room for.
std::optional<std::string> manifest_elements(
    const SourceText& source,
    const HostValue& allocation,
    uint64_t element,
    const std::map<std::string, std::string>& known
);

// The extents of a launch's grid or block, x first.
std::optional<std::vector<std::string>> manifest_extents(
    const SourceText& source,
    const std::string& text,
    int line,
    const std::map<std::string, std::string>& known,
    bool* made_up = nullptr
);

}  // namespace wl::app
