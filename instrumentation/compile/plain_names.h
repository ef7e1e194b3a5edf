// Names for nvcc, which hands the words it is given to a shell (`nvcc --dryrun` shows it), splits them at
// commas and reads quotes in them: a path that holds more than letters, digits and "_./+-@:=%" gets a link of
// a plain name.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace wl::compile {

bool is_plain(const std::string& word);

struct PlainNames {
    std::string folder;  // of the links, plain itself, gone with this; empty: none could be made
    std::vector<std::pair<std::string, std::string>> links = {};  // and what they stand for

    PlainNames();
    ~PlainNames();
    PlainNames(const PlainNames&) = delete;
    PlainNames& operator=(const PlainNames&) = delete;
};

// Absolute paths, as they are where they are plain. A folder's link leads there; a file has its own folder's
// link before its name, or, where the name is not plain either, a link of its own.
std::string plain_folder(PlainNames& names, const std::string& path);
std::string plain_file(PlainNames& names, const std::string& path);
// A file with this text, in the place of `path`.
std::string plain_text(PlainNames& names, const std::string& path, const std::string& text);
// A source, of which nvcc also writes where it lies once links are followed: a copy, unless that is plain
// too. What it includes by quoted names is found by -iquote with the link of its folder.
std::string plain_source(PlainNames& names, const std::string& path);

// The same with what the links stand for in their place: of a path, of a message.
std::string without_links(const PlainNames& names, std::string text);

}  // namespace wl::compile
