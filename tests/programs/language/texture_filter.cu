// Stresses: a two-dimensional texture with linear filtering at turned coordinates, outside it too, and a
// table in a one-dimensional texture with normalised coordinates, whose place depends on what was read.

extern "C" __global__ void texture_filter(
    cudaTextureObject_t picture, cudaTextureObject_t curve, float* out, float4* corners, int width, int height
) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float dx = x - 0.5f * width, dy = y - 0.5f * height;
    const float u = 0.8f * dx - 0.6f * dy + 0.5f * width, v = 0.6f * dx + 0.8f * dy + 0.5f * height;
    const float value = tex2D<float>(picture, u, v);
    out[y * width + x] = tex1D<float>(curve, 0.5f * value + 0.5f) + tex2D<float>(picture, x + 0.5f, y + 0.5f);
    corners[y * width + x] = tex2Dgather<float4>(picture, u, v, 0);
}
