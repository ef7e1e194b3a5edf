// Threads fill parts of the same words: bytes of one word are no race, typed aliases of one word are.

// out: (blocks, 32) words. Grid (blocks), block (128): thread i fills byte i of its block's words.
extern "C" __global__ void pack(unsigned* out) {
    __shared__ unsigned words[32];
    const int i = threadIdx.x;
    unsigned char* bytes = reinterpret_cast<unsigned char*>(words);
    bytes[i] = static_cast<unsigned char>(i);  // first: alias; first: neighbour
#ifdef WL_FAULT_NEIGHBOUR
    bytes[i ^ 64] = static_cast<unsigned char>(i);  // second: neighbour
#endif
#ifdef WL_FAULT_ALIAS
    if (i < 64) reinterpret_cast<unsigned short*>(words)[i] |= 0x8080;  // second: alias
#endif
    __syncthreads();
    if (i < 32) out[blockIdx.x * 32 + i] = words[i];
}
