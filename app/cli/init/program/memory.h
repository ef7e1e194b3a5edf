// Memory of a program as arrays of a manifest.
#pragma once

#include "app/cli/init/program/described.h"

#include <optional>
#include <set>
#include <string>

namespace wl::app {

// Where an address leads to.
struct Target {
    const runtime::DescribedMemory* memory = nullptr;
    uint64_t offset = 0;
};

struct ArrayHint {
    std::string name, type;  // of the parameter or the table that leads to it; the type is the pointer's
    bool may_be_written = false;
    const ParamView* param = nullptr;  // whose accesses tell the element, where its type does not
};

// Arrays by their addresses, from the first launch that reaches each; what a launch left is what the next
// finds.
struct Memories {
    Described& out;
    const SourceText& source;
    const std::string& stem;
    std::map<uint64_t, size_t> arrays = {};                           // by base, in out.kernel.args
    std::map<uint64_t, std::vector<std::byte>> left = {};             // by base, behind the launches so far
    std::map<std::pair<uint64_t, uint64_t>, std::string> views = {};  // by base and offset
    std::set<std::string> names = {};
    const SeenLaunch* seen = nullptr;  // the launch that is looked at
    std::string kernel = {};           // its name, for messages
};

// Of a word of the launch's parameters or memory; nothing: it is no address. Its end counts as part of memory
// where `end` says so.
std::optional<Target> target_of(const Memories& m, uint64_t word, bool end);

// A name that no argument has, made of this one.
std::string fresh_name(Memories& m, const std::string& wanted);

// The array that begins at this memory, which becomes an argument if it is none; its name.
std::string array_at(Memories& m, const Target& target, const ArrayHint& hint);
// The argument for an address inside it: the array itself at its beginning, else a view.
std::string argument_at(Memories& m, const Target& target, const ArrayHint& hint);

// Variables of the module that the launch can come to and that hold something else than the source says.
void add_symbols(Memories& m, const ptx::Module& module);

// After a launch: what it wrote is an output, what it left is known.
void note_left(Memories& m);

}  // namespace wl::app
