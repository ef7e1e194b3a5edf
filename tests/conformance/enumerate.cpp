// Expands the groups of a row into types and words.
#include "tests/conformance/enumerate.h"

#include <algorithm>

namespace wl::conformance {
namespace {

using Choices = std::vector<std::vector<std::string_view>>;  // per group; absent is an empty word

Choices choices_of(std::string_view groups) {
    Choices choices;
    for (std::string_view group : split(groups, ' ')) {
        const bool optional = group.ends_with('?');
        if (optional) group.remove_suffix(1);
        std::vector<std::string_view> words = split(group, '|');
        if (optional) words.insert(words.begin(), std::string_view{});
        choices.push_back(std::move(words));
    }
    return choices;
}

std::vector<std::vector<std::string_view>> product(const Choices& choices) {
    std::vector<std::vector<std::string_view>> all = {{}};
    for (const auto& group : choices) {
        std::vector<std::vector<std::string_view>> longer;
        for (const auto& head : all)
            for (std::string_view word : group) {
                longer.push_back(head);
                longer.back().push_back(word);
            }
        all = std::move(longer);
    }
    return all;
}

std::vector<std::vector<std::string_view>> pairs(const Choices& choices) {
    std::vector<std::string_view> base;
    for (const auto& group : choices) base.push_back(group[0]);
    std::vector<std::vector<std::string_view>> all = {base};
    for (size_t g = 0; g < choices.size(); ++g)
        for (size_t w = 1; w < choices[g].size(); ++w) {
            all.push_back(base);
            all.back()[g] = choices[g][w];
            for (size_t h = g + 1; h < choices.size(); ++h)
                for (size_t x = 1; x < choices[h].size(); ++x) {
                    all.push_back(base);
                    all.back()[g] = choices[g][w];
                    all.back()[h] = choices[h][x];
                }
        }
    return all;
}

bool words_follow_types(const ptx::Form& form) {
    return form.traits.flow == ptx::Flow::permute || is_video(form);
}

// atom and red: the cache hint stands behind the operation (and .noftz), not behind the space.
std::vector<std::string_view> ordered(const ptx::Form& form, std::vector<std::string_view> words) {
    const auto hint = std::find(words.begin(), words.end(), "L2::cache_hint");
    if (form.traits.memory != ptx::Memory::update || hint == words.end()) return words;
    words.erase(hint);
    const auto vector = std::find_if(words.begin(), words.end(), [](std::string_view w) {
        return w == "v2" || w == "v4" || w == "v8";
    });
    words.insert(vector, "L2::cache_hint");
    return words;
}

}  // namespace

bool is_arithmetic(const ptx::Form& form) {
    const std::string_view section = form.section.substr(std::string_view("9.7.").size());
    return section[0] < '9' && section[1] == '.';
}

bool is_video(const ptx::Form& form) { return form.section.starts_with("9.7.18."); }

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

bool has(const Variant& v, std::string_view word) {
    return std::find(v.words.begin(), v.words.end(), word) != v.words.end();
}

uint32_t vector_of(const Variant& v) { return has(v, "v2") ? 2 : has(v, "v4") ? 4 : has(v, "v8") ? 8 : 1; }

std::vector<Variant> variants_of(const ptx::Form& form, size_t limit) {
    const Choices modifiers = choices_of(form.modifiers);
    size_t combinations = 1;
    for (const auto& group : modifiers) combinations *= group.size();
    const auto words = combinations <= limit ? product(modifiers) : pairs(modifiers);
    std::vector<Variant> variants;
    for (const auto& names : product(choices_of(form.types)))
        for (const auto& chosen : words) {
            Variant& v = variants.emplace_back();
            for (std::string_view name : names)
                if (!name.empty()) v.types.push_back(ptx::type_from_name(name));
            v.words = chosen;
        }
    return variants;
}

std::string mnemonic(const ptx::Form& form, const Variant& v) {
    std::string types, words;
    for (const ptx::Type t : v.types) types += "." + std::string(name_of(t));
    for (const std::string_view word : ordered(form, v.words)) {
        // wgmma: what it does with the products comes after their types.
        const bool last =
            form.op == ptx::Op::wgmma && (word == "satfinite" || word == "and" || word == "popc");
        if (!word.empty()) (last ? types : words) += "." + std::string(word);
    }
    return std::string(form.name) + (words_follow_types(form) ? types + words : words + types);
}

}  // namespace wl::conformance
