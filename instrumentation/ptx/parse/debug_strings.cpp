// Both directions between labels and strings.
#include "instrumentation/ptx/parse/debug_strings.h"

#include "instrumentation/ptx/parse/expression.h"

#include <iterator>
#include <unordered_map>

namespace wl::ptx {

// $L__info_string0: .b8 95,90,0
DebugStrings read_debug_strings(const Module& module) {
    DebugStrings strings;
    const auto section = module.sections.find(".debug_str");
    if (section == module.sections.end()) return strings;
    Lexer lexer = start(section->second);
    while (lexer.token.kind != Token::Kind::end) {
        const Token token = lexer.token;
        advance(lexer);
        if (token.kind == Token::Kind::word && is(lexer.token, ":"))
            strings.labels.try_emplace(std::string(token.text), strings.bytes.size());
        if (token.kind == Token::Kind::number) strings.bytes += static_cast<char>(parse_number(token).bits);
    }
    return strings;
}

std::string string_at(const DebugStrings& strings, const std::string& label, uint64_t offset) {
    const auto place = strings.labels.find(label);
    if (place == strings.labels.end() || offset > strings.bytes.size() - place->second)
        return offset == 0 ? label : label + "+" + std::to_string(offset);
    const size_t begin = place->second + offset;
    return strings.bytes.substr(begin, strings.bytes.find('\0', begin) - begin);
}

std::vector<std::string> labels_of(const DebugStrings& strings, const std::vector<std::string>& names) {
    std::unordered_map<std::string, std::string> known;
    std::map<size_t, std::string> by_place;
    for (const auto& [label, place] : strings.labels) {
        known.try_emplace(string_at(strings, label, 0), label);
        by_place.try_emplace(place, label);
    }
    std::vector<std::string> labels;
    for (const std::string& name : names) {
        const auto exact = known.find(name);
        const size_t first = by_place.empty() ? 0 : by_place.begin()->first;
        const size_t at = exact != known.end() ? 0 : (strings.bytes + '\0').find(name + '\0', first);
        const auto behind = by_place.upper_bound(at);
        if (exact != known.end())
            labels.push_back(exact->second);
        else if (at == std::string::npos || behind == by_place.begin())
            labels.push_back(name);
        else
            labels.push_back(std::prev(behind)->second + "+" + std::to_string(at - std::prev(behind)->first));
    }
    return labels;
}

}  // namespace wl::ptx
