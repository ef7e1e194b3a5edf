// How often a change of each kind was the right one, of all of its kind: in tenths of the logarithm of the
// odds.
#include "instrumentation/diagnosis/rewrite/likely.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace wl::diagnosis::rewrite {

namespace {

struct Odds {
    Family family;
    std::string_view rule;
    int cost, odds;
};
// Fitted to the faults of the gallery's kernels that are not held out and to 200 mutants of them, together
// with the factors of `weigh` (a conditional logit, each case against all changes of its source).
constexpr std::array kOdds = {
    Odds{Family::signs,      "boundary_off_by_one", 1, 35 },
    Odds{Family::signs,      "boundary_off_by_one", 2, -4 },
    Odds{Family::signs,      "double_count",        1, -8 },
    Odds{Family::signs,      "missing_rescale",     1, -2 },
    Odds{Family::signs,      "missing_rescale",     2, 0  },
    Odds{Family::signs,      "partial_reduction",   1, 35 },
    Odds{Family::signs,      "partial_reduction",   2, -8 },
    Odds{Family::signs,      "wrong_condition",     1, 27 },
    Odds{Family::signs,      "wrong_condition",     2, -3 },
    Odds{Family::signs,      "wrong_operation",     1, 25 },
    Odds{Family::signs,      "wrong_operation",     2, -24},
    Odds{Family::numbers,    "boundary_off_by_one", 1, 33 },
    Odds{Family::numbers,    "boundary_off_by_one", 2, -1 },
    Odds{Family::numbers,    "wrong_constant",      1, 24 },
    Odds{Family::numbers,    "wrong_constant",      2, -16},
    Odds{Family::numbers,    "wrong_constant",      3, -23},
    Odds{Family::numbers,    "wrong_initial_value", 1, 22 },
    Odds{Family::numbers,    "wrong_initial_value", 2, -24},
    Odds{Family::numbers,    "wrong_initial_value", 3, -16},
    Odds{Family::names,      "precision",           2, 1  },
    Odds{Family::names,      "wrong_index",         1, 21 },
    Odds{Family::names,      "wrong_index",         2, -3 },
    Odds{Family::names,      "wrong_index",         3, -35},
    Odds{Family::names,      "wrong_initial_value", 1, 25 },
    Odds{Family::names,      "wrong_operand",       2, -4 },
    Odds{Family::names,      "wrong_operand",       3, -21},
    Odds{Family::names,      "wrong_operation",     1, 26 },
    Odds{Family::parts,      "constant_factor",     2, -1 },
    Odds{Family::parts,      "double_count",        2, 19 },
    Odds{Family::parts,      "wrong_index",         1, 10 }, // `7 - j` for `j`: set by hand
    Odds{Family::parts,      "wrong_condition",     2, 20 },
    Odds{Family::parts,      "wrong_operand",       1, 31 },
    Odds{Family::parts,      "wrong_operation",     1, -3 },
    Odds{Family::exchanges,  "wrong_index",         1, 32 },
    Odds{Family::exchanges,  "wrong_index",         2, 24 },
    Odds{Family::exchanges,  "wrong_operand",       2, -7 },
    Odds{Family::conditions, "wrong_condition",     2, -13},
    Odds{Family::conditions, "wrong_condition",     3, -35},
    Odds{Family::guards,     "uninitialised",       2, 33 },
    Odds{Family::guards,     "wrong_condition",     2, 33 },
    Odds{Family::guards,     "wrong_condition",     3, -11},
    Odds{Family::terms,      "boundary_off_by_one", 2, -9 },
    Odds{Family::terms,      "missing_rescale",     2, -10},
    Odds{Family::terms,      "missing_rescale",     3, -8 },
    Odds{Family::terms,      "overflow",            3, -12},
    Odds{Family::terms,      "partial_reduction",   2, -33},
    Odds{Family::terms,      "partial_reduction",   3, -21},
    Odds{Family::terms,      "precision",           2, 4  },
    Odds{Family::terms,      "precision",           3, -13},
    Odds{Family::terms,      "wrong_constant",      2, -11},
    Odds{Family::terms,      "wrong_constant",      3, -8 },
    Odds{Family::terms,      "wrong_index",         1, 20 }, // an axis that nothing uses: set by hand
    Odds{Family::terms,      "wrong_index",         2, -17},
    Odds{Family::terms,      "wrong_index",         3, -33},
    Odds{Family::terms,      "wrong_operation",     3, -28},
    Odds{Family::statements, "double_count",        2, -20},
    Odds{Family::statements, "missing_rescale",     3, -20},
    Odds{Family::statements, "partial_reduction",   3, -26},
    Odds{Family::statements, "race_shared",         3, 22 },
    Odds{Family::statements, "stale_tile",          3, -22},
    Odds{Family::statements, "wrong_condition",     2, -7 },
    Odds{Family::statements, "wrong_initial_value", 3, -22},
    Odds{Family::statements, "wrong_order",         3, -11},
    Odds{Family::indices,    "out_of_bounds",       3, 11 },
    Odds{Family::indices,    "overflow",            2, -1 },
    Odds{Family::indices,    "precision",           2, -8 },
    Odds{Family::indices,    "stale_tile",          2, 11 },
    Odds{Family::indices,    "wrong_index",         1, 35 },
    Odds{Family::indices,    "wrong_index",         2, -7 },
    Odds{Family::indices,    "wrong_index",         3, -12},
    Odds{Family::indices,    "wrong_operation",     2, 23 },
    Odds{Family::initial,    "wrong_initial_value", 1, 35 },
    Odds{Family::initial,    "wrong_initial_value", 2, 0  },
    Odds{Family::initial,    "wrong_initial_value", 3, -1 },
    Odds{Family::analogies,  "missing_rescale",     2, 27 },
    Odds{Family::analogies,  "missing_rescale",     3, -13},
    Odds{Family::analogies,  "never_written",       2, -10},
    Odds{Family::analogies,  "never_written",       3, -23},
    Odds{Family::analogies,  "partial_reduction",   2, -12},
    Odds{Family::analogies,  "partial_reduction",   3, -8 },
    Odds{Family::analogies,  "stale_tile",          2, -18},
    Odds{Family::analogies,  "stale_tile",          3, -14},
    Odds{Family::analogies,  "wrong_index",         3, -13},
    Odds{Family::analogies,  "wrong_operation",     2, 40 }, // a call that stands beside it: set by hand
    Odds{Family::analogies,  "wrong_order",         2, 6  },
    Odds{Family::analogies,  "wrong_order",         3, 8  },
    Odds{Family::siblings,   "partial_reduction",   2, -16},
    Odds{Family::siblings,   "wrong_condition",     1, -11},
    Odds{Family::siblings,   "wrong_condition",     2, 12 },
    Odds{Family::siblings,   "wrong_index",         1, -11},
    Odds{Family::siblings,   "wrong_index",         2, 4  },
    Odds{Family::siblings,   "wrong_operation",     1, 19 },
    Odds{Family::siblings,   "wrong_operation",     2, 4  },
 // By those of their like.
    Odds{Family::terms,      "wrong_operation",     1, 5  }, // another sign
    Odds{Family::stores,     "never_written",       2, 17 },
    Odds{Family::stores,     "never_written",       3, 5  },
    Odds{Family::operands,   "wrong_operand",       1, 20 },
    Odds{Family::operands,   "wrong_operand",       2, -4 },
    Odds{Family::brackets,   "overflow",            2, 10 },
    Odds{Family::brackets,   "wrong_operation",     2, 0  },
    Odds{Family::loops,      "partial_reduction",   2, 20 },
    Odds{Family::loops,      "race_global",         1, 20 },
    Odds{Family::loops,      "race_global",         2, 10 },
    Odds{Family::unread,     "missing_rescale",     2, 0  },
    Odds{Family::unread,     "partial_reduction",   2, 0  },
    Odds{Family::unread,     "wrong_index",         3, -20},
    Odds{Family::unread,     "wrong_initial_value", 2, 10 },
    Odds{Family::unread,     "wrong_condition",     2, 20 },
    Odds{Family::combined,   "partial_reduction",   1, 15 },
    Odds{Family::combined,   "partial_reduction",   2, -5 },
    Odds{Family::combined,   "wrong_condition",     3, -10},
    Odds{Family::wide,       "precision",           1, 20 },
    Odds{Family::terms,      "constant_factor",     1, 35 }, // one that all of it lacks
    Odds{Family::conditions, "wrong_condition",     1, 35 }, // a triangle that should be zero
    Odds{Family::missing,    "partial_reduction",   1, 25 },
    Odds{Family::missing,    "partial_reduction",   2, 5  },
    Odds{Family::missing,    "stale_tile",          1, 15 },
    Odds{Family::missing,    "missing_rescale",     1, 25 },
    Odds{Family::missing,    "never_written",       1, 25 },
    Odds{Family::missing,    "wrong_index",         2, -5 },
    Odds{Family::missing,    "wrong_order",         2, 10 },
    Odds{Family::missing,    "wrong_operation",     1, 20 },
    Odds{Family::missing,    "async_copy_wait",     2, 0  },
    Odds{Family::missing,    "uninitialised",       1, 30 },
    Odds{Family::idioms,     "wrong_index",         1, 25 },
    Odds{Family::idioms,     "wrong_index",         2, 0  },
    Odds{Family::idioms,     "wrong_operation",     1, 15 },
    Odds{Family::idioms,     "wrong_operation",     2, -5 },
    Odds{Family::idioms,     "partial_reduction",   1, 25 },
    Odds{Family::idioms,     "missing_rescale",     1, 20 },
    Odds{Family::idioms,     "wrong_constant",      1, 10 },
    Odds{Family::analogies,  "wrong_operand",       2, 5  },
    Odds{Family::analogies,  "wrong_operation",     1, 30 }, // every shuffle of a function
    Odds{Family::unread,     "wrong_index",         2, 10 },
    Odds{Family::unread,     "wrong_operand",       2, 10 },
    Odds{Family::unread,     "uninitialised",       1, 20 },
    Odds{Family::idioms,     "wrong_initial_value", 1, 25 },
    Odds{Family::idioms,     "wrong_condition",     1, 10 },
    Odds{Family::idioms,     "boundary_off_by_one", 1, 30 },
    Odds{Family::warps,      "wrong_index",         1, 25 },
    Odds{Family::warps,      "wrong_constant",      1, 20 },
    Odds{Family::warps,      "wrong_condition",     1, 30 },
    Odds{Family::warps,      "wrong_condition",     2, 10 },
    Odds{Family::arrays,     "wrong_index",         1, 15 },
    Odds{Family::arrays,     "wrong_index",         2, 20 },
    Odds{Family::arrays,     "wrong_condition",     1, 20 },
    Odds{Family::arrays,     "wrong_initial_value", 1, 15 },
    Odds{Family::arrays,     "boundary_off_by_one", 2, 0  },
 // What is right and stands elsewhere: set by hand.
    Odds{Family::elsewhere,  "wrong_index",         1, 40 },
    Odds{Family::elsewhere,  "wrong_index",         2, 20 },
    Odds{Family::elsewhere,  "wrong_operand",       1, 25 },
    Odds{Family::elsewhere,  "wrong_operand",       2, 20 },
    Odds{Family::elsewhere,  "wrong_constant",      2, 30 },
    Odds{Family::elsewhere,  "wrong_constant",      3, 30 },
    Odds{Family::elsewhere,  "wrong_condition",     2, 25 },
    Odds{Family::elsewhere,  "wrong_condition",     3, 15 },
    Odds{Family::elsewhere,  "wrong_initial_value", 1, 30 },
    Odds{Family::elsewhere,  "wrong_initial_value", 2, 35 },
    Odds{Family::elsewhere,  "uninitialised",       1, 50 },
    Odds{Family::elsewhere,  "partial_reduction",   2, 45 },
    Odds{Family::elsewhere,  "partial_reduction",   3, 10 },
    Odds{Family::elsewhere,  "missing_rescale",     2, 45 },
    Odds{Family::elsewhere,  "stale_tile",          2, 35 },
    Odds{Family::elsewhere,  "never_written",       2, 35 },
    Odds{Family::elsewhere,  "wrong_order",         2, 25 },
};

}  // namespace

int odds_of(const Rewrite& r) {
    const auto* const found = std::find_if(kOdds.begin(), kOdds.end(), [&](const Odds& o) {
        return std::tuple(o.family, o.rule, o.cost) == std::tuple(r.family, std::string_view(r.rule), r.cost);
    });
    return found == kOdds.end() ? kUnseen : found->odds;
}

}  // namespace wl::diagnosis::rewrite
