// What a source says of its kernels beside what the compiler makes of them: names of parameters, launches,
// and what the host's variables are. Read as text: what it says wrongly, the run shows.
#pragma once

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
    std::vector<std::string> config, args;
};

struct HostValue {
    std::string name, value;  // "grid", "dim3((n + 15) / 16)"
    int line = 0;
};

struct SourceText {
    std::vector<KernelText> kernels;
    std::vector<LaunchText> launches;
    std::vector<HostValue> values;                          // of #define, of initialisers, of dim3
    std::map<std::string, std::vector<ParamText>> structs;  // their members, where these are plain
};

SourceText read_source(const std::string& text);

// nullptr: the source has none.
const KernelText* find_kernel(const SourceText& source, const std::string& name);
const LaunchText* find_launch(const SourceText& source, const std::string& name);

// The only launch of the source, where it is of a pointer to a kernel with so many parameters; else nullptr.
const LaunchText* find_indirect_launch(const SourceText& source, size_t params);

// A host's expression at a line as a manifest's, with `known` names replaced; nothing where it holds what
// nobody knows.
std::optional<std::string> manifest_expression(
    const SourceText& source,
    const std::string& text,
    int line,
    const std::map<std::string, std::string>& known
);

// The extents of a launch's grid or block, x first.
std::optional<std::vector<std::string>> manifest_extents(
    const SourceText& source,
    const std::string& text,
    int line,
    const std::map<std::string, std::string>& known
);

}  // namespace wl::app
