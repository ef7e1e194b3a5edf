// How findings speak: places, numbers and quoted source lines.
#pragma once

#include "instrumentation/base/lanes_text.h"
#include "instrumentation/diagnosis/prove/trial.h"
#include "instrumentation/diagnosis/rules/symptoms.h"
#include "instrumentation/ptx/edit/select.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace wl::diagnosis {

// The user's line of an instruction: the innermost location that does not lie in a toolkit header.
int32_t user_location(const ptx::Module& module, int32_t location);
capture::Where where_in(const ptx::Module& module, int32_t location);  // file and line; line 0: unknown
capture::Where where_of(const Symptoms& s, uint32_t site);
// The same in another module, as in one with an edited entry.
capture::Where where_of(const ptx::Module& module, const ptx::Function& entry, uint32_t site);

capture::Where where_of(const Symptoms& s, const ptx::Place& place);
const ptx::Instruction& instruction_at(const Symptoms& s, const ptx::Place& place);
// Instructions of the entry and of what it calls, line by line.
std::vector<ptx::Places> lines_with(
    const Symptoms& s, const std::function<bool(const ptx::Instruction&)>& is_wanted
);

// Where a mark stands; unknown of an output, which has none.
capture::Where where_of_probe(const Symptoms& s, const capture::Probe& probe);

// The line from which the function that holds the site was inlined; the site's own where there is none.
capture::Where where_of_call(const Symptoms& s, uint32_t site);

// The instruction of a site: of the entry or of a function that it calls.
struct CodePlace {
    size_t function = 0;  // index in Module::functions
    uint32_t index = 0;   // in Function::code
};
std::optional<CodePlace> code_place(const ptx::Module& module, const ptx::Function& entry, uint32_t site);
capture::Where where_of_access(
    const Symptoms& s, const emulator::Access& access
);  // with block, warp, lanes, epoch and the tile it touches

bool same_line(const capture::Where& a, const capture::Where& b);  // of the same file
// Two places of a finding, in either order.
bool same_lines(
    const capture::Where& a, const capture::Where& b, const capture::Where& c, const capture::Where& d
);
std::string place(const capture::Where& where);  // "kernels/v2c_3.cu:118"
std::string quoted(
    const capture::Capture& capture, const capture::Where& where
);  // "kernels/v2c_3.cu:118 (`l_add = ...`)"
std::string block_text(const capture::Capture& capture, int64_t block);  // "(0,3,1)"
std::string number(double value);  // shortest of 4 digits: "32", "0.125", "1.2e-05"

// How far the wrong elements of a trial lie from what they should be: ", by up to 0.5", ", 3 of them NaN or
// infinite"; empty where none is wrong.
std::string away_text(const Trial& trial);

// A factor in the words of the launch: "32 = warp size", "0.125 = 1/sqrt(D)", "8 = B"; the bare number when
// it means nothing, or is one that a change often makes by chance (2, 3, 4, and one by them).
std::string factor_text(const Symptoms& s, double factor);

// Behind what is there, with a space between.
void add_sentence(std::string& text, const std::string& sentence);

// The element of a tile that lies at `address` of shared memory in the recorded block. None when no mark
// covers it.
struct MarkedElement {
    std::string tile;
    int row = 0, col = 0;
};
std::optional<MarkedElement> element_at(const capture::Capture& capture, int64_t block, uint64_t address);
std::string text_of(const MarkedElement& element);  // "scores[12,3]"

}  // namespace wl::diagnosis
