// A folder for the sources that `init` describes.
#pragma once

#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace wl::test {

struct Init : testing::Test {
    TemporaryFolder folder;
    std::string path(const std::string& name) const { return folder.path + "/" + name; }
    std::string file(const std::string& name, const std::string& text) const {
        write_file(path(name), text);
        return path(name);
    }
    // As somebody does who has checked what was made up.
    void take_out_assumed(const std::string& name) const {
        std::string manifest = read_file(path(name));
        const size_t at = manifest.find("assumed = ");
        if (at != manifest.npos) write_file(path(name), manifest.erase(at, manifest.find('\n', at) + 1 - at));
    }
    Said run(const std::vector<std::string>& more) const {
        std::vector<std::string> words = {"run", path("gemm.toml"), "-o", path("out.wlcap"), "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return warplens(words);
    }
};

inline void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "missing: " << word << "\nin: " << text;
}

}  // namespace wl::test
