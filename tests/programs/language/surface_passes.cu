// Stresses: surfaces of four bytes a texel, read and written by coordinates in bytes, ones outside that are
// clamped or give zero, two passes with a barrier between them.

extern "C" __global__ void surface_passes(
    cudaSurfaceObject_t image, cudaSurfaceObject_t other, int width, int height
) {
    const int x = threadIdx.x, y = threadIdx.y;
    const bool inside = x < width && y < height;
    uchar4 sum = {0, 0, 0, 0};
    if (inside) {
        const uchar4 left = surf2Dread<uchar4>(image, (x - 1) * 4, y, cudaBoundaryModeClamp);
        const uchar4 here = surf2Dread<uchar4>(image, x * 4, y);
        const uchar4 below = surf2Dread<uchar4>(image, x * 4, y + 1, cudaBoundaryModeZero);
        sum = make_uchar4((left.x + here.x + below.x) / 3, left.y ^ here.y, max(here.z, below.z), here.w);
    }
    __syncthreads();
    if (inside) surf2Dwrite(sum, image, x * 4, y);
    __syncthreads();
    if (!inside) return;
    const uchar4 mirrored = surf2Dread<uchar4>(image, (width - 1 - x) * 4, height - 1 - y);
    surf2Dwrite(mirrored.x + 256u * mirrored.y + 65536u * mirrored.w, other, x * 4, y);
}
