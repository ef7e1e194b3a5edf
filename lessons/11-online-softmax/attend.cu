// o[row] = sum of softmax(s[row])[key] * v[key] over the keys, in one pass: a warp has a row, a lane a key.
__device__ float warp_max(float x) {
    for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, d));
    return x;
}
__device__ float warp_sum(float x) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
    return x;
}

extern "C" __global__ void attend(const float* s, const float* v, float* o, int keys) {
    const int lane = threadIdx.x % 32, row = blockIdx.x * 4 + threadIdx.x / 32;
    float m = -INFINITY, l = 0.0f, acc = 0.0f;  // largest score yet, sum of weights, weighted sum of values
    for (int key = lane; key < keys; key += 32) {
        const float score = s[row * keys + key];
        const float m_new = fmaxf(m, warp_max(score));
        const float p = __expf(score - m_new);
        l = l * __expf(m - m_new) + warp_sum(p);
        acc = acc + warp_sum(p * v[key]);
        m = m_new;
    }
    if (lane == 0) o[row] = acc / l;
}
