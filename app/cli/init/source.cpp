// Kernels, launches and values by their brackets and commas.
#include "app/cli/init/source.h"

#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

namespace wl::app {
namespace {

using compile::is_word_char;

std::string trimmed(const std::string& s) {
    const size_t first = s.find_first_not_of(" \t\r\n"), last = s.find_last_not_of(" \t\r\n");
    return first == s.npos ? "" : s.substr(first, last - first + 1);
}

// At commas outside brackets; angle brackets count, as in vec<float, 4>, until the bracket around them ends.
std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::string open, part;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool opens_type = c == '<' && i > 0 && is_word_char(text[i - 1]);
        if (c == '(' || c == '[' || c == '{' || opens_type) open += c;
        if (c == ')' || c == ']' || c == '}') {
            while (open.ends_with('<')) open.pop_back();
            if (!open.empty()) open.pop_back();
        }
        if (c == '>' && open.ends_with('<')) open.pop_back();
        if (c == ',' && open.empty()) {
            parts.push_back(trimmed(part));
            part.clear();
        } else {
            part += c;
        }
    }
    if (!trimmed(part).empty()) parts.push_back(trimmed(part));
    return parts;
}

ParamText param_of(std::string text) {
    if (const size_t equals = text.find('='); equals != text.npos) text = trimmed(text.substr(0, equals));
    bool array = false;
    while (!text.empty() && text.back() == ']') {
        text = trimmed(text.substr(0, text.rfind('[')));
        array = true;
    }
    size_t begin = text.size();
    while (begin > 0 && is_word_char(text[begin - 1])) --begin;
    return {trimmed(text.substr(0, begin)) + (array ? "*" : ""), text.substr(begin)};
}

size_t past_spaces(const std::string& code, size_t at) {
    return std::min(code.find_first_not_of(" \t\r\n", at), code.size());
}

// From behind __global__: attributes in brackets and the result's type are passed by.
void read_kernel(const std::string& code, size_t at, std::vector<KernelText>& kernels) {
    while (at < code.size()) {
        at = past_spaces(code, at);
        const size_t begin = at;
        while (at < code.size() && is_word_char(code[at])) ++at;
        if (at == begin) return;
        const std::string word = code.substr(begin, at - begin);
        const size_t open = past_spaces(code, at);
        if (open == code.size() || code[open] != '(') continue;
        const size_t end = compile::past_bracket(code, open);
        if (end == code.npos) return;
        at = end;
        if (word.starts_with("__")) continue;  // __launch_bounds__(256)
        const size_t body = past_spaces(code, end);
        if (body == code.size() || code[body] != '{') return;  // a declaration
        KernelText kernel{word, compile::line_at(code, begin), {}};
        for (const std::string& param : split(code.substr(open + 1, end - open - 2)))
            if (param != "void") kernel.params.push_back(param_of(param));
        kernels.push_back(std::move(kernel));
        return;
    }
}

// The name before <<<, with its template arguments.
std::string kernel_before(const std::string& code, size_t at) {
    size_t end = at;
    while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1])) != 0) --end;
    size_t begin = end;
    if (begin > 0 && code[begin - 1] == '>') {
        int depth = 0;
        while (begin > 0) {
            --begin;
            if (code[begin] == '>') ++depth;
            if (code[begin] == '<' && --depth == 0) break;
        }
    }
    while (begin > 0 && (is_word_char(code[begin - 1]) || code[begin - 1] == ':')) --begin;
    return code.substr(begin, end - begin);
}

// Blocks at the outermost level that begin before.
int function_at(const std::string& code, size_t at) {
    int functions = 0, depth = 0;
    for (size_t i = 0; i < at; ++i) {
        if (code[i] == '{' && depth++ == 0) ++functions;
        if (code[i] == '}' && depth > 0) --depth;
    }
    return functions;
}

// Loops as stretches of text, outer ones first.
struct Loop {
    size_t begin = 0, end = 0;
};
std::vector<Loop> loops_of(const std::string& code) {
    std::vector<Loop> loops;
    for (const char* keyword : {"for", "while", "do"}) {
        for (size_t at = compile::find_word(code, keyword); at != code.npos;
             at = compile::find_word(code, keyword, at + 1)) {
            size_t body = past_spaces(code, at + std::string_view(keyword).size());
            if (body < code.size() && code[body] == '(') {
                body = compile::past_bracket(code, body);
                if (body == code.npos) continue;
                body = past_spaces(code, body);
            }
            const bool block = body < code.size() && code[body] == '{';
            const size_t end = block ? compile::past_bracket(code, body) : code.find(';', body);
            if (end != code.npos) loops.push_back({body, end});
        }
    }
    std::sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.begin < b.begin; });
    return loops;
}

int loop_at(const std::vector<Loop>& loops, size_t at) {
    int found = -1;
    for (size_t i = 0; i < loops.size(); ++i)
        if (loops[i].begin <= at && at < loops[i].end) found = static_cast<int>(i);
    return found;
}

void read_launches(const std::string& code, std::vector<LaunchText>& launches) {
    const std::vector<Loop> loops = loops_of(code);
    for (size_t at = code.find("<<<"); at != code.npos; at = code.find("<<<", at + 3)) {
        const size_t close = code.find(">>>", at),
                     open = close == code.npos ? close : past_spaces(code, close + 3);
        if (open >= code.size() || code[open] != '(') continue;
        const size_t end = compile::past_bracket(code, open);
        if (end == code.npos) continue;
        launches.push_back(
            {kernel_before(code, at),
             compile::line_at(code, at),
             function_at(code, at),
             loop_at(loops, at),
             split(code.substr(at + 3, close - at - 3)),
             split(code.substr(open + 1, end - open - 2))}
        );
    }
}

// dim3 grid(x, y), block(z);
void read_dim3(const std::string& code, size_t at, std::vector<HostValue>& values) {
    while (at < code.size()) {
        const size_t begin = past_spaces(code, at);
        size_t end = begin;
        while (end < code.size() && is_word_char(code[end])) ++end;
        const size_t open = past_spaces(code, end);
        if (end == begin || open == code.size() || (code[open] != '(' && code[open] != '{')) return;
        const size_t close = compile::past_bracket(code, open);
        if (close == code.npos) return;
        values.push_back(
            {code.substr(begin, end - begin),
             "dim3(" + code.substr(open + 1, close - open - 2) + ")",
             compile::line_at(code, begin)}
        );
        at = past_spaces(code, close);
        if (at == code.size() || code[at] != ',') return;
        ++at;
    }
}

// struct Grid { int nx, ny; float dx; }; with nothing in it but members.
void read_structs(const std::string& code, std::map<std::string, std::vector<ParamText>>& structs) {
    for (size_t at = compile::find_word(code, "struct"); at != code.npos;
         at = compile::find_word(code, "struct", at + 1)) {
        const size_t begin = past_spaces(code, at + std::string_view("struct").size());
        size_t end = begin;
        while (end < code.size() && is_word_char(code[end])) ++end;
        const size_t open = past_spaces(code, end);
        if (end == begin || open == code.size() || code[open] != '{') continue;
        const size_t close = code.find_first_of("{}()", open + 1);
        if (close == code.npos || code[close] != '}') continue;
        std::vector<ParamText> members;
        for (size_t from = open + 1, to = code.find(';', from); to < close;
             from = to + 1, to = code.find(';', from)) {
            const std::vector<std::string> names = split(code.substr(from, to - from));
            for (size_t i = 0; i < names.size(); ++i) {
                ParamText member = param_of(names[i]);
                if (i > 0) member.type = members.back().type;
                members.push_back(std::move(member));
            }
        }
        structs[code.substr(begin, end - begin)] = std::move(members);
    }
}

constexpr size_t kLongest = 600;  // of a value that a launch is made of, characters

// #define TILE 32
void read_defines(const std::string& code, std::vector<HostValue>& values) {
    for (size_t at = code.find('#'); at != code.npos; at = code.find('#', at + 1)) {
        const size_t word = past_spaces(code, at + 1);
        if (code.compare(word, 7, "define ") != 0) continue;
        const size_t begin = past_spaces(code, word + 7);
        size_t end = begin;
        while (end < code.size() && is_word_char(code[end])) ++end;
        const size_t line_end = std::min(code.find('\n', end), code.size());
        const bool plain = end < line_end && (code[end] == ' ' || code[end] == '\t');
        const std::string value = plain ? trimmed(code.substr(end, std::min(line_end - end, kLongest))) : "";
        if (!value.empty())
            values.push_back({code.substr(begin, end - begin), value, compile::line_at(code, at)});
    }
}

// The word that ends at `end`.
std::string word_before(const std::string& code, size_t end) {
    size_t begin = end;
    while (begin > 0 && is_word_char(code[begin - 1])) --begin;
    return code.substr(begin, end - begin);
}

size_t before_spaces(const std::string& code, size_t end) {
    while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1])) != 0) --end;
    return end;
}

// Up to the ; or the bracket that is not its own; empty: too long to be looked at.
std::string value_at(const std::string& code, size_t begin) {
    int depth = 0;
    for (size_t at = begin; at < std::min(code.size(), begin + kLongest); ++at) {
        const char c = code[at];
        depth += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
        if (c == ';' || depth < 0) return trimmed(code.substr(begin, at - begin));
    }
    return {};
}

// int a = 1, b = 2;
void add_initialised(
    const std::string& name,
    const std::string& value,
    int line,
    const std::string& type,
    std::vector<HostValue>& values
) {
    const auto parts = split(value);
    values.push_back({name, parts.front(), line, type});
    for (size_t i = 1; i < parts.size(); ++i)
        if (const size_t equals = parts[i].find('='); equals != std::string::npos)
            values.push_back(
                {trimmed(parts[i].substr(0, equals)), trimmed(parts[i].substr(equals + 1)), line, type}
            );
}

// What variables are initialised with and assigned.
void read_assignments(const std::string& code, std::vector<HostValue>& values) {
    static const std::set<std::string> kTypes{
        "int",
        "unsigned",
        "size_t",
        "long",
        "short",
        "int32_t",
        "int64_t",
        "uint32_t",
        "uint64_t",
        "auto",
        "dim3",
        "float",
        "double"};
    for (size_t at = code.find('='); at != code.npos; at = code.find('=', at + 1)) {
        const bool compared = (at + 1 < code.size() && code[at + 1] == '=') ||
            (at > 0 && std::string_view("=!<>+-*/%&|^").find(code[at - 1]) != std::string_view::npos);
        const size_t name_end = before_spaces(code, at);
        const std::string name = word_before(code, name_end), value = compared ? "" : value_at(code, at + 1);
        if (name.empty() || value.empty()) continue;
        const size_t before = before_spaces(code, name_end - name.size());
        const std::string type = word_before(code, before);
        const int line = compile::line_at(code, at);
        if (kTypes.contains(type))
            add_initialised(name, value, line, type == "auto" || type == "dim3" ? "" : type, values);
        else if (before > 0 && std::string_view(";{})").find(code[before - 1]) != std::string_view::npos)
            values.push_back({name, value, line, "", true});
    }
}

void read_values(const std::string& code, std::vector<HostValue>& values) {
    read_defines(code, values);
    read_assignments(code, values);
    for (size_t at = compile::find_word(code, "dim3"); at != code.npos;
         at = compile::find_word(code, "dim3", at + 1))
        read_dim3(code, at + 4, values);
}

// "d_x" of "(void**)&d_x" and of "&d_x"; empty: it is no plain name.
std::string pointer_name(std::string text) {
    while (text.starts_with('(')) {
        const size_t end = compile::past_bracket(text, 0);
        if (end == text.npos || end == text.size()) return {};
        text = trimmed(text.substr(end));
    }
    if (!text.starts_with('&')) return {};
    text = trimmed(text.substr(1));
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), is_word_char);
    return plain ? text : "";
}

void read_allocations(const std::string& code, std::vector<HostValue>& allocations) {
    for (const char* function : {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "hipMalloc"})
        for (size_t at = compile::find_word(code, function); at != code.npos;
             at = compile::find_word(code, function, at + 1)) {
            const size_t open = code.find('(', at),
                         end = open == code.npos ? open : compile::past_bracket(code, open);
            if (end == code.npos) continue;
            const std::vector<std::string> args = split(code.substr(open + 1, end - open - 2));
            const std::string name = args.size() < 2 ? "" : pointer_name(args[0]);
            if (!name.empty()) allocations.push_back({name, args[1], compile::line_at(code, at)});
        }
}

}  // namespace

SourceText read_source(const std::string& text) {
    const std::string code = compile::code_of(text);
    SourceText source;
    for (size_t at = compile::find_word(code, "__global__"); at != code.npos;
         at = compile::find_word(code, "__global__", at + 1))
        read_kernel(code, at + 10, source.kernels);
    read_launches(code, source.launches);
    read_values(code, source.values);
    read_allocations(code, source.allocations);
    read_structs(code, source.structs);
    return source;
}

const KernelText* find_kernel(const SourceText& source, const std::string& name) {
    for (const KernelText& kernel : source.kernels)
        if (kernel.name == name) return &kernel;
    return nullptr;
}

const LaunchText* find_indirect_launch(const SourceText& source, size_t params) {
    const LaunchText* found = nullptr;
    for (const LaunchText& launch : source.launches) {
        if (find_kernel(source, launch.kernel.substr(0, launch.kernel.find('<'))) != nullptr ||
            launch.args.size() != params)
            continue;
        const bool same = found != nullptr && found->kernel == launch.kernel &&
            found->config == launch.config && found->args == launch.args;
        if (found != nullptr && !same) return nullptr;
        found = &launch;
    }
    return found;
}

const LaunchText* find_launch(const SourceText& source, const std::string& name) {
    for (const LaunchText& launch : source.launches)
        if (launch.kernel.substr(0, launch.kernel.find('<')) == name) return &launch;
    return nullptr;
}

}  // namespace wl::app
