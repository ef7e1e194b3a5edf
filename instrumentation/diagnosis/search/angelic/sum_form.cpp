// Sums of terms are terms' sums: of two that are added or subtracted only their sums are looked up. Products
// and conditions are summed row by row, in the smallest group first.
#include "instrumentation/diagnosis/search/angelic/sum_form.h"

#include "instrumentation/diagnosis/search/angelic/terms.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <tuple>
#include <unordered_set>

namespace wl::diagnosis {

namespace {

constexpr double kWork = 4e7;  // rows that are looked at for one kind of expression

struct Term {
    TermText is;
    std::vector<double> at;    // by row, groups one behind the other
    std::vector<double> sums;  // by group
};

struct Summer {
    std::vector<size_t> begin;          // of each group its first row, and the end of all
    std::vector<double> more, allowed;  // by group, the smallest first
    std::vector<Term> ones = {};        // at hand; the first is what stands there
    std::vector<TermText> found = {};
    double work = 0;

    size_t groups() const { return more.size(); }
    size_t rows() const { return begin.back(); }
    template <typename Of>
    double sum(size_t group, const Of& of) {
        double out = 0;
        for (size_t r = begin[group]; r < begin[group + 1]; ++r) out += of(r);
        work += static_cast<double>(begin[group + 1] - begin[group]);
        return out;
    }
    // Is the sum of each group what it was and what it lacks?
    template <typename Of>
    bool fits(const Of& of) {
        for (size_t g = 0; g < groups(); ++g)
            if (!(std::fabs(sum(g, of) - ones.front().sums[g] - more[g]) <= allowed[g])) return false;
        return true;
    }
    bool is_over() const { return work > kWork; }
};

bool is_number(const TermText& t, const char* one) { return t.number && t.text == one; }

Term number_term(const char* text, double v, int score, size_t rows) {
    Term t;
    t.is.text = text, t.is.score = score, t.is.number = true;
    t.at.assign(rows, v);
    return t;
}

// The smallest group first, as most of what does not fit is told there.
Summer summer_of(const Rows& rows, const SumWanted& wanted) {
    std::vector<size_t> order(rows.of.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        const auto lacks = [&](size_t g) { return std::fabs(wanted.more[g]) > wanted.allowed[g]; };
        return std::tuple(!lacks(a), rows.of[a].size()) < std::tuple(!lacks(b), rows.of[b].size());
    });
    Summer s;
    s.begin = {0};
    for (const size_t g : order) {
        s.begin.push_back(s.begin.back() + rows.of[g].size());
        s.more.push_back(wanted.more[g]), s.allowed.push_back(wanted.allowed[g]);
    }
    for (size_t k = 0; k < rows.texts.size(); ++k) {
        Term t;
        t.is.text = rows.texts[k], t.is.holds = k == 0;
        for (const size_t g : order)
            for (const std::vector<double>& row : rows.of[g]) t.at.push_back(row[k]);
        const bool finite = std::all_of(t.at.begin(), t.at.end(), [](double v) { return std::isfinite(v); });
        const bool set = std::any_of(t.at.begin(), t.at.end(), [](double v) { return v != 0; });
        if (k == 0 || (finite && set)) s.ones.push_back(std::move(t));
    }
    for (const auto& [text, v] : {std::pair("1.0f", 1.0), std::pair("2.0f", 2.0), std::pair("0.5f", 0.5)})
        s.ones.push_back(number_term(text, v, 1, s.rows()));
    for (Term& t : s.ones)
        for (size_t g = 0; g < s.groups(); ++g) t.sums.push_back(s.sum(g, [&](size_t r) { return t.at[r]; }));
    return s;
}

// Two operands joined, and what their sums are.
struct Joined {
    const Term *a, *b;
    char sign;
    std::vector<double> sums;
    double at(size_t row) const { return joined(sign, a->at[row], b->at[row]); }
};
std::vector<Joined> joined_of(Summer& s) {
    std::vector<Joined> out;
    for (const Term& a : s.ones)
        for (const Term& b : s.ones)
            for (const char sign : kSigns) {
                if ((!is_ordered(sign) && &b < &a) || (&a == &b && sign != '*') || s.is_over()) continue;
                if (sign == '+' || sign == '-' || (a.is.number && b.is.number)) continue;
                if ((sign == '*' && (is_number(a.is, "1.0f") || is_number(b.is, "1.0f"))) ||
                    (sign == '/' && b.is.number))
                    continue;
                Joined j{&a, &b, sign, {}};
                for (size_t g = 0; g < s.groups(); ++g)
                    j.sums.push_back(s.sum(g, [&](size_t r) { return j.at(r); }));
                const bool finite =
                    std::all_of(j.sums.begin(), j.sums.end(), [](double v) { return std::isfinite(v); });
                if (finite) out.push_back(std::move(j));
            }
    return out;
}

struct Summand {
    TermText is;
    const std::vector<double>* sums;
};

void look_at_sums(Summer& s, const std::vector<Joined>& twos) {
    std::vector<Summand> all;
    for (const Term& t : s.ones) all.push_back({t.is, &t.sums});
    for (const Joined& j : twos) all.push_back({joined(j.sign, j.a->is, j.b->is), &j.sums});
    const std::vector<double>& now = s.ones.front().sums;
    const auto fits = [&](const Summand& x, double sign, const Summand& y) {
        for (size_t g = 0; g < s.groups(); ++g)
            if (!(std::fabs((*x.sums)[g] + sign * (*y.sums)[g] - now[g] - s.more[g]) <= s.allowed[g]))
                return false;
        return true;
    };
    for (const Summand& x : all)
        if (!x.is.holds && fits(x, 0, x)) s.found.push_back(x.is);
    std::vector<const Summand*> sorted;
    for (const Summand& x : all) sorted.push_back(&x);
    std::sort(sorted.begin(), sorted.end(), [](const Summand* a, const Summand* b) {
        return a->sums->front() < b->sums->front();
    });
    const double w = now.front() + s.more.front(), off = s.allowed.front();
    for (const Summand& x : all)
        for (const double sign : {1.0, -1.0}) {
            const double y = sign * (w - x.sums->front());
            auto at = std::lower_bound(sorted.begin(), sorted.end(), y - off, [](const Summand* t, double v) {
                return t->sums->front() < v;
            });
            for (; at != sorted.end() && (*at)->sums->front() <= y + off; ++at) {
                const Summand& other = **at;
                const bool twice = sign > 0 && &other < &x;  // the other way round
                if (!twice && fits(x, sign, other))
                    s.found.push_back(joined(sign > 0 ? '+' : '-', x.is, other.is));
            }
        }
}

// `(a - b) * c`, `e * (a / b)`.
void look_at_products(Summer& s) {
    constexpr std::array kJoining = {'+', '-', '*', '/', kLeast, kMost};
    for (const Term& c : s.ones)
        for (const Term& a : s.ones)
            for (const Term& b : s.ones)
                for (const char sign : kJoining) {
                    if (s.is_over()) return;
                    const bool twice = (!is_ordered(sign) && &b < &a) || &a == &b;
                    if (twice || c.is.number || (a.is.number && b.is.number)) continue;
                    if (s.fits([&](size_t r) { return joined(sign, a.at[r], b.at[r]) * c.at[r]; }))
                        s.found.push_back(joined('*', joined(sign, a.is, b.is), c.is));
                    if (s.fits([&](size_t r) { return c.at[r] / joined(sign, a.at[r], b.at[r]); }))
                        s.found.push_back(joined('/', c.is, joined(sign, a.is, b.is)));
                }
}

struct Condition {
    std::string text, otherwise;  // and what holds where it does not
    std::vector<uint8_t> at;      // by row
    int score = 0;
};

// One side of a comparison, as it is written.
struct Side {
    std::string text;
    const std::vector<double>* at = nullptr;
    double more = 0;
    int score = 0;
};

// Of what holds in the same rows the first.
struct Conditions {
    Summer& s;
    std::vector<Condition> all = {};
    std::unordered_set<std::string> known = {};

    template <typename Holds>
    void add(std::string text, std::string otherwise, int score, const Holds& holds) {
        Condition c{std::move(text), std::move(otherwise), std::vector<uint8_t>(s.rows()), score};
        for (size_t r = 0; r < s.rows(); ++r) c.at[r] = holds(r) ? 1 : 0;
        s.work += static_cast<double>(s.rows());
        const auto where = static_cast<size_t>(std::count(c.at.begin(), c.at.end(), uint8_t{1}));
        if (where == 0 || where == c.at.size()) return;
        if (known.emplace(c.at.begin(), c.at.end()).second) all.push_back(std::move(c));
    }
    void compare(const Side& a, const Side& b) {
        constexpr std::array kOtherwise = {"!=", ">=", "<", "=="};  // of kComparisons
        for (size_t k = 0; k < kComparisons.size(); ++k)
            add(fmt::format("{} {} {}", a.text, kComparisons[k].text, b.text),
                fmt::format("{} {} {}", a.text, kOtherwise[k], b.text),
                a.score + b.score,
                [&](size_t r) { return kComparisons[k].holds((*a.at)[r] + a.more, (*b.at)[r] + b.more); });
    }
    void divide(const Side& a, const Side& b) {
        constexpr int kRemainder = 2;  // a score
        add(fmt::format("{} % {} == 0", a.text, b.text),
            fmt::format("{} % {} != 0", a.text, b.text),
            a.score + b.score + kRemainder,
            [&](size_t r) { return (*b.at)[r] != 0 && std::fmod((*a.at)[r] + a.more, (*b.at)[r]) == 0; });
    }
};

// `n`, `n + 1`, `n - 1`.
std::vector<Side> steps_of(const Term& t, const std::string& name) {
    constexpr int kStep = 2;  // a score
    std::vector<Side> out;
    for (const int more : {0, 1, -1}) {
        const char* form = more == 0 ? "{}" : more > 0 ? "{} + 1" : "{} - 1";
        Side side;
        side.text = fmt::format(fmt::runtime(form), name), side.at = &t.at, side.more = more;
        side.score = t.is.score + (more == 0 ? 0 : kStep);
        out.push_back(std::move(side));
    }
    return out;
}

// Comparisons of two of a kind; of whole numbers also with one more or less, and whether one divides the
// other.
std::vector<Condition> conditions_of(Summer& s) {
    Conditions out{s};
    const Term zero = number_term("0", 0, 1, s.rows()), one = number_term("1", 1, 1, s.rows());
    std::vector<const Term*> others = {&zero, &one};
    for (const Term& t : s.ones)
        if (!t.is.number) others.push_back(&t);
    for (const Term& a : s.ones) {
        if (a.is.number) continue;
        const std::string name = whole_name(a.is.text);
        const bool whole = !name.empty();
        for (const Term* b : others) {
            const std::string other = whole_name(b->is.text);
            if (b == &a || (!b->is.number && whole == other.empty()) || s.is_over()) continue;
            const std::string real = b->is.number ? b->is.text + ".0f" : b->is.text;
            const std::vector<Side> left = steps_of(a, whole ? name : a.is.text),
                                    right = steps_of(
                                        *b,
                                        !whole             ? real
                                            : b->is.number ? b->is.text
                                                           : other
                                    );
            const size_t steps = whole && !b->is.number ? right.size() : 1;
            for (size_t k = 0; k < steps; ++k) out.compare(left.front(), right[k]);
            if (steps == 1) continue;
            Side next = left[1];
            next.text = "(" + next.text + ")";
            out.divide(left.front(), right.front()), out.divide(next, right.front());
        }
    }
    return std::move(out.all);
}

// `c ? 0.0f : e`, `c ? v : e`, `c ? e * 2.0f : e`.
void look_at_conditions(Summer& s) {
    const Term& e = s.ones.front();
    const Term zero = number_term("0.0f", 0, 1, s.rows());
    std::vector<const Term*> values = {&zero};
    for (const Term& t : s.ones)
        if (!t.is.holds) values.push_back(&t);
    const std::vector<Condition> conditions = conditions_of(s);
    s.work = 0;
    for (const Condition& c : conditions) {
        const auto add = [&](const std::string& text, int score) {
            TermText t{text, c.score + score};
            t.holds = true, t.product = t.single = false;
            s.found.push_back(std::move(t));
        };
        for (const Term* v : values) {
            if (s.is_over()) return;
            if (!s.fits([&](size_t r) { return c.at[r] != 0 ? v->at[r] : e.at[r]; })) continue;
            if (v == &zero)
                add(fmt::format("{} ? {} : 0.0f", c.otherwise, e.is.text), 2);
            else
                add(fmt::format("{} ? {} : {}", c.text, v->is.text, e.is.text), 3);
        }
        for (const auto& [text, times] :
             {std::pair("{} ? 2.0f * {} : {}", 2.0), std::pair("{} ? -{} : {}", -1.0)})
            if (s.fits([&](size_t r) { return c.at[r] != 0 ? times * e.at[r] : e.at[r]; }))
                add(fmt::format(fmt::runtime(text), c.text, e.is.text, e.is.text), 4);
    }
}

}  // namespace

std::vector<std::string> summed(const Rows& rows, const SumWanted& wanted, size_t most) {
    const bool says = std::any_of(wanted.more.begin(), wanted.more.end(), [](double v) { return v != 0; }) &&
        !rows.texts.empty();
    if (rows.of.size() < kEnoughSums || !says) return {};
    Summer s = summer_of(rows, wanted);
    look_at_conditions(s);
    s.work = 0;
    const std::vector<Joined> twos = joined_of(s);
    look_at_sums(s, twos);
    s.work = 0;
    look_at_products(s);
    constexpr int kOther = 6, kDearer = 4;  // as of `formed`
    const auto score = [&](const TermText& t) { return t.score + (t.holds || t.single ? 0 : kOther); };
    std::stable_sort(s.found.begin(), s.found.end(), [&](const TermText& a, const TermText& b) {
        return std::tuple(score(a), a.text.size(), a.text) < std::tuple(score(b), b.text.size(), b.text);
    });
    std::vector<std::string> out;
    for (const TermText& t : s.found) {
        if (out.size() >= most || score(t) > score(s.found.front()) + kDearer) break;
        if (std::find(out.begin(), out.end(), t.text) == out.end()) out.push_back(t.text);
    }
    return out;
}

}  // namespace wl::diagnosis
