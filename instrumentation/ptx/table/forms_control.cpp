// The table: control flow, stack and miscellaneous (PTX ISA 9.0, 9.7.12, 9.7.17, 9.7.19).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;

// clang-format off
constexpr std::array kControl = {
    Form{Op::bra, "bra", "", "uni?", "target", "9.7.12.3", kExact, "Goes on at the label; .uni asserts that all active lanes do.", "", "jump"},
    Form{Op::brx_idx, "brx.idx", "", "uni?", "index targets", "9.7.12.4", kExact, "Goes on at the label of the list that the index chooses.", "", "jump_table"},
    Form{Op::call, "call", "", "uni?", "{results} target {arguments} prototype?", "9.7.12.5", kExact, "Calls a function by name, or by address through a prototype or a list of targets.", "", "call"},
    Form{Op::ret, "ret", "", "uni?", "", "9.7.12.6", kExact, "Returns to the caller, or ends the thread of an entry.", "", "leave"},
    Form{Op::exit, "exit", "", "", "", "9.7.12.7", kExact, "Ends the thread.", "", "leave"},
};

constexpr std::array kStack = {
    Form{Op::stacksave, "stacksave", "u32|u64", "", "d", "9.7.17.1", kExact, "d = the stack pointer.", "", "d:any"},
    Form{Op::stackrestore, "stackrestore", "u32|u64", "", "a", "9.7.17.2", kExact, "The stack pointer = a.", "", "nothing a:any"},
    Form{Op::alloca, "alloca", "u32|u64", "", "d size align?", "9.7.17.3", kExact, "d = the local address of size bytes more on the stack.", "", "d:any size:any align:any"},
};

constexpr std::array kMiscellaneous = {
    Form{Op::brkpt, "brkpt", "", "", "", "9.7.19.1", kExact, "Suspends the thread for a debugger.", "no debugger is attached: nothing happens", "nothing"},
    Form{Op::nanosleep, "nanosleep", "u32", "", "t", "9.7.19.2", kExact, "Suspends the thread for about t nanoseconds.", "time: other warps run first", "sleeps"},
    Form{Op::pmevent, "pmevent", "", "mask?", "a", "9.7.19.3", kExact, "Triggers performance monitor events.", "monitors: nothing happens", "nothing"},
    Form{Op::trap, "trap", "", "", "", "9.7.19.4", kExact, "Ends the launch with a fault.", "", "trap"},
    Form{Op::setmaxnreg, "setmaxnreg", "u32", "inc|dec sync aligned", "count", "9.7.19.5", kExact, "Changes how many registers the warp owns.", "register pressure: nothing happens", "nothing count:any"},
};
// clang-format on

}  // namespace

const std::array<Family, 3> kControlFamilies = {
    {{"Control flow", kControl}, {"Stack", kStack}, {"Miscellaneous", kMiscellaneous}}
};

}  // namespace wl::ptx
