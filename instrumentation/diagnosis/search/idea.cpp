// One change that is given, on what the search tries its own.
#include "instrumentation/diagnosis/search/idea.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/search/lab.h"
#include "instrumentation/diagnosis/search/other_shape.h"
#include "instrumentation/diagnosis/search/source_change.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == text.npos ? "" : text.substr(first, last + 1 - first);
}

// Whole words alone: `i` is no part of `index`, and `<` none of `<=`.
std::vector<Rewrite> places_of(const rewrite::Source& source, const Idea& idea) {
    std::vector<Rewrite> out;
    const auto add = [&](size_t begin, size_t length) {
        out.push_back({"tried_change", 1, idea.was, idea.now, idea.line, {{begin, length, idea.now}}});
    };
    for (int first = 0; first < source.count(); ++first) {
        if (source.at(first).line != idea.line) continue;
        const size_t begin = source.at(first).begin;
        if (idea.was.empty()) {
            out.push_back({"tried_change", 1, "", idea.now, idea.line, {{begin, 0, idea.now + " "}}});
            return out;
        }
        for (int last = first; last < source.count() && source.at(last).end - begin <= idea.was.size();
             ++last)
            if (source.words(first, last) == idea.was) add(begin, idea.was.size());
    }
    return out;
}

std::string line_text(const std::string& text, int line) {
    size_t begin = 0;
    for (int k = 1; k < line; ++k) {
        begin = text.find('\n', begin);
        if (begin == text.npos) return fmt::format("it has {} lines", k);
        ++begin;
    }
    return "it is `" + trimmed(text.substr(begin, text.find('\n', begin) - begin)) + "`";
}

std::string outcome(const Trial& t) {
    if (!t.unsupported.empty()) return t.unsupported;
    if (!t.finished) return "it does not come to an end";
    if (t.bad > 0) return fmt::format("{} of {} elements are outside their bounds", t.bad, t.compared);
    if (!t.incidents.empty()) return "accesses are still at fault";
    return "fewer elements are written";
}

}  // namespace

Idea parse_idea(const std::string& text) {
    const size_t colon = text.find(':'), arrow = text.find("->", colon == text.npos ? 0 : colon);
    Idea out;
    if (colon != text.npos && arrow != text.npos) {
        out.line = std::atoi(text.substr(0, colon).c_str());
        out.was = trimmed(text.substr(colon + 1, arrow - colon - 1)),
        out.now = trimmed(text.substr(arrow + 2));
    }
    if (out.line <= 0 || (out.was.empty() && out.now.empty()))
        throw Error(
            "--try " + text +
            ": an idea is a line, what it says and what it should say: \"57: < -> <=\" "
            "(nothing before the arrow: put in; nothing behind it: left out)"
        );
    return out;
}

Tried try_idea(const Symptoms& s, const Idea& idea) {
    const Experiment& e = s.experiment;
    const std::string text = read_text_file(e.problem.kernel.source);
    const std::vector<Rewrite> places = places_of(rewrite::read_source(text, {}, e.problem.defines), idea);
    if (places.empty())
        throw Error(fmt::format(
            "--try {}: {}:{} does not say `{}`; {}",
            idea.line,
            path_from_here(e.problem.kernel.source),
            idea.line,
            idea.was,
            line_text(text, idea.line)
        ));
    Lab lab{s};
    Tried out;
    out.text = choose_trial(
        lab, [&](const TrialOptions& o) { return try_unedited(s.prover, o); }, 1
    );
    if (!out.text.empty()) return out;
    for (const Rewrite& r : places) {
        std::string changed = rewritten(text, r);
        const ptx::Module module = changed_module(e, changed);
        const Try change = [&](const TrialOptions& o) { return try_module(s.prover, module, o); };
        const Trial t = change(lab.block);
        auto proof = mends(lab, t) ? proof_of(lab, change) : std::nullopt;
        out.text = mends(lab, t) ? "another seed, or another block, is not right with it" : outcome(t);
        if (!proof) continue;
        out.mended = mended_by(e, r, std::move(*proof), std::move(changed));
        OtherShape other{s};
        try_other_shape(other, *out.mended);
        break;
    }
    return out;
}

}  // namespace wl::diagnosis
