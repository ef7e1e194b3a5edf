// What one PTX text is put through, whatever it holds: by the fuzzer, and by the test that replays what it
// found.
#pragma once

#include <string>
#include <string_view>

namespace wl::fuzz {

// Parses, prints, parses what was printed, checks every entry, lowers the ones that can run, and runs them
// for a moment on a tiny grid. Empty when all went as it should: a clean refusal (Error, Unsupported) counts
// as that. Otherwise what is wrong. A crash, a hang or a flood of memory is for the caller to notice.
std::string try_ptx(std::string_view text);

}  // namespace wl::fuzz
