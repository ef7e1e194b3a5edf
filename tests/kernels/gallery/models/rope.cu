// Rotary position embedding: pairs (i, i + dim / 2) of each head are turned by position x base^(-2 i / dim).

// x, y: (tokens, heads, dim), positions: (tokens). A thread a pair, 128 a block.
__global__ void rope(
    const float* x, const int* positions, float* y, int tokens, int heads, int dim, float base
) {
    const int half = dim / 2, pair = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(WL_FAULT_GUARD)
    if (pair > tokens * heads * half) return;
#elif defined(WL_FAULT_COUNT)
#else
    if (pair >= tokens * heads * half) return;
#endif
#ifdef WL_FAULT_PAIR
    const int i = pair % half, head = pair / half % heads, token = pair / (dim * heads);
#else
    const int i = pair % half, head = pair / half % heads, token = pair / (half * heads);
#endif
#if defined(WL_FAULT_WHOLE)
    const float exponent = -2 * i / dim;
#elif defined(WL_FAULT_TWO)
    const float exponent = -1.0f * i / dim;
#else
    const float exponent = -2.0f * i / dim;
#endif
#if defined(WL_FAULT_TOKEN)
    const float angle = token * powf(base, exponent);
#elif defined(WL_FAULT_HEAD)
    const float angle = positions[head] * powf(base, exponent);
#else
    const float angle = positions[token] * powf(base, exponent);
#endif
    const float c = cosf(angle), s = sinf(angle);
    const float* from = x + (token * heads + head) * dim;
#ifdef WL_FAULT_SWAP
    float* to = y + (head * tokens + token) * dim;
#else
    float* to = y + (token * heads + head) * dim;
#endif
#ifdef WL_FAULT_MINUS
    to[i] = from[i] * c + from[i + half] * s;
#else
    to[i] = from[i] * c - from[i + half] * s;
#endif
#ifndef WL_FAULT_SECOND
    to[i + half] = from[i] * s + from[i + half] * c;
#endif
}
