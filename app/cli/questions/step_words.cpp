// [back] WORD [what] [xN]
#include "app/cli/questions/step_words.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace wl::app {

namespace {

using travel::StepKind;

struct Named {
    const char* word;
    StepKind stride;
};
constexpr std::array<Named, 12> kWords{
    {{"into", StepKind::into},
     {"over", StepKind::over},
     {"out", StepKind::out},
     {"instruction", StepKind::instruction},
     {"line", StepKind::line},
     {"mark", StepKind::mark},
     {"stage", StepKind::stage},
     {"iteration", StepKind::iteration},
     {"barrier", StepKind::barrier},
     {"write", StepKind::write},
     {"race", StepKind::race},
     {"go", StepKind::stop}}
};

std::optional<int64_t> number(const std::string& text) {
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [at, problem] = std::from_chars(text.data() + (text.starts_with('+') ? 1 : 0), end, value);
    if (problem != std::errc() || at != end) return std::nullopt;
    return value;
}

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw Error(fmt::format("--step: \"{}\" {}", text, why));
}

StepKind stride_of(const std::string& text, const std::string& word) {
    std::vector<std::string> known{"back"};
    for (const Named& n : kWords) {
        if (word == n.word) return n.stride;
        known.emplace_back(n.word);
    }
    const std::string near = nearest_word(word, known);
    refuse(
        text,
        near.empty() ? "is no step; there are a number of instructions and " + join(known, ", ")
                     : "is no step; did you mean " + near + "?"
    );
}

// "FILE:LINE" or "LINE".
bool read_place(const std::string& text, std::string& file, int& line) {
    const size_t colon = text.rfind(':');
    const auto value = number(colon == std::string::npos ? text : text.substr(colon + 1));
    if (!value || *value <= 0 || *value > INT32_MAX) return false;
    file = colon == std::string::npos ? "" : text.substr(0, colon);
    line = static_cast<int>(*value);
    return true;
}

// So many times, from a last word xN.
int64_t take_count(std::vector<std::string>& words, const std::string& text) {
    if (words.size() < 2 || !words.back().starts_with('x')) return 1;
    const auto count = number(words.back().substr(1));
    if (!count) return 1;
    if (*count < 1 || *count > 100000) refuse(text, "is done from 1 to 100000 times");
    words.pop_back();
    return *count;
}

// What follows the word: a place, with a condition a breakpoint of its own; what is written; or nothing.
void read_rest(
    StepWord& s, const std::vector<std::string>& words, const std::vector<std::string>& breakpoints
) {
    const std::string rest = join(std::span(words).subspan(1), " ");
    const bool wants = s.move.stride == StepKind::line || s.move.stride == StepKind::write;
    s.move.any_warp = s.move.stride == StepKind::stop && rest == "any";
    if (wants ? rest.empty() : !rest.empty() && !s.move.any_warp)
        refuse(
            s.text, wants ? "needs one word more: line FILE:LINE, write NAME[i][j]" : "has a word too many"
        );
    if (s.move.stride == StepKind::write) s.written = rest;
    if (s.move.stride == StepKind::line) {
        const travel::Breakpoint b = breakpoint_from(rest);
        if (b.line == 0) refuse(s.text, "names no line");
        s.move.file = b.file, s.move.line = b.line;
        if (b.when) s.move.stride = StepKind::stop, s.move.at = {b};
    } else if (s.move.stride == StepKind::stop) {
        if (breakpoints.empty()) refuse(s.text, "stops nowhere: name a line or what is written with --break");
        for (const std::string& b : breakpoints) s.move.at.push_back(breakpoint_from(b));
    }
}

StepWord read_word(const std::string& text, const std::vector<std::string>& breakpoints) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    StepWord s;
    s.text = join(words, " ");
    if (words.empty()) refuse(text, "names no step");
    if (const auto steps = number(words[0]); steps && words.size() == 1) {
        s.move.back = *steps < 0;
        s.count = std::abs(*steps);
        return s;
    }
    s.move.back = words[0] == "back";
    if (s.move.back) words.erase(words.begin());
    if (words.empty()) refuse(s.text, "does not say what to step back by");
    s.move.stride = stride_of(s.text, words[0]);
    if (s.text.find(" if ") == std::string::npos) s.count = take_count(words, s.text);
    read_rest(s, words, breakpoints);
    return s;
}

}  // namespace

travel::Breakpoint breakpoint_from(const std::string& text) {
    travel::Breakpoint b;
    const size_t condition = text.find(" if ");
    std::string place = text.substr(0, condition);
    place.erase(0, place.find_first_not_of(' '));
    place.erase(place.find_last_not_of(' ') + 1);
    constexpr std::string_view kWrite = "write ";
    if (place.starts_with(kWrite))
        b.element = place.substr(kWrite.size());
    else if (!read_place(place, b.file, b.line))
        throw Error(fmt::format(
            "'{}' names nothing to stop at: write 104, FILE:104, '104 if EXPRESSION' or 'write NAME[i][j]'",
            text
        ));
    if (condition != std::string::npos) b.when = watch::parse(text.substr(condition + 4));
    return b;
}

std::vector<StepWord> step_words(const std::string& text, const std::vector<std::string>& breakpoints) {
    std::vector<StepWord> all;
    for (const std::string& word : watch::parted(text)) all.push_back(read_word(word, breakpoints));
    return all;
}

}  // namespace wl::app
