// How often a change of each kind was the right one, of all of its kind: in tenths of the logarithm of the
// odds.
#include "instrumentation/diagnosis/rewrite/likely.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace wl::diagnosis::rewrite {

namespace {

struct LogPrior {
    Family family;
    std::string_view rule;
    int cost, log_prior;
};
// Fitted to the faults of the gallery's kernels that are not held out and to 200 mutants of them, together
// with the factors of `weigh` (a conditional logit, each case against all changes of its source).
constexpr std::array kOdds = {
    LogPrior{Family::signs,      "boundary_off_by_one", 1, 35 },
    LogPrior{Family::signs,      "boundary_off_by_one", 2, -4 },
    LogPrior{Family::signs,      "double_count",        1, -8 },
    LogPrior{Family::signs,      "missing_rescale",     1, -2 },
    LogPrior{Family::signs,      "missing_rescale",     2, 0  },
    LogPrior{Family::signs,      "partial_reduction",   1, 35 },
    LogPrior{Family::signs,      "partial_reduction",   2, -8 },
    LogPrior{Family::signs,      "wrong_condition",     1, 27 },
    LogPrior{Family::signs,      "wrong_condition",     2, -3 },
    LogPrior{Family::signs,      "wrong_operation",     1, 25 },
    LogPrior{Family::signs,      "wrong_operation",     2, -24},
    LogPrior{Family::numbers,    "boundary_off_by_one", 1, 33 },
    LogPrior{Family::numbers,    "boundary_off_by_one", 2, -1 },
    LogPrior{Family::numbers,    "wrong_constant",      1, 24 },
    LogPrior{Family::numbers,    "wrong_constant",      2, -16},
    LogPrior{Family::numbers,    "wrong_constant",      3, -23},
    LogPrior{Family::numbers,    "wrong_initial_value", 1, 22 },
    LogPrior{Family::numbers,    "wrong_initial_value", 2, -24},
    LogPrior{Family::numbers,    "wrong_initial_value", 3, -16},
    LogPrior{Family::names,      "precision",           2, 1  },
    LogPrior{Family::names,      "wrong_index",         1, 21 },
    LogPrior{Family::names,      "wrong_index",         2, -3 },
    LogPrior{Family::names,      "wrong_index",         3, -35},
    LogPrior{Family::names,      "wrong_initial_value", 1, 25 },
    LogPrior{Family::names,      "wrong_operand",       2, -4 },
    LogPrior{Family::names,      "wrong_operand",       3, -21},
    LogPrior{Family::names,      "wrong_operation",     1, 26 },
    LogPrior{Family::parts,      "constant_factor",     2, -1 },
    LogPrior{Family::parts,      "double_count",        2, 19 },
    LogPrior{Family::parts,      "wrong_index",         1, 10 }, // `7 - j` for `j`: set by hand
    LogPrior{Family::parts,      "wrong_condition",     2, 20 },
    LogPrior{Family::parts,      "wrong_operand",       1, 31 },
    LogPrior{Family::parts,      "wrong_operation",     1, -3 },
    LogPrior{Family::exchanges,  "wrong_index",         1, 32 },
    LogPrior{Family::exchanges,  "wrong_index",         2, 24 },
    LogPrior{Family::exchanges,  "wrong_operand",       2, -7 },
    LogPrior{Family::conditions, "wrong_condition",     2, -13},
    LogPrior{Family::conditions, "wrong_condition",     3, -35},
    LogPrior{Family::guards,     "uninitialised",       2, 33 },
    LogPrior{Family::guards,     "wrong_condition",     2, 33 },
    LogPrior{Family::guards,     "wrong_condition",     3, -11},
    LogPrior{Family::terms,      "boundary_off_by_one", 2, -9 },
    LogPrior{Family::terms,      "missing_rescale",     2, -10},
    LogPrior{Family::terms,      "missing_rescale",     3, -8 },
    LogPrior{Family::terms,      "overflow",            3, -12},
    LogPrior{Family::terms,      "partial_reduction",   2, -33},
    LogPrior{Family::terms,      "partial_reduction",   3, -21},
    LogPrior{Family::terms,      "precision",           2, 4  },
    LogPrior{Family::terms,      "precision",           3, -13},
    LogPrior{Family::terms,      "wrong_constant",      2, -11},
    LogPrior{Family::terms,      "wrong_constant",      3, -8 },
    LogPrior{Family::terms,      "wrong_index",         1, 20 }, // an axis that nothing uses: set by hand
    LogPrior{Family::terms,      "wrong_index",         2, -17},
    LogPrior{Family::terms,      "wrong_index",         3, -33},
    LogPrior{Family::terms,      "wrong_operation",     3, -28},
    LogPrior{Family::statements, "double_count",        2, -20},
    LogPrior{Family::statements, "missing_rescale",     3, -20},
    LogPrior{Family::statements, "partial_reduction",   3, -26},
    LogPrior{Family::statements, "race_shared",         3, 22 },
    LogPrior{Family::statements, "stale_tile",          3, -22},
    LogPrior{Family::statements, "wrong_condition",     2, -7 },
    LogPrior{Family::statements, "wrong_initial_value", 3, -22},
    LogPrior{Family::statements, "wrong_order",         3, -11},
    LogPrior{Family::indices,    "out_of_bounds",       3, 11 },
    LogPrior{Family::indices,    "overflow",            2, -1 },
    LogPrior{Family::indices,    "precision",           2, -8 },
    LogPrior{Family::indices,    "stale_tile",          2, 11 },
    LogPrior{Family::indices,    "wrong_index",         1, 35 },
    LogPrior{Family::indices,    "wrong_index",         2, -7 },
    LogPrior{Family::indices,    "wrong_index",         3, -12},
    LogPrior{Family::indices,    "wrong_operation",     2, 23 },
    LogPrior{Family::initial,    "wrong_initial_value", 1, 35 },
    LogPrior{Family::initial,    "wrong_initial_value", 2, 0  },
    LogPrior{Family::initial,    "wrong_initial_value", 3, -1 },
    LogPrior{Family::analogies,  "missing_rescale",     2, 27 },
    LogPrior{Family::analogies,  "missing_rescale",     3, -13},
    LogPrior{Family::analogies,  "never_written",       2, -10},
    LogPrior{Family::analogies,  "never_written",       3, -23},
    LogPrior{Family::analogies,  "partial_reduction",   2, -12},
    LogPrior{Family::analogies,  "partial_reduction",   3, -8 },
    LogPrior{Family::analogies,  "stale_tile",          2, -18},
    LogPrior{Family::analogies,  "stale_tile",          3, -14},
    LogPrior{Family::analogies,  "wrong_index",         3, -13},
    LogPrior{Family::analogies,  "wrong_operation",     2, 40 }, // a call that stands beside it: set by hand
    LogPrior{Family::analogies,  "wrong_order",         2, 6  },
    LogPrior{Family::analogies,  "wrong_order",         3, 8  },
    LogPrior{Family::siblings,   "partial_reduction",   2, -16},
    LogPrior{Family::siblings,   "wrong_condition",     1, -11},
    LogPrior{Family::siblings,   "wrong_condition",     2, 12 },
    LogPrior{Family::siblings,   "wrong_index",         1, -11},
    LogPrior{Family::siblings,   "wrong_index",         2, 4  },
    LogPrior{Family::siblings,   "wrong_operation",     1, 19 },
    LogPrior{Family::siblings,   "wrong_operation",     2, 4  },
 // By those of their like.
    LogPrior{Family::terms,      "wrong_operation",     1, 5  }, // another sign
    LogPrior{Family::stores,     "never_written",       2, 17 },
    LogPrior{Family::stores,     "never_written",       3, 5  },
    LogPrior{Family::operands,   "wrong_operand",       1, 20 },
    LogPrior{Family::operands,   "wrong_operand",       2, -4 },
    LogPrior{Family::brackets,   "overflow",            2, 10 },
    LogPrior{Family::brackets,   "wrong_operation",     2, 0  },
    LogPrior{Family::loops,      "partial_reduction",   2, 20 },
    LogPrior{Family::loops,      "race_global",         1, 20 },
    LogPrior{Family::loops,      "race_global",         2, 10 },
    LogPrior{Family::unread,     "missing_rescale",     2, 0  },
    LogPrior{Family::unread,     "partial_reduction",   2, 0  },
    LogPrior{Family::unread,     "wrong_index",         3, -20},
    LogPrior{Family::unread,     "wrong_initial_value", 2, 10 },
    LogPrior{Family::unread,     "wrong_condition",     2, 20 },
    LogPrior{Family::combined,   "partial_reduction",   1, 15 },
    LogPrior{Family::combined,   "partial_reduction",   2, -5 },
    LogPrior{Family::combined,   "wrong_condition",     3, -10},
    LogPrior{Family::missing,    "wrong_initial_value", 2, 10 }, // a counter that nobody sets back
    LogPrior{Family::combined,   "wrong_operand",       2, 0  }, // on the other side of a bracket
    LogPrior{Family::terms,      "constant_factor",     1, 35 }, // one that all of it lacks
    LogPrior{Family::conditions, "wrong_condition",     1, 35 }, // a triangle that should be zero
    LogPrior{Family::missing,    "partial_reduction",   1, 25 },
    LogPrior{Family::missing,    "partial_reduction",   2, 5  },
    LogPrior{Family::missing,    "stale_tile",          1, 15 },
    LogPrior{Family::missing,    "missing_rescale",     1, 25 },
    LogPrior{Family::missing,    "never_written",       1, 25 },
    LogPrior{Family::missing,    "wrong_index",         2, -5 },
    LogPrior{Family::missing,    "wrong_order",         2, 10 },
    LogPrior{Family::missing,    "wrong_operation",     1, 20 },
    LogPrior{Family::missing,    "async_copy_wait",     2, 0  },
    LogPrior{Family::missing,    "uninitialised",       1, 30 },
    LogPrior{Family::idioms,     "wrong_index",         1, 25 },
    LogPrior{Family::idioms,     "wrong_index",         2, 0  },
    LogPrior{Family::idioms,     "wrong_operation",     1, 15 },
    LogPrior{Family::idioms,     "wrong_operation",     2, -5 },
    LogPrior{Family::idioms,     "partial_reduction",   1, 25 },
    LogPrior{Family::idioms,     "missing_rescale",     1, 20 },
    LogPrior{Family::idioms,     "wrong_constant",      1, 10 },
    LogPrior{Family::analogies,  "wrong_operand",       2, 5  },
    LogPrior{Family::analogies,  "wrong_operation",     1, 30 }, // every shuffle of a function
    LogPrior{Family::unread,     "wrong_index",         2, 10 },
    LogPrior{Family::unread,     "wrong_operand",       2, 10 },
    LogPrior{Family::unread,     "uninitialised",       1, 20 },
    LogPrior{Family::idioms,     "wrong_initial_value", 1, 25 },
    LogPrior{Family::idioms,     "wrong_condition",     1, 10 },
    LogPrior{Family::idioms,     "boundary_off_by_one", 1, 30 },
    LogPrior{Family::arrays,     "wrong_index",         1, 15 },
    LogPrior{Family::arrays,     "wrong_index",         2, 20 },
    LogPrior{Family::arrays,     "wrong_condition",     1, 20 },
    LogPrior{Family::arrays,     "wrong_initial_value", 1, 15 },
    LogPrior{Family::arrays,     "boundary_off_by_one", 2, 0  },
};

}  // namespace

int log_prior_of(const Rewrite& r) {
    const auto* const found = std::find_if(kOdds.begin(), kOdds.end(), [&](const LogPrior& o) {
        return std::tuple(o.family, o.rule, o.cost) == std::tuple(r.family, std::string_view(r.rule), r.cost);
    });
    return found == kOdds.end() ? kUnseen : found->log_prior;
}

}  // namespace wl::diagnosis::rewrite
