// One text of all versions, each in a namespace of its own, and the PTX taken apart again.
#include "instrumentation/compile/variants.h"

#include "instrumentation/base/work.h"
#include "instrumentation/compile/attempt.h"
#include "instrumentation/compile/cpp_text.h"
#include "instrumentation/compile/device_code.h"
#include "instrumentation/compile/headers.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

namespace wl::compile {
namespace {

// Of the version k lines are counted from (k + 1) times this, so that what NVRTC says tells which one it
// means, and names made of __LINE__ are as many.
constexpr size_t kLines = 1'000'000;
// Of the marks: for NVRTC statics of one name in functions of one name are one, in whatever namespace.
constexpr const char* kLocal = "wl_name";
constexpr int kMostRounds = 4;  // what does not compile is left out, and the rest is compiled again

constexpr std::string_view kScope = "wl_variant_";
std::string scope_name(size_t variant) { return fmt::format("{}{:04}", kScope, variant); }

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return out;
}

std::string_view directive_of(const std::string& line) {
    size_t at = line.find_first_not_of(" \t");
    if (at == line.npos || line[at] != '#') return {};
    at = line.find_first_not_of(" \t", at + 1);
    if (at == line.npos) return {};
    size_t end = at;
    while (end < line.size() && is_word_char(line[end])) ++end;
    return std::string_view(line).substr(at, end - at);
}

// What stands outside of all namespaces: the directives, with #include under the conditions around it.
std::string outside(const std::string& text) {
    std::string out;
    bool goes_on = false;
    const std::vector<std::string> code = lines_of(code_of(text)), lines = lines_of(text);
    for (size_t k = 0; k < lines.size(); ++k) {
        const bool directive = goes_on || !directive_of(code[k]).empty();
        goes_on = directive && code[k].ends_with('\\');
        const bool comment = lines[k].find("/*") != std::string::npos;
        if (directive) out += comment ? code[k] : lines[k];
        out += '\n';
    }
    return out;
}

// Macros that the text defines otherwise than the source does: nobody else's definition is taken back.
std::string undefined(const std::string& text, const std::string& source) {
    const std::vector<std::string> known = lines_of(code_of(source));
    std::string out;
    for (const std::string& line : lines_of(code_of(text))) {
        if (directive_of(line) != "define" || std::find(known.begin(), known.end(), line) != known.end())
            continue;
        size_t begin = line.find("define") + 6;
        begin = std::min(line.find_first_not_of(" \t", begin), line.size());
        size_t end = begin;
        while (end < line.size() && is_word_char(line[end])) ++end;
        out += "#undef " + line.substr(begin, end - begin) + "\n";
    }
    return out;
}

// The text without #include and, in a namespace, without `extern "C"`, whose names know none.
std::string inside(const std::string& text, bool in_namespace) {
    std::string out;
    const std::vector<std::string> code = lines_of(code_of(text));
    const std::vector<std::string> lines = lines_of(text);
    for (size_t k = 0; k < lines.size(); ++k) {
        const std::string_view word = directive_of(code[k]);
        const bool once = word == "pragma" && code[k].find("once") != std::string::npos;
        std::string line = word == "include" || once ? "" : lines[k];
        const size_t at = find_word(code[k], "extern");
        constexpr std::string_view kC = "extern \"C\"";
        if (in_namespace && at != std::string::npos && line.compare(at, kC.size(), kC) == 0)
            line.replace(at, kC.size(), kC.size(), ' ');
        out += line + "\n";
    }
    return out;
}

// What NVRTC keeps as it read it ends at the first declaration.
std::string headers_of(const Quick& quick) { return outside(quick.device) + "namespace wl_variants {}\n"; }

std::string text_of(
    const Quick& quick, const std::vector<std::string>& texts, const std::vector<size_t>& chosen
) {
    std::string out = headers_of(quick);
    for (const size_t k : chosen)
        out += fmt::format(
            "{0}#define {4} {4}_{1}\nnamespace {1} {{\n#line {2}\n{3}\n}}\n#undef {4}\n{0}",
            undefined(texts[k], quick.device),
            scope_name(k),
            (k + 1) * kLines + 1,
            inside(texts[k], true),
            kLocal
        );
    return out;
}

// The versions whose lines are named.
std::set<size_t> named_in(const std::string& log) {
    std::set<size_t> out;
    for (size_t at = 0; at < log.size();) {
        size_t end = at;
        while (end < log.size() && log[end] >= '0' && log[end] <= '9') ++end;
        if (const size_t digits = end - at; digits >= 7 && digits <= 11)
            if (const size_t k = std::stoull(log.substr(at, digits)) / kLines; k > 0) out.insert(k - 1);
        at = std::max(end, at + 1);
    }
    return out;
}

// A declaration or a function, whole; of PTX at module scope.
size_t past_item(const std::string& ptx, size_t at) {
    int depth = 0;
    bool function = false;
    for (; at < ptx.size(); ++at) {
        const char c = ptx[at];
        if (c == '/' && ptx.compare(at, 2, "//") == 0) {
            at = std::min(ptx.find('\n', at), ptx.size());
        } else if (c == '"') {
            at = std::min(ptx.find('"', at + 1), ptx.size());
        } else if (c == '.' && (ptx.compare(at, 6, ".entry") == 0 || ptx.compare(at, 5, ".func") == 0)) {
            function = true;
        } else if (c == '{') {
            ++depth;
        } else if (c == '}') {
            --depth;
        }
        if (depth == 0 && (c == ';' || (c == '}' && function))) return at + 1;
    }
    return ptx.size();
}

// Whose item it is, by the first of such names in it; npos: everybody's. A comment before it names what comes
// next but declarations.
size_t variant_of(std::string_view item) {
    size_t begin = 0;
    while ((begin = item.find_first_not_of(" \t\r\n", begin)) != item.npos && item.substr(begin, 2) == "//")
        begin = std::min(item.find('\n', begin), item.size());
    if (begin == item.npos) return item.npos;
    const size_t at = item.find(kScope, begin);
    return at == item.npos ? item.npos : std::stoull(std::string(item.substr(at + kScope.size(), 4)));
}

void take_apart(const std::string& ptx, std::vector<Variant>& out, const std::vector<size_t>& chosen) {
    const size_t version = ptx.find(".address_size");
    size_t at = std::min(ptx.find('\n', version == ptx.npos ? 0 : version), ptx.size());
    for (const size_t k : chosen) out[k].ptx = ptx.substr(0, at) + "\n";
    while (at < ptx.size()) {
        const size_t end = past_item(ptx, at);
        const std::string_view item = std::string_view(ptx).substr(at, end - at);
        const size_t owner = variant_of(item);
        for (const size_t k : chosen)
            if (owner == item.npos || owner == k) out[k].ptx += item;
        at = end;
    }
    for (const size_t k : chosen) out[k].ptx += '\n';
}

Attempt attempt(const Quick& quick, const CompileOptions& options, const std::string& text) {
    const std::string headers = quick.headers ? quick.headers->path : "";
    Attempt tried = try_nvrtc(
        {options, quick.toolkit, text, quick.include, quick.standard, quick.effort, headers},
        quick.with_stand_ins
    );
    // As search-work.json has it: a refused text ends early.
    constexpr double kMade = 20e6, kRefused = 8e6, kTextByte = 150, kPtxByte = 180;
    count_work(
        (tried.refusal.empty() ? kMade : kRefused) + kTextByte * static_cast<double>(text.size()) +
        kPtxByte * static_cast<double>(tried.entry.ptx.size())
    );
    return tried;
}

Attempt attempt_at(
    const Quick& quick, const std::vector<std::string>& texts, const std::vector<size_t>& chosen
) {
    CompileOptions options = quick.options;
    options.name_expressions.clear();
    for (const size_t k : chosen)
        for (const std::string& name : quick.options.name_expressions)
            options.name_expressions.push_back(in_variant(k, name));
    return attempt(quick, options, text_of(quick, texts, chosen));
}

// Of so many, those that were compiled.
std::vector<Variant> variants_of(
    const Quick& quick, const Attempt& compiled, const std::vector<size_t>& chosen, size_t all
) {
    std::vector<Variant> out(all);
    take_apart(compiled.entry.ptx, out, chosen);
    auto name = compiled.entry.lowered_names.begin();
    for (const size_t k : chosen)
        for (size_t n = 0; n < quick.options.name_expressions.size(); ++n)
            out[k].lowered_names.push_back(*name++);
    return out;
}

// What NVRTC is known to compile; as device_code has it where that is nothing.
std::string device_text(const Quick& quick) {
    std::string text = device_code(quick.text);
    if (text == quick.text) return text;
    const Request request{
        quick.options, quick.toolkit, quick.text, quick.include, quick.standard, Effort::least};
    DeviceAttempt tried = try_device_code(request, quick.with_stand_ins);
    return tried.attempt.refusal.empty() ? std::move(tried.text) : std::move(text);
}

bool same_options(const CompileOptions& a, const CompileOptions& b) {
    const auto all = [](const CompileOptions& o) {
        return std::tie(
            o.source_path, o.display_path, o.defines, o.include, o.arch, o.marks, o.name_expressions
        );
    };
    return all(a) == all(b);
}

}  // namespace

std::string in_variant(size_t variant, const std::string& name) { return scope_name(variant) + "::" + name; }

std::string without_variant(const std::string& name) {
    std::string out = name;
    for (size_t at = 0; (at = out.find(kScope, at)) != out.npos;) {
        const size_t end = out.find("::", at);
        if (end == out.npos) break;
        out.erase(at, end + 2 - at);
    }
    return out;
}

Quick make_quick(const CompileOptions& options, const std::string& text, Effort effort, const Quick* before) {
    if (before != nullptr && before->text == text && same_options(before->options, options)) {
        Quick quick = *before;
        quick.effort = effort;
        return quick;
    }
    Quick quick{options, text, text, find_toolkit(), {}, false, {}, {}, effort, std::make_shared<Scratch>()};
    quick.include = look_around(options, text, quick.toolkit).include;
    for (const auto& [stand_ins, standard] : {
             std::pair{false, "c++17"},
             std::pair{true,  "c++17"},
             std::pair{true,  "c++20"}
    }) {
        quick.with_stand_ins = stand_ins, quick.standard = standard;
        quick.device = device_text(quick);
        const Attempt tried = attempt_at(quick, {quick.device}, {0});
        quick.problem = tried.refusal;
        if (tried.refusal.empty()) quick.as_it_is = variants_of(quick, tried, {0}, 1).front();
        if (quick.problem.empty() || quick.toolkit.include.empty()) break;
    }
    return quick;
}

Whole compile_whole(const Quick& quick, const std::string& text) {
    const Attempt tried =
        attempt(quick, quick.options, headers_of(quick) + "#line 1\n" + inside(text, false));
    if (!tried.refusal.empty()) return {{}, named_in(tried.refusal)};
    return {tried.entry.ptx, {}};
}

std::vector<Variant> compile_variants(const Quick& quick, const std::vector<std::string>& texts) {
    std::vector<Variant> out(texts.size());
    std::vector<size_t> chosen(texts.size());
    for (size_t k = 0; k < texts.size(); ++k) chosen[k] = k;
    for (int round = 0; round < kMostRounds && !chosen.empty(); ++round) {
        const Attempt tried = attempt_at(quick, texts, chosen);
        if (tried.refusal.empty()) return variants_of(quick, tried, chosen, texts.size());
        const std::set<size_t> bad = named_in(tried.refusal);
        if (std::erase_if(chosen, [&](size_t k) { return bad.contains(k); }) == 0) return out;
    }
    return out;
}

}  // namespace wl::compile
