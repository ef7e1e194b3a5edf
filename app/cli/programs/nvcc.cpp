// nvcc as a program: with what it needs around it, and with names that the shell which it starts takes as
// names.
#include "app/cli/programs/programs.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/plain_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

// What a shell does not leave as it is between double quotes, where nvcc puts names (XCU 2.2.3).
bool is_active(const std::string& word) { return word.find_first_of("$`\"\\") != std::string::npos; }

// A command in a word; one behind a backslash the user has taken care of, as nvcc's own rules have it.
bool holds_command(const std::string& word) {
    for (size_t k = 0; k < word.size(); ++k) {
        if (word[k] == '\\')
            ++k;
        else if (word[k] == '`' || word.compare(k, 2, "$(") == 0)
            return true;
    }
    return false;
}

struct Line {
    compile::PlainNames plain = {};
    std::vector<std::string> words = {"nvcc"};
    std::optional<std::pair<std::string, std::string>> output = {};  // what nvcc writes, and where it belongs
    bool named_output = false;
};

std::string absolute(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

// Where a source lies once links are followed, nvcc writes too.
bool needs_link(const std::string& path) {
    std::error_code ignored;
    return is_active(path) || is_active(fs::weakly_canonical(path, ignored).string());
}

bool is_source(const std::string& path) {
    const std::string extension = fs::path(path).extension().string();
    return extension == ".cu" || extension == ".cpp" || extension == ".cc" || extension == ".cxx" ||
        extension == ".c";
}

// Has messages and lines name the source. Of what no string of C++ holds plainly there is none.
std::string first_line(const std::string& path) {
    std::string quoted;
    for (const char c : path) {
        if (c < ' ' || c > '~') return {};
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += c;
    }
    return "#line 1 \"" + quoted + "\"\n";
}

void add_input(Line& line, const std::string& path) {
    if (!needs_link(path)) return line.words.push_back(path);
    const std::string real = absolute(path);
    if (!is_source(path)) return line.words.push_back(compile::plain_file(line.plain, real));
    const std::string folder = fs::path(real).parent_path().string();
    std::string text = read_text_file(real);
    if (text.starts_with("\xef\xbb\xbf"))
        text.erase(0, 3);  // a byte order mark stands at the begin, or is an error
    line.words.push_back(compile::plain_text(line.plain, real, first_line(real) + text));
    line.words.push_back("-Xcompiler=-iquote," + compile::plain_folder(line.plain, folder));
}

void set_output(Line& line, const std::string& path) {
    line.named_output = true;
    if (!is_active(path)) {
        line.words.insert(line.words.end(), {"-o", path});
        return;
    }
    const std::string real = absolute(path), extension = fs::path(real).extension().string();
    line.output = {line.plain.folder + "/output" + (compile::is_plain(extension) ? extension : ""), real};
    line.words.insert(line.words.end(), {"-o", line.output->first});
}

// "-I" of "-Ifolder", where that names a folder; empty: no such option.
std::string folder_option(const std::string& word) {
    for (const char* option :
         {"-isystem=", "--system-include=", "--include-path=", "--library-path=", "-I", "-L"})
        if (word.starts_with(option) && fs::is_directory(word.substr(std::string_view(option).size())))
            return option;
    return {};
}

void add_word(Line& line, const std::string& word) {
    const std::string option = folder_option(word);
    if (!option.empty() && is_active(word)) {
        const std::string folder = absolute(word.substr(option.size()));
        line.words.push_back(option + compile::plain_folder(line.plain, folder));
    } else if (!word.starts_with('-') && fs::exists(word)) {
        fs::is_directory(word) && is_active(word)
            ? line.words.push_back(compile::plain_folder(line.plain, absolute(word)))
            : add_input(line, word);
    } else if (holds_command(word)) {
        throw Error(
            "nvcc would have a shell run what stands in " + word +
            ": write \\$( or \\` where it is meant as it stands"
        );
    } else {
        line.words.push_back(word);
    }
}

void add_words(Line& line, const std::vector<std::string>& words) {
    for (size_t k = 0; k < words.size(); ++k) {
        const std::string& word = words[k];
        const bool separate = word == "-o" || word == "--output-file";
        if (separate && k + 1 < words.size())
            set_output(line, words[++k]);
        else if (word.starts_with("--output-file="))
            set_output(line, word.substr(word.find('=') + 1));
        else
            add_word(line, word);
    }
}

int run_with_links(const Line& line) {
    if (line.plain.folder.empty()) throw Error("no temporary folder could be made for nvcc");
    if (!line.named_output)
        throw Error("nvcc gives what it makes the name of its source, which a shell would read; name it by -o"
        );
    const ExitStatus ended = run_child(
        line.words,
        {
            {"TMPDIR", line.plain.folder}
    },
        false
    );
    if (line.output && shell_status(ended) == 0)
        fs::copy_file(line.output->first, line.output->second, fs::copy_options::overwrite_existing);
    return shell_status(ended);
}

}  // namespace

int verb_nvcc(const Command& c) {
    std::vector<std::string> words;
    {
        Line line;
        add_words(line, c.program.words);
        line.words.insert(
            line.words.end(),
            {"-cudart",
             "shared",
             "-gencode",
             "arch=compute_80,code=compute_80",
             "-lineinfo",
             "-Xcompiler=-g1"}
        );
        if (!line.plain.links.empty() || line.output) return run_with_links(line);
        words = std::move(line.words);  // the folder for links is gone before nvcc takes our place
    }
    become(words);
}

}  // namespace wl::app
