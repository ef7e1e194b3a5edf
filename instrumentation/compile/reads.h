// Which files a compilation read, and which it looked for in vain: what a kept result depends on, as the
// compilers say it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace wl::compile {

// What the compilers of this thread read while this lives.
struct Reading {
    std::set<std::string> paths;  // absolute; some may be of no file
    bool known = true;            // false: a compiler did not say what it read
    int64_t since;                // ns since 1970, when it began

    Reading();
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

private:
    Reading* before_;
};

// Of the thread's Reading, where it has one.
void note_read(const std::string& path);
void note_unknown_reads();

// A file as it was when it was read.
struct ReadFile {
    std::string path, hash;  // SHA-256 of its content; empty: there was no such file
    uint64_t size = 0, inode = 0;
    int64_t modified = 0,
            changed = 0;  // ns; the latter is when its inode was written to last, which no program sets
};

// Nothing: it is not known what was read, as a file was written to meanwhile or a compiler did not say.
std::optional<std::vector<ReadFile>> files_of(const Reading& reading);

// Whether all of them are as they were: by their times, and by their content where a time is another.
bool are_as_read(const std::vector<ReadFile>& files);

}  // namespace wl::compile
