// Types and intrinsics: half, bf16, fp8, doubles, roundings, extended precision, bits, video, packed
// conversions.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" __global__ void arithmetic(
    float* f, double* d, unsigned* u, long long* l, __half* h, __nv_bfloat16* b, __nv_fp8_e4m3* q
) {
    const int i = threadIdx.x;
    f[0] = __fadd_rz(f[1], f[2]) + __fmaf_ru(f[3], f[4], f[5]) + __fdividef(f[6], f[7]) + f[8] / f[9];
    f[1] = __expf(f[1]) + __logf(f[2]) + __sinf(f[3]) + __cosf(f[4]) + rsqrtf(f[5]) + sqrtf(f[6]) +
        tanhf(f[7]) + exp2f(f[8]);
    f[2] = fminf(f[1], f[2]) + fmaxf(f[3], f[4]) + copysignf(f[5], f[6]) + truncf(f[7]) + rintf(f[8]) +
        __saturatef(f[9]);
    f[3] = powf(f[1], f[2]) + fmodf(f[3], f[4]) + erff(f[5]) + (isnan(f[6]) ? 1.f : 2.f) + __frcp_rn(f[7]);
    d[0] = d[1] / d[2] + sqrt(d[3]) + fma(d[4], d[5], d[6]) + exp(d[7]) + __dadd_rd(d[8], d[9]);
    d[1] = static_cast<double>(f[1]) + static_cast<double>(l[1]) + i;
    u[0] = __popc(u[1]) + __clz(u[2]) + __brev(u[3]) + __ffs(u[4]) + __byte_perm(u[5], u[6], u[7]) +
        __funnelshift_l(u[8], u[9], u[1]);
    u[1] = __dp4a(u[1], u[2], u[3]) + __umulhi(u[4], u[5]) + __umul24(u[6], u[7]) + __sad(u[8], u[9], u[1]) +
        __vadd4(u[2], u[3]);
    u[2] = __vabsdiffu4(u[1], u[2]) + __vmaxs2(u[3], u[4]) + __vcmpeq4(u[5], u[6]) +
        (u[7] & ~u[8] | u[9] ^ u[1]) + u[2] / u[3] % u[4];
    l[0] =
        l[1] * l[2] + __mulhi(u[1], u[2]) + l[3] / l[4] + (l[5] >> i) + __popcll(l[6]) + __float2ll_rd(f[1]);
    unsigned __int128 wide = static_cast<unsigned __int128>(l[1]) * l[2] + l[3];
    l[1] = static_cast<long long>(wide >> 64);
    h[0] = __hfma(h[1], h[2], h[3]) + h2exp2(__halves2half2(h[4], h[5])).x + __hmax(h[6], h[7]) +
        __float2half_rz(f[1]) + __hadd_sat(h[8], h[9]);
    b[0] = __hfma(b[1], b[2], b[3]) + __float2bfloat16(f[2]) + __hmin_nan(b[4], b[5]) +
        static_cast<__nv_bfloat16>(i);
    h[1] = __hlt(h[2], h[3]) ? h[4] : static_cast<__half>(q[1]);
    q[0] = __nv_fp8_e4m3(f[3]);
    q[1] = __nv_fp8_e4m3(h[5]);
    *reinterpret_cast<__half2*>(h + 2) =
        __hmul2(*reinterpret_cast<__half2*>(h + 4), __floats2half2_rn(f[1], f[2]));
    *reinterpret_cast<__nv_bfloat162*>(b + 2) = __hfma2_relu(
        *reinterpret_cast<__nv_bfloat162*>(b + 4),
        *reinterpret_cast<__nv_bfloat162*>(b + 6),
        __floats2bfloat162_rn(f[3], f[4])
    );
    unsigned low, high;
    asm("{\n\t.reg .u32 t;\n\tadd.cc.u32 %0, %2, %3;\n\taddc.u32 t, %4, 0;\n\tmad.lo.cc.u32 %1, t, %3, "
        "%2;\n\tmadc.hi.u32 %1, %1, %2, %3;\n\t}"
        : "=r"(low), "=r"(high)
        : "r"(u[1]), "r"(u[2]), "r"(u[3]));
    asm("{\n\t.reg .u32 t;\n\tbfe.u32 t, %1, 3, 5;\n\tbfi.b32 t, t, %1, 7, 4;\n\tbmsk.clamp.b32 t, t, "
        "4;\n\tszext.wrap.s32 t, t, %1;\n\tvadd.s32.u32.s32.sat %0, t.b1, %1.h0, t;\n\t}"
        : "=r"(high)
        : "r"(u[4]));
    asm("lop3.b32 %0, %1, %2, %0, 0x96;\n\tcvt.rna.tf32.f32 %0, %3;"
        : "+r"(low)
        : "r"(u[5]), "r"(high), "f"(f[5]));
    u[3] = low + high;
}
