// A kernel that no manifest describes yet: `warplens init` in a worker writes one, which is opened then.
#pragma once

#include "app/worker/worker.h"

#include <memory>
#include <string>
#include <vector>

namespace wl::app {

struct Session;
struct Selection;

struct Describing {
    std::unique_ptr<Worker> worker;  // while it writes
    std::string source;              // the .cu or .ptx
    std::vector<std::string> left;   // to do in what was written, in the words of `warplens init`
};

// The files that stand beside that source then.
std::string manifest_beside(const std::string& source);
std::string reference_beside(const std::string& source);

// What is shown is a kernel's text, and nothing says how it runs.
bool is_undescribed(const Session& session);

void describe(Session& session);  // an Error becomes the message
// True: something changed. What does not compile stands in Source, as after a run.
bool hear_describing(Session& session, Selection& selection);

}  // namespace wl::app
