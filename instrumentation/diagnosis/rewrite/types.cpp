// What types stand for, and the members of structs, which are variables by the name of what they belong to.
#include "instrumentation/diagnosis/rewrite/declarations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

namespace wl::diagnosis::rewrite {

namespace {

// Of a template's parameter that the text gives no argument for.
constexpr std::array<std::string_view, 9> kMostlyReal = {
    "T", "U", "Real", "Float", "Scalar", "scalar_t", "Element", "acc_t", "value_t"};

// `typename T, int N`, each without its default: its words, the name last.
std::vector<std::vector<std::string>> parts_between(const Source& s, int open, int close) {
    std::vector<std::vector<std::string>> out(1);
    int depth = 0;
    bool is_default = false;
    for (int k = open + 1; k < close; ++k) {
        if (is_opening(s.word(k)) || s.is(k, "<")) ++depth;
        if (is_closing(s.word(k)) || s.is(k, ">")) --depth;
        if (depth == 0 && s.is(k, ",")) {
            out.emplace_back(), is_default = false;
            continue;
        }
        is_default = is_default || s.is(k, "=");
        if (!is_default) out.back().emplace_back(s.word(k));
    }
    return out;
}

int close_of_angles(const Source& s, int open) {
    int depth = 0;
    for (int k = open; k < s.count() && !s.is(k, ";") && !s.is(k, "{"); ++k) {
        if (s.is(k, "<")) ++depth;
        if (s.is(k, ">") && --depth == 0) return k;
    }
    return -1;
}

struct Template {
    std::string name;                // of the function or struct
    std::vector<std::string> types;  // of its parameters; "": no type
};

std::vector<Template> templates_of(const Source& s) {
    std::vector<Template> out;
    for (int k = 0; k + 1 < s.count(); ++k) {
        const int close = s.is(k, "template") && s.is(k + 1, "<") ? close_of_angles(s, k + 1) : -1;
        if (close < 0) continue;
        int name = close + 1;
        const auto ends = [&] { return s.is(name + 1, "(") || s.is(name + 1, "{") || s.is(name + 1, ";"); };
        while (name + 1 < s.count() && (!ends() || s.is(name, "__launch_bounds__"))) ++name;
        Template t{std::string(s.word(name)), {}};
        for (const auto& part : parts_between(s, k + 1, close)) {
            const bool type = part.size() == 2 && (part.front() == "typename" || part.front() == "class");
            t.types.push_back(type ? part.back() : "");
        }
        out.push_back(std::move(t));
    }
    return out;
}

// By what it is used with: `scan<float, 4>`.
void read_arguments(Source& s, const std::vector<Template>& all, const Source& text) {
    for (const Template& t : all)
        for (int k = 0; k + 1 < text.count(); ++k) {
            const int close = text.is(k, t.name) && text.is(k + 1, "<") ? close_of_angles(text, k + 1) : -1;
            if (close < 0) continue;
            const auto parts = parts_between(text, k + 1, close);
            for (size_t n = 0; n < std::min(parts.size(), t.types.size()); ++n) {
                std::string type;
                for (const std::string& w : parts[n]) type += (type.empty() ? "" : " ") + w;
                const bool known = std::any_of(all.begin(), all.end(), [&](const Template& o) {
                    return std::find(o.types.begin(), o.types.end(), type) != o.types.end();
                });
                if (!t.types[n].empty() && !known) s.aliases.emplace(t.types[n], type);
            }
        }
}

struct Struct {
    std::string name;
    int open = 0;
};

std::vector<Struct> structs_of(const Source& s) {
    std::vector<Struct> out;
    for (int k = 0; k + 2 < s.count(); ++k) {
        if ((!s.is(k, "struct") && !s.is(k, "class")) || s.at(k).directive) continue;
        int name = k + 1;
        while ((s.is(name, "__align__") || s.is(name, "alignas")) && s.is(name + 1, "("))
            name = s.at(name + 1).match + 1;
        int open = name + 1;
        while (open < s.count() && !s.is(open, "{") && !s.is(open, ";") && !s.is(open, "(")) ++open;
        if (s.is(open, "{") && s.at(open).match > open) out.push_back({std::string(s.word(name)), open});
    }
    return out;
}

// "List" of "List<Key>".
std::string plain_name(const Source& s, const std::string& type) {
    const auto alias = s.aliases.find(type);
    const std::string& text = alias == s.aliases.end() ? type : alias->second;
    return text.substr(0, text.find('<'));
}

using Members = std::map<std::string, std::vector<Variable>>;

void add_members(
    const Source& s, const Members& all, const Variable& of, int depth, std::vector<Variable>& out
) {
    constexpr int kDeepest = 2;
    const auto found = all.find(plain_name(s, of.type));
    const bool pointer = of.indirections == 1 && s.is(of.from - 1, "*");
    if (found == all.end() || depth > kDeepest || (of.indirections > 0 && !pointer)) return;
    for (const Variable& m : found->second) {
        Variable v = of;
        v.name += (pointer ? "->" : ".") + m.name;
        v.type = m.type, v.kind = m.kind, v.indirections = m.indirections;
        v.constant = m.constant || (m.indirections == 0 && of.constant);
        add_members(s, all, v, depth + 1, out);
        out.push_back(std::move(v));
    }
}

}  // namespace

void find_aliases(Source& s, const std::string& entry) {
    for (int k = 0; k + 3 < s.count(); ++k) {
        int end = k;
        while (end < s.count() && !s.is(end, ";")) ++end;
        if (s.is(k, "using") && s.is(k + 2, "=") && end > k + 3)
            s.aliases.emplace(std::string(s.word(k + 1)), s.words(k + 3, end - 1));
        if (s.is(k, "typedef") && end > k + 2)
            s.aliases.emplace(std::string(s.word(end - 1)), s.words(k + 1, end - 2));
    }
    const std::vector<Template> all = templates_of(s);
    read_arguments(s, all, tokens_of(entry));
    read_arguments(s, all, s);
    for (const Template& t : all)
        for (const std::string& type : t.types)
            if (std::find(kMostlyReal.begin(), kMostlyReal.end(), type) != kMostlyReal.end())
                s.aliases.emplace(type, "float");
}

void find_members(Source& s) {
    Members all;
    for (const Struct& t : structs_of(s)) {
        const size_t before = s.variables.size();
        const int close = s.at(t.open).match;
        int first = t.open + 1;
        for (int k = first; k < close; ++k) {
            const bool ends = s.is(k, ":") || s.is(k, ";");
            if (s.is(k, ";")) declare_between(s, first, k, close);
            if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
            if (ends || (s.is(k, "}") && !s.is(k + 1, ";"))) first = k + 1;
        }
        const auto from = s.variables.begin() + static_cast<std::ptrdiff_t>(before);
        s.variables.erase(
            std::remove_if(from, s.variables.end(), [&](const Variable& v) { return s.is(v.from + 1, "("); }),
            s.variables.end()
        );
        all[t.name].assign(s.variables.begin() + static_cast<std::ptrdiff_t>(before), s.variables.end());
    }
    s.members = std::move(all);
}

void name_members(Source& s) {
    if (s.members.empty()) return;
    std::vector<Variable> out;
    for (const Variable& v : s.variables) {
        add_members(s, s.members, v, 0, out);
        out.push_back(v);
    }
    s.variables = std::move(out);
}

void join_members(Source& s) {
    std::set<std::string_view> names;
    for (const Variable& v : s.variables)
        if (is_member(v)) names.insert(v.name);
    std::vector<Token> out;
    for (int k = 0; k < s.count(); ++k) {
        Token t = s.at(k);
        t.match = -1;
        const bool inner = s.is(k - 1, ".") || s.is(k - 1, "->");
        for (int sign = k + 1; sign + 1 < s.count() && t.kind == Token::Kind::word && !inner; sign += 2) {
            const bool reaches = s.is(sign, ".") || s.is(sign, "->");
            const std::string_view text =
                std::string_view(s.code).substr(t.begin, s.at(sign + 1).end - t.begin);
            if (!reaches) break;
            if (!names.contains(text)) continue;
            t.end = s.at(sign + 1).end, k = sign + 1;
        }
        out.push_back(t);
    }
    s.tokens = std::move(out);
}

bool is_member(const Variable& v) {
    return v.name.find('.') != std::string::npos || v.name.find("->") != std::string::npos;
}

std::string_view member_of(std::string_view name) {
    const size_t dot = name.rfind('.'), arrow = name.rfind("->");
    if (arrow != name.npos && (dot == name.npos || arrow > dot)) return name.substr(arrow + 2);
    return dot == name.npos ? std::string_view() : name.substr(dot + 1);
}

bool is_named(const Source& s, const Variable& member) {
    const std::string_view name = member_of(member.name);
    for (int k = 0; k < s.count(); ++k)
        if (member_of(s.word(k)) == name) return true;
    return false;
}

}  // namespace wl::diagnosis::rewrite
