// A host's expressions into a manifest's: word by word, casts and suffixes dropped, variables by their
// values.
#include "app/cli/init/source.h"
#include "instrumentation/base/text.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace wl::app {
namespace {

using Known = std::map<std::string, std::string>;
constexpr int kMostSteps = 8;  // from a variable to its value to that one's
constexpr int kBlock = 256;    // threads, where the host leaves them to somebody else
constexpr int kSide = 16;

std::string lower(std::string s) {
    std::transform(s.begin(), s.end(), s.begin(), [](unsigned char c) { return std::tolower(c); });
    return s;
}

bool is_division(const std::string& name) {
    static const std::array kNames = {
        "ceil_div", "ceildiv", "cdiv", "div_ceil", "divup", "div_up", "idivup", "divceil", "div_round_up"};
    return std::ranges::find(kNames, lower(name)) != kNames.end();
}

// The latest value that stands above the line, else the first.
const HostValue* value_of(const SourceText& source, const std::string& name, int line) {
    const HostValue* found = nullptr;
    for (const HostValue& value : source.values)
        if (value.name == name && (!found || (value.line <= line && value.line >= found->line)))
            found = &value;
    return found;
}

struct Translator {
    const SourceText& source;
    const Known& known;
    int line, steps = 0;
    std::string text = {}, out = {};
    size_t at = 0;
    bool fine = true;

    std::optional<std::string> all(const std::string& expression) {
        text = expression;
        while (fine && at < text.size()) one();
        return fine && !out.empty() ? std::optional(out) : std::nullopt;
    }
    void one() {
        const char c = text[at];
        if (std::isspace(static_cast<unsigned char>(c)) != 0)
            ++at;
        else if (std::isdigit(static_cast<unsigned char>(c)) != 0)
            number();
        else if (compile::is_word_char(c))
            word();
        else if (c == '(')
            bracket();
        else
            sign();
    }
    void number() {
        const size_t begin = at;
        while (at < text.size() && (compile::is_word_char(text[at]) || text[at] == '.')) ++at;
        std::string digits = text.substr(begin, at - begin);
        while (!digits.empty() && std::string_view("uUlLfF").find(digits.back()) != std::string_view::npos)
            digits.pop_back();
        fine = digits.find_first_not_of("0123456789.e") == digits.npos;
        const size_t shift = text.find_first_not_of(' ', at);  // 1 << 20
        if (shift != text.npos && text.compare(shift, 2, "<<") == 0) {
            size_t used = 0;
            at = text.find_first_not_of(' ', shift + 2);
            fine = fine && at != text.npos && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
            if (!fine) return;
            digits = std::to_string(std::stoll(digits) << std::min(40, std::stoi(text.substr(at), &used)));
            at += used;
        }
        out += digits;
    }
    void bracket() {
        const size_t end = compile::past_bracket(text, at);
        fine = end != text.npos;
        if (!fine) return;
        const std::string inside = text.substr(at + 1, end - at - 2);
        if (type_from_name(inside)) {
            at = end;  // a cast
        } else {
            out += '(';
            ++at;
        }
    }
    void sign() {
        fine = std::string_view("+-*/%)<>=!&|?:,").find(text[at]) != std::string_view::npos &&
            text.compare(at, 2, "->") != 0 && text.compare(at, 2, ">>") != 0 &&
            text.compare(at, 2, "<<") != 0;
        if (!fine) return;
        const bool binary = !out.empty() && std::string_view("),").find(text[at]) == std::string_view::npos;
        out += binary ? " " + std::string(1, text[at]) + " "
                      : std::string(1, text[at]) + (text[at] == ',' ? " " : "");
        ++at;
    }
    void word() {
        const size_t begin = at;
        while (at < text.size() && (compile::is_word_char(text[at]) || text[at] == ':')) ++at;
        std::string name = text.substr(begin, at - begin);
        if (name.starts_with("std::")) name.erase(0, 5);
        const size_t next = text.find_first_not_of(' ', at);
        const char follows = next == text.npos ? '\0' : text[next];
        if (name == "sizeof" && follows == '(') return size_of_type(next);
        if (name == "static_cast" && follows == '<') {
            at = text.find('>', next) == text.npos ? text.size() : text.find('>', next) + 1;
            return;
        }
        if (follows == '(' && is_division(name)) name = "ceil_div";
        if (follows == '(')
            fine = name == "ceil_div" || name == "min" || name == "max" || name == "ceil" || name == "sqrt";
        if (follows == '.') {  // a member
            size_t end = text.find_first_not_of(' ', next + 1);
            const size_t member = std::min(end, text.size());
            for (end = member; end < text.size() && compile::is_word_char(text[end]);) ++end;
            const auto found = known.find(name + "." + text.substr(member, end - member));
            fine = found != known.end();
            if (fine) out += found->second, at = end;
            return;
        }
        if (follows == '[') fine = false;
        if (follows == '(' || !fine) {
            out += name;
            return;
        }
        variable(name);
    }
    void size_of_type(size_t open) {
        const size_t end = compile::past_bracket(text, open);
        const auto type =
            end == text.npos ? std::nullopt : type_from_name(text.substr(open + 1, end - open - 2));
        fine = type.has_value();
        if (fine) out += std::to_string(wl::size_of(type->dtype) * static_cast<size_t>(type->lanes));
        at = end;
    }
    void variable(const std::string& name) {
        if (const auto found = known.find(name); found != known.end()) {
            out += found->second;
            return;
        }
        const HostValue* value = value_of(source, name, line);
        if (value && steps < kMostSteps) {
            Translator inner{source, known, line, steps + 1};
            if (const auto translated = inner.all(value->value)) {
                const bool single = translated->find_first_of(" (") == translated->npos;
                out += single ? *translated : "(" + *translated + ")";
                return;
            }
        }
        const std::string word = lower(name);
        const bool threads =
            word.find("block") != word.npos || word.find("thread") != word.npos || word == "tpb";
        fine = threads && (!value || word.find("size") != word.npos) && word.find("num_blocks") == word.npos;
        const bool side = word.find("sqrt") != word.npos;  // of a square block
        if (fine) out += std::to_string(side ? kSide : kBlock);
    }
};

}  // namespace

std::optional<std::string> manifest_expression(
    const SourceText& source, const std::string& text, int line, const Known& known
) {
    return Translator{source, known, line}.all(text);
}

std::optional<std::vector<std::string>> manifest_extents(
    const SourceText& source, const std::string& text, int line, const Known& known
) {
    std::string shape = text;
    for (int step = 0; step < kMostSteps && !shape.starts_with("dim3"); ++step) {
        const HostValue* value = value_of(source, shape, line);
        if (!value) break;
        shape = value->value;
    }
    const size_t open = shape.find_first_of("({");
    if (!shape.starts_with("dim3") && !shape.starts_with('{')) {
        const auto one = manifest_expression(source, text, line, known);
        return one ? std::optional(std::vector{*one}) : std::nullopt;
    }
    std::vector<std::string> extents;
    int depth = 0;
    std::string part;
    for (size_t i = open + 1; i + 1 < shape.size(); ++i) {
        depth += shape[i] == '(' ? 1 : shape[i] == ')' ? -1 : 0;
        if (shape[i] != ',' || depth > 0) part += shape[i];
        if ((shape[i] == ',' && depth <= 0) || i + 2 == shape.size()) {
            const auto extent = manifest_expression(source, part, line, known);
            if (!extent) return std::nullopt;
            extents.push_back(*extent);
            part.clear();
        }
    }
    return extents.empty() || extents.size() > 3 ? std::nullopt : std::optional(extents);
}

}  // namespace wl::app
