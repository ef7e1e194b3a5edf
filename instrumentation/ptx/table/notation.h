// Reading a row's column of traits, while the table is compiled: a word that means nothing does not compile.
//
//   d=[a]  [a]=b        memory at address a is loaded into d, or stored from b
//   d=[a]~b  [a]~b      it is updated, and was d
//   [dst]=[src]         it is copied, later
//   mbarrier opaque hint   of the first address: an mbarrier, a texture or surface, nothing is done to it
//   bytes=size|bulk|rows|fragment   a lane moves; else the elements that the mnemonic names
//   waits=lanes|block|copies|phase
//   by=b,c              these operands decide something whatever becomes of the result
//   b:32 d:t+           operand b has 32 bits, d those of the last type or more. t1: the first type, 2t:
//   twice
//                       as wide, t/: shared by the elements of a vector, pred, any, anything (a predicate
//                       too)
//   carry, shuffle, ... a Flow;  jump, call, ... a Control;  fence, sleeps, nothing
//
// What a row need not say: results of registers depend on all of them; loads and stores take registers as
// wide as the element or wider, register rows registers as wide as the last type; |p, !c and q are
// predicates; `mask` of what waits for lanes, `size`, `stride` and `fill` of what moves memory, `index` of a
// table of targets and `target` of a call decide by themselves.
#pragma once

#include "instrumentation/ptx/table/traits.h"

namespace wl::ptx::notation {

struct Roles {
    std::array<std::string_view, kMostRoles> written{}, names{};  // "{d}" and "d"
    int8_t count = 0;
};

constexpr std::string_view next_word(std::string_view& rest, char separator) {
    while (rest.starts_with(separator)) rest.remove_prefix(1);
    const std::string_view word = rest.substr(0, rest.find(separator));
    rest.remove_prefix(word.size());
    return word;
}

constexpr Roles roles_of(std::string_view operands) {
    Roles r;
    if (operands == "*") return r;
    for (std::string_view word = next_word(operands, ' '); !word.empty(); word = next_word(operands, ' ')) {
        const auto k = static_cast<size_t>(r.count++);
        r.written[k] = word;
        if (word.ends_with('?')) word.remove_suffix(1);
        if (word.ends_with(']') || word.ends_with('}')) word.remove_suffix(1);
        if (word.starts_with('[') || word.starts_with('{') || word.starts_with('|') || word.starts_with('!'))
            word.remove_prefix(1);
        r.names[k] = word;
    }
    return r;
}

constexpr int8_t role_named(const Roles& r, std::string_view name) {
    for (int8_t k = 0; k < r.count; ++k)
        if (r.names[static_cast<size_t>(k)] == name) return k;
    return kNoRole;
}
constexpr int8_t known_role(const Roles& r, std::string_view name) {
    const int8_t k = role_named(r, name);
    if (k == kNoRole) throw "the row has no operand of that name";
    return k;
}
constexpr int8_t nth_address(const Roles& r, int n) {
    for (int8_t k = 0; k < r.count; ++k)
        if (r.written[static_cast<size_t>(k)].starts_with('[') && n-- == 0) return k;
    return kNoRole;
}

template <class E>
struct TraitWord {
    std::string_view word;
    E value;
};
template <class E, size_t N>
constexpr bool take_word(const TraitWord<E> (&words)[N], std::string_view word, E& into) {
    for (const TraitWord<E>& w : words)
        if (w.word == word) {
            into = w.value;
            return true;
        }
    return false;
}

constexpr TraitWord<Flow> kFlowWords[] = {
    {"none",        Flow::none       },
    {"clean",       Flow::clean      },
    {"all",         Flow::all        },
    {"copy",        Flow::copy       },
    {"bit_and",     Flow::bit_and    },
    {"bit_or",      Flow::bit_or     },
    {"bit_xor",     Flow::bit_xor    },
    {"table",       Flow::table      },
    {"shift_left",  Flow::shift_left },
    {"shift_right", Flow::shift_right},
    {"funnel",      Flow::funnel     },
    {"permute",     Flow::permute    },
    {"select",      Flow::select     },
    {"carry",       Flow::carry      },
    {"halves",      Flow::halves     },
    {"pack",        Flow::pack       },
    {"extend",      Flow::extend     },
    {"field",       Flow::field      },
    {"insert",      Flow::insert     },
    {"compare",     Flow::compare    },
    {"reduce",      Flow::reduce     },
    {"shuffle",     Flow::shuffle    },
    {"ballot",      Flow::ballot     },
    {"across",      Flow::across     },
    {"transpose",   Flow::transpose  },
    {"product",     Flow::product    },
};
constexpr TraitWord<Memory> kMemoryWords[] = {
    {"mbarrier", Memory::mbarrier},
    {"opaque",   Memory::opaque  },
    {"hint",     Memory::hint    }
};
constexpr TraitWord<Extent> kExtentWords[] = {
    {"bytes=size",     Extent::operand },
    {"bytes=bulk",     Extent::bulk    },
    {"bytes=rows",     Extent::rows    },
    {"bytes=fragment", Extent::fragment}
};
constexpr TraitWord<Waits> kWaitsWords[] = {
    {"waits=lanes",  Waits::lanes },
    {"waits=block",  Waits::block },
    {"waits=copies", Waits::copies},
    {"waits=phase",  Waits::phase }
};
constexpr TraitWord<Control> kControlWords[] = {
    {"jump",       Control::jump      },
    {"jump_table", Control::jump_table},
    {"call",       Control::call      },
    {"leave",      Control::leave     },
    {"trap",       Control::trap      }
};
constexpr TraitWord<Width> kWidthWords[] = {
    {"any",      {Width::Of::any, 0, false}      },
    {"anything", {Width::Of::anything, 0, false} },
    {"pred",     {Width::Of::predicate, 0, false}},
    {"32",       {Width::Of::bytes, 4, false}    },
    {"32+",      {Width::Of::bytes, 4, true}     },
    {"64",       {Width::Of::bytes, 8, false}    },
    {"t1",       {Width::Of::first, 0, false}    },
    {"t1+",      {Width::Of::first, 0, true}     },
    {"t",        {Width::Of::last, 0, false}     },
    {"t+",       {Width::Of::last, 0, true}      },
    {"2t",       {Width::Of::twice, 0, false}    },
    {"t/",       {Width::Of::shared, 0, false}   },
    {"frag",     {Width::Of::fragment, 0, false} },
};
constexpr Width width_word(std::string_view word) {
    Width w;
    if (!take_word(kWidthWords, word, w)) throw "no such width";
    return w;
}

// "d=[a]~b" and its kin.
constexpr void read_memory(std::string_view word, const Roles& r, Traits& t) {
    const size_t open = word.find('['), close = word.find(']');
    t.address = known_role(r, word.substr(open + 1, close - open - 1));
    if (open > 0) t.data = known_role(r, word.substr(0, open - 1));
    const std::string_view behind = word.substr(close + 1);
    if (behind.empty()) {
        t.memory = Memory::load;
    } else if (behind.starts_with('~')) {
        t.memory = Memory::update;
    } else if (behind.starts_with("=[")) {
        t.memory = Memory::copy;
        t.source = known_role(r, behind.substr(2, behind.size() - 3));
    } else {
        t.memory = Memory::store;
        t.data = known_role(r, behind.substr(1));
    }
}

// What follows from what the row says.
constexpr Flow usual_flow(const Traits& t) {
    const bool rows = t.extent == Extent::rows, fragment = t.extent == Extent::fragment;
    switch (t.memory) {
        case Memory::load: return rows ? Flow::load_rows : fragment ? Flow::load_fragment : Flow::load;
        case Memory::store: return rows ? Flow::store_rows : fragment ? Flow::store_fragment : Flow::store;
        case Memory::update: return Flow::atomic;
        case Memory::copy: return Flow::copy_async;
        case Memory::mbarrier: return t.destinations > 0 ? Flow::clean : Flow::none;
        case Memory::opaque: return t.destinations > 0 ? Flow::clean : Flow::leave;
        case Memory::hint: return Flow::none;
        case Memory::none: break;
    }
    if (t.control == Control::call) return Flow::lost;
    return t.destinations > 0 ? Flow::all : Flow::none;
}

constexpr Width usual_width(const Traits& t, const Roles& r, int8_t role, bool typed) {
    const std::string_view written = r.written[static_cast<size_t>(role)],
                           name = r.names[static_cast<size_t>(role)];
    if (written.starts_with('|') || written.starts_with('!') || name == "q") return width_word("pred");
    if (written.starts_with('[')) return width_word("any");
    if (t.memory == Memory::update && name.size() == 1) return width_word("t");
    if (role == t.data)
        return width_word(t.extent == Extent::rows ? "32" : t.extent == Extent::fragment ? "frag" : "t+");
    if (t.flow == Flow::product && name.size() == 1) return width_word("frag");
    const bool of_registers = nth_address(r, 0) == kNoRole && t.control == Control::none;
    return width_word(of_registers && typed ? "t" : "any");
}

constexpr bool usually_steers(const Traits& t, std::string_view name) {
    const bool moves = t.memory == Memory::load || t.memory == Memory::store || t.memory == Memory::copy;
    return (t.waits == Waits::lanes && name == "mask") ||
        (t.control == Control::jump_table && name == "index") ||
        (t.control == Control::call && name == "target") ||
        (moves && (name == "size" || name == "stride" || name == "fill"));
}

constexpr void read_word(
    std::string_view word, const Roles& r, Traits& t, std::array<bool, kMostRoles>& given
) {
    const bool known = take_word(kFlowWords, word, t.flow) || take_word(kMemoryWords, word, t.memory) ||
        take_word(kExtentWords, word, t.extent) || take_word(kWaitsWords, word, t.waits) ||
        take_word(kControlWords, word, t.control);
    if (known) return;
    if (word == "fence" || word == "sleeps" || word == "nothing") {
        (word == "fence" ? t.fence : word == "sleeps" ? t.sleeps : t.nothing) = true;
    } else if (word.starts_with("by=")) {
        word.remove_prefix(3);
        for (std::string_view name = next_word(word, ','); !name.empty(); name = next_word(word, ','))
            t.steers = static_cast<uint16_t>(t.steers | 1 << known_role(r, name));
    } else if (word.find('[') != std::string_view::npos) {
        read_memory(word, r, t);
    } else {
        const size_t colon = word.find(':');
        if (colon == std::string_view::npos) throw "no such trait";
        const auto role = static_cast<size_t>(known_role(r, word.substr(0, colon)));
        t.widths[role] = width_word(word.substr(colon + 1));
        given[role] = true;
    }
}

constexpr Traits read_traits(std::string_view types, std::string_view operands, std::string_view does) {
    const Roles r = roles_of(operands);
    Traits t;
    for (int8_t k = 0; k < r.count; ++k) {
        const std::string_view written = r.written[static_cast<size_t>(k)];
        if (written.starts_with('d') || written.starts_with("{d")) ++t.destinations;
        t.has_pair = t.has_pair || written.starts_with('|');
    }
    constexpr auto kUnsaid = static_cast<Flow>(255);
    t.flow = kUnsaid;
    std::array<bool, kMostRoles> given{};
    for (std::string_view word = next_word(does, ' '); !word.empty(); word = next_word(does, ' '))
        read_word(word, r, t, given);
    if (t.flow == kUnsaid) t.flow = usual_flow(t);
    if (t.memory != Memory::none && t.address == kNoRole) t.address = nth_address(r, 0);
    t.size = role_named(r, "size"), t.stride = role_named(r, "stride"), t.fill = role_named(r, "fill");
    for (int8_t k = 0; k < r.count; ++k) {
        const auto role = static_cast<size_t>(k);
        if (!given[role]) t.widths[role] = usual_width(t, r, k, !types.empty() && types != "*");
        if (usually_steers(t, r.names[role])) t.steers = static_cast<uint16_t>(t.steers | 1 << k);
    }
    return t;
}

}  // namespace wl::ptx::notation
