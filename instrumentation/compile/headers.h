// Which of the user's own headers a source can reach, as far as its text says: a kept compilation is told
// apart by them from others of the same source. What it was made of, the compilers say (reads.h).
#pragma once

#include "instrumentation/compile/options.h"
#include "instrumentation/compile/toolkit.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wl::compile {

// The name between <> or "" at the start of `s`; empty when neither stands there.
std::string name_at(std::string_view s);

struct UserHeaders {
    std::vector<std::pair<std::string, std::string>>
        files;                         // (path, sha256 of its content), in the order met
    std::vector<std::string> missing;  // names found in none of those folders, in the order met
};

// Follows every #include and __has_include of `text`, whatever the preprocessor would decide, through the
// folder of the including file and the folders of `include`. A name found in none of them is the toolkit's.
UserHeaders user_headers(
    const std::string& path, const std::string& text, const std::vector<std::string>& include
);

// Folders near the source in which headers lie that nobody else has: `missing` of user_headers, looked for in
// the folders above the source and in their include, inc, src and Common, up to a repository's root. A name
// that `known` folders, the stand-ins or the system have is not looked for.
std::vector<std::string> folders_near(
    const std::string& path, const std::vector<std::string>& missing, const std::vector<std::string>& known
);

// The user's folders and what lies in them, for a source with this text.
struct Sight {
    std::vector<std::string> include, found;
    UserHeaders headers;
};
Sight look_around(const CompileOptions& options, const std::string& source, const Toolkit& toolkit);

}  // namespace wl::compile
