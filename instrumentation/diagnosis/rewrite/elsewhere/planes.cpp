// Records: each after the other, or first all of one member, then all of the next (arrays of structures and
// structures of arrays).
#include "instrumentation/diagnosis/rewrite/elsewhere/elsewhere.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

namespace {

// `2 * n + k`, and `4 * k + 2` (`member_last`).
struct Member {
    int first = 0, last = 0;  // tokens
    unsigned number = 0;
    std::string extent, index;
    bool member_last = false;
};

bool read_number(std::string_view word, unsigned& out) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
    return error == std::errc{} && end == word.data() + word.size();
}

bool is_name(const Source& s, int k) {
    const Variable* const v = variable_at(s, k);
    return v != nullptr && is_whole(*v) && precedence(s, k + 1) <= 9;
}

std::vector<Member> members_of(const Source& s, const Body& body) {
    std::vector<Member> out;
    for (int k = body.open + 1; k + 3 < body.close; ++k) {
        if (s.at(k).directive || s.at(k).kind != Token::Kind::number || precedence(s, k - 1) >= 9) continue;
        Member m{k, k + 4, 0, {}, {}};
        const bool product = s.is(k + 1, "*") && s.is(k + 3, "+") && precedence(s, k + 5) <= 9;
        if (!product || !read_number(s.word(k), m.number)) continue;
        unsigned last = 0;
        if (is_name(s, k + 2) && is_name(s, k + 4)) {
            m.extent = s.word(k + 2), m.index = s.word(k + 4);
            out.push_back(m);
        } else if (is_name(s, k + 2) && read_number(s.word(k + 4), last)) {
            m.extent = s.word(k), m.index = s.word(k + 2), m.number = last, m.member_last = true;
            out.push_back(m);
        }
    }
    return out;
}

// All members of one record, from the first to the last, each once.
bool is_whole_record(const std::vector<Member>& group) {
    std::vector<bool> met(group.size());
    for (const Member& m : group) {
        if (m.number >= met.size() || met[m.number]) return false;
        met[m.number] = true;
    }
    return group.size() > 1;
}

void put_together(Writer& w, const std::vector<Member>& group, const std::string& extent) {
    Rewrite r{"wrong_index", 1, "", "", 0, {}};
    for (const Member& m : group)
        add_place(
            w.s,
            r,
            m.first,
            m.last,
            m.member_last ? fmt::format("{} * {} + {}", m.number, extent, m.index)
                          : fmt::format("{} * {} + {}", extent, m.index, m.number)
        );
    r.bias = kTelling;
    w.add(std::move(r));
}

}  // namespace

void add_planes(Writer& w) {
    constexpr size_t kMost = 4;  // extents
    for (const Body& body : w.s.bodies) {
        std::map<std::string, std::vector<Member>> groups;
        for (const Member& m : members_of(w.s, body))
            if (w.is_near(m.first))
                groups[fmt::format("{} {} {}", m.extent, m.index, m.member_last)].push_back(m);
        for (const auto& [key, group] : groups) {
            if (!is_whole_record(group)) continue;
            if (!group.front().member_last) {
                put_together(w, group, std::to_string(group.size()));
                continue;
            }
            size_t taken = 0;
            for (const Variable* v : visible(w.s, group.front().first))
                if (is_extent(body, *v) && taken++ < kMost) put_together(w, group, v->name);
        }
    }
}

}  // namespace wl::diagnosis::rewrite
