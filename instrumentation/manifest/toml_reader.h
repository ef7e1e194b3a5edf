// Typed access to a TOML file; every error names file, line and, for a misspelt key, the nearest known one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <toml++/toml.h>
#include <vector>

namespace wl::manifest {

struct Document {
    std::string path;  // as shown in messages
    toml::table root;
    std::map<std::string, int> lines;  // of every key read: "args[0].shape[1]" -> 7
    bool files = true;                 // those that it names have to be there
};

// A table of the document with its full name: "", "launch", "args[2].fields[0]".
struct Section {
    Document* document;
    const toml::table* table;
    std::string name;
};

Document parse_document(const std::string& text, const std::string& path);
Section root(Document& document);

[[noreturn]] void fail(const Document& document, int line, const std::string& message);
int line_of(const Section& section, const std::string& key = {});  // of the section itself without a key
std::string full_name(const Section& section, const std::string& key);
std::string place_of(const Section& section, const std::string& key);  // "gemm.toml:7: args[0].name"

// Throws Error unless the name is letters, digits and _.
void check_name(const Section& section, const std::string& key, const std::string& name);

// "unknown dtype "f61"; did you mean "f16"?"
std::string unknown(const std::string& word, const std::string& what, const std::vector<std::string>& known);

// Throws on the first key that is not among the known ones.
void check_keys(const Section& section, const std::vector<std::string>& known);
std::vector<std::string> keys(const Section& section);  // in the order of the file

// The value of a key, or nothing when it is absent; throws when it has another type. An expression is a
// string or a number; each comes back as text.
std::optional<std::string> text(const Section& section, const std::string& key);
std::optional<std::string> expression(const Section& section, const std::string& key);
std::optional<bool> flag(const Section& section, const std::string& key);
std::optional<double> number(const Section& section, const std::string& key);
std::optional<int> whole(const Section& section, const std::string& key);
std::optional<std::vector<std::string>> texts(const Section& section, const std::string& key);
std::optional<std::vector<std::string>> expressions(const Section& section, const std::string& key);
std::optional<Section> subsection(const Section& section, const std::string& key);
std::optional<std::vector<Section>> subsections(const Section& section, const std::string& key);

// The value, or Error "gemm.toml:7: args[0].name is missing: <what it is>."
template <class T>
T required(const Section& section, const std::string& key, std::optional<T> value, const std::string& what) {
    if (!value)
        fail(*section.document, line_of(section), full_name(section, key) + " is missing: " + what + ".");
    return *value;
}

}  // namespace wl::manifest
