// What every rule looks at: the run, what it did wrong, and what rules before said of it.
#pragma once

#include "instrumentation/analysis/diff.h"
#include "instrumentation/diagnosis/case.h"
#include "instrumentation/diagnosis/prove/prover.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

// Findings that a rule counts as consequences of its first one, where later rules come to them.
struct Claim {
    std::vector<std::string> rules;
    std::vector<std::string> tiles = {};  // only where they lie in one of these; empty: anywhere
    std::string why = "gone with the change of the cause";
};

bool covers(const Claim& claim, const std::string& rule, const std::string& tile);

// Of Capture::counters; 0: there is none of the name.
double counter(const capture::Capture& capture, const char* name);

// What every rule looks at.
struct Symptoms {
    const Experiment& experiment;
    const capture::Capture& capture;
    const std::vector<emulator::Incident>& incidents;
    const ptx::Function& entry;
    Prover& prover;
    std::vector<size_t> functions;  // that the entry reaches, itself first: indices in Module::functions
    int first_bad = -1;             // index in capture.tiles; -1: every compared tile is inside its bound
    analysis::TileData bad_tile;    // its elements; rows 0 when there is none or its block was not recorded
    int64_t block = 0;  // the block that counterfactuals run: the first bad tile's, else the recorded one
    uint64_t budget =
        0;  // warp instructions a block may take in a counterfactual: a small multiple of the unedited run
    std::vector<Claim> claims = {};  // of the rules before
    bool right_in_fp64 = false;      // a rule before proved that
};

// The capture, the incidents and the prover outlive them.
Symptoms symptoms_of(
    Prover& prover, const capture::Capture& capture, const std::vector<emulator::Incident>& incidents
);

}  // namespace wl::diagnosis
