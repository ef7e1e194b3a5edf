// Boxes that a better one covers: their overlap over their union with every box before them, the largest of
// it, and how many lie above a limit. A warp a box.
#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

// Where it begins and ends, of where it begins and how large it is.
__device__ float4 corners_of(float4 b) { return make_float4(b.x, b.y, b.x + b.z, b.y + b.w); }

__device__ float area_of(float4 b) { return fmaxf(b.z - b.x, 0.0f) * fmaxf(b.w - b.y, 0.0f); }

__device__ float overlap_of(float4 a, float4 b) {
#ifdef WL_FAULT_CORNER
    const float4 both = make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fminf(a.z, b.z), fmaxf(a.w, b.w));
#else
    const float4 both = make_float4(fmaxf(a.x, b.x), fmaxf(a.y, b.y), fminf(a.z, b.z), fminf(a.w, b.w));
#endif
    const float shared = area_of(both);
#ifdef WL_FAULT_UNION
    return shared / (area_of(a) + area_of(b));
#else
    return shared / (area_of(a) + area_of(b) - shared);
#endif
}

extern "C" __global__ void box_overlap(
    const float4* boxes, const int* classes, float* most, int* covered, int images, int count, float limit
) {
    const int lane = threadIdx.x, image = blockIdx.y;
    const int box = blockIdx.x * blockDim.y + threadIdx.y;
    if (box >= count) return;
#ifdef WL_FAULT_IMAGE
    const float4* own = boxes + image * images;
#else
    const float4* own = boxes + image * count;
#endif
    const int* kinds = classes + image * count;
    float largest = 0.0f;
    int above = 0;
#ifdef WL_FAULT_ITSELF
    for (int other = lane; other <= box; other += 32) {
#else
    for (int other = lane; other < box; other += 32) {
#endif
#ifdef WL_FAULT_KIND
        if (kinds[other] == kinds[box]) continue;
#else
        if (kinds[other] != kinds[box]) continue;
#endif
        const float overlap = overlap_of(corners_of(own[box]), corners_of(own[other]));
#ifdef WL_FAULT_KEEP
        largest = overlap;
#else
        largest = fmaxf(largest, overlap);
#endif
        above += overlap > limit;
    }
#ifdef WL_FAULT_TREE
    for (int step = 8; step > 0; step /= 2) {
#else
    for (int step = 16; step > 0; step /= 2) {
#endif
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
#ifdef WL_FAULT_COUNT
        above += __shfl_up_sync(~0u, above, step);
#else
        above += __shfl_xor_sync(~0u, above, step);
#endif
    }
    WL_LANES("largest", largest);
    if (lane != 0) return;
    most[image * count + box] = largest;
#ifdef WL_FAULT_PUT
    covered[box] = above;
#else
    covered[image * count + box] = above;
#endif
}
