// One list for the process, as its end is one.
#include "instrumentation/base/os/leftovers.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <unistd.h>

namespace wl {
namespace {

struct Leftovers {
    std::mutex lock;
    std::multiset<std::string> paths;
    std::multiset<ProcessId> processes;
};

// Never destroyed: who is ended early may be in the middle of its static destructors.
Leftovers& leftovers() {
    static auto& all = *new Leftovers;
    return all;
}

constinit std::atomic<int> saving{0};
constinit std::atomic<bool> saved{false};

template <class Set, class Value>
void forget(Set& set, const Value& value) {
    if (const auto at = set.find(value); at != set.end()) set.erase(at);
}

}  // namespace

TemporaryPath::TemporaryPath(std::string path) : path_(std::move(path)) {
    const std::scoped_lock hold(leftovers().lock);
    leftovers().paths.insert(path_);
}

TemporaryPath::~TemporaryPath() {
    const std::scoped_lock hold(leftovers().lock);
    forget(leftovers().paths, path_);
}

StartedProcess::StartedProcess(ProcessId process) : process_(process) {
    const std::scoped_lock hold(leftovers().lock);
    leftovers().processes.insert(process_);
}

StartedProcess::~StartedProcess() {
    const std::scoped_lock hold(leftovers().lock);
    forget(leftovers().processes, process_);
}

Saving::Saving() { ++saving; }
Saving::~Saving() { --saving; }

bool is_saving() { return saving.load() > 0; }

void note_saved() { saved = true; }
bool has_saved() { return saved.load(); }

void remove_leftovers() {
    const std::scoped_lock hold(leftovers().lock);
    for (const ProcessId process : leftovers().processes) {
        if (process <= 0) continue;
        if (getpgid(process) == process) kill(-process, SIGKILL);
        kill(process, SIGKILL);
    }
    std::error_code none;
    for (const std::string& path : leftovers().paths)
        if (!path.empty()) std::filesystem::remove_all(path, none);
}

}  // namespace wl
