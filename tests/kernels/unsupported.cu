// A kernel with an instruction that WarpLens does not execute: the verdict must name it and its line.
extern "C" __global__ void unsupported(unsigned* out) {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 1;" ::"l"(out) : "memory");
    asm volatile("multimem.st.relaxed.sys.global.u32 [%0], 1;" ::"l"(out) : "memory");
    out[threadIdx.x] = rank;
}
