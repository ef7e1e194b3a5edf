#include "instrumentation/diagnosis/rules/names.h"

namespace wl::diagnosis {

namespace {

constexpr RuleName kNames[] = {
    {"constant_factor",         "a tile is its reference times one number"                                         },
    {"transposed_operand",      "a product is that of an operand with rows and columns exchanged"                  },
    {"permuted_operand",        "a product is that of an operand whose rows or columns are in another order"       },
    {"wrong_operand",           "a product is that of another array or slice than the one that the reference takes"},
    {"wrong_leading_dimension",
     "rows of an operand, or of what a product stores, lie a wrong distance apart"                                 },
    {"wrong_index",             "elements come from other places of an operand than the reference takes"           },
    {"partial_reduction",       "a product without its first or its last terms"                                    },
    {"boundary_off_by_one",     "a comparison, or its bound, that is one off: `<` for `<=`"                        },
    {"wrong_condition",         "a condition that keeps lanes out, or lets them in, against the reference"         },
    {"wrong_constant",          "a number that should be another"                                                  },
    {"wrong_initial_value",     "a value that starts as another number than the reference's"                       },
    {"wrong_operation",         "an operation that should be another: `+` for `-`"                                 },
    {"double_count",            "a term that stands in a sum once too often"                                       },
    {"missing_rescale",         "a factor that is at hand and was not applied"                                     },
    {"stale_tile",              "what an iteration before left is taken for this one's"                            },
    {"wrong_order",             "a statement that should stand before or after another, or in a loop"              },
    {"precision",               "a format or an order of operations that loses digits that matter"                 },
    {"overflow",                "a number that does not fit into its type"                                         },
    {"foreign_input",           "an element depends on an input that its reference does not depend on"             },
    {"missing_input",           "an element does not depend on an input that its reference depends on"             },
    {"tried_change",            "a change that was given by --try, and mends"                                      },
    {"never_written",           "elements of a tile or an output that no lane ever wrote"                          },
    {"uninitialised",           "a value that nobody set decides something, or leaves"                             },
    {"race_shared",             "two accesses of shared memory by different warps that nothing orders"             },
    {"race_warp",               "two accesses by lanes of one warp that nothing orders"                            },
    {"race_global",             "two accesses of global memory that nothing orders"                                },
    {"schedule_dependent",      "outputs that depend on the order in which warps and blocks run"                   },
    {"out_of_bounds",           "an address outside what it may reach"                                             },
    {"misaligned",              "an address that is no multiple of the access's size"                              },
    {"divergent_barrier",       "a barrier that some threads do not reach"                                         },
    {"deadlock",                "warps or lanes that wait for what never comes"                                    },
    {"endless_loop",            "a loop whose state comes again, or whose budget is spent"                         },
    {"shuffle_misuse",          "a warp-wide instruction whose lanes and member masks do not agree"                },
    {"async_copy_wait",         "bytes of a copy touched before it was waited for"                                 },
    {"mbarrier_misuse",         "an mbarrier used against its protocol"                                            },
    {"proxy_fence",             "a bulk copy of bytes that threads stored, without a proxy fence between"          },
    {"read_only_load",          "a load through the read-only cache of what the launch itself writes"              },
    {"race_stream",             "two operations of a program on the same bytes, of which nothing orders one first" },
    {"race_early_launch",       "what a programmatic launch does before it waits for the launch before it"         },
    {"race_host",               "memory of the host that changes while an operation may still read it"             },
    {"stale_capture",           "memory that a node of a graph names, given back or filled again since"            },
    {"error_ignored",           "the use of what a call should have written that failed, with its error not asked" },
    {"trap",                    "the kernel ended itself by `__trap()` or an illegal barrier"                      },
    {"assertion",               "an `assert` of the kernel does not hold"                                          },
    {"device_fault",            "a GPU ended the launch, or it does not end there; the place is unknown"           },
    {"observing_changed",
     "a GPU leaves other results when the kernel is observed: it races, or times itself"                           },
    {"executors_disagree",      "a GPU and the emulator give tiles or outputs that no rounding explains"           },
    {"launch_impossible",       "a launch that the device would refuse"                                            },
    {"values_differ",           "where the first difference lies and what it looks like; no cause is claimed"      },
};

}  // namespace

std::span<const RuleName> rule_names() { return kNames; }

}  // namespace wl::diagnosis
