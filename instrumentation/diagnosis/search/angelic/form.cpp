// From small to large: operands, functions of them, two joined, functions of these, and two of these joined,
// where one of both follows from the other and what is wanted.
#include "instrumentation/diagnosis/search/angelic/form.h"

#include "instrumentation/diagnosis/search/angelic/terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace wl::diagnosis {

namespace {

constexpr size_t kPlaces = 8;  // that expressions are made for; trials tell about the others

struct Term {
    TermText is;
    std::array<double, kPlaces> at = {};
};

using Terms = std::vector<Term>;

Term joined(char sign, const Term& a, const Term& b, size_t places) {
    Term out{wl::diagnosis::joined(sign, a.is, b.is)};
    for (size_t p = 0; p < places; ++p) out.at[p] = wl::diagnosis::joined(sign, a.at[p], b.at[p]);
    return out;
}

struct Former {
    size_t places = 0;
    const std::array<double, kPlaces>& wanted;
    const std::array<double, kPlaces>& allowed;
    Terms found = {};

    bool is_finite(const Term& t) const {
        return std::all_of(t.at.begin(), t.at.begin() + static_cast<std::ptrdiff_t>(places), [](double v) {
            return std::isfinite(v);
        });
    }
    bool fits(const Term& t) const {
        for (size_t p = 0; p < places; ++p)
            if (!(std::fabs(t.at[p] - wanted[p]) <= allowed[p])) return false;
        return true;
    }
    void look_at(const Terms& all) {
        for (const Term& t : all)
            if (fits(t)) found.push_back(t);
    }
};

constexpr int kAny = 99, kCheap = 4;  // functions up to that score
Terms functions_of(const Former& f, const Terms& all, int dearest) {
    Terms out;
    for (const Term& t : all)
        for (const Function& function : kFunctions) {
            if (t.is.number || function.score > dearest) continue;
            Term of{function_of(function, t.is)};
            bool other = false;
            for (size_t p = 0; p < f.places; ++p)
                of.at[p] = function.of(t.at[p]), other = other || of.at[p] != t.at[p];
            if (other && f.is_finite(of)) out.push_back(std::move(of));
        }
    return out;
}

// Something shorter has the same value, or is how one writes it.
bool says_as_much(char sign, const Term& a, const Term& b) {
    const auto is = [&](double v) { return (a.is.number && a.at[0] == v) || (b.is.number && b.at[0] == v); };
    const bool call = sign == kLeast || sign == kMost;
    return (a.is.number && b.is.number) || (sign == '*' && is(1)) || (sign == '/' && b.is.number) ||
        (is(0) && !call);
}

Terms pairs_of(const Former& f, const Terms& all) {
    Terms out;
    for (size_t a = 0; a < all.size(); ++a)
        for (size_t b = 0; b < all.size(); ++b)
            for (const char sign : kSigns) {
                if ((!is_ordered(sign) && b < a) || (a == b && sign != '*')) continue;
                if (says_as_much(sign, all[a], all[b])) continue;
                Term t = joined(sign, all[a], all[b], f.places);
                if (f.is_finite(t)) out.push_back(std::move(t));
            }
    return out;
}

// `x op y` that is what is wanted: y follows, and is looked up.
void look_at_joined(Former& f, const Terms& xs, Terms ys) {
    std::sort(ys.begin(), ys.end(), [](const Term& a, const Term& b) { return a.at[0] < b.at[0]; });
    const auto look = [&](const Term& x, char sign, bool swapped, double y, double off) {
        if (!std::isfinite(y)) return;
        auto at = std::lower_bound(ys.begin(), ys.end(), y - off, [](const Term& t, double v) {
            return t.at[0] < v;
        });
        for (; at != ys.end() && at->at[0] <= y + off; ++at) {
            Term t = swapped ? joined(sign, *at, x, f.places) : joined(sign, x, *at, f.places);
            if (f.fits(t)) f.found.push_back(std::move(t));
        }
    };
    const double w = f.wanted[0], d = f.allowed[0];
    for (const Term& x : xs) {
        const double v = x.at[0];
        look(x, '+', false, w - v, d), look(x, '-', false, v - w, d), look(x, '-', true, w + v, d);
        if (v == 0) continue;
        look(x, '*', false, w / v, std::fabs(d / v)), look(x, '/', true, w * v, std::fabs(d * v));
        if (w != 0) look(x, '/', false, v / w, std::fabs(v / w * (d / w)));
    }
}

// Places that are least alike: what reads the same twice says nothing more.
std::vector<size_t> told_apart(const std::vector<AtHandValues>& all, const Wanted& wanted) {
    std::vector<size_t> out;
    for (size_t p = 0; p < wanted.at.size() && out.size() < kPlaces; ++p) {
        const bool known = std::any_of(out.begin(), out.end(), [&](size_t o) {
            const auto same = [&](const AtHandValues& v) { return v.at[p] == v.at[o]; };
            return wanted.at[p] == wanted.at[o] && std::all_of(all.begin(), all.end(), same);
        });
        if (!known) out.push_back(p);
    }
    return out;
}

void look_at_all(Former& f, const Terms& ones, const Terms& of_ones, const Terms& twos) {
    const Terms of_twos = functions_of(f, twos, kCheap);
    f.look_at(of_twos);
    Terms xs = ones, ys = twos;
    xs.insert(xs.end(), of_ones.begin(), of_ones.end());
    ys.insert(ys.end(), of_ones.begin(), of_ones.end());
    ys.insert(ys.end(), of_twos.begin(), of_twos.end());
    look_at_joined(f, xs, std::move(ys)), look_at_joined(f, twos, twos);
}

// `a * b`, `a / b`, and half of it.
Terms products_of(const Former& f, const Terms& twos) {
    Terms out;
    Term half{
        {"0.5f", 1}
    };
    half.at.fill(0.5);
    for (const Term& t : twos) {
        if (!t.is.product) continue;
        out.push_back(t);
        if (t.is.text.find('.') == std::string::npos) out.push_back(joined('*', half, t, f.places));
    }
    return out;
}

// With what stands there, and short; of what it is multiplied by, quotients as `n / (n - 1)`.
void look_at_likely(Former& f, const Terms& ones, const Terms& of_ones, const Terms& twos, bool holds) {
    const auto now = std::find_if(ones.begin(), ones.end(), [](const Term& t) { return t.is.holds; });
    if (holds && now != ones.end()) {
        Terms ys = functions_of(f, twos, kCheap), products = products_of(f, twos);
        ys.insert(ys.end(), twos.begin(), twos.end()), ys.insert(ys.end(), of_ones.begin(), of_ones.end());
        ys.insert(ys.end(), products.begin(), products.end());
        look_at_joined(f, {*now}, std::move(ys));
    }
    const size_t from = f.found.size();
    if (!holds) f.look_at(functions_of(f, twos, kCheap)), look_at_joined(f, ones, twos);
    constexpr int kDear = 6;
    const auto dear = [](const Term& t) { return t.is.score > kDear; };
    f.found.erase(
        std::remove_if(f.found.begin() + static_cast<std::ptrdiff_t>(from), f.found.end(), dear),
        f.found.end()
    );
    std::erase_if(f.found, [&](const Term& t) { return holds && !t.is.holds && t.is.score > 2; });
}

}  // namespace

std::vector<std::string> formed(
    const std::vector<AtHandValues>& all, size_t itself, const Wanted& wanted, size_t most
) {
    const std::vector<size_t> places = told_apart(all, wanted);
    if (places.empty()) return {};
    std::array<double, kPlaces> w = {}, d = {};
    for (size_t p = 0; p < places.size(); ++p) w[p] = wanted.at[places[p]], d[p] = wanted.allowed[places[p]];
    Former f{places.size(), w, d};
    Terms ones;
    for (size_t k = 0; k < all.size(); ++k) {
        Term t{
            {all[k].text, 2, k == itself}
        };
        for (size_t p = 0; p < places.size(); ++p) t.at[p] = all[k].at[places[p]];
        // What is zero everywhere is not set yet, as a rule.
        const bool set = std::any_of(t.at.begin(), t.at.end(), [](double v) { return v != 0; });
        if (f.is_finite(t) && (set || k == itself)) ones.push_back(std::move(t));
    }
    constexpr std::array<std::pair<double, int>, 7> kNumbers = {
        {{0, 1}, {1, 1}, {2, 1}, {0.5, 1}, {3, 3}, {4, 3}, {1.5, 4}}
    };
    for (const auto& [v, score] : kNumbers) {
        Term t{
            {fmt::format("{:.1f}f", v), score}
        };
        t.is.number = true, t.at.fill(v), ones.push_back(std::move(t));
    }
    const Terms of_ones = functions_of(f, ones, kAny), twos = pairs_of(f, ones);
    f.look_at(ones), f.look_at(of_ones), f.look_at(twos);
    if (f.places >= kEnoughPlaces)
        look_at_all(f, ones, of_ones, twos);
    else
        look_at_likely(f, ones, of_ones, twos, itself < all.size());
    constexpr int kOther = 6;  // of what is long and makes nothing of what stands there
    const auto score = [&](const Term& t) {
        return t.is.score + (t.is.holds || t.is.single || itself >= all.size() ? 0 : kOther);
    };
    std::stable_sort(f.found.begin(), f.found.end(), [&](const Term& a, const Term& b) {
        return std::tuple(score(a), a.is.text.size(), a.is.text) <
            std::tuple(score(b), b.is.text.size(), b.is.text);
    });
    // Of few places what is much longer than the shortest is so by chance, too.
    const int dearest = f.found.empty() ? 0 : score(f.found.front()) + (f.places >= kEnoughPlaces ? 3 : 1);
    std::vector<std::string> out;
    for (const Term& t : f.found) {
        if (out.size() >= most || score(t) > dearest) break;
        if (std::find(out.begin(), out.end(), t.is.text) == out.end()) out.push_back(t.is.text);
    }
    return out;
}

}  // namespace wl::diagnosis
