// FILE, LINE and the word error, as NVRTC, nvcc and clang write them.
#include "app/worker/complaints.h"

#include "instrumentation/base/matched.h"

#include <cstdlib>
#include <regex>

namespace wl::app {

std::string text_of(const Complaint& complaint) {
    return complaint.file + ":" + std::to_string(complaint.line) + ": " + complaint.text;
}

std::optional<Complaint> complaint_from_line(const std::string& line) {
    static const std::regex kForm(
        R"(^(\S[^:(]*)[:(](\d+)(?:[:,]\d+)?\)?: (?:fatal |catastrophic )?error(?: #\S+)?: (.*)$)"
    );
    const std::string text = line.substr(0, kLongestMatched);
    std::smatch found;
    if (!std::regex_match(text, found, kForm)) return std::nullopt;
    return Complaint{found[1], std::atoi(found[2].str().c_str()), found[3]};
}

}  // namespace wl::app
