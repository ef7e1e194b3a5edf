// One walk over the code; then every index of an instruction is looked up.
#include "instrumentation/ptx/edit/splice.h"

#include "instrumentation/ptx/write.h"

#include <algorithm>
#include <utility>

namespace wl::ptx {
namespace {

constexpr int32_t kOld = -1;

struct Line {
    int32_t location = -1;
    uint32_t text_line = 0;
};

struct Splicing {
    std::vector<Line> lines;     // of the old code
    std::vector<int32_t> place;  // old index, or the old end: new index
    std::vector<Instruction> code;
    std::vector<int32_t> owner;  // of each in `code`: the addition, or kOld
    std::vector<int32_t> begin;  // of each addition: its first instruction
};

// New code has the line of the instruction that it was put to.
void add(Splicing& s, Addition& a) {
    const auto own = static_cast<int32_t>(s.begin.size());
    s.begin.push_back(static_cast<int32_t>(s.code.size()));
    const Line line = s.lines.empty() ? Line{} : s.lines[std::min<size_t>(a.at, s.lines.size() - 1)];
    for (Instruction& i : a.snippet.code) {
        i.location = line.location, i.text_line = line.text_line;
        s.code.push_back(std::move(i));
        s.owner.push_back(own);
    }
}

Splicing walk(
    std::vector<Instruction>&& old, std::vector<Addition>& additions, const std::vector<uint32_t>& removed
) {
    Splicing s;
    std::vector<uint8_t> is_removed(old.size());
    for (const uint32_t at : removed) is_removed[at] = 1;
    for (const Instruction& i : old) s.lines.push_back({i.location, i.text_line});
    auto next = additions.begin();
    for (uint32_t i = 0; i <= old.size(); ++i) {
        s.place.push_back(static_cast<int32_t>(s.code.size()));
        for (; next != additions.end() && next->at == i && !next->after; ++next) add(s, *next);
        if (i < old.size() && is_removed[i] == 0) {
            s.code.push_back(std::move(old[i]));
            s.owner.push_back(kOld);
        }
        for (; next != additions.end() && next->at == i; ++next) add(s, *next);
    }
    return s;
}

// The new index of an instruction, as said by the code of `owner`.
int32_t moved(const Splicing& s, int32_t index, int32_t owner) {
    return index >= 0 ? s.place[static_cast<size_t>(index)]
                      : s.begin[static_cast<size_t>(owner)] + own_label(index);
}

void move_targets(const Splicing& s, const std::vector<Addition>& additions, Function& f) {
    for (auto& [name, place] : f.labels) place = moved(s, place, kOld);
    std::vector<int32_t> owner(f.branch_targets.size(), kOld);
    for (size_t a = 0; a < additions.size(); ++a) {
        const Snippet& snippet = additions[a].snippet;
        for (size_t k = 0; k < snippet.lists; ++k) owner[snippet.first_list + k] = static_cast<int32_t>(a);
        for (const auto& [name, place] : snippet.labels) f.labels[name] = s.begin[a] + place;
    }
    for (size_t list = 0; list < owner.size(); ++list)
        for (int32_t& target : f.branch_targets[list]) target = moved(s, target, owner[list]);
}

// Marks are numbered in the order of the code; those of removed instructions go.
void renumber_marks(Function& f, std::vector<Instruction>& code) {
    std::vector<Mark> marks;
    for (Instruction& i : code) {
        if (i.mark < 0) continue;
        marks.push_back(f.marks[static_cast<size_t>(i.mark)]);
        i.mark = static_cast<int32_t>(marks.size()) - 1;
    }
    f.marks = std::move(marks);
}

}  // namespace

Function declarations_of(Module& module, size_t function) {
    Function& f = module.functions[function];
    std::vector<Instruction> code = std::exchange(Writer::of(f), {});
    Function declarations = f;
    Writer::of(f) = std::move(code);
    return declarations;
}

Places splice(
    Module& module,
    size_t function,
    Function&& declarations,
    std::vector<Addition>&& additions,
    const std::vector<uint32_t>& removed
) {
    std::stable_sort(additions.begin(), additions.end(), [](const Addition& a, const Addition& b) {
        return std::pair(a.at, a.after) < std::pair(b.at, b.after);
    });
    Splicing s = walk(std::move(Writer::of(module.functions[function])), additions, removed);
    Function& f = module.functions[function];
    f = std::move(declarations);
    move_targets(s, additions, f);
    Places made;
    for (uint32_t i = 0; i < s.code.size(); ++i) {
        if (s.owner[i] != kOld) made.push_back({function, i});
        if (s.code[i].op != Op::bra) continue;
        int32_t& target = s.code[i].operands.front().index;
        target = moved(s, target, s.owner[i]);
    }
    renumber_marks(f, s.code);
    Writer::of(f) = std::move(s.code);
    return made;
}

}  // namespace wl::ptx
