// The table of special registers; the device is the H200 of emulator/device.h.
#include "instrumentation/ptx/table/special_registers.h"

#include <array>

namespace wl::ptx {
namespace {

using R = SpecialRegister;

constexpr std::string_view kClock =
    "8 cycles for each instruction that the warp has issued, 2 for each nanosecond that nanosleep asked for";
constexpr std::string_view kTimer = "half the cycles of `%clock64`";
constexpr std::string_view kTime =
    "how long an instruction takes: 2 to 118 cycles were measured (`docs/measured/clock-rate-h200.json`)";
constexpr std::string_view kNoCluster = "clusters: each block counts as a cluster of its own";

// clang-format off
constexpr std::array kRows = {
    SpecialRow{R::tid_x, R::tid_z, "the thread's place in its block", ""},
    SpecialRow{R::ntid_x, R::ntid_z, "the block's threads", ""},
    SpecialRow{R::ctaid_x, R::ctaid_z, "the block's place in the grid", ""},
    SpecialRow{R::nctaid_x, R::nctaid_z, "the grid's blocks", ""},
    SpecialRow{R::laneid, R::laneid, "the thread's number in its block, modulo 32", ""},
    SpecialRow{R::warpid, R::warpid, "the thread's number in its block, divided by 32", "the ISA leaves it open; a GPU gives the place of the warp on its multiprocessor"},
    SpecialRow{R::nwarpid, R::nwarpid, "64, the most warps of a multiprocessor", ""},
    SpecialRow{R::smid, R::smid, "the block's number in the grid, modulo 132", "which multiprocessor takes which block, which the ISA leaves open"},
    SpecialRow{R::nsmid, R::nsmid, "132, the multiprocessors of an H200", ""},
    SpecialRow{R::gridid, R::gridid, "1", "a number for each launch"},
    SpecialRow{R::lanemask_eq, R::lanemask_gt, "the lanes equal to, up to, below, from or above the thread's own", ""},
    SpecialRow{R::clock, R::clock64, kClock, kTime},
    SpecialRow{R::globaltimer, R::globaltimer_hi, kTimer, kTime},
    SpecialRow{R::dynamic_smem_size, R::dynamic_smem_size, "bytes of dynamic shared memory that the launch asked for", ""},
    SpecialRow{R::total_smem_size, R::total_smem_size, "bytes of static and dynamic shared memory, rounded up to 128", ""},
    SpecialRow{R::aggr_smem_size, R::aggr_smem_size, "the same and the 1024 bytes that the driver reserves", ""},
    SpecialRow{R::current_graph_exec, R::current_graph_exec, "0: no launch comes from a graph", ""},
    SpecialRow{R::envreg, R::envreg, "1 and 2: the upper and lower half of the workspace's address of a cooperative launch; the others 0", ""},
    SpecialRow{R::pm, R::pm, "0", "counters of performance"},
    SpecialRow{R::warpsz, R::warpsz, "32 (`WARP_SZ`)", ""},
    SpecialRow{R::clusterid_x, R::clusterid_z, "the block's place in the grid", kNoCluster},
    SpecialRow{R::nclusterid_x, R::nclusterid_z, "the grid's blocks", kNoCluster},
    SpecialRow{R::cluster_ctaid_x, R::cluster_ctaid_z, "0", kNoCluster},
    SpecialRow{R::cluster_nctaid_x, R::cluster_nctaid_z, "1", kNoCluster},
    SpecialRow{R::cluster_ctarank, R::cluster_ctarank, "0", kNoCluster},
    SpecialRow{R::cluster_nctarank, R::cluster_nctarank, "1", kNoCluster},
    SpecialRow{R::is_explicit_cluster, R::is_explicit_cluster, "false", kNoCluster},
    SpecialRow{R::reserved_smem_begin, R::reserved_smem_begin, "0", ""},
    SpecialRow{R::reserved_smem_end, R::reserved_smem_cap, "1024", ""},
    SpecialRow{R::reserved_smem_offset, R::reserved_smem_offset, "0", ""},
};
// clang-format on

}  // namespace

std::span<const SpecialRow> special_rows() { return kRows; }

}  // namespace wl::ptx
