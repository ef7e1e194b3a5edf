// What a host compiler read, by the rule for make that it writes (-MD -MF).
#pragma once

#include <string>
#include <vector>

namespace wl::compile {

// The files of a rule as GCC and Clang write it: "x.o: a.cu b\ c.h \" with line ends and blanks in names
// escaped.
std::vector<std::string> files_of_rule(const std::string& rule);

// Names under which the preprocessor found `files`, below one of `folders` or of the compiler's own ones
// called include, put behind each of `folders`: where such a file comes to be, it may be found instead. Those
// that exist are among them.
std::vector<std::string> places_before(
    const std::vector<std::string>& files, const std::vector<std::string>& folders
);

// The names that a text asks for by __has_include. Unknown where a macro or a comment stands in the place of
// one.
struct AskedFor {
    std::vector<std::string> names;
    bool known = true;
};
AskedFor asked_for(const std::string& text);

// Folders that variables of the environment name for the host compilers' #include: CPATH and its like, and
// the words of NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS that are folders.
std::vector<std::string> folders_of_environment();

}  // namespace wl::compile
