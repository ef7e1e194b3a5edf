// What a launch read and wrote, made when somebody asks: where nobody does, making it would be a large part
// of a launch's time.
#pragma once

#include "instrumentation/execution/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace wl::emulator {

struct GlobalShadow;
struct Program;

struct LateAccesses {
    std::function<execution::Accesses()> make;  // once; it keeps what it needs, and nothing of the program
    uint64_t bytes = 0;                         // that it keeps
    bool lets_dependents = false;               // the launch executed griddepcontrol.launch_dependents
    bool full = false;                          // races were looked for in a first part of the launch only
};

// While one lives, launches of its thread that are asked for RunResult::touched leave it here instead.
struct AccessKeeper {
    AccessKeeper();
    ~AccessKeeper();
    AccessKeeper(const AccessKeeper&) = delete;
    AccessKeeper& operator=(const AccessKeeper&) = delete;
    std::optional<LateAccesses> last;

private:
    AccessKeeper* outer_;
};
AccessKeeper* access_keeper();  // of this thread; nullptr: none lives

LateAccesses late_accesses(std::shared_ptr<GlobalShadow> shadow, const Program& program);

}  // namespace wl::emulator
