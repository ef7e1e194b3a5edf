// PTX ISA 9.0, 10: special registers, a component each.
#pragma once

#include <cstdint>

namespace wl::ptx {

enum class SpecialRegister : uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    clock,
    clock_hi,
    clock64,
    globaltimer,
    globaltimer_lo,
    globaltimer_hi,
    dynamic_smem_size,
    total_smem_size,
    aggr_smem_size,
    current_graph_exec,
    envreg,  // %envreg0..31: the number is the operand's offset
    pm,      // %pm0..7: likewise; %pm0_64 has 64 added
    warpsz,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_ctarank,
    cluster_nctarank,
    is_explicit_cluster,
    reserved_smem_begin,
    reserved_smem_end,
    reserved_smem_cap,
    reserved_smem_offset,  // %reserved_smem_offset_0..1: likewise
    count,
};

}  // namespace wl::ptx
