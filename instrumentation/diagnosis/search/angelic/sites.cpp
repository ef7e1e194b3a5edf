// Sites and notes, as text.
#include "instrumentation/diagnosis/search/angelic/sites.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/mutant_schemata.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace wl::diagnosis {

namespace {

using rewrite::Body;
using rewrite::Source;
using rewrite::Statement;
using rewrite::Token;
using rewrite::Variable;

// Where the statement reads: behind what it sets, between the brackets of a call or a condition.
int reads_from(const Source& s, const Statement& st) {
    const int sets = rewrite::assignment_of(s, st);
    return sets >= 0 ? sets + 1 : st.word == "for" ? st.last + 1 : st.first + 1;
}

bool is_name_of_call(const Source& s, int k) {
    return s.at(k).kind == Token::Kind::word && s.is(k + 1, "(") && s.at(k + 1).match > k;
}

// What begins at a token and is one operand: `x`, `p.x`, `a[i]`, `f(x)`, `(x + y)`, `1.5f`; its last token.
int operand_from(const Source& s, int k) {
    const bool call = k > 0 && s.at(k - 1).kind == Token::Kind::word && !s.is(k - 1, "return");
    if (s.is(k, "(")) return call || s.is(k - 1, ">") ? -1 : s.at(k).match;
    if (is_name_of_call(s, k)) return s.at(k + 1).match;
    if (s.at(k).kind == Token::Kind::word) return rewrite::end_of_element(s, k);
    return s.at(k).kind == Token::Kind::number ? k : -1;
}

// No member of what is there, and no type in brackets.
bool is_value(const Source& s, int first, int last) {
    const bool member = s.is(last + 1, "->") || s.is(first - 1, ".");
    const bool cast = s.is(first, "(") && s.at(last + 1).kind != Token::Kind::sign;
    return !member && !cast && rewrite::is_read(s, {first, last});
}

struct Finder {
    const Source& s;
    const rewrite::SearchContext& context;
    int body = 0;
    std::set<std::pair<int, int>> known = {};
    std::vector<AngelicSite> out = {};

    void add(int first, int last) {
        const auto line = context.suspicion.find(s.at(first).line);
        if (last < first || line == context.suspicion.end() || !rewrite::holds_real(s, first, last)) return;
        if (is_value(s, first, last) && known.emplace(first, last).second)
            out.push_back({first, last, s.at(first).line, line->second, body});
    }
    void look_at(int from, int end) {
        for (int k = from; k < end; ++k) {
            const Variable* const v = variable_at(s, k);
            const bool subscript = v != nullptr && v->indirections > 0 && !s.is(k + 1, "[");
            if (const int last = operand_from(s, k); last >= k && last < end && !subscript) add(k, last);
            if (rewrite::precedence(s, k) == 0 || rewrite::is_template_angle(s, k)) continue;
            const rewrite::Operands o = rewrite::operands_of(s, k);
            const bool compares = s.is(k, "<") || s.is(k, ">") || s.is(k, "==") || s.is(k, "!=") ||
                s.is(k, "<=") || s.is(k, ">=") || s.is(k, "&&") || s.is(k, "||");
            if (!compares && o.left >= from && o.right < end) add(o.left, o.right);
        }
    }
};

// `w[n] * w` of `roi[1] * scale`, `v.` of `v.x`; empty: too little to tell what reads like it.
std::string shape_of(const Source& s, const AngelicSite& h) {
    const bool one = h.first == h.last;
    const std::string_view name = s.word(h.first);
    if (one)
        return name.find('.') == name.npos || std::isdigit(static_cast<unsigned char>(name.front())) != 0
            ? ""
            : std::string(name.substr(0, name.find('.') + 1));
    std::string out = std::to_string(h.body);
    for (int k = h.first; k <= h.last; ++k)
        out += s.at(k).kind == Token::Kind::word  ? " w"
            : s.at(k).kind == Token::Kind::number ? " n"
                                                  : " " + std::string(s.word(k));
    return out;
}

void put_in_sets(const Source& s, std::vector<AngelicSite>& sites) {
    constexpr size_t kMost = 8;
    std::map<std::string, std::vector<size_t>> alike;
    for (size_t k = 0; k < sites.size(); ++k)
        if (std::string shape = shape_of(s, sites[k]); !shape.empty()) alike[std::move(shape)].push_back(k);
    int set = 0;
    for (const auto& [shape, all] : alike) {
        if (all.size() < 2 || all.size() > kMost) continue;
        for (const size_t k : all) sites[k].set = set;
        ++set;
    }
}

std::string thread_text(int64_t threads) {
    return fmt::format(
        "__device__ inline int wl_site_thread() {{ const int b = blockIdx.x + gridDim.x * (blockIdx.y + "
        "gridDim.y * blockIdx.z), t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), "
        "n = b * int(blockDim.x * blockDim.y * blockDim.z) + t; return n < {0} ? n : {0} - 1; }}\n",
        threads
    );
}

// Inner ones end before outer ones do, and begin behind them.
struct Put {
    size_t at = 0;
    bool opens = false;
    int tokens = 0;  // of the expression
    std::string text;
};
std::string with(const Source& s, std::vector<Put> puts) {
    std::sort(puts.begin(), puts.end(), [](const Put& a, const Put& b) {
        return std::tuple(a.at, a.opens, a.opens ? -a.tokens : a.tokens) <
            std::tuple(b.at, b.opens, b.opens ? -b.tokens : b.tokens);
    });
    std::string out;
    size_t from = 0;
    for (const Put& p : puts) {
        out += s.text.substr(from, p.at - from) + p.text;
        from = p.at;
    }
    return out + s.text.substr(from);
}

}  // namespace

std::vector<AngelicSite> angelic_sites_of(
    const Source& source, const rewrite::SearchContext& context, size_t most
) {
    Finder f{source, context};
    for (; f.body < static_cast<int>(source.bodies.size()); ++f.body)
        for (const Statement& st : source.bodies[static_cast<size_t>(f.body)].statements)
            if (!rewrite::is_mark(source, st)) f.look_at(reads_from(source, st), st.last);
    std::stable_sort(f.out.begin(), f.out.end(), [](const AngelicSite& a, const AngelicSite& b) {
        return a.suspicion_rank < b.suspicion_rank;
    });
    if (f.out.size() > most) f.out.resize(most);
    put_in_sets(source, f.out);
    return std::move(f.out);
}

std::string site_memory(int64_t threads) {
    return fmt::format(
        "extern \"C\" __device__ int {0}, {1}, {4}[{5}];\nextern \"C\" __device__ float {2}[{5} * {7}], "
        "{3}[{5} * {7}];\n{6}"
        "__device__ inline int wl_site_turn() {{ const int t = wl_site_thread(), n = {4}[t]++; "
        "return t * {7} + (n < {7} ? n : {7} - 1); }}\n",
        kSite,
        kSiteScales,
        kSiteBy,
        kSiteSeen,
        kSiteTimes,
        threads,
        thread_text(threads),
        kTurns
    );
}

constexpr int kNoSet = -2;  // opened by no number

std::string with_angelic_sites(const Source& source, const std::vector<AngelicSite>& sites, int64_t threads) {
    std::vector<Put> puts;
    for (size_t k = 0; k < sites.size(); ++k) {
        const AngelicSite& h = sites[k];
        const size_t line = (k + 1) * rewrite::kSwitchedLines;
        const int tokens = h.last - h.first,
                  set = h.set < 0 ? kNoSet : static_cast<int>(sites.size()) + h.set;
        puts.push_back(
            {source.at(h.first).begin,
             true,
             tokens,
             fmt::format("\n#line {}\nwl_site({}, {}, ", line, k, set)}
        );
        puts.push_back(
            {source.at(h.last).end, false, tokens, fmt::format(")\n#line {}\n", source.at(h.last).line)}
        );
    }
    const std::string head = site_memory(threads) +
        fmt::format("template <class T> __device__ inline T wl_site(int, int, T v) {{ return v; }}\n"
                    "__device__ inline float wl_site(int k, int set, float v) {{ "
                    "if (k != {0} && set != {0}) return v; const int at = wl_site_turn(); "
                    "{3}[at] = v; return {1} ? v * (1.0f + {2}[at]) : v + {2}[at]; }}\n",
                    kSite,
                    kSiteScales,
                    kSiteBy,
                    kSiteSeen);
    return head + "#line 1\n" + with(source, std::move(puts));
}

std::vector<std::string> at_hand_of(const Source& s, const AngelicSite& site, size_t most) {
    const Body& body = s.bodies[static_cast<size_t>(site.body)];
    std::vector<std::string> out = {"(" + s.words(site.first, site.last) + ")"};
    if (rewrite::is_simple(s, site.first, site.last)) out.front() = s.words(site.first, site.last);
    const auto add = [&](std::string text) {
        if (out.size() < most && std::find(out.begin(), out.end(), text) == out.end())
            out.push_back(std::move(text));
    };
    for (const Variable* v : visible(s, site.first)) {
        if (v->indirections > 0) continue;
        if (v->kind == rewrite::ValueKind::real) add(v->name);
        if (v->kind == rewrite::ValueKind::whole) add("float(" + v->name + ")");
    }
    // What else the function makes of them and reads.
    for (const Statement& st : body.statements) {
        if (rewrite::is_mark(s, st)) continue;
        for (int k = reads_from(s, st); k < st.last; ++k) {
            const int last = operand_from(s, k);
            const bool fits = last > k && last < st.last && !s.is(k, "(") && is_value(s, k, last) &&
                rewrite::holds_real(s, k, last) && last - k < 24;
            if (fits && rewrite::all_known(s, k, s.words(k, last), site.first)) add(s.words(k, last));
        }
    }
    return out;
}

std::string with_rows(
    const Source& source,
    const AngelicSite& site,
    const std::vector<std::string>& at_hand,
    int64_t threads,
    int turns
) {
    std::string notes = site.before ? "wl_row_begin(), " : "(wl_row_begin(), ";
    for (size_t k = 0; k < at_hand.size(); ++k)
        notes += fmt::format(
            "\n#line {}\nwl_row_note({}, float({})), ", (k + 1) * rewrite::kSwitchedLines, k, at_hand[k]
        );
    notes += fmt::format("\n#line {}\n{}", source.at(site.first).line, site.before ? "0; " : "(");
    const std::string head = fmt::format(
        "extern \"C\" __device__ int {0}[{5}], {1}[{5}], {6}[{5}], {2}, {3}[{7}];\n"
        "extern \"C\" __device__ float {4}[{7} * {8}];\n{9}"
        "__device__ inline void wl_row_begin() {{ const int t = wl_site_thread(), g = {1}[t]; {0}[t] = -1; "
        "if (g < 0 || {6}[t]++ >= {10}) return; const int r = atomicAdd(&{2}, 1); if (r >= {7}) return; "
        "{3}[r] = g, {0}[t] = r; }}\n"
        "__device__ inline void wl_row_note(int k, float v) {{ const int r = {0}[wl_site_thread()]; "
        "if (r >= 0) {4}[r * {8} + k] = v; }}\n#line 1\n",
        kRowOf,
        kRowGroups,
        kRowCount,
        kRowGroup,
        kRowValues,
        threads,
        kSiteTimes,
        kMostRows,
        at_hand.size(),
        thread_text(threads),
        turns
    );
    if (site.before)
        return head +
            with(source,
                 {
                     {source.at(site.first).begin, true, 0, notes}
        });
    const int tokens = site.last - site.first;
    return head +
        with(source,
             {
                 {source.at(site.first).begin, true,  tokens, notes},
                 {source.at(site.last).end,    false, tokens, "))" }
    });
}

}  // namespace wl::diagnosis
