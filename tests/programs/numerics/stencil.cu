// Stresses: a 7-point stencil that marches through planes: halo in shared memory, the column in registers,
// three dimensions of block and grid indices.

constexpr int kX = 16, kY = 8;

extern "C" __global__ void stencil(const float* in, float* out, int nx, int ny, int nz) {
    __shared__ float plane[kY + 2][kX + 2];
    const int x = blockIdx.x * kX + threadIdx.x, y = blockIdx.y * kY + threadIdx.y;
    const auto at = [&](int i, int j, int k) {
        return i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz ? in[(k * ny + j) * nx + i] : 0.0f;
    };
    const int z0 = blockIdx.z * (nz / gridDim.z), z1 = z0 + nz / gridDim.z;
    float below = at(x, y, z0 - 1), here = at(x, y, z0);
    for (int z = z0; z < z1; ++z) {
        const float above = at(x, y, z + 1);
        const int i = threadIdx.x + 1, j = threadIdx.y + 1;
        plane[j][i] = here;
        if (threadIdx.x == 0) plane[j][0] = at(x - 1, y, z);
        if (threadIdx.x == kX - 1) plane[j][kX + 1] = at(x + 1, y, z);
        if (threadIdx.y == 0) plane[0][i] = at(x, y - 1, z);
        if (threadIdx.y == kY - 1) plane[kY + 1][i] = at(x, y + 1, z);
        __syncthreads();
        const float around =
            plane[j][i - 1] + plane[j][i + 1] + plane[j - 1][i] + plane[j + 1][i] + below + above;
        if (x < nx && y < ny) out[(z * ny + y) * nx + x] = 0.4f * here + 0.1f * around;
        __syncthreads();
        below = here;
        here = above;
    }
}
