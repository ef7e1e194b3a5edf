// What mutants are made of: small kernels as PTX with their manifests in fuzz/seeds/, run in this process.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::fuzz {

// A file of fuzz/seeds/, or of the folder that WARPLENS_FUZZ_SEEDS names.
std::string seed_path(const std::string& name);
std::string text_of_seed(const std::string& name);

// The capture of a run of this manifest. Equal for equal programs: what clocks say is left out.
capture::Capture captured(const std::string& manifest);
void without_clocks(capture::Capture& capture);

// A folder of this process, in memory where the system has such; removed with its contents at the end.
const std::string& scratch_folder();

}  // namespace wl::fuzz
