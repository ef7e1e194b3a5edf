// Fault switches decided, then Myers' greedy algorithm over lines.
#include "instrumentation/analysis/source_diff.h"

#include "instrumentation/base/fault_macro.h"
#include "instrumentation/base/lines.h"
#include "instrumentation/base/os/stop.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <span>
#include <sstream>

namespace wl::analysis {
namespace {

constexpr int kLinesBetweenLooks = 4096;  // whether a signal asked us to stop

// ---- conditionals

// Truth of `defined(X)`, `!`, `&&`, `||` and parentheses over WL_FAULT_ names; nothing for anything else.
struct Condition {
    const std::string& text;
    const std::set<std::string>& on;
    size_t at = 0;
    bool understood = true;

    bool take(const std::string& token) {
        while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
        if (text.compare(at, token.size(), token) != 0) return false;
        at += token.size();
        return true;
    }
    std::string word() {
        take("");
        size_t end = at;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
            ++end;
        std::string out = text.substr(at, end - at);
        at = end;
        return out;
    }
    bool is_on(const std::string& name) {
        understood = understood && name.starts_with("WL_FAULT_");
        return on.contains(name);
    }
    bool primary() {
        if (take("!")) return !primary();
        if (take("(")) {
            const bool value = either();
            understood = take(")") && understood;
            return value;
        }
        understood = word() == "defined" && understood;
        const bool open = take("(");
        const bool value = is_on(word());
        if (open) understood = take(")") && understood;
        return value;
    }
    bool both() {
        bool value = primary();
        while (understood && take("&&")) value = primary() && value;
        return value;
    }
    bool either() {
        bool value = both();
        while (understood && take("||")) value = both() || value;
        return value;
    }
};

// What a directive asks; nothing when it asks about something else than faults.
std::optional<bool> decide(
    const std::string& word, const std::string& rest, const std::set<std::string>& on
) {
    std::string condition = rest;
    for (const char* comment : {"//", "/*"}) condition = condition.substr(0, condition.find(comment));
    Condition c{condition, on};
    bool value = false;
    if (word == "ifdef" || word == "ifndef") {
        value = c.is_on(c.word()) == (word == "ifdef");
    } else {
        value = c.either();
    }
    c.take("");
    if (!c.understood || c.at != condition.size()) return std::nullopt;
    return value;
}

struct Level {
    bool decided = false;  // a conditional over faults: its directives vanish
    bool shown = true;     // its current branch is compiled
    bool taken = false;    // one of its branches was
};

struct Directive {
    std::string word, rest;
};
Directive directive_of(std::string_view line) {
    const size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string_view::npos || line[hash] != '#') return {};
    std::istringstream words(std::string(line.substr(hash + 1)));
    Directive d;
    words >> d.word;
    std::getline(words, d.rest);
    return d;
}

// ---- diff

// For d = 0, 1, ...: the furthest x after d - 1 edits on the diagonals -d to d; the path is read off
// backwards.
using Trace = std::vector<std::vector<int>>;
using Lines = std::span<const SourceLine>;

// How many lines at these two ends are the same.
template <class A, class B>
size_t equal_ends(A a, const A& end_a, B b, const B& end_b) {
    size_t n = 0;
    for (; a != end_a && b != end_b && a->text == b->text; ++a, ++b) ++n;
    return n;
}

Trace forward(Lines a, Lines b, bool& complete) {
    const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
    const int most = std::min(n + m, kMostEdits);
    std::vector<int> furthest(static_cast<size_t>(2 * most + 3), 0);
    const auto at = [&](int k) -> int& { return furthest[static_cast<size_t>(k + most + 1)]; };
    Trace trace;
    complete = true;
    for (int d = 0; d <= most; ++d) {
        check_stop();
        trace.emplace_back(furthest.begin() + (most + 1 - d), furthest.begin() + (most + 2 + d));
        for (int k = -d; k <= d; k += 2) {
            const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
            int x = down ? at(k + 1) : at(k - 1) + 1;
            while (x < n && x - k < m && a[static_cast<size_t>(x)].text == b[static_cast<size_t>(x - k)].text)
                ++x;
            at(k) = x;
            if (x >= n && x - k >= m) return trace;
        }
    }
    complete = false;
    return trace;
}

// From both ends back to the start, an edit and the equal lines behind it at a time; then turned round.
std::vector<DiffLine> backward(Lines a, Lines b, const Trace& trace) {
    std::vector<DiffLine> out;
    int x = static_cast<int>(a.size()), y = static_cast<int>(b.size());
    const auto step_back_to = [&](int to) {
        while (x > to) {
            --x, --y;
            const SourceLine &left = a[static_cast<size_t>(x)], &right = b[static_cast<size_t>(y)];
            out.push_back({' ', left.number, right.number, left.text});
        }
    };
    for (int d = static_cast<int>(trace.size()) - 1; d > 0; --d) {
        const auto before = [&](int k) { return trace[static_cast<size_t>(d)][static_cast<size_t>(k + d)]; };
        const int k = x - y;
        const bool down = k == -d || (k != d && before(k - 1) < before(k + 1));
        step_back_to(down ? before(k + 1) : before(k - 1) + 1);
        const SourceLine& line = down ? b[static_cast<size_t>(--y)] : a[static_cast<size_t>(--x)];
        out.push_back({down ? '+' : '-', down ? 0 : line.number, down ? line.number : 0, line.text});
    }
    step_back_to(0);
    std::reverse(out.begin(), out.end());
    return out;
}

std::vector<DiffLine> replaced(Lines a, Lines b) {
    std::vector<DiffLine> out;
    out.reserve(a.size() + b.size());
    for (const SourceLine& line : a) out.push_back({'-', line.number, 0, line.text});
    for (const SourceLine& line : b) out.push_back({'+', 0, line.number, line.text});
    return out;
}

}  // namespace

std::vector<SourceLine> decided_lines(std::string_view text, const std::vector<std::string>& faults) {
    std::set<std::string> on;
    for (const std::string& f : faults) on.insert(fault_macro(f));
    std::vector<SourceLine> out;
    std::vector<Level> levels;
    size_t hidden = 0;  // of the levels: in a branch that is not taken
    const auto shown = [&] { return hidden == 0; };
    int number = 0;
    for (const std::string_view line : lines_of(text)) {
        if (number++ % kLinesBetweenLooks == 0) check_stop();
        const auto [word, rest] = directive_of(line);
        if (word == "if" || word == "ifdef" || word == "ifndef") {
            const std::optional<bool> truth = decide(word, rest, on);
            const bool visible = !truth && shown();
            levels.push_back({truth.has_value(), truth.value_or(true), truth.value_or(true)});
            hidden += levels.back().shown ? 0 : 1;
            if (!visible) continue;
        } else if (!levels.empty() && levels.back().decided && (word == "elif" || word == "else")) {
            Level& l = levels.back();
            const bool truth = word == "else" || decide(word, rest, on).value_or(true);
            hidden -= l.shown ? 0 : 1;
            l.shown = !l.taken && truth, l.taken = l.taken || l.shown;
            hidden += l.shown ? 0 : 1;
            continue;
        } else if (word == "endif" && !levels.empty()) {
            const bool decided = levels.back().decided;
            hidden -= levels.back().shown ? 0 : 1;
            levels.pop_back();
            if (decided) continue;
        }
        if (shown()) out.push_back({number, line});
    }
    return out;
}

std::vector<DiffLine> diff_lines(const std::vector<SourceLine>& a, const std::vector<SourceLine>& b) {
    bool complete = false;
    const Lines all_a(a), all_b(b);
    const size_t before = equal_ends(all_a.begin(), all_a.end(), all_b.begin(), all_b.end()),
                 behind =
                     equal_ends(all_a.rbegin(), all_a.rend() - before, all_b.rbegin(), all_b.rend() - before);
    const Lines x = all_a.subspan(before, a.size() - before - behind),
                y = all_b.subspan(before, b.size() - before - behind);
    const Trace trace = forward(x, y, complete);
    const std::vector<DiffLine> between = complete ? backward(x, y, trace) : replaced(x, y);
    std::vector<DiffLine> out;
    out.reserve(before + between.size() + behind);
    const auto same = [&](size_t at_a, size_t at_b) {
        out.push_back({' ', a[at_a].number, b[at_b].number, a[at_a].text});
    };
    for (size_t k = 0; k < before; ++k) same(k, k);
    out.insert(out.end(), between.begin(), between.end());
    for (size_t k = behind; k > 0; --k) same(a.size() - k, b.size() - k);
    return out;
}

std::vector<Hunk> hunks(const std::vector<DiffLine>& lines, size_t context) {
    std::vector<Hunk> out;
    size_t end = 0;  // of the last hunk, in lines
    for (size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].mark == ' ') continue;
        const size_t begin = i > context ? i - context : 0;
        if (out.empty() || begin > end) {
            out.emplace_back();
            end = begin;
        }
        const size_t stop = std::min(lines.size(), i + context + 1);
        for (; end < stop; ++end) {
            const DiffLine& l = lines[end];
            out.back().push_back({l.mark, l.a, l.b, std::string(l.text)});
        }
    }
    return out;
}

Hunk reversed(const Hunk& hunk) {
    Hunk out = hunk;
    for (HunkLine& l : out) {
        std::swap(l.a, l.b);
        if (l.mark != ' ') l.mark = l.mark == '-' ? '+' : '-';
    }
    // In a run of changed lines those that go stand before those that come.
    for (auto at = out.begin(); at != out.end();) {
        const auto end = std::find_if(at, out.end(), [](const HunkLine& l) { return l.mark == ' '; });
        std::stable_partition(at, end, [](const HunkLine& l) { return l.mark == '-'; });
        at = end == out.end() ? end : std::next(end);
    }
    return out;
}

std::string unified(const Hunk& hunk) {
    int first_a = 0, first_b = 0, count_a = 0, count_b = 0;
    std::string body;
    for (const HunkLine& l : hunk) {
        if (l.a > 0) ++count_a, first_a = first_a == 0 ? l.a : first_a;
        if (l.b > 0) ++count_b, first_b = first_b == 0 ? l.b : first_b;
        body += l.mark + l.text + "\n";
    }
    const auto range = [](int first, int n) {
        return n == 1 ? std::to_string(first) : std::to_string(first) + "," + std::to_string(n);
    };
    return "@@ -" + range(first_a, count_a) + " +" + range(first_b, count_b) + " @@\n" + body;
}

}  // namespace wl::analysis
