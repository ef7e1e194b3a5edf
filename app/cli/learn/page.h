// A lesson's text for a terminal, with what its commands print.
#pragma once

#include "app/cli/learn/lesson.h"
#include "app/cli/print.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace wl::app {

struct Ran {
    int status = 0;
    std::string output;
};

// One line as it stands in a lesson: `warplens WORDS`, then perhaps ` | head -n N`, ` | tail -n N`,
// ` | grep TEXT` or ` | cut -c 1-N`. This very program is run, in the current folder, without a shell. Throws
// Error.
Ran run_line(const std::string& line, bool colour);

// A line of lesson.md, or what the command before it printed.
struct PageLine {
    enum class Kind : uint8_t { prose, code, command, output } kind = Kind::prose;
    std::string text;
};
// lesson.md, piece by piece; blocks ```console are run line by line in the lesson's folder.
void read_page(const Lesson& lesson, bool colour, const std::function<void(const PageLine&)>& tell);
std::string page_text(const PageLine& line, const Style& style);  // as a terminal shows it

// The same for what sets text itself: lines of one paragraph, list item, listing or output together.
struct PagePiece {
    std::string kind, text;  // title, heading, paragraph, item, code, command, output
};
std::vector<PagePiece> pieces_of(const std::vector<PageLine>& lines);

// While it lives, the current folder is another.
struct InFolder {
    std::string before;
    explicit InFolder(const std::string& folder);
    ~InFolder();
    InFolder(const InFolder&) = delete;
    InFolder& operator=(const InFolder&) = delete;
};

}  // namespace wl::app
