// `.loc` lines: every instruction's line of the user's source, with its chain of inlined calls.
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/parse/debug_strings.h"
#include "instrumentation/ptx/parse/expression.h"
#include "instrumentation/ptx/parse/parser.h"
#include "instrumentation/ptx/write.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace wl::ptx {
namespace {

constexpr int kDeepestChain = 256;

struct Place {
    int file = 0, line = 0, column = 0;
};

int take_coordinate(Parser& p, std::string_view what) {
    const Token where = p.lexer.token;
    if (where.kind != Token::Kind::number) fail_at(where, "expected " + std::string(what));
    const Constant c = parse_number(where);
    if (c.floating || c.bits > INT32_MAX) fail_at(where, "expected " + std::string(what));
    advance(p.lexer);
    return static_cast<int>(c.bits);
}

Place take_place(Parser& p) {
    Place place;
    place.file = take_coordinate(p, "a file's number");
    place.line = take_coordinate(p, "a line");
    place.column = take_coordinate(p, "a column");
    return place;
}

std::string key_of(const Place& place) {
    return std::to_string(place.file) + ' ' + std::to_string(place.line) + ' ' + std::to_string(place.column);
}

int32_t remember(LineMarks& lines, const LineMark& mark) {
    const std::string place = key_of({mark.file, mark.line, mark.column});
    const std::string key = place + ' ' + std::to_string(mark.inlined_at) + ' ' + mark.function + '+' +
        std::to_string(mark.function_offset);
    const auto [entry, is_new] = lines.by_key.try_emplace(key, static_cast<int32_t>(lines.marks.size()));
    if (is_new) lines.marks.push_back(mark);
    lines.by_place[place] = entry->second;
    return entry->second;
}

// The call site is the latest `.loc` of its place, which may itself be inlined.
int32_t call_site(LineMarks& lines, const Place& place) {
    const auto entry = lines.by_place.find(key_of(place));
    if (entry != lines.by_place.end()) return entry->second;
    return remember(lines, {place.file, place.line, place.column, -1, 0, {}, 0, -1});
}

int32_t file_index(Parser& p, int number) {
    const auto [entry, is_new] =
        p.lines.files.try_emplace(number, static_cast<int32_t>(p.module.files.size()));
    if (is_new) p.module.files.emplace_back();
    return entry->second;
}

using LocationKey = std::tuple<int, int, int, int, int>;

// Names of inlined functions by the strings that labels stand for; the same name has one index.
void name_functions(Parser& p) {
    const DebugStrings strings = read_debug_strings(p.module);
    std::unordered_map<std::string, int> known;
    size_t bytes = 0;
    for (const LineMark& mark : p.lines.marks) {
        if (mark.location < 0 || mark.function.empty()) continue;
        const auto [entry, is_new] = known.try_emplace(
            string_at(strings, mark.function, mark.function_offset),
            static_cast<int>(p.module.function_names.size())
        );
        p.module.locations[mark.location].function = entry->second;
        if (!is_new) continue;
        p.module.function_names.push_back(entry->first);
        bytes += entry->first.size();
        if (bytes > p.module.text.size())
            throw Error("The PTX's .debug_str names overlap: they hold more than the text.");
    }
}

// Locations in the order of the functions and their code, call sites first; equal ones are one.
struct Renumbering {
    Module& module;
    std::map<LocationKey, int32_t> known;
    std::vector<int32_t> places;  // old index -> new one, -1 so far
    std::vector<int> names;       // the same for function names
    std::vector<Location> locations;
    std::vector<std::string> function_names;
};

int renumber_name(Renumbering& r, int name) {
    if (name < 0) return -1;
    if (r.names[name] < 0) {
        r.names[name] = static_cast<int>(r.function_names.size());
        r.function_names.push_back(std::move(r.module.function_names[name]));
    }
    return r.names[name];
}

int32_t renumber(Renumbering& r, int32_t location) {
    std::vector<int32_t> chain;
    for (int32_t i = location; i >= 0 && r.places[i] < 0; i = r.module.locations[i].inlined_at)
        chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    for (int32_t i : chain) {
        Location l = r.module.locations[i];
        if (l.inlined_at >= 0) l.inlined_at = r.places[l.inlined_at];
        l.function = renumber_name(r, l.function);
        const auto [entry, is_new] = r.known.try_emplace(
            {l.file, l.line, l.column, l.inlined_at, l.function}, static_cast<int32_t>(r.locations.size())
        );
        if (is_new) r.locations.push_back(l);
        r.places[i] = entry->second;
    }
    return r.places[location];
}

}  // namespace

void parse_location(Parser& p) {
    advance(p.lexer);
    const Place place = take_place(p);
    LineMark mark{place.file, place.line, place.column, -1, 0, {}, 0, -1};
    while (accept(p.lexer, ",")) {
        const Token word = p.lexer.token;
        if (is_word(word, "function_name")) {
            advance(p.lexer);
            mark.function = std::string(take_word(p.lexer, "the label of a string"));
            if (accept(p.lexer, "+"))
                mark.function_offset = static_cast<uint64_t>(take_coordinate(p, "an offset"));
        } else if (is_word(word, "inlined_at")) {
            advance(p.lexer);
            mark.inlined_at = call_site(p.lines, take_place(p));
            mark.depth = p.lines.marks[mark.inlined_at].depth + 1;
            if (mark.depth > kDeepestChain) fail_at(word, "calls inlined deeper than 256");
        } else {
            fail_at(word, "expected function_name or inlined_at");
        }
    }
    p.line_mark = remember(p.lines, mark);
}

int32_t current_location(Parser& p) {
    std::vector<int32_t> chain;
    for (int32_t i = p.line_mark; i >= 0 && p.lines.marks[i].location < 0; i = p.lines.marks[i].inlined_at)
        chain.push_back(i);
    std::reverse(chain.begin(), chain.end());
    for (int32_t i : chain) {
        LineMark& mark = p.lines.marks[i];
        Location location;
        location.file = file_index(p, mark.file);
        location.line = mark.line;
        location.column = mark.column;
        location.inlined_at = mark.inlined_at < 0 ? -1 : p.lines.marks[mark.inlined_at].location;
        mark.location = static_cast<int32_t>(p.module.locations.size());
        p.module.locations.push_back(location);
    }
    return p.line_mark < 0 ? -1 : p.lines.marks[p.line_mark].location;
}

void finish_locations(Parser& p) {
    name_functions(p);
    Renumbering r{p.module, {}, {}, {}, {}, {}};
    r.places.assign(p.module.locations.size(), -1);
    r.names.assign(p.module.function_names.size(), -1);
    for (Function& f : p.module.functions)
        for (Instruction& i : Writer::of(f))
            if (i.location >= 0) i.location = renumber(r, i.location);
    p.module.locations = std::move(r.locations);
    p.module.function_names = std::move(r.function_names);
}

std::string describe(const Module& module, int32_t location, bool with_chain) {
    if (location < 0 || static_cast<size_t>(location) >= module.locations.size()) return "no source line";
    std::string text;
    for (int32_t i = location; i >= 0; i = module.locations[i].inlined_at) {
        const Location& l = module.locations[i];
        if (!text.empty()) text += " inlined at ";
        const bool known =
            l.file >= 0 && static_cast<size_t>(l.file) < module.files.size() && !module.files[l.file].empty();
        text += (known ? module.files[l.file] : std::string("unknown file")) + ":" + std::to_string(l.line);
        if (!with_chain) break;
    }
    return text;
}

}  // namespace wl::ptx
