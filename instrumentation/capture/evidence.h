// What a finding rests on, and how that is said. Only a counterfactual proves a cause.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wl::capture {

enum class EvidenceKind : uint8_t {
    witness,         // what the run itself showed: the accesses, the values, the sizes
    fit,             // a formula that the wrong values follow
    response,        // how they follow inputs that were changed
    counterfactual,  // a changed program, input or order of warps was run and came right
    mends,           // the same, and what else a proof takes could not be run, or does not hold
};

struct EvidenceWords {
    std::string_view name;     // in JSON and in the capture file
    std::string_view verdict;  // "[1] race_shared proven"
    std::string_view label;    // before what was run or seen
};
constexpr std::array<EvidenceWords, 5> kEvidenceWords = {
    {
     {"witness", "witnessed", "witness"},
     {"fit", "fits the values, not proven", "fit"},
     {"response", "shown by responses, not proven", "response"},
     {"counterfactual", "proven", "proof"},
     {"mends", "mends what was run, not proven", "mends"},
     }
};
constexpr const EvidenceWords& words_of(EvidenceKind kind) {
    return kEvidenceWords[static_cast<size_t>(kind)];
}

}  // namespace wl::capture
