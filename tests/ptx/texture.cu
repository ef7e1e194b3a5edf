// Textures and surfaces by object, and the families beyond the warp: clusters, bulk copies, wgmma.
#include <cooperative_groups.h>

extern "C" __global__ void texture(
    cudaTextureObject_t t, cudaTextureObject_t layered, cudaSurfaceObject_t s, float4* out
) {
    const int x = threadIdx.x;
    float4 v = tex2D<float4>(t, x + 0.5f, 1.5f);
    v.x += tex1Dfetch<float>(t, x) + tex3D<float>(t, 0.1f, 0.2f, 0.3f) +
        tex2DLayered<float>(layered, 0.5f, 0.5f, 2);
    v.y += tex2DLod<float>(t, 0.5f, 0.25f, 1.f) + tex2Dgather<float4>(t, 0.5f, 0.5f, 1).y;
    uchar4 texel = surf2Dread<uchar4>(s, x * 4, 3);
    surf2Dwrite(texel, s, x * 4, 4, cudaBoundaryModeClamp);
    surf1Dwrite(v, s, x * 16, cudaBoundaryModeZero);
    out[x] = v;
}
