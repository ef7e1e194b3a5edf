// What --record says: blocks, and what is kept of them.
#pragma once

#include "app/worker/kernel_options.h"
#include "instrumentation/execution/recording.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wl::app {

void add_record_options(CLI::App& verb, KernelOptions& kernel);

struct RecordWords {
    std::vector<std::string> blocks;  // "X,Y,Z", of the launch that is looked at
    execution::Recording recording;
};
// Throws Error for a word that means nothing.
RecordWords record_words(const KernelOptions& options);

}  // namespace wl::app
