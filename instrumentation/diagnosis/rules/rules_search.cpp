// What no rule explains: a change of the program that mends it, searched for.
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/diagnosis/experiment.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/search/candidate_queue.h"
#include "instrumentation/diagnosis/search/idea.h"
#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/diagnosis/search/smaller_shape.h"
#include "instrumentation/diagnosis/search/suspicion.h"
#include "instrumentation/diagnosis/sequence_findings.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

// Nothing where it is one already, or there is no source to make it of.
std::optional<Experiment> other_build(const Symptoms& s) {
    if (s.experiment.options.debug) return std::nullopt;
    try {
        return debug_build_of(s.experiment);
    } catch (const Error&) { return std::nullopt; }
}

// On one line, and not longer than somebody reads.
std::string short_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool space = c == '\n' || c == '\t' || c == ' ';
        if (!space || (!out.empty() && out.back() != ' ')) out += space ? ' ' : c;
    }
    while (out.ends_with(' ')) out.pop_back();
    constexpr size_t kMost = 90;
    return out.size() <= kMost ? out : out.substr(0, kMost - 3) + "...";
}

std::string change_text(const std::string& was, const std::string& now) {
    if (was.empty()) return fmt::format("`{}` put in", short_text(now));
    if (now == ";") return fmt::format("`{}` left out", short_text(was));
    return fmt::format("`{}` in place of `{}`", short_text(now), short_text(was));
}
std::string change_text(const Mended& m) { return change_text(m.was, m.now); }

// Of several faults a change mends its own share.
std::string helpful_text(const Symptoms& s, const SearchResult& found) {
    if (!found.helpful) return {};
    const Helpful& h = *found.helpful;
    return fmt::format(
        " With {} at {} alone more elements are right, as many as {} % of the wrong ones, and nothing "
        "becomes worse: where several things are wrong, it may be one of them.",
        change_text(h.was, h.now),
        quoted(s.capture, h.where),
        h.of_1000 / 10
    );
}

std::string avoided_text(const Mended& m) {
    constexpr size_t kMost = 6;
    const std::vector<int>& lines = m.left_out;
    const auto told = static_cast<std::ptrdiff_t>(std::min(kMost, lines.size()));
    if (m.left_to_one)
        return fmt::format("with it one block or warp alone goes round the loop at line {}", lines.front());
    return fmt::format(
        "with it {} {}{} no longer executed, or only in part",
        lines.size() == 1 ? "line" : "lines",
        fmt::join(lines.begin(), lines.begin() + told, ", "),
        lines.size() == 1          ? " is"
            : lines.size() > kMost ? " and others are"
                                   : " are"
    );
}

// What comes right as it leaves out what is wrong is no cause.
std::string around_text(const Symptoms& s, const SearchResult& found) {
    if (!found.context) return {};
    if (!found.context->behind.empty())
        return fmt::format(
            " With {} at {} every result of this launch comes inside its bound, but {}.",
            change_text(found.context->was, found.context->now),
            quoted(s.capture, found.context->where),
            found.context->behind
        );
    return fmt::format(
        " With {} at {} every result comes inside its bound, but {}: it goes around what is wrong, which may "
        "lie there.",
        change_text(found.context->was, found.context->now),
        quoted(s.capture, found.context->where),
        avoided_text(*found.context)
    );
}

std::string title_of(const Mended& m) {
    if (m.was.empty()) return fmt::format("`{}` is missing", short_text(m.now));
    if (m.now == ";") return fmt::format("`{}` should not be there", short_text(m.was));
    return fmt::format("`{}` should be `{}`", short_text(m.was), short_text(m.now));
}

// Titled and placed as well.
std::string besides_text(const Symptoms& s, const Mended& m, capture::Finding& f) {
    std::string out;
    for (const auto& b : m.besides) {
        f.other = f.where, f.other.file = b.where.file, f.other.line = b.where.line;
        const Mended other{m.rule, b.was, b.now, f.other, {}, {}, {}, {}, {}, {}};
        const bool same_file = b.where.file == m.where.file;
        const std::string line = same_file ? fmt::format("line {}", b.where.line) : place(b.where);
        f.title += fmt::format(", and at {} {}", line, title_of(other));
        out += fmt::format(", and {} at {}", change_text(other), quoted(s.capture, f.other));
    }
    return out.empty() ? out : out + ",";
}

capture::Finding finding_of(const Symptoms& s, const Mended& m) {
    capture::Finding f;
    f.rule = m.rule;
    f.where = m.where;
    if (f.where.launch == 0) f.where.block = s.block;
    f.title = title_of(m);
    f.explanation = fmt::format(
        "With {} at {}{} {}.",
        change_text(m),
        quoted(s.capture, f.where),
        besides_text(s, m, f),
        m.unjudged ? "no fault is left" : "every result comes inside its bound"
    );
    if (!m.remark.empty()) f.explanation += " " + m.remark;
    if (!m.remains.empty())
        f.explanation += fmt::format(
            " That is this shape alone: {}. It covers what is wrong here, and is hardly what is meant.",
            m.remains
        );
    Proof proof{m.proof, m.warp_instructions, m.lacks};
    if (proof.lacks.empty()) proof.lacks = m.remains;
    if (proof.lacks.empty() && !m.left_out.empty()) proof.lacks = avoided_text(m);
    f.evidence_kind = kind_of(proof);
    f.proof = text_of(proof);
    return f;
}

void offer_patch(const Symptoms& s, const Mended& m) {
    const Options& options = s.experiment.options;
    if (!m.patch.empty() && options.on_patch) options.on_patch(m.patch);
}

std::string tried_text(const SearchResult& found) {
    if (!found.unsupported.empty()) return fmt::format("No change was tried: {}.", found.unsupported);
    if (found.tried == 0 && found.refused > 0)
        return fmt::format("No change was tried: none of {} compiles.", found.refused);
    if (found.tried == 0 && found.timed_out)
        return "No change of the program was tried: the time for the search was up before the first one.";
    const std::string refused = found.refused > 0 ? fmt::format(" {} do not compile.", found.refused) : "";
    const std::string made = found.made > 0 ? fmt::format(", and {} that were made of them", found.made) : "";
    const char* const time =
        found.timed_out ? " The time for the search was up before the work was done." : "";
    return fmt::format(
        "Of {} small changes of the program {} were tried{}; none mends it.{}{}",
        found.candidates,
        found.tried - found.made,
        made,
        refused,
        time
    );
}

// What is reported of it.
Ruled ruled_of(const Symptoms& s, const SearchResult& found) {
    Ruled out;
    if (found.mended.empty()) {
        out.tried = tried_text(found);
        out.tried += helpful_text(s, found) + around_text(s, found);
        return out;
    }
    capture::Finding f = finding_of(s, found.mended.front());
    offer_patch(s, found.mended.front());
    for (size_t k = 1; k < found.mended.size(); ++k)
        f.explanation += fmt::format(
            " So it does with {} at {}.",
            change_text(found.mended[k]),
            quoted(s.capture, found.mended[k].where)
        );
    if (found.mended.size() > 1)
        f.explanation += " Values alone do not tell which of them was meant; the first is the likeliest.";
    f.evidence = {
        {"tried",      static_cast<double>(found.tried)     },
        {"candidates", static_cast<double>(found.candidates)}
    };
    if (found.mended.front().no_fault_left) f.evidence.emplace_back(kNoFaultLeft, 1);
    capture::add_ran(found.mended.front().ran, f);
    out.findings.push_back(std::move(f));
    out.explains = out.mends = true;
    return out;
}

// Of two searches of the same changes, what the longer one tried.
void count_most(SearchResult& found, const SearchResult& before) {
    if (found.tried < before.tried)
        found.tried = before.tried, found.made = before.made, found.refused = before.refused;
}

// An access whose address says nothing of where that comes from.
bool goes_astray(const Symptoms& s) {
    using Kind = execution::Incident::Kind;
    return std::any_of(s.incidents.begin(), s.incidents.end(), [](const execution::Incident& i) {
        return i.kind == Kind::out_of_bounds || i.kind == Kind::misaligned;
    });
}

}  // namespace

Ruled idea_rule(const Symptoms& s) {
    Ruled out;
    if (s.first_bad < 0 && s.incidents.empty()) return out;
    for (const std::string& text : s.experiment.options.ideas) {
        const Idea idea = parse_idea(text);
        if (s.prover.time_is_up) {
            add_sentence(out.tried, fmt::format("`{}` was not tried: the time of --search was up.", text));
            continue;
        }
        const Tried tried = try_idea(s, idea);
        if (tried.mended) {
            if (out.findings.empty()) offer_patch(s, *tried.mended);
            out.findings.push_back(finding_of(s, *tried.mended));
            capture::add_ran(tried.mended->ran, out.findings.back());
            out.explains = out.mends = true;
        } else {
            add_sentence(out.tried, fmt::format("`{}` does not mend it: {}.", text, tried.text));
        }
    }
    return out;
}

namespace {

// One search after the other, until one finds something; into `found` what is known so far.
void find_change(const Symptoms& s, Work& spent, SearchResult& found) {
    constexpr double kMostShrinking = 0.1, kSmaller = 0.7;  // of the work
    constexpr uint64_t kWorth = kWorkPerSecond;             // of a second search
    const uint64_t whole = work_within(s.experiment.options.search_seconds);
    const auto left = [&] { return whole - std::min<uint64_t>(spent, whole); };
    const auto part = [&](double of) {
        return spent + static_cast<uint64_t>(of * static_cast<double>(left()));
    };
    const std::unique_ptr<SmallerShape> smaller =
        smaller_shape(s, {spent, part(kMostShrinking), part(2 * kMostShrinking)});
    const Symptoms& tried_on = smaller ? *smaller->symptoms : s;
    const std::optional<Experiment> debug = other_build(tried_on);
    const Experiment& build = debug ? *debug : tried_on.experiment;
    std::vector<Suspect> suspects = suspects_of(s);
    const std::vector<Suspect> made_by = lines_of_wrong(tried_on, build);
    suspects.insert(suspects.end(), made_by.begin(), made_by.end());
    const auto add_all = [&] {
        const std::vector<Suspect> all = lines_of_kernel(build);
        suspects.insert(suspects.end(), all.begin(), all.end());
    };
    if (made_by.empty() && goes_astray(s)) add_all();
    std::shared_ptr<const compile::Quick> read;
    const auto search = [&](const Symptoms& on, uint64_t limit) {
        SearchResult next = search_source(s, on, suspects, {spent, limit, whole}, read);
        count_most(next, found);
        if (!next.helpful) next.helpful = found.helpful;
        found = std::move(next);
    };
    if (smaller) {
        search(tried_on, part(kSmaller));
        for (Mended& m : found.mended) m.proof += "; found with " + smaller->name;
    }
    const auto goes_on = [&] { return found.mended.empty() && !found.timed_out; };
    if (goes_on() && (!smaller || left() > kWorth)) search(s, whole);
    // What took no part may be what should have.
    if (goes_on() && found.unsupported.empty() && !made_by.empty() && left() > kWorth) {
        add_all();
        search(s, whole);
    }
    if (goes_on() && !found.unsupported.empty()) {
        const std::optional<Experiment> whole_build = smaller ? other_build(s) : std::nullopt;
        const Experiment& searched = smaller ? whole_build ? *whole_build : s.experiment : build;
        found = search_program(s, searched, suspects, {spent, whole, whole});
    }
}

}  // namespace

Ruled search_rule(const Symptoms& s) {
    const std::vector<capture::Output>& outputs = s.capture.outputs;
    const bool missed = std::any_of(outputs.begin(), outputs.end(), [](const capture::Output& o) {
        return o.of.wanted && o.of.unwritten > 0;
    });
    const bool wrong = s.first_bad >= 0 || !s.incidents.empty() || missed;
    if (s.experiment.options.search_seconds <= 0 || !wrong || !s.experiment.reference) return {};
    Work spent = 0;
    SearchResult found;
    try {
        const CountedWork counted(&spent);
        find_change(s, spent, found);
    } catch (const Stopped&) {
        if (stop_signal() != 0) throw;
        found.timed_out = true;
    }
    count_work(static_cast<double>(spent));  // for a sequence, whose launches share what there is
    return ruled_of(s, found);
}

}  // namespace wl::diagnosis
