// Functions of the file that nobody calls, and what closes a group of copies.
#include "instrumentation/diagnosis/rewrite/declarations.h"
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"
#include "instrumentation/diagnosis/rewrite/missing/missing.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char *kCall = "wrong_order", *kValue = "wrong_operation";
constexpr size_t kMostArguments = 4, kMostCalls = 24;

struct Function {
    std::string name;
    bool gives = false;  // a value
    std::vector<const Variable*> parameters;
    int from = 0;  // the token of its name
};

Function function_of(const Source& s, const Body& body) {
    Function out;
    const int name = name_of(s, body);
    if (name < 0) return out;
    const int open = name + 1, close = s.at(open).match;
    out.from = name;
    for (int k = out.from; k > 0 && !s.is(k, ";") && !s.is(k, "}"); --k)
        if (s.is(k, "__global__") || s.is(k, "constexpr")) return out;
    out.name = s.word(out.from);
    out.gives = !s.is(out.from - 1, "void");
    for (const Variable& v : s.variables)
        if (v.parameter && v.from > open && v.from < close) out.parameters.push_back(&v);
    return out;
}

bool is_called(const Source& s, const Function& f) {
    for (int k = 0; k < s.count(); ++k)
        if (k != f.from && s.is(k, f.name)) return true;
    return false;
}

// What may be given for a parameter: what has its name, else what has its type.
std::vector<std::string> arguments_for(
    const Source& s, const Variable& p, int here, const std::string& first
) {
    std::vector<std::string> out;
    const std::vector<const Variable*> all = visible(s, here);
    if (!first.empty()) return {first};
    for (const Variable* v : all)
        if (v->name == p.name && v->indirections == p.indirections) return {v->name};
    for (const Variable* v : all)
        if (v->type == p.type && v->indirections == p.indirections && !v->of_file)
            add_new(out, v->name, kMostArguments);
    return out;
}

// `first`: of the first argument, where it is known.
std::vector<std::string> calls_of(const Source& s, const Function& f, int here, const std::string& first) {
    std::vector<std::string> lists = {""};
    for (size_t k = 0; k < f.parameters.size(); ++k) {
        std::vector<std::string> longer;
        for (const std::string& list : lists)
            for (const std::string& a : arguments_for(s, *f.parameters[k], here, k == 0 ? first : ""))
                add_new(longer, fmt::format("{}{}{}", list, k == 0 ? "" : ", ", a), kMostCalls);
        lists = std::move(longer);
    }
    for (std::string& list : lists) list = fmt::format("{}({})", f.name, list);
    return lists;
}

// `(short)f(a >> 2)` of `(short)(a >> 2)`: of what is in brackets.
void call_of_part(Writer& w, const Function& f, int first, int last) {
    constexpr int kForgotten = 20;  // a log prior
    for (int k = first; k <= last; ++k) {
        const int close = w.s.is(k, "(") ? w.s.at(k).match : -1;
        const bool type = close > k && kind_of_type(w.s, w.s.words(k + 1, close - 1)) != ValueKind::other;
        if (close <= k + 1 || close > last || type) continue;
        w.replace(kValue, 2, k, close, f.name + w.s.words(k, close));
        w.out.back().bias = kForgotten;
    }
}

void call(Writer& w, const Facts& facts, const Function& f) {
    for (const Gap& gap : facts.gaps) {
        if (f.gives || f.from > gap.here || !w.is_near(gap.here)) continue;
        for (const std::string& text : calls_of(w.s, f, gap.here, "")) put(w, gap, kCall, 2, text + ";");
    }
    if (!f.gives || f.parameters.empty() || f.parameters.size() > 3) return;
    for (const Statement& st : facts.body.statements) {
        const int sets = assignment_of(w.s, st), first = w.s.is(st.first, "return") ? st.first + 1 : sets + 1;
        if (is_mark(w.s, st) || first <= 0 || first >= st.last || !w.s.is(st.last, ";") || f.from > first)
            continue;
        const std::string value = w.s.words(first, st.last - 1);
        for (const std::string& text : calls_of(w.s, f, first, value))
            w.replace(kValue, 1, first, st.last - 1, text);
        if (!w.is_near(st.first)) continue;
        if (f.parameters.size() == 1) call_of_part(w, f, first, st.last - 1);
        for (const std::string& text : calls_of(w.s, f, first, "")) {
            const bool real = holds_real(w.s, first, st.last - 1);
            for (const char* form : {"{} * {}", "{} + {}", "{} & {}"})
                if (!real || form[3] != '&')
                    w.replace(kValue, 1, first, st.last - 1, fmt::format(fmt::runtime(form), value, text));
        }
    }
}

// Functions without arguments, of the file and of CUDA's pipelines.
void close_groups(Writer& w, const Facts& f, const std::vector<std::string>& texts) {
    for (const Gap& gap : f.gaps)
        if (w.is_near(gap.here - 1))
            for (const std::string& text : texts) put(w, gap, "async_copy_wait", 2, text);
}

}  // namespace

void add_calls(Writer& w, const Facts& facts) {
    std::vector<Function> orphans;
    std::vector<std::string> bare;
    const bool copies = w.s.code.find("__pipeline_memcpy_async") != std::string::npos;
    if (copies)
        for (const char* text : {"__pipeline_commit();", "__pipeline_wait_prior(0);"})
            bare.emplace_back(text);
    for (const Body& body : w.s.bodies) {
        const Function f = function_of(w.s, body);
        if (f.name.empty() || f.name == "operator") continue;
        if (f.parameters.empty() && !f.gives) bare.push_back(f.name + "();");
        if (!f.parameters.empty() && !is_called(w.s, f)) orphans.push_back(f);
    }
    for (const Function& f : orphans) call(w, facts, f);
    close_groups(w, facts, bare);
}

}  // namespace wl::diagnosis::rewrite
