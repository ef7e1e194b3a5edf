// Every family of changes, in order; and a change as a text and as a patch.
#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include "instrumentation/analysis/source_diff.h"
#include "instrumentation/base/lines.h"
#include "instrumentation/diagnosis/rewrite/likely.h"
#include "instrumentation/diagnosis/rewrite/several/alike.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <tuple>
#include <utility>

namespace wl::diagnosis::rewrite {

namespace {

constexpr int kElsewhere = 3;  // Rewrite::suspicion_rank

constexpr std::pair<Family, void (*)(Writer&)> kFamilies[] = {
    {Family::signs,      add_signs     },
    {Family::numbers,    add_numbers   },
    {Family::names,      add_names     },
    {Family::parts,      add_parts     },
    {Family::exchanges,  add_exchanges },
    {Family::conditions, add_conditions},
    {Family::guards,     add_guards    },
    {Family::terms,      add_terms     },
    {Family::statements, add_statements},
    {Family::stores,     add_stores    },
    {Family::indices,    add_indices   },
    {Family::initial,    add_initial   },
    {Family::analogies,  add_analogies },
    {Family::siblings,   add_siblings  },
    {Family::operands,   add_operands  },
    {Family::brackets,   add_brackets  },
    {Family::loops,      add_loops     },
    {Family::unread,     add_unread    },
    {Family::combined,   add_combined  },
    {Family::idioms,     add_idioms    },
    {Family::missing,    add_missing   },
    {Family::arrays,     add_arrays    },
};

// Where no value is wrong nobody computes what is: somebody does something who should not.
constexpr int kKeptOut = 25;  // a log prior
bool keeps_out(const Rewrite& r) {
    const std::string_view rule = r.rule;
    return rule == "wrong_condition" || rule == "boundary_off_by_one" || rule == "out_of_bounds";
}

// `depth + 1` of `depth`, where all of what is wrong is one too small.
constexpr int kOffset = 30;  // a log prior
bool adds(const Rewrite& r, int offset) {
    const std::string sum = fmt::format("{} {} {}", r.was, offset > 0 ? "+" : "-", std::abs(offset));
    return offset != 0 && (r.now == sum || r.now == "(" + sum + ")");
}

// In FP64 every result is right: a wider format, somewhere.
constexpr int kWider = 60;  // a log prior
bool widens(const Rewrite& r) {
    const std::string_view rule = r.rule;
    return rule == "precision" || rule == "overflow";
}

// Where all that is asked for was written no store is missing.
constexpr int kWritten = -40;  // a log prior
bool writes_at_last(const Rewrite& r) { return std::string_view(r.rule) == "never_written"; }

bool is_between(const Statement& s, int token) {
    return token >= s.first && token <= std::max(s.last, s.first);
}

}  // namespace

std::string rewritten(const std::string& text, const Rewrite& rewrite) {
    std::string out = text;
    for (size_t k = rewrite.edits.size(); k-- > 0;) {
        const Edit& e = rewrite.edits[k];
        out.replace(e.begin, e.length, e.text);
    }
    return out;
}

namespace {

constexpr const char* kNoLineFeed = "\n\\ No newline at end of file";  // as diff(1) marks such a line

// `last`: holds the text of a last line that no line feed ends.
std::vector<analysis::SourceLine> numbered(const std::string& text, std::string& last) {
    std::vector<analysis::SourceLine> out;
    for (const std::string_view line : lines_of(text))
        out.push_back({static_cast<int>(out.size()) + 1, line});
    if (out.empty() || text.ends_with('\n')) return out;
    last = std::string(out.back().text) + kNoLineFeed;
    out.back().text = last;
    return out;
}

}  // namespace

std::string patch_of(const std::string& file, const std::string& was, const std::string& now) {
    constexpr size_t kAround = 3;
    std::string last_was, last_now, out;
    const auto lines = analysis::diff_lines(numbered(was, last_was), numbered(now, last_now));
    for (const analysis::Hunk& hunk : analysis::hunks(lines, kAround)) out += analysis::unified(hunk);
    return out.empty() ? out : fmt::format("--- a/{0}\n+++ b/{0}\n", file) + out;
}

bool is_mark(const Source& s, const Statement& statement) {
    const std::string_view w = s.word(statement.first);
    return w.starts_with("WL_") || w == "static_assert" || w == "assert";
}

bool declares(const Source& s, const Statement& statement) {
    return std::any_of(s.variables.begin(), s.variables.end(), [&](const Variable& v) {
        return v.from >= statement.first && v.from <= statement.last;
    });
}

bool is_operand(const Source& s, int k) {
    const Variable* const v = variable_at(s, k);
    return v != nullptr && v->from != k && !is_assignment(s, k + 1) && !s.is(k + 1, "[");
}

bool is_own(const Body& body, const Variable& v) {
    return v.from > body.open && v.from < body.close && !v.parameter;
}

bool is_given(const Body& body, const Variable& v) { return v.parameter && v.to == body.close; }

bool is_alone(const Source& s, const Statement& st) {
    return s.is(st.first - 1, ";") || s.is(st.first - 1, "{") || s.is(st.first - 1, "}");
}

bool halves(const Source& s, const Statement& loop) {
    return s.is(loop.last - 2, "/=") || s.is(loop.last - 2, ">>=");
}

bool doubles(const Source& s, const Statement& loop) {
    return s.is(loop.last - 2, "*=") || s.is(loop.last - 2, "<<=");
}

const Statement* statement_of(const Body& body, int token) {
    const Statement* out = nullptr;
    for (const Statement& s : body.statements)
        if (is_between(s, token)) out = &s;
    return out;
}

const Statement* loop_of(const Body& body, const Variable& v) {
    const Statement* const st = statement_of(body, v.from);
    return st != nullptr && st->word == "for" ? st : nullptr;
}

int assignment_of(const Source& s, const Statement& statement) {
    for (int k = statement.first; k < statement.last; ++k) {
        if (is_opening(s.word(k)) && s.at(k).match > k) k = s.at(k).match;
        if (is_assignment(s, k)) return k;
    }
    return -1;
}

const Variable* variable_set(const Source& s, const Statement& statement) {
    const int sets = assignment_of(s, statement);
    if (sets <= statement.first) return nullptr;
    const auto declared = std::find_if(s.variables.begin(), s.variables.end(), [&](const Variable& v) {
        return v.from == sets - 1;
    });
    return declared == s.variables.end() ? variable_at(s, sets - 1) : &*declared;
}

// `static_cast<float>(x)`, `fragment<A, 16>`: closed before the statement ends, and followed by what an
// operand is not.
bool is_template_angle(const Source& s, int token) {
    const std::string_view w = s.word(token);
    if (w != "<" && w != ">") return false;
    const int step = w == "<" ? 1 : -1;
    int depth = 0;
    for (int k = token; k >= 0 && k < s.count(); k += step) {
        const std::string_view v = s.word(k);
        if (v == w) ++depth;
        if (v == (w == "<" ? ">" : "<") && --depth == 0) {
            const int close = w == "<" ? k : token, open = w == "<" ? token : k;
            const std::string_view behind = s.word(std::min(close + 1, s.count() - 1));
            const bool word_before = s.at(std::max(open - 1, 0)).kind == Token::Kind::word;
            return word_before &&
                (behind == "(" || behind == "::" || behind == ">" || behind == "{" || behind == "," ||
                 s.at(close + 1).kind == Token::Kind::word);
        }
        if (v == ";" || v == "{" || v == "}" || v == "&&" || v == "||" || v == "=") return false;
    }
    return false;
}

void for_each_token(const Writer& w, const std::function<void(int, const Body&)>& visit) {
    for (const Body& body : w.s.bodies) {
        for (int k = body.open + 1; k < body.close; ++k) {
            if (w.s.at(k).directive) continue;
            const Statement* const st = statement_of(body, k);
            if (st != nullptr && is_mark(w.s, *st)) continue;
            visit(k, body);
        }
    }
}

namespace {

// Names of the file that stand for all bits, as masks of lanes do: `#define FULL 0xffffffffu`.
std::set<std::string, std::less<>> masks_of(const Source& s) {
    std::set<std::string, std::less<>> out;
    for (int k = 2; k < s.count(); ++k) {
        const std::string_view w = s.word(k);
        if (s.at(k).kind != Token::Kind::number || !w.starts_with("0x")) continue;
        const std::string_view digits = w.substr(2, std::min(w.find_first_of("uUlL"), w.size()) - 2);
        const bool all = digits.size() >= 8 && digits.find_first_not_of("fF") == digits.npos;
        const int name = s.is(k - 1, "=") ? k - 2 : s.is(k - 2, "define") ? k - 1 : -1;
        if (all && name >= 0 && s.at(name).kind == Token::Kind::word) out.emplace(s.word(name));
    }
    return out;
}

// A sum with one is a number less one by wrapping alone.
bool wraps(const Rewrite& r, const std::set<std::string, std::less<>>& masks) {
    return std::any_of(r.edits.begin(), r.edits.end(), [&](const Edit& e) {
        const std::vector<std::string_view> words = words_of(e.text);
        for (size_t k = 1; k < words.size(); ++k) {
            const bool sign = words[k - 1] == "+" || words[k - 1] == "-" || words[k - 1] == "*";
            if (sign && masks.contains(words[k])) return true;
        }
        return false;
    });
}

}  // namespace

std::vector<Rewrite> rewrites(const Source& source, const SearchContext& context) {
    Writer w{source, context};
    for (const auto& [family, add] : kFamilies) {
        const size_t from = w.out.size();
        add(w);
        for (size_t k = from; k < w.out.size(); ++k) w.out[k].family = family;
    }
    for (Rewrite& r : w.out) {
        const auto line = context.suspicion.find(r.line);
        r.suspicion_rank = line == context.suspicion.end() ? kElsewhere : line->second;
    }
    weigh(source, w.out);
    if (context.values_right)
        for (Rewrite& r : w.out) r.log_prior += keeps_out(r) ? kKeptOut : 0;
    for (Rewrite& r : w.out) r.log_prior += adds(r, context.offset) ? kOffset : 0;
    if (!context.unwritten)
        for (Rewrite& r : w.out) r.log_prior += writes_at_last(r) ? kWritten : 0;
    if (context.rounding)
        for (Rewrite& r : w.out) r.log_prior += widens(r) ? kWider : 0;
    add_alike(source, w.out);
    if (const auto masks = masks_of(source); !masks.empty())
        std::erase_if(w.out, [&](const Rewrite& r) { return wraps(r, masks); });
    std::stable_sort(w.out.begin(), w.out.end(), [](const Rewrite& a, const Rewrite& b) {
        return std::tuple(score(a), a.suspicion_rank, -a.line) <
            std::tuple(score(b), b.suspicion_rank, -b.line);
    });
    std::set<std::vector<std::tuple<size_t, size_t, std::string>>> known;
    std::erase_if(w.out, [&](const Rewrite& r) {
        std::vector<std::tuple<size_t, size_t, std::string>> key;
        for (const Edit& e : r.edits) key.emplace_back(e.begin, e.length, e.text);
        const bool nothing = std::all_of(r.edits.begin(), r.edits.end(), [&](const Edit& e) {
            return source.text.compare(e.begin, e.length, e.text) == 0;
        });
        return nothing || !known.insert(key).second;
    });
    return std::move(w.out);
}

}  // namespace wl::diagnosis::rewrite
