// By the text of the source alone.
#include "instrumentation/diagnosis/search/suspects/makers.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/missing/lacks.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace wl::diagnosis {

namespace {

// Lines of loops and conditions that decide about the token.
void add_heads_of(const rewrite::Source& source, const rewrite::Body& body, int token, std::set<int>& lines) {
    for (const rewrite::Statement& head : body.statements)
        if (head.last < token && token <= last_decided(source, head))
            lines.insert(source.at(head.first).line);
}

bool is_suspected(const rewrite::SearchContext& context, int line, int suspicion_rank) {
    const auto known = context.suspicion.find(line);
    return known != context.suspicion.end() && known->second <= suspicion_rank;
}

// Arrays and structs that a suspected line names, of a function's own text.
std::set<std::string_view> suspected_memory(
    const rewrite::Source& source, const rewrite::Body& body, const rewrite::SearchContext& context
) {
    std::set<std::string_view> out;
    for (int k = body.open; k < body.close; ++k) {
        const rewrite::Variable* const v = rewrite::variable_at(source, k);
        if (v == nullptr || !is_suspected(context, source.at(k).line, 0)) continue;
        const std::string_view name = v->name;
        if (v->indirections > 0) out.insert(name);
        if (rewrite::is_member(*v)) out.insert(name.substr(0, name.find_first_of(".-")));
    }
    return out;
}

// Lines of statements that set what the lines name, and of what decides about those; and so on, as far as
// `goes_on` says.
std::set<int> makers_of(
    const rewrite::Source& source, const std::set<int>& lines, const std::function<bool(int line)>& goes_on
) {
    std::set<int> out, open = lines;
    while (!open.empty()) {
        std::set<int> next;
        for (const rewrite::Body& body : source.bodies) {
            std::set<const rewrite::Variable*> named;
            for (int k = body.open; k < body.close; ++k)
                if (open.contains(source.at(k).line))
                    if (const auto* const v = rewrite::variable_at(source, k);
                        v != nullptr && rewrite::is_own(body, *v))
                        named.insert(v);
            for (const rewrite::Statement& st : body.statements) {
                const int line = source.at(st.first).line;
                const auto* const v = rewrite::variable_set(source, st);
                if (v == nullptr || !named.contains(v) || !goes_on(line)) continue;
                next.insert(line);
                std::set<int> heads;
                add_heads_of(source, body, st.first, heads);
                for (const int head : heads)
                    if (goes_on(head)) next.insert(head);
            }
        }
        open.clear();
        for (const int line : next)
            if (out.insert(line).second) open.insert(line);
    }
    return out;
}

}  // namespace

void add_writers(const rewrite::Source& source, int suspicion_rank, rewrite::SearchContext& context) {
    std::set<int> lines;
    for (const rewrite::Body& body : source.bodies) {
        const auto memory = suspected_memory(source, body, context);
        for (int k = body.open; k < body.close; ++k) {
            const rewrite::Variable* const v = rewrite::variable_at(source, k);
            if (v == nullptr || !memory.contains(v->name)) continue;
            const rewrite::Body* const callee = rewrite::handed_to(source, k, k);
            const bool written = callee != nullptr || rewrite::sets_at(source, k) >= 0 ||
                (source.is(k - 1, "&") && source.word(k - 3).starts_with("atomic"));
            if (!written) continue;
            if (callee != nullptr)
                for (int t = callee->open; t < callee->close; ++t) lines.insert(source.at(t).line);
            lines.insert(source.at(k).line);
            add_heads_of(source, body, k, lines);
        }
    }
    std::set<int> others;
    for (const int line : lines) {
        const auto [known, fresh] = context.suspicion.try_emplace(line, suspicion_rank);
        if (fresh) others.insert(line);
        if (suspicion_rank == 0) known->second = 0;
    }
    for (const int line : makers_of(source, others, [](int) { return true; }))
        context.suspicion.try_emplace(line, 2);
}

void add_constants(
    const rewrite::Source& source, const std::set<int>& located, rewrite::SearchContext& context
) {
    std::set<int> lines;
    for (const auto& [line, suspicion_rank] : context.suspicion)
        if (suspicion_rank <= 1) lines.insert(line);
    for (const int line : makers_of(source, lines, [&](int line) { return !located.contains(line); }))
        context.suspicion.try_emplace(line, 1);
}

void add_unread(const rewrite::Source& source, rewrite::SearchContext& context) {
    for (const rewrite::Body& body : source.bodies) {
        const int first = source.at(body.open).line, last = source.at(body.close).line;
        const auto inside = context.suspicion.lower_bound(first);
        if (inside == context.suspicion.end() || inside->first > last) continue;
        for (const rewrite::Variable& v : source.variables)
            if (rewrite::is_own(body, v) && rewrite::is_unread(source, body, v))
                context.suspicion.try_emplace(source.at(v.from).line, 1);
    }
}

int last_decided(const rewrite::Source& s, const rewrite::Statement& head) {
    const int behind = head.body_last + 2;
    if (head.word != "if" || !s.is(behind - 1, "else") || !s.is(behind, "{")) return head.body_last;
    return std::max(head.body_last, s.at(behind).match);
}

}  // namespace wl::diagnosis
