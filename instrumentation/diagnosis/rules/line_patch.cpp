// The line's text alone decides: what is not one statement on one line is left.
#include "instrumentation/diagnosis/rules/line_patch.h"

#include "instrumentation/base/lines.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <cctype>
#include <string_view>
#include <vector>

namespace wl::diagnosis {

namespace {

const capture::Source* source_of(const capture::Capture& c, const std::string& file) {
    for (const capture::Source& source : c.sources)
        if (source.path == file) return &source;
    return nullptr;
}

bool is_name(std::string_view text) {
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') return false;
    return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

std::string without_comment(std::string_view line) { return std::string(line.substr(0, line.find("//"))); }

// The text with another in place of that line, or with one more before it; empty: it goes.
std::string changed(const std::string& text, int line, const std::string& now, bool before) {
    std::string out;
    int number = 0;
    for (const std::string_view each : lines_of(text)) {
        const bool here = ++number == line;
        if (here && !now.empty()) out += now + "\n";
        if (!here || before) out += std::string(each) + "\n";
    }
    return out;
}

std::string patch_of(const capture::Source& source, const std::string& now) {
    std::string was = source.text;
    if (!was.ends_with('\n')) was += '\n';
    return rewrite::patch_of(path_from_here(source.path), was, now);
}

}  // namespace

std::string patch_without_call(const capture::Capture& capture, const capture::Where& where) {
    const capture::Source* const source = source_of(capture, where.file);
    if (source == nullptr) return "";
    const std::vector<std::string_view> lines = lines_of(source->text);
    if (where.line < 1 || where.line > static_cast<int>(lines.size())) return "";
    const std::string_view line = lines[static_cast<size_t>(where.line) - 1];
    const std::string code = without_comment(line);
    const size_t open = code.find('('), close = code.find(')');
    if (open == code.npos || close == code.npos || code.find('(', open + 1) != code.npos) return "";
    size_t begin = open;
    while (begin > 0 && is_name("_" + code.substr(begin - 1, 1))) --begin;
    const std::string argument(trimmed(std::string_view(code).substr(open + 1, close - open - 1)));
    if (!is_name(code.substr(begin, open - begin)) || !is_name(argument) || trimmed(code).back() != ';')
        return "";
    const std::string now = code.substr(0, begin) + argument + code.substr(close + 1);
    const std::string_view statement = trimmed(now);
    const size_t equals = statement.find(" = ");
    const bool to_itself = equals != statement.npos && statement.substr(0, equals) == argument &&
        statement.substr(equals + 3) == argument + ";";
    const std::string kept(trimmed(now).empty() ? "" : now.substr(0, now.find_last_not_of(" \t\r") + 1));
    return patch_of(*source, changed(source->text, where.line, to_itself ? "" : kept, false));
}

std::string patch_before(
    const capture::Capture& capture, const capture::Where& where, const std::string& statement
) {
    const capture::Source* const source = source_of(capture, where.file);
    if (source == nullptr) return "";
    const std::vector<std::string_view> lines = lines_of(source->text);
    if (where.line < 2 || where.line > static_cast<int>(lines.size())) return "";
    const std::string_view line = lines[static_cast<size_t>(where.line) - 1];
    int above = where.line - 2;
    while (above >= 0 && trimmed(without_comment(lines[static_cast<size_t>(above)])).empty()) --above;
    if (above < 0) return "";
    // Only between two statements: not after "for (...)", nor inside an expression of several lines.
    const char end = trimmed(without_comment(lines[static_cast<size_t>(above)])).back();
    if ((end != ';' && end != '{' && end != '}') || trimmed(line).starts_with("else")) return "";
    const std::string indent(line.substr(0, line.find_first_not_of(" \t")));
    return patch_of(*source, changed(source->text, where.line, indent + statement, true));
}

}  // namespace wl::diagnosis
