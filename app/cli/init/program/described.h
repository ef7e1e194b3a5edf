// Launches of a program that was run as a manifest: its arrays with what they held, its arguments by value,
// its extents as numbers. Nothing is guessed; what a manifest cannot say is refused by name.
#pragma once

#include "app/cli/init/source.h"
#include "instrumentation/base/tensor.h"
#include "instrumentation/launches/launch_file.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/ptx/module.h"
#include "instrumentation/runtime/describe.h"

#include <map>
#include <string>
#include <vector>

namespace wl::app {

// A launch as the program made it.
struct SeenLaunch {
    launches::RecordedLaunch launch;
    runtime::Description about;
};

struct Described {
    manifest::Kernel kernel;                     // args, symbols and launches
    std::map<std::string, std::string> remarks;  // of arguments, behind them
    std::map<std::string, Tensor> files;         // what an array's .npy holds, by the array's name
    std::vector<std::string> not_compared;       // outputs that nobody wrote, arrays as the program left them
    std::vector<std::string> notes;              // what the manifest does not hold, a sentence each
};

// One launch, or several in order over the same memory. `module`: their PTX; `source`: what the user's file
// says of names and types, empty without one; `stem`: of the manifest, for the names of files. Throws
// Unsupported, naming the kernel and the argument, where a manifest has no word for it.
Described described(
    const std::vector<const SeenLaunch*>& launches,
    const ptx::Module& module,
    const SourceText& source,
    const std::string& stem
);

// A parameter of an entry, with what is known of it.
struct ParamView {
    std::string name, type;  // as the source calls it, else "arg2"; in C++, empty: unknown
    std::vector<std::byte> bytes;
    uint64_t align = 1;
    ptx::Type ptx_type = ptx::Type::none;
    bool may_be_written = false;  // the kernel has a store, an atomic, a copy to what it points to
    bool is_texture = false;
    DType accessed = DType::u8;  // how its kernel accesses what it points to
    bool followed = false;       // there are such accesses
};
std::vector<ParamView> param_views(
    const SeenLaunch& seen, const ptx::Module& module, const SourceText& source
);

bool is_pointer_type(const std::string& type);  // "float const*"

// A number, a vector or an object by value; never an address.
manifest::Argument value_argument(const ParamView& param);

}  // namespace wl::app
