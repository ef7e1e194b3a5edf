// The table decides: words of a mnemonic are matched to the groups of a row, operands to its roles.
#include "instrumentation/ptx/parse/decode.h"

#include <algorithm>
#include <array>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

constexpr std::string_view kAnything = "*";  // recognised by name only

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(separator, begin), text.size());
        if (end > begin) parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

using FormsByName = std::unordered_map<std::string_view, std::vector<const Form*>>;

const FormsByName& forms_by_name() {
    static const FormsByName kTable = [] {
        FormsByName t;
        for (const Family& family : families())
            for (const Form& form : family.forms) t[form.name].push_back(&form);
        return t;
    }();
    return kTable;
}

// One group of alternatives of a row and the word that fills it.
struct Group {
    std::string_view alternatives;
    bool optional = false, filled = false;
};

std::vector<Group> groups_of(std::string_view text) {
    std::vector<Group> groups;
    for (std::string_view g : split(text, ' ')) {
        const bool optional = g.ends_with('?');
        groups.push_back({optional ? g.substr(0, g.size() - 1) : g, optional, false});
    }
    return groups;
}

// The longest alternative that the next words spell, in the table's storage; empty when the group has none.
// An alternative may be of several words: "xorsign.abs".
std::vector<std::string_view> alternative(const Group& group, std::span<const std::string_view> words) {
    std::vector<std::string_view> longest;
    for (std::string_view a : split(group.alternatives, '|')) {
        std::vector<std::string_view> parts = split(a, '.');
        const bool fits =
            parts.size() <= words.size() && std::equal(parts.begin(), parts.end(), words.begin());
        if (fits && parts.size() > longest.size()) longest = std::move(parts);
    }
    return longest;
}

bool all_filled(const std::vector<Group>& groups) {
    return std::all_of(groups.begin(), groups.end(), [](const Group& g) { return g.filled || g.optional; });
}

// The row's spelling of each modifier; false when a word fits no group or a group stays empty.
bool match_modifiers(
    const Form& form, const std::vector<std::string_view>& words, std::vector<std::string_view>& spelt
) {
    if (form.modifiers == kAnything) return true;
    std::vector<Group> groups = groups_of(form.modifiers);
    for (std::span<const std::string_view> rest = words; !rest.empty();) {
        size_t taken = 0;
        for (Group& g : groups) {
            if (g.filled) continue;
            const std::vector<std::string_view> parts = alternative(g, rest);
            if (parts.empty()) continue;
            g.filled = true;
            spelt.insert(spelt.end(), parts.begin(), parts.end());
            taken = parts.size();
            break;
        }
        if (taken == 0) return false;
        rest = rest.subspan(taken);
    }
    return all_filled(groups);
}

// Types fill the groups in their order; an optional group may be passed over.
bool match_types(const Form& form, const std::vector<Type>& types) {
    if (form.types == kAnything) return true;
    std::vector<Group> groups = groups_of(form.types);
    size_t g = 0;
    for (Type type : types) {
        const std::string_view name = name_of(type);
        while (g < groups.size() && alternative(groups[g], {&name, 1}).empty()) {
            if (!groups[g].optional) return false;
            ++g;
        }
        if (g == groups.size()) return false;
        groups[g++].filled = true;
    }
    return all_filled(groups);
}

struct Words {
    std::vector<Type> types;
    std::vector<std::string_view> modifiers;
};

Words sort_words(const std::vector<std::string_view>& words, size_t from) {
    Words sorted;
    for (size_t i = from; i < words.size(); ++i) {
        const Type type = type_from_name(words[i]);
        if (type != Type::none)
            sorted.types.push_back(type);
        else
            sorted.modifiers.push_back(words[i]);
    }
    return sorted;
}

// The longest name of the table that the mnemonic starts with, and how many words it has.
struct Name {
    const std::vector<const Form*>* forms = nullptr;
    size_t words = 0;
};

Name find_name(std::string_view text, const std::vector<std::string_view>& words) {
    constexpr size_t kLongest = 6;
    for (size_t n = std::min(words.size(), kLongest); n > 0; --n) {
        const auto end = static_cast<size_t>(words[n - 1].data() + words[n - 1].size() - text.data());
        const auto found = forms_by_name().find(text.substr(0, end));
        if (found != forms_by_name().end()) return {&found->second, n};
    }
    return {};
}

bool has_address(const Form& form) { return form.operands.find('[') != std::string_view::npos; }

// What an instruction can compute with: neither a list of targets nor nothing at all.
bool is_value(const Operand& o) {
    switch (o.kind) {
        case Kind::vector:
            return !o.elements.empty() && std::all_of(o.elements.begin(), o.elements.end(), is_value);
        case Kind::reg:
        case Kind::immediate:
        case Kind::symbol:
        case Kind::param:
        case Kind::result:
        case Kind::function:
        case Kind::special:
        case Kind::sink: return true;
        default: return false;
    }
}

bool role_matches(std::string_view role, const Operand& o, const Modifiers& m) {
    if (role[0] == '[') return o.kind == Kind::address;
    const bool listed = role[0] == '{';
    if (role == "target") return o.kind == Kind::label;
    if (role == "targets") return o.kind == Kind::branch_targets;
    if (!is_value(o)) return false;
    if (o.kind == Kind::reg && o.offset != 0) return false;  // `%r1+4` outside an address adds nothing
    const bool written = role[listed ? 1 : 0] == 'd' || role[0] == '|';
    const auto writable = [](const Operand& x) { return x.kind == Kind::reg || x.kind == Kind::sink; };
    const bool of_coordinates = role.starts_with("{gradient") || role.starts_with("{offset");
    if (listed && !of_coordinates && m.vector > 1 &&
        (o.kind != Kind::vector || o.elements.size() != m.vector))
        return false;
    if (o.kind == Kind::vector) {
        if (!listed) return false;
        return !written || std::all_of(o.elements.begin(), o.elements.end(), writable);
    }
    return !written || writable(o);
}

struct Roles {
    std::vector<std::string_view> roles;
    const std::vector<Operand>& operands;
    const Modifiers& modifiers;
};

// Fills `taken`: the role of each operand.
bool roles_match(const Roles& r, size_t role, size_t operand, std::vector<std::string_view>& taken) {
    if (role == r.roles.size()) return operand == r.operands.size();
    std::string_view text = r.roles[role];
    const bool optional = text.ends_with('?');
    if (optional) text.remove_suffix(1);
    const bool second = text[0] == '|';
    const bool policy = text == "policy";  // as the last operand, where .L2::cache_hint announces it
    const bool allowed = second == (operand == 1 && r.modifiers.pair) && (!policy || r.modifiers.cache_hint);
    if (allowed && operand < r.operands.size() && role_matches(text, r.operands[operand], r.modifiers) &&
        roles_match(r, role + 1, operand + 1, taken)) {
        taken[operand] = text;
        return true;
    }
    return optional && !(policy && r.modifiers.cache_hint) && roles_match(r, role + 1, operand, taken);
}

bool operands_match(const Form& form, const Instruction& i, std::vector<std::string_view>& taken) {
    taken.clear();
    if (form.operands == kAnything) return true;
    taken.resize(i.operands.size());
    return roles_match({split(form.operands, ' '), i.operands, i.modifiers}, 0, 0, taken);
}

}  // namespace

Mnemonic decode_mnemonic(std::string_view text) {
    Mnemonic m;
    const std::vector<std::string_view> words = split(text, '.');
    const Name name = find_name(text, words);
    if (!name.forms) return m;
    Words rest = sort_words(words, name.words);
    std::vector<std::string_view> spelt;
    for (const Form* form : *name.forms) {
        std::vector<std::string_view> spelt_here;
        if (!match_types(*form, rest.types) || !match_modifiers(*form, rest.modifiers, spelt_here)) continue;
        if (m.forms.empty()) spelt = std::move(spelt_here);
        m.forms.push_back(form);
    }
    if (m.forms.empty()) return m;
    m.op = m.forms.front()->op;
    m.types = std::move(rest.types);
    m.modifiers = modifiers_of(m.op, spelt);
    const Form& form = *m.forms.front();
    if (m.modifiers.space == Space::none && has_address(form)) m.modifiers.space = Space::generic;
    if (form.name == "bar") m.modifiers.aligned = true;  // bar.sync is barrier.sync.aligned
    return m;
}

std::vector<std::string_view> decode(Decoder& decoder, Instruction& instruction) {
    const auto [entry, is_new] = decoder.known.try_emplace(instruction.mnemonic);
    if (is_new) entry->second = decode_mnemonic(spelt_out(decoder.dialect, instruction.mnemonic));
    const Mnemonic& m = entry->second;
    const bool pair = instruction.modifiers.pair;
    instruction.types = m.types;
    instruction.modifiers = m.modifiers;
    instruction.modifiers.pair = pair;
    instruction.op = Op::unsupported;
    instruction.form = nullptr;
    std::vector<std::string_view> roles;
    for (const Form* form : m.forms) {
        if (m.op != Op::call && !operands_match(*form, instruction, roles)) continue;
        instruction.op = m.op;
        instruction.form = form;
        return roles;
    }
    return {};
}

Instruction instruction(std::string_view mnemonic, std::vector<Operand> operands, Guard guard) {
    Instruction made;
    made.mnemonic = mnemonic;
    made.operands = std::move(operands);
    made.guard = guard;
    Decoder decoder;
    decode(decoder, made);
    return made;
}

Spelling spelling_of(std::string_view mnemonic) {
    Spelling s{split(mnemonic, '.'), 0};
    s.name = find_name(mnemonic, s.words).words;
    return s;
}

size_t rank_of(const Form& form, std::string_view word) {
    const std::vector<Group> groups = groups_of(form.modifiers);
    for (size_t g = 0; g < groups.size(); ++g)
        for (const std::string_view a : split(groups[g].alternatives, '|'))
            for (const std::string_view part : split(a, '.'))
                if (part == word) return g;
    return groups.size();
}

std::string why_unsupported(const Instruction& i) {
    const std::vector<std::string_view> words = split(i.mnemonic, '.');
    const Name name = find_name(i.mnemonic, words);
    if (!name.forms) return i.mnemonic + ": no such instruction in the PTX ISA 9.0";
    const std::string base(name.forms->front()->name);
    const Mnemonic m = decode_mnemonic(i.mnemonic);
    if (!m.forms.empty())
        return i.mnemonic + ": its operands are not `" + std::string(m.forms.front()->operands) + "`";
    for (std::string_view word : sort_words(words, name.words).modifiers) {
        const bool known = std::any_of(name.forms->begin(), name.forms->end(), [&](const Form* form) {
            for (const Group& g : groups_of(form->modifiers))
                for (std::string_view a : split(g.alternatives, '|'))
                    for (std::string_view part : split(a, '.'))
                        if (part == word) return true;
            return false;
        });
        if (!known) return i.mnemonic + ": ." + std::string(word) + " is in no form of " + base;
    }
    return i.mnemonic + ": no form of " + base + " has these types and modifiers together";
}

}  // namespace wl::ptx
