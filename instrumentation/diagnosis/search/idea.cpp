// One change that is given, on what the search tries its own.
#include "instrumentation/diagnosis/search/idea.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/matched.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/early_return.h"
#include "instrumentation/diagnosis/prove/ordering.h"
#include "instrumentation/diagnosis/search/constant_reads.h"
#include "instrumentation/diagnosis/search/launches.h"
#include "instrumentation/diagnosis/search/left_out.h"
#include "instrumentation/diagnosis/search/other_shape.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/trial_setup.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == text.npos ? "" : text.substr(first, last + 1 - first);
}

// Whole words alone: `i` is no part of `index`, and `<` none of `<=`.
std::vector<Rewrite> places_of(const rewrite::Source& source, const Idea& idea, int line) {
    std::vector<Rewrite> out;
    const auto add = [&](size_t begin, size_t length) {
        out.push_back({"tried_change", 1, idea.was, idea.now, line, {{begin, length, idea.now}}});
    };
    for (int first = 0; first < source.count(); ++first) {
        if (source.at(first).line != line) continue;
        const size_t begin = source.at(first).begin;
        if (idea.was.empty()) {
            out.push_back({"tried_change", 1, "", idea.now, line, {{begin, 0, idea.now + " "}}});
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

// The rules by which it is still at fault, each once.
std::string faults_of(const Trial& t) {
    using Kind = execution::Incident::Kind;
    std::string out;
    for (const execution::Incident& i : t.incidents) {
        const char* const name = is_race(i.kind) ? race_name(i.kind)
            : i.kind == Kind::uninitialised_read ? "uninitialised"
                                                 : fault_name(i.kind);
        if (name != nullptr && out.find(name) == out.npos)
            out += (out.empty() ? "" : ", ") + std::string(name);
    }
    return out;
}

std::string outcome(const Trial& t) {
    if (!t.unsupported.empty()) return t.unsupported;
    std::string out;
    const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", and ") + text; };
    if (!t.finished) add("it does not come to an end");
    if (t.bad > 0) add(fmt::format("{} of {} elements are outside their bounds", t.bad, t.compared));
    if (const std::string faults = faults_of(t); !faults.empty()) add("there still is " + faults);
    return out.empty() ? "fewer elements are written" : out;
}

// The trial of a proof that went wrong is the last one.
struct LastTrial {
    TrialOptions options = {};
    Trial trial = {};
};
std::string refutation(const TrialSetup& setup, const LastTrial& last) {
    std::string out;
    const auto add = [&](const char* text) { out += (out.empty() ? "" : " and ") + std::string(text); };
    if (last.options.blocks.empty() && !setup.block.blocks.empty()) add("in all blocks");
    if (last.options.seed_offset != 0) add("with another seed");
    if (last.options.schedule_seed != 0) add("in another order of warps and blocks");
    if (out.empty()) add("with all checks");
    return out + " " + outcome(last.trial);
}

}  // namespace

Idea parse_idea(const std::string& text) {
    static const std::regex kForm(R"(^(?:(.+?):)?(\d+)\s*:(.*?)->(.*)$)");
    Idea out;
    if (std::smatch m; text.size() <= kLongestMatched && std::regex_match(text, m, kForm)) {
        out.file = m[1], out.line = std::atoi(m[2].str().c_str());
        out.was = trimmed(m[3]), out.now = trimmed(m[4]);
    }
    if (out.line <= 0 || (out.was.empty() && out.now.empty()))
        throw Error(
            "--try " + text +
            ": an idea is a line, what it says and what it should say: \"57: < -> <=\", of a header of the "
            "kernel's own \"tile.cuh:57: < -> <=\" (nothing before the arrow: put in; nothing after it: "
            "left "
            "out)"
        );
    return out;
}

namespace {

// The file that the idea is about, by the end of its path.
size_t file_of(const compile::Unit& unit, const Idea& idea) {
    if (idea.file.empty()) return 0;
    std::string there;
    for (size_t k = 0; k < unit.files.size(); ++k) {
        if (unit.files[k].path.ends_with("/" + idea.file) || unit.files[k].path == idea.file) return k;
        there += (k > 0 ? ", " : "") + path_from_here(unit.files[k].path);
    }
    throw Error(fmt::format("--try {}:{}: the kernel is made of {}", idea.file, idea.line, there));
}

std::vector<Rewrite> rewrites_of(const Experiment& e, const compile::Unit& unit, const Idea& idea) {
    const size_t file = file_of(unit, idea);
    const std::optional<int> line = line_of(unit, {file, idea.line});
    const rewrite::Source source =
        rewrite::read_source(unit.text, {}, e.problem.defines, e.problem.kernel.entry);
    std::vector<Rewrite> places = line ? places_of(source, idea, *line) : std::vector<Rewrite>{};
    if (!places.empty()) return places;
    const std::string path = path_from_here(unit.files[file].path);
    throw Error(fmt::format(
        "--try {0}: {1}:{0} does not say `{2}`; {3}",
        idea.line,
        path,
        idea.was,
        line_text(unit.files[file].text, idea.line)
    ));
}

}  // namespace

Tried try_idea(const Symptoms& s, const Idea& idea) {
    const Experiment& e = s.experiment;
    const compile::Unit unit = unit_of(e);
    const std::vector<Rewrite> places = rewrites_of(e, unit, idea);
    TrialSetup chosen{s};
    Tried out;
    const Try as_it_is = [&](const TrialOptions& o) { return try_unedited(s.prover, o); };
    out.text = choose_trial(chosen, as_it_is, 1);
    if (!out.text.empty()) return out;
    // Without a reference a change mends what is at fault.
    chosen.blind = chosen.blind || (!e.reference && chosen.compared == 0);
    choose_seed(chosen, as_it_is);
    for (const Rewrite& r : places) {
        std::string changed = rewritten(unit.text, r);
        const ptx::Module module = changed_module(e, changed);
        const bool no_return = !may_return_early(changed);
        LastTrial last;
        const Try change = [&](TrialOptions o) {
            o.from = 0;  // of a sequence all launches
            o.part_exits = no_return;
            return (last = {o, try_module(s.prover, module, o)}).trial;
        };
        const Trial t = change(chosen.block);
        const TrialSetup setup = setup_for(chosen, t);
        auto proof = mends(setup, t) ? proof_of(setup, change) : std::nullopt;
        out.text = mends(setup, t) ? refutation(setup, last) : outcome(t);
        if (!proof) continue;
        const auto behind = behind_all(s.prover, module);
        const bool silent = setup.blind && !chosen.blind && (!behind || behind->written == 0);
        if (silent || (behind && !behind->wrong.empty())) {
            out.text = silent ? "fewer elements are written" : "it mends this launch, but " + behind->wrong;
            continue;
        }
        out.mended = mended_by(unit, r, std::move(proof->text), std::move(changed));
        out.mended->lacks = std::move(proof->lacks), out.mended->unjudged = !e.reference && setup.blind;
        if (out.mended->unjudged)
            out.mended->lacks += (out.mended->lacks.empty() ? "" : "; ") +
                std::string("no value was compared with a reference");
        out.mended->ran = proof->ran;
        if (behind) out.mended->written = behind->written, out.mended->ran.launches = behind->launches;
        if (behind && out.mended->lacks.empty()) out.mended->lacks = behind->lacks;
        OtherShape other{s};
        try_other_shape(other, *out.mended);
        if (!out.mended->remains.empty()) break;
        Executed executed;
        const rewrite::Source source =
            rewrite::read_source(unit.text, {}, e.problem.defines, e.problem.kernel.entry);
        const Watched watched{s.prover, unit, source, setup.block.blocks};
        const Changed now{r, out.mended->source, module};
        const Avoided avoided = lines_avoided(watched, now, executed, other);
        out.mended->left_to_one = avoided.left_to_one;
        for (const int left : avoided.lines) out.mended->left_out.push_back(where_in(unit, left).line);
        if (out.mended->lacks.empty()) out.mended->lacks = constant_reads(watched, now, setup.other_seed);
        break;
    }
    return out;
}

}  // namespace wl::diagnosis
