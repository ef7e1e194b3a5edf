// What a finding rests on. Only a proof names a cause.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace wl::capture {

enum class EvidenceKind : uint8_t {
    witness,   // what the run itself showed: the accesses, the values, the sizes
    fit,       // a formula that the wrong values follow
    response,  // how they follow inputs that were changed
    proven,    // a changed program, input or order of warps was run and came right
    mends,     // the same, and what else a proof takes could not be run, or does not hold
};

// The one word that text, JSON, reports, pages, the window and the capture file have for it.
constexpr std::array<std::string_view, 5> kEvidenceNames = {"witness", "fit", "response", "proven", "mends"};
constexpr std::string_view name_of(EvidenceKind kind) { return kEvidenceNames[static_cast<size_t>(kind)]; }

}  // namespace wl::capture
