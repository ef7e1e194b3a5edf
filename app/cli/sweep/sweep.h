// `warplens sweep`: many runs on many places, one table. A sweep can be cut in parts, which Slurm or hands
// run wherever they like, and put together again.
#pragma once

#include "app/cli/sweep/cases.h"
#include "app/cli/sweep/rows.h"

#include <string>
#include <vector>

namespace wl::app {

struct SweepResult {
    std::vector<SweepRun> runs;
    std::vector<std::string> lost;  // machines, and why
    std::string identity;           // of the whole sweep
    size_t cases = 0;               // of the whole sweep
    Part part;
    std::vector<int> missing;  // of a merge: parts that are not there
};
std::string verdict_of(const SweepResult& result);

std::string sweep_table(const SweepResult& result, const Style& style);
std::string sweep_table_json(const SweepResult& result);

// Of what --json printed for the parts of one sweep. Throws Error for files of other sweeps and for a part
// that is there twice.
SweepResult merge_parts(const std::vector<std::string>& files);

// What `sbatch` takes: a job array that runs this very command, a part each.
std::string slurm_script(const Command& command, const std::vector<std::string>& own_words, size_t cases);

}  // namespace wl::app
