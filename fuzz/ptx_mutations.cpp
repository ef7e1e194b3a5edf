// Mutations that keep the shape of PTX: whole lines move, words give way to words of the same text, and
// instructions come from the table of opcode forms.
#include "fuzz/ptx_mutations.h"

#include "instrumentation/ptx/table/opcodes.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace wl::fuzz {
namespace {

using Random = std::minstd_rand;

size_t below(Random& random, size_t bound) { return bound == 0 ? 0 : random() % bound; }

template <typename T>
const T& one_of(Random& random, const std::vector<T>& from) {
    return from[below(random, from.size())];
}

std::vector<std::string> split(std::string_view text, std::string_view at) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (at.find(c) == std::string_view::npos)
            parts.back() += c;
        else
            parts.emplace_back();
    }
    return parts;
}

std::string join(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '%' || c == '_' || c == '$';
}

struct Word {
    size_t at, length;
};

// Registers, names and numbers: not the words of mnemonics, which follow a dot.
std::vector<Word> words_of(std::string_view text) {
    std::vector<Word> words;
    for (size_t k = 0; k < text.size();) {
        const size_t start = k;
        while (k < text.size() && in_word(text[k])) ++k;
        if (k == start)
            ++k;
        else if (start == 0 || text[start - 1] != '.')
            words.push_back({start, k - start});
    }
    return words;
}

const std::vector<std::string>& edge_numbers() {
    static const std::vector<std::string> kNumbers{
        "0",
        "1",
        "-1",
        "7",
        "31",
        "32",
        "33",
        "64",
        "255",
        "256",
        "4095",
        "65535",
        "65536",
        "2147483647",
        "-2147483648",
        "4294967295",
        "4294967296",
        "1099511627776",
        "9223372036854775807",
        "18446744073709551615",
        "0f7F800000",
        "0f00000001",
        "0d7FF0000000000000",
        "0x900000000000",
        "0x0100000000000000",
        "0x0200000000000000",
        "0x03000000000000ff",
        "0x0500000000000000"};
    return kNumbers;
}

// One alternative of each group; of those that may be absent, half are.
std::string words_of_groups(Random& random, std::string_view groups) {
    std::string words;
    for (const std::string& group : split(groups, " ")) {
        const bool optional = !group.empty() && group.back() == '?';
        if (group.empty() || group == "*" || (optional && random() % 2 == 0)) continue;
        words += "." + one_of(random, split(group.substr(0, group.size() - (optional ? 1 : 0)), "|"));
    }
    return words;
}

std::string operand(
    Random& random, const std::string& role, const std::string& text, const std::vector<Word>& words
) {
    const auto word = [&] {
        if (words.empty() || random() % 8 == 0) return one_of(random, edge_numbers());
        const Word w = one_of(random, words);
        return text.substr(w.at, w.length);
    };
    if (role.front() == '[')
        return "[" + word() + (random() % 2 == 0 ? "+" + one_of(random, edge_numbers()) : "") + "]";
    if (role.front() == '{' && random() % 2 == 0) {
        std::string vector = "{" + word();
        for (size_t k = (size_t{1} << random() % 4) - 1; k > 0; --k) vector += ", " + word();
        return vector + "}";
    }
    return word() + (role.find('|') != std::string::npos && random() % 2 == 0 ? "|" + word() : "");
}

std::string instruction(Random& random, const std::string& text, const std::vector<Word>& words) {
    const auto families = wl::ptx::families();
    const auto forms = families[below(random, families.size())].forms;
    const wl::ptx::Form& form = forms[below(random, forms.size())];
    std::string line(form.name);
    line += words_of_groups(random, form.modifiers) + words_of_groups(random, form.types);
    const char* separator = " ";
    for (const std::string& role : split(form.operands, " ")) {
        if (role.empty() || (role.back() == '?' && random() % 2 == 0)) continue;
        line += separator + operand(random, role, text, words);
        separator = ", ";
    }
    return line + ";";
}

std::string change_line(Random& random, std::vector<std::string> lines, const std::string& text) {
    const size_t at = below(random, lines.size()), to = below(random, lines.size());
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 5) {
        case 0: std::swap(lines[at], lines[to]); break;
        case 1: lines.erase(place); break;
        case 2: lines.insert(place, std::string(lines[to])); break;
        case 3: lines[at] = instruction(random, text, words_of(text)); break;
        default: lines.insert(place, instruction(random, text, words_of(text)));
    }
    return join(lines);
}

std::string change_word(Random& random, std::string text) {
    const std::vector<Word> words = words_of(text);
    if (words.empty()) return text;
    const Word from = one_of(random, words), w = one_of(random, words);
    const std::string other =
        random() % 3 == 0 ? one_of(random, edge_numbers()) : text.substr(from.at, from.length);
    return text.replace(w.at, w.length, other);
}

}  // namespace

std::string mutated_ptx(unsigned seed, std::string text) {
    Random random(seed);
    for (size_t changes = 1 + random() % 3; changes > 0; --changes)
        text = random() % 2 == 0 ? change_word(random, text) : change_line(random, split(text, "\n"), text);
    return text;
}

std::string crossed_ptx(unsigned seed, const std::string& a, const std::string& b) {
    Random random(seed);
    std::vector<std::string> lines = split(a, "\n");
    const std::vector<std::string> others = split(b, "\n");
    const size_t from = below(random, others.size());
    const size_t count = 1 + below(random, std::min<size_t>(others.size() - from, 12));
    const auto first = others.begin() + static_cast<std::ptrdiff_t>(from);
    lines.insert(
        lines.begin() + static_cast<std::ptrdiff_t>(below(random, lines.size())),
        first,
        first + static_cast<std::ptrdiff_t>(count)
    );
    return join(lines);
}

}  // namespace wl::fuzz
