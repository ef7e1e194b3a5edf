#include "instrumentation/ptx/edit/position.h"

namespace wl::ptx {

std::string position_text() {
    return R"(
    .reg .b32 tx, ty, tz, nx, ny, tid, warp, px, py, pz, gx, gy;
    .reg .b64 block, part;
    mov.u32 tx, %tid.x;
    mov.u32 ty, %tid.y;
    mov.u32 tz, %tid.z;
    mov.u32 nx, %ntid.x;
    mov.u32 ny, %ntid.y;
    mad.lo.u32 tid, tz, ny, ty;
    mad.lo.u32 tid, tid, nx, tx;
    shr.u32 warp, tid, 5;
    mov.u32 px, %ctaid.x;
    mov.u32 py, %ctaid.y;
    mov.u32 pz, %ctaid.z;
    mov.u32 gx, %nctaid.x;
    mov.u32 gy, %nctaid.y;
    mul.wide.u32 block, pz, gy;
    cvt.u64.u32 part, py;
    add.u64 block, block, part;
    cvt.u64.u32 part, gx;
    mul.lo.u64 block, block, part;
    cvt.u64.u32 part, px;
    add.u64 block, block, part;
)";
}

}  // namespace wl::ptx
