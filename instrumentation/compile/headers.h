// Which of the user's own headers a source can reach: what a cached compilation depends on beside its
// options.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wl::compile {

struct UserHeaders {
    std::vector<std::pair<std::string, std::string>>
        files;  // (path, sha256 of its content), in the order met
    bool complete =
        true;  // false: some `#include MACRO` hides which file it means; then nothing may be cached
};

// Follows every #include and __has_include of `text`, whatever the preprocessor would decide, through the
// folder of the including file and the folders of `include`. A name found in none of them is the toolkit's.
UserHeaders user_headers(
    const std::string& path, const std::string& text, const std::vector<std::string>& include
);

}  // namespace wl::compile
