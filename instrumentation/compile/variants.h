// Many versions of one source in one compilation: what a compiler spends on CUDA's headers is spent once, and
// it optimises little, so that a version costs a few milliseconds.
#pragma once

#include "instrumentation/base/scratch.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/compile/toolkit.h"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace wl::compile {

struct Variant {
    std::string ptx;                         // empty: it does not compile
    std::vector<std::string> lowered_names;  // one for each name expression
};

// How NVRTC takes a source; `problem`: why it does not, as of code of the host.
struct Quick {
    CompileOptions options;
    std::string text;    // as it is
    std::string device;  // what of it is for the device, at the same offsets; changes are made there
    Toolkit toolkit;
    std::vector<std::string> include;
    bool with_stand_ins = false;
    std::string standard;
    std::string problem;
    Effort effort = Effort::least;
    std::shared_ptr<const Scratch> headers = {};  // as NVRTC read them: a text takes a fifth then
    Variant as_it_is = {};                        // in_variant(0)
};
// Tries the source as it is, unless `before` is of the same text and options. options.debug says nothing
// here. Throws Error when NVRTC does not load.
Quick make_quick(
    const CompileOptions& options,
    const std::string& text,
    Effort effort = Effort::least,
    const Quick* before = nullptr
);

// One for each text. What the text calls "centre" is in_variant(17, "centre") in the PTX of the text 17.
std::vector<Variant> compile_variants(const Quick& quick, const std::vector<std::string>& texts);

// One text in which lines from 1'000'000 * (k + 1) on are the change k's.
struct Whole {
    std::string ptx;           // empty: it does not compile
    std::set<size_t> refused;  // then the changes whose lines are at fault; none: the text itself is
};
Whole compile_whole(const Quick& quick, const std::string& text);

std::string in_variant(size_t variant, const std::string& name);
std::string without_variant(const std::string& name);  // of any variant

}  // namespace wl::compile
