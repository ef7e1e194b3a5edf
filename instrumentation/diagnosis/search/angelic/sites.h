// Places of a source at which a value can be another one for each thread: one text that holds them all.
#pragma once

#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

// An expression of floats that somebody reads.
struct AngelicSite {
    int first = 0, last = 0;  // tokens
    int line = 0;
    int suspicion_rank = 0;  // as Rewrite::suspicion_rank
    int body = 0;            // index in Source::bodies
    int set = -1;  // of sites of its function that read alike but for names and numbers; -1: there is none
    bool before = false;  // no expression, but the place before the statement that begins there
};

// On lines that `context` suspects, the nearest first, `most` of them.
std::vector<AngelicSite> angelic_sites_of(
    const rewrite::Source& source, const rewrite::SearchContext& context, size_t most
);

// What of each kind is in device memory, by name.
constexpr const char* kSite = "wl_site_at";            // int: the site that is open; -1: none
constexpr const char* kSiteScales = "wl_site_scales";  // int: what is there is multiplied, not added
// Of each thread of the launch its first turns there, one behind the other.
constexpr int kTurns = 8;                            // the last of them stands for all behind it
constexpr const char* kSiteBy = "wl_site_by";        // a float a turn: by so much
constexpr const char* kSiteSeen = "wl_site_seen";    // a float a turn: what was there
constexpr const char* kSiteTimes = "wl_site_times";  // an int a thread: how often it was there
// Of some threads what was at hand, a row each time that they came by.
constexpr const char* kRowOf = "wl_row_of";  // an int a thread: the row that it writes; -1: none
constexpr const char* kRowGroups =
    "wl_row_groups";  // an int a thread: the group that its rows are of; -1: none
constexpr const char* kRowCount = "wl_row_count";    // int
constexpr const char* kRowGroup = "wl_row_group";    // an int a row
constexpr const char* kRowValues = "wl_row_values";  // floats, row by row
constexpr int kMostRows = 1 << 14;

// Declarations of all but the rows, of the thread's number, "wl_site_thread()", and of the place of its next
// turn, "wl_site_turn()".
std::string site_memory(int64_t threads);

// By its number a site is opened, all of a set by the number of sites and the set's together.
// Lines of the site k are counted from (k + 1) times compile_whole's number.
std::string with_angelic_sites(
    const rewrite::Source& source, const std::vector<AngelicSite>& sites, int64_t threads
);

// What is known at a site, as expressions of floats; the first is what stands there.
std::vector<std::string> at_hand_of(const rewrite::Source& source, const AngelicSite& site, size_t most);

// Where the site is all of them are written to a row, the first `turns` times that a thread comes by.
std::string with_rows(
    const rewrite::Source& source,
    const AngelicSite& site,
    const std::vector<std::string>& at_hand,
    int64_t threads,
    int turns
);

}  // namespace wl::diagnosis
