// Models the special registers: PTX ISA 10. What each holds stands in ptx/special_registers.cpp, which
// docs/ptx.md shows. Not modelled: multiprocessors as places, counters of performance, clusters.
#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/machine/schedule.h"

namespace wl::emulator {
namespace {

using ptx::SpecialRegister;

uint32_t component(Dim3 d, int axis) { return axis == 0 ? d.x : axis == 1 ? d.y : d.z; }

// %envreg1 and %envreg2 hold the upper and lower half of the address of the cooperative workspace
// (cooperative_groups/details/driver_abi.h), all others zero.
uint32_t environment(const Block& block, int64_t number) {
    if (number == 1) return static_cast<uint32_t>(block.context.workspace >> 32);
    return number == 2 ? static_cast<uint32_t>(block.context.workspace) : 0;
}

uint32_t position(const Block& block, const Warp& w, SpecialRegister which, int lane) {
    const Launch& launch = *block.context.launch;
    const uint64_t thread = static_cast<uint64_t>(w.index) * kLanes + static_cast<uint64_t>(lane);
    const auto axis = [&](SpecialRegister x) { return static_cast<int>(which) - static_cast<int>(x); };
    const Dim3 place = from_linear(static_cast<uint64_t>(block.now.index), launch.grid);
    switch (which) {
        case SpecialRegister::tid_x:
        case SpecialRegister::tid_y:
        case SpecialRegister::tid_z:
            return component(from_linear(thread, launch.block), axis(SpecialRegister::tid_x));
        case SpecialRegister::ntid_x:
        case SpecialRegister::ntid_y:
        case SpecialRegister::ntid_z: return component(launch.block, axis(SpecialRegister::ntid_x));
        case SpecialRegister::ctaid_x:
        case SpecialRegister::ctaid_y:
        case SpecialRegister::ctaid_z: return component(place, axis(SpecialRegister::ctaid_x));
        // A launch without clusters counts each block as one.
        case SpecialRegister::clusterid_x:
        case SpecialRegister::clusterid_y:
        case SpecialRegister::clusterid_z: return component(place, axis(SpecialRegister::clusterid_x));
        case SpecialRegister::nclusterid_x:
        case SpecialRegister::nclusterid_y:
        case SpecialRegister::nclusterid_z:
            return component(launch.grid, axis(SpecialRegister::nclusterid_x));
        case SpecialRegister::nctaid_x:
        case SpecialRegister::nctaid_y:
        case SpecialRegister::nctaid_z: return component(launch.grid, axis(SpecialRegister::nctaid_x));
        case SpecialRegister::cluster_nctaid_x:
        case SpecialRegister::cluster_nctaid_y:
        case SpecialRegister::cluster_nctaid_z:
        case SpecialRegister::cluster_nctarank: return 1;
        default: return 0;
    }
}

}  // namespace

uint64_t special_value(const Block& block, const Warp& w, const SpecialSlot& slot, int lane) {
    const uint32_t bit = 1u << lane;
    const auto shared = static_cast<uint32_t>(w.shared_bytes);
    switch (slot.which) {
        case SpecialRegister::laneid: return static_cast<uint32_t>(lane);
        case SpecialRegister::warpid: return static_cast<uint32_t>(w.index);
        case SpecialRegister::nwarpid: return kWarpsOfMultiprocessor;
        case SpecialRegister::smid: return static_cast<uint64_t>(block.now.index) % kMultiprocessors;
        case SpecialRegister::nsmid: return kMultiprocessors;
        case SpecialRegister::gridid: return 1;
        case SpecialRegister::lanemask_eq: return bit;
        case SpecialRegister::lanemask_lt: return bit - 1;
        case SpecialRegister::lanemask_le: return bit | (bit - 1);
        case SpecialRegister::lanemask_gt: return ~(bit | (bit - 1));
        case SpecialRegister::lanemask_ge: return ~(bit - 1);
        case SpecialRegister::dynamic_smem_size: return block.context.launch->dynamic_shared;
        case SpecialRegister::total_smem_size: return shared_given(shared);
        case SpecialRegister::aggr_smem_size: return shared_given(shared) + kSharedReserved;
        case SpecialRegister::reserved_smem_end:
        case SpecialRegister::reserved_smem_cap: return kSharedReserved;
        case SpecialRegister::envreg: return environment(block, slot.number);
        case SpecialRegister::warpsz: return kLanes;
        default: return position(block, w, slot.which, lane);
    }
}

bool has_value(SpecialRegister which) {
    switch (which) {
        case SpecialRegister::clock:
        case SpecialRegister::clock_hi:
        case SpecialRegister::clock64:
        case SpecialRegister::globaltimer:
        case SpecialRegister::globaltimer_lo:
        case SpecialRegister::globaltimer_hi: return false;
        default: return true;
    }
}

}  // namespace wl::emulator
