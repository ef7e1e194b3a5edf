// A kernel with an instruction that WarpLens does not execute: the verdict must name it and its line.
extern "C" __global__ void unsupported(unsigned* out) {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    out[threadIdx.x] = rank;
}
