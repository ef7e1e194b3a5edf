#include "instrumentation/diagnosis/rewrite/missing/subscripts.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr size_t kMostAlike = 8, kMostRows = 12, kMostNumbers = 10, kMostSums = 8;
constexpr int kAlike = 8, kRows = 15;  // a log prior

using Subscripts = std::vector<Subscript>;

void add(Subscripts& out, std::string text, size_t most, int bias) {
    const bool known =
        std::any_of(out.begin(), out.end(), [&](const Subscript& s) { return s.text == text; });
    if (out.size() < most && !known) out.push_back({std::move(text), bias});
}

std::string factor(const std::string& text) {
    return text.find_first_of("+-") == text.npos ? text : "(" + text + ")";
}

// `y * w + x` of `x < w` and `y < h`, `(f * h + y) * w + x` with another number of the function before them,
// and `first + y * w + x`.
void add_rows(const Writer& w, const Body& body, int here, Subscripts& out) {
    const std::vector<Coordinate> all = coordinates_at(w, body, here);
    std::vector<std::string> outer;
    const auto is_extent = [&](const std::string& name) {
        return std::any_of(all.begin(), all.end(), [&](const Coordinate& c) { return c.extent == name; });
    };
    for (const Variable* v : visible(w.s, here))
        if (is_whole(*v) && is_own(body, *v) && !is_extent(v->name)) outer.push_back(v->name);
    for (const char axis : w.context.axes) outer.push_back(fmt::format("blockIdx.{}", axis));
    std::vector<std::string> pairs, more;
    for (const Coordinate& c : all) {
        for (const Coordinate& r : all) {
            if (r.text == c.text) continue;
            pairs.push_back(fmt::format("[{} * {} + {}]", factor(r.text), c.extent, c.text));
            for (const std::string& o : outer)
                if (o != r.text && o != c.text && o != c.extent && o != r.extent)
                    more.push_back(
                        fmt::format("[({} * {} + {}) * {} + {}]", o, r.extent, r.text, c.extent, c.text)
                    );
        }
        for (const std::string& o : outer)
            if (o != c.text && o != c.extent)
                pairs.push_back(fmt::format("[{} * {} + {}]", o, c.extent, c.text));
    }
    const size_t most = out.size() + kMostRows;
    for (const std::vector<std::string>* list : {&pairs, &more})
        for (const std::string& text : *list) add(out, text, list == &pairs ? most : most + kMostRows, kRows);
}

// `[ty * ld + i]` and `[i * ld + tx]` of `[ty * ld + tx]`, where a loop over i is around.
void add_by_loop(const Writer& w, const Body& body, const Variable& of, int here, Subscripts& out) {
    const Variable* i = nullptr;
    for (const Variable* v : visible(w.s, here))
        if (i == nullptr && is_whole(*v) && is_own(body, *v) && loop_of(body, *v) != nullptr) i = v;
    if (i == nullptr) return;
    for (int k = body.open + 1; k < body.close; ++k) {
        if (variable_at(w.s, k) != &of || of.from == k || !w.s.is(k + 1, "[")) continue;
        const int last = end_of_element(w.s, k);
        if (!all_known(w.s, k + 1, w.s.words(k + 1, last), here)) continue;
        for (int at = k + 2; at < last; ++at) {
            const Variable* const u = variable_at(w.s, at);
            if (u == nullptr || u == i || !is_whole(*u) || !is_own(body, *u)) continue;
            add(out, renamed(w.s, k + 1, last, u->name, i->name), out.size() + 1, kAlike);
        }
        return;
    }
}

}  // namespace

std::vector<Coordinate> coordinates_at(const Writer& w, const Body& body, int here) {
    constexpr size_t kMost = 6;
    constexpr int kLongest = 5;  // tokens
    std::vector<Coordinate> out;
    for (int k = here - 1; k > body.open && out.size() < kMost; --k) {
        const bool compares = w.s.is(k, "<") || w.s.is(k, ">=");
        if (!compares || precedence(w.s, k) == 0 || is_template_angle(w.s, k)) continue;
        const Operands o = operands_of(w.s, k);
        const bool fits =
            k - o.left <= kLongest && o.right - k <= kLongest && !holds_real(w.s, o.left, o.right);
        if (!fits || w.s.at(o.left).kind == Token::Kind::number) continue;
        const Coordinate c{w.s.words(o.left, k - 1), w.s.words(k + 1, o.right)};
        const bool known = all_known(w.s, o.left, w.s.words(o.left, o.right), here);
        const bool twice = std::any_of(out.begin(), out.end(), [&](const Coordinate& other) {
            return other.text == c.text;
        });
        if (known && !twice) out.push_back(c);
    }
    return out;
}

Subscripts subscripts_at(const Writer& w, const Body& body, const Variable& of, int here) {
    Subscripts out;
    for (const bool own : {true, false})
        for (int k = body.open + 1; k < body.close; ++k) {
            const Variable* const v = variable_at(w.s, k);
            const bool alike = v != nullptr && v->from != k && v->indirections == of.indirections;
            if (!alike || (v == &of) != own || !w.s.is(k + 1, "[")) continue;
            const int last = end_of_element(w.s, k);
            if (!all_known(w.s, k + 1, w.s.words(k + 1, last), here)) continue;
            add(out, w.s.words(k + 1, last), kMostAlike, kAlike);
            // The other way round.
            const int middle = w.s.at(k + 1).match;
            if (of.indirections == 2 && middle > 0 && middle < last)
                add(out, w.s.words(middle + 1, last) + w.s.words(k + 1, middle), kMostAlike, 0);
        }
    add_by_loop(w, body, of, here, out);
    if (of.indirections > 1) return out;
    // What loops count by first.
    std::vector<const Variable*> numbers;
    for (const Variable* v : visible(w.s, here))
        if (is_whole(*v) && !v->of_file && !v->parameter) numbers.push_back(v);
    const auto loops = std::stable_partition(numbers.begin(), numbers.end(), [&](const Variable* v) {
        return loop_of(body, *v) != nullptr;
    });
    for (auto v = numbers.begin(); v != loops; ++v) add(out, "[" + (*v)->name + "]", out.size() + 1, kAlike);
    add_rows(w, body, here, out);
    for (size_t most = out.size() + kMostNumbers; const Variable* v : numbers)
        add(out, "[" + v->name + "]", most, 0);
    for (size_t most = out.size() + kMostSums; const std::string& e : whole_expressions(w.s, body, here))
        add(out, "[" + e + "]", most, 0);
    if (is_shared(w.s, of)) add(out, "[threadIdx.x / 32]", out.size() + 1, kAlike);
    for (const char* place : {"[threadIdx.x]", "[blockIdx.x]"}) add(out, place, out.size() + 1, 0);
    return out;
}

}  // namespace wl::diagnosis::rewrite
