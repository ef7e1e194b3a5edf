// A small change of a source, and what is known where it is looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

struct Edit {
    size_t begin = 0, length = 0;  // of what is taken out
    std::string text;              // what is put there
};

// Who makes a change, a file each (writer.h).
enum class Family : uint8_t {
    signs,
    numbers,
    names,
    parts,
    exchanges,
    conditions,
    guards,
    terms,
    statements,
    stores,
    indices,
    initial,
    analogies,
    siblings,
    operands,
    brackets,
    loops,
    unread,
    combined,
    idioms,
    missing,
    arrays,
};

struct Rewrite {
    const char* rule = "";  // what its mending proves
    int cost = 1;  // 1: a sign, a step of one, an axis; 2: another operand or number; 3: something put in
    std::string was, now;  // "<" and "<="; "K" and "N"; "16" and "17"; was empty: `now` is put in
    int line = 0;
    std::vector<Edit> edits;  // in order; they do not overlap
    int suspicion_rank = 0;   // from the suspected lines: 0 on one, up to 3 elsewhere
    Family family = Family::signs;
    // Changes of other places that are made with it.
    struct Besides {
        std::string was, now;
        int line = 0;
    };
    std::vector<Besides> besides = {};
    std::string remark = {};   // a sentence of its maker's, for whoever reads that it mends
    int bias = 0;              // a log prior: what its maker knows besides
    const char* made_in = "";  // the file of the code that makes it, as the compiler names it
    int log_prior = 0;         // tenths of a logarithm: the more, the likelier is the change as text
};

struct SearchContext {
    std::vector<int64_t> numbers;  // in play: extents of block and grid, parameters
    std::map<int, int> suspicion;  // by line: Rewrite::suspicion_rank; lines that are not in it are far off
    bool values_right = false;     // whoever does wrong should be kept out
    std::vector<std::string> factors = {};  // that all of what is wrong lacks, as one writes them
    int offset = 0;                         // of whole numbers, that all of what is wrong lacks; 0: no such
    int triangle = 0;        // the line that stores what should be zero on one side of a diagonal; 0: none
    bool rounding = false;   // in FP64 every result is right
    std::string axes = "x";  // along which the grid has more than one block
    bool unwritten = false;  // somebody asks for what nobody wrote, or expects it
};

// A likely change elsewhere comes before an odd one on the suspected line itself.
constexpr int kFarther = 9;  // of a line's suspicion, as Rewrite::log_prior
inline int score(const Rewrite& r) { return kFarther * r.suspicion_rank - r.log_prior; }

}  // namespace wl::diagnosis::rewrite
