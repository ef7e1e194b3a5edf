// A lesson's text for a terminal, with what its commands print.
#pragma once

#include "app/cli/learn/lesson.h"
#include "app/cli/print.h"

#include <functional>
#include <string>

namespace wl::app {

struct Ran {
    int status = 0;
    std::string output;
};

// One line as it stands in a lesson: `warplens WORDS`, then perhaps ` | head -n N`, ` | tail -n N`,
// ` | grep TEXT` or ` | cut -c 1-N`. This very program is run, in the current folder, without a shell. Throws
// Error.
Ran run_line(const std::string& line, bool colour);

// lesson.md, piece by piece; blocks ```console are run line by line in the lesson's folder.
void print_page(
    const Lesson& lesson, const Style& style, const std::function<void(const std::string&)>& print
);

// While it lives, the current folder is another.
struct InFolder {
    std::string before;
    explicit InFolder(const std::string& folder);
    ~InFolder();
    InFolder(const InFolder&) = delete;
    InFolder& operator=(const InFolder&) = delete;
};

}  // namespace wl::app
