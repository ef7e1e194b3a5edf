// Writes the fuzzer's dictionary: every word of the table of opcode forms and of the language around it.
#include "instrumentation/ptx/table/opcodes.h"

#include <cstdio>
#include <set>
#include <string>

namespace {

using wl::ptx::Form;
using wl::ptx::SpecialRegister;

// "rn|rz ftz? sat?" -> ".rn", ".rz", ".ftz", ".sat"
void add_words(std::set<std::string>& words, std::string_view groups) {
    std::string word;
    for (const char c : std::string(groups) + " ") {
        const bool part = c != ' ' && c != '|' && c != '?' && c != '*';
        if (part) {
            word += c;
        } else if (!word.empty()) {
            words.insert("." + word);
            word.clear();
        }
    }
}

std::set<std::string> language_words() {
    return {
        ".version 8.0\n",
        ".target sm_90\n",
        ".address_size 64\n",
        ".visible .entry",
        ".func",
        ".extern",
        ".weak",
        ".common",
        ".alias",
        ".reg",
        ".param",
        ".global",
        ".shared",
        ".local",
        ".const",
        ".align",
        ".pragma",
        ".file",
        ".loc",
        ".section",
        ".maxntid",
        ".reqntid",
        ".minnctapersm",
        ".maxnreg",
        ".noreturn",
        ".branchtargets",
        ".calltargets",
        ".callprototype",
        ".attribute",
        "inlined_at",
        "function_name",
        "WARP_SZ",
        "generic(",
        "mask(",
        "@%p1",
        "@!%p1",
        "%r<4>",
        "0f3F800000",
        "0d3FF0000000000000",
        "//@wl stage \"s\"",
        "//@wl tile \"t\" 10 %rd1 16 16 16",
        "call.uni (x), f, (y);",
        "{",
        "}",
        ".v2",
        ".v4",
        ".ptr",
        "ret;",
        "exit;"};
}

std::set<std::string> all_words() {
    std::set<std::string> words = language_words();
    for (const wl::ptx::Family& family : wl::ptx::families()) {
        for (const Form& form : family.forms) {
            words.emplace(form.name);
            add_words(words, form.types);
            add_words(words, form.modifiers);
        }
    }
    for (int k = 0; k < static_cast<int>(SpecialRegister::count); ++k)
        words.insert("%" + std::string(name_of(static_cast<SpecialRegister>(k))));
    return words;
}

}  // namespace

int main() {
    for (const std::string& word : all_words()) {
        std::string quoted;
        for (const char c : word) {
            if (c == '\n')
                quoted += "\\x0a";
            else
                quoted += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
        }
        std::printf("\"%s\"\n", quoted.c_str());
    }
    return 0;
}
