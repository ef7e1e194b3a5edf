// The table: barriers, fences, atomics, warp collectives and mbarriers (PTX ISA 9.0, 9.7.9.6 and 9.7.13).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;
constexpr std::string_view kCluster = "clusters and distributed shared memory: not executed";
constexpr std::string_view kOwnCluster = "clusters of several blocks: each block is one of its own";
constexpr std::string_view kOlder = "before sm_70 only: not executed";
constexpr std::string_view kBlackwell = "sm_100 and later only: not executed";

// clang-format off
#define WL_ORDER "relaxed|acquire|release|acq_rel? cta|cluster|gpu|sys?"
#define WL_RED_ORDER "relaxed|release? cta|cluster|gpu|sys?"
#define WL_ATOM_SPACE "global|shared|shared::cta|shared::cluster? L2::cache_hint?"
#define WL_MBAR_SPACE "shared|shared::cta|shared::cluster?"
#define WL_MBAR_ORDER "relaxed.cta|relaxed.cluster|release.cta|release.cluster?"
#define WL_WAIT_ORDER "relaxed.cta|relaxed.cluster|acquire.cta|acquire.cluster?"

constexpr std::array kBarriers = {
    Form{Op::bar, "bar", "", "cta? sync", "a b?", "9.7.13.1", kExact, "Waits at barrier a until all threads of the block, or b of them, have arrived; all lanes of the warp count.", "", "waits=block by=a,b a:32 b:32"},
    Form{Op::bar, "bar", "", "cta? arrive", "a b", "9.7.13.1", kExact, "Arrives at barrier a, which b threads complete, and does not wait.", "", "waits=block by=a,b a:32 b:32"},
    Form{Op::bar, "bar", "u32", "cta? red popc", "d a b? !c", "9.7.13.1", kExact, "Waits at barrier a; d = in how many threads the predicate c is true.", "", "waits=block by=a,b reduce a:32 b:32"},
    Form{Op::bar, "bar", "pred", "cta? red and|or", "d a b? !c", "9.7.13.1", kExact, "Waits at barrier a; d = whether the predicate c is true in all, or any, threads.", "", "waits=block by=a,b reduce a:32 b:32"},
    Form{Op::bar, "barrier", "", "cta? sync aligned?", "a b?", "9.7.13.1", kExact, "Waits at barrier a until all threads of the block, or b of them, have arrived; without .aligned the lanes may come one by one.", "", "waits=block by=a,b a:32 b:32"},
    Form{Op::bar, "barrier", "", "cta? arrive aligned?", "a b", "9.7.13.1", kExact, "Arrives at barrier a, which b threads complete, and does not wait.", "", "waits=block by=a,b a:32 b:32"},
    Form{Op::bar, "barrier", "u32", "cta? red popc aligned?", "d a b? !c", "9.7.13.1", kExact, "Waits at barrier a; d = in how many threads the predicate c is true.", "", "waits=block by=a,b reduce a:32 b:32"},
    Form{Op::bar, "barrier", "pred", "cta? red and|or aligned?", "d a b? !c", "9.7.13.1", kExact, "Waits at barrier a; d = whether the predicate c is true in all, or any, threads.", "", "waits=block by=a,b reduce a:32 b:32"},
    Form{Op::bar_warp_sync, "bar.warp.sync", "", "", "mask", "9.7.13.2", kExact, "Waits until every lane of the mask stands here; orders memory among them.", "", "waits=lanes mask:32"},
    Form{Op::barrier_cluster, "barrier.cluster", "", "arrive release|relaxed? aligned?", "", "9.7.13.3", kExact, "Arrives at the barrier of the cluster.", kOwnCluster, "nothing"},
    Form{Op::barrier_cluster, "barrier.cluster", "", "wait acquire? aligned?", "", "9.7.13.3", kExact, "Waits at the barrier of the cluster.", kOwnCluster, "nothing"},
    Form{Op::fence, "fence", "", "sc|acq_rel|acquire|release? cta|cluster|gpu|sys", "", "9.7.13.4", kExact, "Orders the thread's memory accesses before it to those after it, for the scope.", "", "fence"},
    Form{Op::fence, "fence", "", "acquire|release sync_restrict::shared::cta|sync_restrict::shared::cluster cluster", "", "9.7.13.4", kExact, "Orders shared memory accesses in the cluster.", kCluster},
    Form{Op::fence, "fence", "", "mbarrier_init release cluster", "", "9.7.13.4", kExact, "Makes the initialisation of mbarriers known to the cluster.", "one block a cluster: nothing more happens", "nothing"},
    Form{Op::fence, "fence", "", "proxy alias|async|async.global|async.shared::cta|async.shared::cluster", "", "9.7.13.4", kExact, "Orders accesses through different proxies.", "one proxy: nothing more happens", "nothing"},
    Form{Op::fence, "fence", "", "proxy tensormap::generic release cta|cluster|gpu|sys", "", "9.7.13.4", kExact, "Orders writes of a tensor map before its use.", "one proxy: nothing more happens", "nothing"},
    Form{Op::fence, "fence", "", "proxy tensormap::generic acquire cta|cluster|gpu|sys", "[a] size", "9.7.13.4", kExact, "Orders the use of a tensor map after its writes.", "one proxy: nothing more happens", "hint"},
    Form{Op::fence, "fence", "", "proxy async::generic acquire|release sync_restrict::shared::cta|sync_restrict::shared::cluster cluster", "", "9.7.13.4", kExact, "Orders accesses through the asynchronous proxy in the cluster.", kCluster},
    Form{Op::membar, "membar", "", "cta|gl|sys", "", "9.7.13.4", kExact, "The older name of fence.sc for the block, the GPU or the system.", "", "fence"},
    Form{Op::membar, "membar", "", "proxy alias", "", "9.7.13.4", kExact, "Orders accesses through aliases of one address.", "one proxy: nothing more happens", "nothing"},
    Form{Op::griddepcontrol, "griddepcontrol", "", "launch_dependents|wait", "", "9.7.13.13", kExact, "Lets a dependent grid start, or waits for the grids before this one.", "one grid at a time: nothing happens", "nothing"},
};

constexpr std::array kAtomics = {
    Form{Op::atom, "atom", "b32|b64", WL_ORDER " " WL_ATOM_SPACE " and|or|xor|exch", "d [a] b policy?", "9.7.13.5", kExact, "d = the element at a, which becomes the bitwise result, or b.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "b128", WL_ORDER " " WL_ATOM_SPACE " exch", "d [a] b policy?", "9.7.13.5", kExact, "d = the element at a, which becomes b.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "b16|b32|b64|b128", WL_ORDER " global|shared|shared::cta|shared::cluster? cas", "d [a] b c", "9.7.13.5", kExact, "d = the element at a, which becomes c if it equals b.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "u32|u64|s32|f32|f64", WL_ORDER " " WL_ATOM_SPACE " add", "d [a] b policy?", "9.7.13.5", kExact, "d = the element at a, to which b is added; f32 rounds to nearest, and on global memory flushes subnormals.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "f16|f16x2|bf16|bf16x2", WL_ORDER " " WL_ATOM_SPACE " add noftz", "d [a] b policy?", "9.7.13.5", kExact, "d = the element at a, to which b is added, each half of a pair by itself.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "u32", WL_ORDER " " WL_ATOM_SPACE " inc|dec", "d [a] b policy?", "9.7.13.5", kExact, "d = the element at a, which counts up to b and then 0, or down from b.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "u32|u64|s32|s64", WL_ORDER " " WL_ATOM_SPACE " min|max", "d [a] b policy?", "9.7.13.5", kExact, "d = the element at a, which becomes the smaller or the larger.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "f32", WL_ORDER " global? L2::cache_hint? add v2|v4", "{d} [a] {b} policy?", "9.7.13.5", kExact, "d = the vector at a, to which b is added, each element atomically.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "f16|bf16", WL_ORDER " global? L2::cache_hint? add|min|max noftz v2|v4|v8", "{d} [a] {b} policy?", "9.7.13.5", kExact, "d = the vector at a, into which b goes, each element atomically.", "", "d=[a]~b"},
    Form{Op::atom, "atom", "f16x2|bf16x2", WL_ORDER " global? L2::cache_hint? add|min|max noftz v2|v4", "{d} [a] {b} policy?", "9.7.13.5", kExact, "d = the vector at a, into which b goes, each element atomically.", "", "d=[a]~b"},
    Form{Op::red, "red", "b32|b64", WL_RED_ORDER " " WL_ATOM_SPACE " and|or|xor", "[a] b policy?", "9.7.13.6", kExact, "The element at a becomes the bitwise result.", "", "[a]~b"},
    Form{Op::red, "red", "u32|u64|s32|f32|f64", WL_RED_ORDER " " WL_ATOM_SPACE " add", "[a] b policy?", "9.7.13.6", kExact, "b is added to the element at a.", "", "[a]~b"},
    Form{Op::red, "red", "f16|f16x2|bf16|bf16x2", WL_RED_ORDER " " WL_ATOM_SPACE " add noftz", "[a] b policy?", "9.7.13.6", kExact, "b is added to the element at a, each half of a pair by itself.", "", "[a]~b"},
    Form{Op::red, "red", "u32", WL_RED_ORDER " " WL_ATOM_SPACE " inc|dec", "[a] b policy?", "9.7.13.6", kExact, "The element at a counts up to b and then 0, or down from b.", "", "[a]~b"},
    Form{Op::red, "red", "u32|u64|s32|s64", WL_RED_ORDER " " WL_ATOM_SPACE " min|max", "[a] b policy?", "9.7.13.6", kExact, "The element at a becomes the smaller or the larger.", "", "[a]~b"},
    Form{Op::red, "red", "f32", WL_RED_ORDER " global? L2::cache_hint? add v2|v4", "[a] {b} policy?", "9.7.13.6", kExact, "b is added to the vector at a, each element atomically.", "", "[a]~b"},
    Form{Op::red, "red", "f16|bf16", WL_RED_ORDER " global? L2::cache_hint? add|min|max noftz v2|v4|v8", "[a] {b} policy?", "9.7.13.6", kExact, "b goes into the vector at a, each element atomically.", "", "[a]~b"},
    Form{Op::red, "red", "f16x2|bf16x2", WL_RED_ORDER " global? L2::cache_hint? add|min|max noftz v2|v4", "[a] {b} policy?", "9.7.13.6", kExact, "b goes into the vector at a, each element atomically.", "", "[a]~b"},
    Form{Op::red_async, "red.async", "u32|s32|u64|b32|b64", "relaxed|release? mmio? cluster|gpu|sys? shared::cluster|global? mbarrier::complete_tx::bytes? inc|dec|min|max|add|and|or|xor", "[a] b [mbar]?", "9.7.13.7", kExact, "An atomic reduction into another block of the cluster.", kCluster},
};

constexpr std::array kWarp = {
    Form{Op::shfl, "shfl", "b32", "sync up|down|bfly|idx", "d |p? a b c mask", "9.7.9.6", kExact, "d = a of another lane of the mask; p = whether that lane was in range.", "", "shuffle by=b,c waits=lanes"},
    Form{Op::shfl, "shfl", "b32", "up|down|bfly|idx", "d |p? a b c", "9.7.9.5", kExact, "The older form of shfl.sync, over the lanes that are active; refused by ptxas from sm_70 on.", kOlder, "shuffle by=b,c"},
    Form{Op::vote, "vote", "pred", "all|any|uni", "d !a", "9.7.13.8", kExact, "The older form of vote.sync, over the lanes that are active; refused by ptxas from sm_70 on.", kOlder, "across"},
    Form{Op::vote, "vote", "b32", "ballot", "d !a", "9.7.13.8", kExact, "The older form of vote.sync, over the lanes that are active; refused by ptxas from sm_70 on.", kOlder, "ballot"},
    Form{Op::vote, "vote", "pred", "sync all|any|uni", "d !a mask", "9.7.13.9", kExact, "d = whether a is true in all or any lanes of the mask, or the same in all.", "", "across waits=lanes mask:32"},
    Form{Op::vote, "vote", "b32", "sync ballot", "d !a mask", "9.7.13.9", kExact, "d = the lanes of the mask in which a is true.", "", "ballot waits=lanes mask:32"},
    Form{Op::match, "match", "b32|b64", "any sync", "d a mask", "9.7.13.10", kExact, "d = the lanes of the mask whose a is this lane's.", "", "across waits=lanes d:32 mask:32"},
    Form{Op::match, "match", "b32|b64", "all sync", "d |p? a mask", "9.7.13.10", kExact, "d = the mask if a is the same in all its lanes, else 0; p says so.", "", "across waits=lanes d:32 mask:32"},
    Form{Op::activemask, "activemask", "b32", "", "d", "9.7.13.11", kExact, "d = the lanes that execute this instruction together.", "which lanes run together is the emulator's schedule", "clean"},
    Form{Op::redux, "redux", "u32|s32", "sync add|min|max", "d a mask", "9.7.13.12", kExact, "d = the sum, least or largest a over the lanes of the mask.", "", "across waits=lanes"},
    Form{Op::redux, "redux", "b32", "sync and|or|xor", "d a mask", "9.7.13.12", kExact, "d = the bitwise result over the lanes of the mask.", "", "across waits=lanes"},
    Form{Op::redux, "redux", "f32", "sync min|max abs? NaN?", "d a mask", "9.7.13.12", kExact, "d = the least or largest a over the lanes of the mask.", kBlackwell, "across waits=lanes"},
    Form{Op::elect, "elect", "", "sync", "d |p mask", "9.7.13.14", kExact, "p = whether this lane is the leader of the mask, d = the leader's number.", "which lane leads: the lowest of the mask", "clean waits=lanes d:32 mask:32"},
};

constexpr std::array kMbarrier = {
    Form{Op::mbarrier_init, "mbarrier.init", "b64", "shared|shared::cta?", "[a] count", "9.7.13.15.9", kExact, "Makes an mbarrier that count arrivals complete.", "", "mbarrier"},
    Form{Op::mbarrier_inval, "mbarrier.inval", "b64", "shared|shared::cta?", "[a]", "9.7.13.15.10", kExact, "Gives the mbarrier's memory back.", "", "mbarrier"},
    Form{Op::mbarrier_expect_tx, "mbarrier.expect_tx", "b64", "relaxed.cta|relaxed.cluster? " WL_MBAR_SPACE, "[a] bytes", "9.7.13.15.11", kExact, "The current phase waits for that many more bytes.", "", "mbarrier"},
    Form{Op::mbarrier_complete_tx, "mbarrier.complete_tx", "b64", "relaxed.cta|relaxed.cluster? " WL_MBAR_SPACE, "[a] bytes", "9.7.13.15.12", kExact, "That many bytes of the current phase have come.", "", "mbarrier"},
    Form{Op::mbarrier_arrive, "mbarrier.arrive", "b64", WL_MBAR_ORDER " " WL_MBAR_SPACE, "d [a] count?", "9.7.13.15.13", kExact, "Arrives count times; d = the phase before.", "", "mbarrier"},
    Form{Op::mbarrier_arrive, "mbarrier.arrive", "b64", "expect_tx " WL_MBAR_ORDER " " WL_MBAR_SPACE, "d [a] bytes", "9.7.13.15.13", kExact, "Expects that many bytes and arrives; d = the phase before.", "", "mbarrier"},
    Form{Op::mbarrier_arrive, "mbarrier.arrive", "b64", "noComplete release.cta? shared|shared::cta?", "d [a] count", "9.7.13.15.13", kExact, "Arrives count times, never completing the phase; d = the phase before.", "", "mbarrier"},
    Form{Op::mbarrier_arrive_drop, "mbarrier.arrive_drop", "b64", WL_MBAR_ORDER " " WL_MBAR_SPACE, "d [a] count?", "9.7.13.15.14", kExact, "Arrives and leaves the barrier: later phases expect fewer.", "", "mbarrier"},
    Form{Op::mbarrier_arrive_drop, "mbarrier.arrive_drop", "b64", "expect_tx " WL_MBAR_ORDER " " WL_MBAR_SPACE, "d [a] bytes", "9.7.13.15.14", kExact, "Expects that many bytes, arrives and leaves.", "", "mbarrier"},
    Form{Op::mbarrier_arrive_drop, "mbarrier.arrive_drop", "b64", "noComplete release.cta? shared|shared::cta?", "d [a] count", "9.7.13.15.14", kExact, "Arrives count times and leaves, never completing the phase.", "", "mbarrier"},
    Form{Op::cp_async_mbarrier_arrive, "cp.async.mbarrier.arrive", "b64", "noinc? shared|shared::cta?", "[a]", "9.7.13.15.15", kExact, "The mbarrier gets an arrival when the thread's copies so far are done; without .noinc it expects one more first.", "", "mbarrier"},
    Form{Op::mbarrier_test_wait, "mbarrier.test_wait", "b64", WL_WAIT_ORDER " shared|shared::cta?", "d [a] state", "9.7.13.15.16", kExact, "d = whether the phase of the state is complete.", "", "mbarrier waits=phase d:pred"},
    Form{Op::mbarrier_test_wait, "mbarrier.test_wait", "b64", "parity " WL_WAIT_ORDER " shared|shared::cta?", "d [a] parity", "9.7.13.15.16", kExact, "d = whether the phase of that parity is complete.", "", "mbarrier waits=phase d:pred"},
    Form{Op::mbarrier_try_wait, "mbarrier.try_wait", "b64", WL_WAIT_ORDER " shared|shared::cta?", "d [a] state hint?", "9.7.13.15.16", kExact, "d = whether the phase of the state is complete, after a while.", "time: the warp yields once", "mbarrier waits=phase d:pred"},
    Form{Op::mbarrier_try_wait, "mbarrier.try_wait", "b64", "parity " WL_WAIT_ORDER " shared|shared::cta?", "d [a] parity hint?", "9.7.13.15.16", kExact, "d = whether the phase of that parity is complete, after a while.", "time: the warp yields once", "mbarrier waits=phase d:pred"},
    Form{Op::mbarrier_pending_count, "mbarrier.pending_count", "b64", "", "d state", "9.7.13.15.17", kExact, "d = how many arrivals the state still lacked.", "", "d:any state:any"},
    Form{Op::clusterlaunchcontrol, "clusterlaunchcontrol.try_cancel", "b128", "async shared::cta? mbarrier::complete_tx::bytes multicast::cluster::all?", "[a] [mbar]", "9.7.13.17", kExact, "Asks for the work of a cluster that has not started.", kBlackwell},
    Form{Op::clusterlaunchcontrol, "clusterlaunchcontrol.query_cancel.is_canceled", "pred b128", "", "d a", "9.7.13.18", kExact, "d = whether the request was granted.", kBlackwell, "d:anything a:anything"},
    Form{Op::clusterlaunchcontrol, "clusterlaunchcontrol.query_cancel.get_first_ctaid", "b32 b128", "v4", "{d} a", "9.7.13.18", kExact, "d = the first block of the cluster granted.", kBlackwell, "d:anything a:anything"},
    Form{Op::clusterlaunchcontrol, "clusterlaunchcontrol.query_cancel.get_first_ctaid::x", "b32 b128", "", "d a", "9.7.13.18", kExact, "d = the x of the first block of the cluster granted.", kBlackwell, "d:anything a:anything"},
    Form{Op::clusterlaunchcontrol, "clusterlaunchcontrol.query_cancel.get_first_ctaid::y", "b32 b128", "", "d a", "9.7.13.18", kExact, "d = the y of the first block of the cluster granted.", kBlackwell, "d:anything a:anything"},
    Form{Op::clusterlaunchcontrol, "clusterlaunchcontrol.query_cancel.get_first_ctaid::z", "b32 b128", "", "d a", "9.7.13.18", kExact, "d = the z of the first block of the cluster granted.", kBlackwell, "d:anything a:anything"},
};
// clang-format on

}  // namespace

const std::array<Family, 4> kSyncFamilies = {
    {{"Barriers and fences", kBarriers},
     {"Atomics", kAtomics},
     {"Warp collectives", kWarp},
     {"mbarrier", kMbarrier}}
};

}  // namespace wl::ptx
