// Kernels, launches and values by their brackets and commas.
#include "app/cli/init/source.h"

#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace wl::app {
namespace {

using compile::is_word_char;

std::string trimmed(const std::string& s) {
    const size_t first = s.find_first_not_of(" \t\r\n"), last = s.find_last_not_of(" \t\r\n");
    return first == s.npos ? "" : s.substr(first, last - first + 1);
}

// At commas outside brackets; angle brackets count, as in vec<float, 4>.
std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    int depth = 0;
    std::string part;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool opens_type = c == '<' && i > 0 && is_word_char(text[i - 1]);
        if (c == '(' || c == '[' || c == '{' || opens_type) ++depth;
        if (c == ')' || c == ']' || c == '}' || (c == '>' && depth > 0)) --depth;
        if (c == ',' && depth <= 0) {
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

void read_launches(const std::string& code, std::vector<LaunchText>& launches) {
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
    static const std::regex kStruct(R"(\bstruct\s+(\w+)\s*\{([^{}()]*)\})"), kMember(R"(([^;]+);)");
    for (std::sregex_iterator m(code.begin(), code.end(), kStruct), end; m != end; ++m) {
        const std::string body = m->str(2);
        std::vector<ParamText> members;
        for (std::sregex_iterator n(body.begin(), body.end(), kMember); n != end; ++n) {
            const std::vector<std::string> names = split(n->str(1));
            for (size_t i = 0; i < names.size(); ++i) {
                ParamText member = param_of(names[i]);
                if (i > 0) member.type = members.back().type;
                members.push_back(std::move(member));
            }
        }
        structs[m->str(1)] = std::move(members);
    }
}

void read_values(const std::string& code, std::vector<HostValue>& values) {
    static const std::regex kDefine(R"(#\s*define\s+(\w+)[ \t]+([^\n]+))"),
        kInitialised(
            R"(\b(?:int|unsigned|size_t|long|short|int32_t|int64_t|uint32_t|uint64_t|auto|dim3)\s+(\w+)\s*=\s*([^;]+);)"
        );
    const auto add = [&](const std::regex& form) {
        for (std::sregex_iterator m(code.begin(), code.end(), form), end; m != end; ++m) {
            const int line = compile::line_at(code, static_cast<size_t>(m->position(0)));
            const auto parts = split(m->str(2));  // int a = 1, b = 2;
            const bool list = parts.size() > 1;
            values.push_back({m->str(1), trimmed(list ? parts[0] : m->str(2)), line});
            for (size_t i = 1; list && i < parts.size(); ++i)
                if (const size_t equals = parts[i].find('='); equals != std::string::npos)
                    values.push_back(
                        {trimmed(parts[i].substr(0, equals)), trimmed(parts[i].substr(equals + 1)), line}
                    );
        }
    };
    add(kDefine);
    add(kInitialised);
    for (size_t at = compile::find_word(code, "dim3"); at != code.npos;
         at = compile::find_word(code, "dim3", at + 1))
        read_dim3(code, at + 4, values);
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
