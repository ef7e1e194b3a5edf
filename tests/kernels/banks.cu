// Access patterns whose shared-memory wavefronts and global sectors are known from an H200 (docs/measured):
// each kernel is one warp that executes one access instruction of the kind its name begins with.
// Patterns of global loads end in one store to shared memory; apart from that no kernel touches it in any
// other way, so that a counter of the device is the count of the pattern.

// The block's 16 KiB of shared memory, at bank 0.
__device__ unsigned shared_memory() {
    __shared__ __align__(1024) unsigned char memory[16384];
    return static_cast<unsigned>(__cvta_generic_to_shared(memory));
}

template <int bytes>
__device__ unsigned load(unsigned at) {
    unsigned x = 0, y = 0, z = 0, w = 0;
    if constexpr (bytes == 1) asm volatile("ld.shared.u8 %0, [%1];" : "=r"(x) : "r"(at));
    if constexpr (bytes == 2) {
        unsigned short half;
        asm volatile("ld.shared.u16 %0, [%1];" : "=h"(half) : "r"(at));
        x = half;
    }
    if constexpr (bytes == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(at));
    if constexpr (bytes == 8) asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));
    if constexpr (bytes == 16)
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "r"(at));
    return x + 3 * y + 5 * z + 7 * w;
}

template <int bytes>
__device__ void store(unsigned at, unsigned x) {
    if constexpr (bytes == 1) asm volatile("st.shared.u8 [%0], %1;" ::"r"(at), "r"(x));
    if constexpr (bytes == 2)
        asm volatile("st.shared.u16 [%0], %1;" ::"r"(at), "h"(static_cast<unsigned short>(x)));
    if constexpr (bytes == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(x));
    if constexpr (bytes == 8) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(at), "r"(x));
    if constexpr (bytes == 16) asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(at), "r"(x));
}

template <int bytes>
__device__ void copy(unsigned at, const char* from) {
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(bytes));
    asm volatile("cp.async.wait_all;");
}

template <int bytes>
__device__ unsigned load_global(const void* at) {
    unsigned x = 0, y = 0, z = 0, w = 0;
    if constexpr (bytes == 1) asm volatile("ld.global.u8 %0, [%1];" : "=r"(x) : "l"(at));
    if constexpr (bytes == 4) asm volatile("ld.global.u32 %0, [%1];" : "=r"(x) : "l"(at));
    if constexpr (bytes == 8) asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(at));
    if constexpr (bytes == 16)
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "l"(at));
    return x + 3 * y + 5 * z + 7 * w;
}

template <int matrices, bool transposed>
__device__ unsigned load_matrix(unsigned at) {
    unsigned x = 0, y = 0, z = 0, w = 0;
    if constexpr (matrices == 1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(x) : "r"(at));
    if constexpr (matrices == 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(at));
    if constexpr (matrices == 4 && !transposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "r"(at));
    if constexpr (matrices == 4 && transposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                     : "r"(at));
    return x + 3 * y + 5 * z + 7 * w;
}

#define WL_KERNEL(name) extern "C" __global__ void name(unsigned* memory)
#define WL_LANE const unsigned lane = threadIdx.x

// `where`: the byte offset of a lane's access; results go to global memory.
#define LOAD(name, bytes, where) LOAD_IF(name, bytes, true, where)
#define LOAD_IF(name, bytes, active, where)                     \
    WL_KERNEL(name) {                                           \
        WL_LANE;                                                \
        unsigned x = 0;                                         \
        if (active) x = load<bytes>(shared_memory() + (where)); \
        memory[lane] = x;                                       \
    }
#define STORE(name, bytes, where) STORE_IF(name, bytes, true, where)
#define STORE_IF(name, bytes, active, where)                       \
    WL_KERNEL(name) {                                              \
        WL_LANE;                                                   \
        if (active) store<bytes>(shared_memory() + (where), lane); \
    }
#define COPY(name, bytes, where) COPY_IF(name, bytes, true, where, lane* bytes)
#define COPY_IF(name, bytes, active, to, from)                                                           \
    WL_KERNEL(name) {                                                                                    \
        WL_LANE;                                                                                         \
        if (active) copy<bytes>(shared_memory() + (to), reinterpret_cast<const char*>(memory) + (from)); \
    }
#define LOAD_GLOBAL(name, bytes, where)                                                         \
    WL_KERNEL(name) {                                                                           \
        WL_LANE;                                                                                \
        const unsigned x = load_global<bytes>(reinterpret_cast<const char*>(memory) + (where)); \
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared_memory() + 4 * lane), "r"(x));      \
    }
#define STORE_GLOBAL(name, type, where)                                               \
    WL_KERNEL(name) {                                                                 \
        WL_LANE;                                                                      \
        *reinterpret_cast<type*>(reinterpret_cast<char*>(memory) + (where)) = type{}; \
    }
// A 16x16 tile of 2-byte elements: lanes 0-15 point at the rows' first halves, 16-31 at the second.
#define LDMATRIX(name, matrices, transposed, where)                                  \
    WL_KERNEL(name) {                                                                \
        WL_LANE;                                                                     \
        memory[lane] = load_matrix<matrices, transposed>(shared_memory() + (where)); \
    }
#define STMATRIX(name, where)                                                         \
    WL_KERNEL(name) {                                                                 \
        WL_LANE;                                                                      \
        asm volatile(                                                                 \
            "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"( \
                shared_memory() + (where)                                             \
            ),                                                                        \
            "r"(lane)                                                                 \
        );                                                                            \
    }
#define WMMA_LOAD(name, what, ld)                                                                            \
    WL_KERNEL(name) {                                                                                        \
        WL_LANE;                                                                                             \
        unsigned r[8];                                                                                       \
        asm volatile(                                                                                        \
            "wmma.load." what " {%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"                                 \
            : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]) \
            : "r"(shared_memory()), "r"(ld)                                                                  \
        );                                                                                                   \
        unsigned x = 0;                                                                                      \
        for (int i = 0; i < 8; ++i) x += (2 * i + 1) * r[i];                                                 \
        memory[lane] = x;                                                                                    \
    }
#define WMMA_LOAD_4(name, what, ld)                                   \
    WL_KERNEL(name) {                                                 \
        WL_LANE;                                                      \
        unsigned r[4];                                                \
        asm volatile("wmma.load." what " {%0, %1, %2, %3}, [%4], %5;" \
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) \
                     : "r"(shared_memory()), "r"(ld));                \
        memory[lane] = r[0] + 3 * r[1] + 5 * r[2] + 7 * r[3];         \
    }
#define WMMA_LOAD_2(name, what, ld)                           \
    WL_KERNEL(name) {                                         \
        WL_LANE;                                              \
        unsigned r[2];                                        \
        asm volatile("wmma.load." what " {%0, %1}, [%2], %3;" \
                     : "=r"(r[0]), "=r"(r[1])                 \
                     : "r"(shared_memory()), "r"(ld));        \
        memory[lane] = r[0] + 3 * r[1];                       \
    }
#define WMMA_STORE(name, what, ld)                                                                      \
    WL_KERNEL(name) {                                                                                   \
        WL_LANE;                                                                                        \
        asm volatile(                                                                                   \
            "wmma.store.d." what " [%0], {%1, %1, %1, %1, %1, %1, %1, %1}, %2;" ::"r"(shared_memory()), \
            "f"(static_cast<float>(lane)),                                                              \
            "r"(ld)                                                                                     \
        );                                                                                              \
    }
#define ATOMIC(name, operation, where)                                 \
    WL_KERNEL(name) {                                                  \
        WL_LANE;                                                       \
        unsigned x;                                                    \
        asm volatile("atom.shared." operation " %0, [%1], %2;"         \
                     : "=r"(x)                                         \
                     : "r"(shared_memory() + (where)), "r"(lane + 1)); \
        memory[lane] = x;                                              \
    }
#define ATOMIC_64(name, where)                                            \
    WL_KERNEL(name) {                                                     \
        WL_LANE;                                                          \
        unsigned long long x;                                             \
        asm volatile("atom.shared.add.u64 %0, [%1], %2;"                  \
                     : "=l"(x)                                            \
                     : "r"(shared_memory() + (where)), "l"(lane + 1ull)); \
        memory[lane] = static_cast<unsigned>(x);                          \
    }
#define REDUCTION(name, where)                                                                        \
    WL_KERNEL(name) {                                                                                 \
        WL_LANE;                                                                                      \
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(shared_memory() + (where)), "r"(lane + 1)); \
    }

// ---- 4 bytes a lane
LOAD(ld4_unit, 4, 4 * lane)
LOAD(ld4_stride2, 4, 8 * lane)
LOAD(ld4_stride3, 4, 12 * lane)
LOAD(ld4_column_of_32, 4, 128 * lane)  // a column of float[32][32]
LOAD(ld4_column_of_33, 4, 132 * lane)  // and of float[32][33]
LOAD(ld4_column_swizzled, 4, 128 * lane + 4 * (lane ^ 5))
LOAD(ld4_broadcast, 4, 64)
LOAD(ld4_two_words_of_a_bank, 4, 128 * (lane & 1))
LOAD(ld4_eight_words_shared_by_4, 4, 128 * (lane >> 2))
LOAD(ld4_scattered, 4, 4 * (lane * lane * 37 % 1009))
LOAD_IF(ld4_column_half_active, 4, lane < 16, 128 * lane)
STORE(st4_unit, 4, 4 * lane)
STORE(st4_column_of_32, 4, 128 * lane)
STORE(st4_column_of_33, 4, 132 * lane)
STORE(st4_same_word, 4, 64)

// ---- 1 and 2 bytes a lane
LOAD(ld1_unit, 1, lane)
LOAD(ld1_column_of_32, 1, 128 * lane + (lane & 3))
LOAD(ld1_two_words_of_a_bank, 1, 128 * (lane & 1) + (lane >> 3))
LOAD(ld2_unit, 2, 2 * lane)
LOAD(ld2_column_of_64, 2, 128 * lane)
LOAD(ld2_column_of_66, 2, 132 * lane)
STORE(st1_unit, 1, lane)
STORE(st1_column_of_32, 1, 128 * lane + (lane & 3))
STORE(st2_unit, 2, 2 * lane)
STORE(st2_column_of_65, 2, 130 * lane)

// ---- 8 bytes a lane: half-warps, unless the two fit together
LOAD(ld8_unit, 8, 8 * lane)
LOAD(ld8_stride2, 8, 16 * lane)
LOAD(ld8_column_of_32, 8, 128 * lane)
LOAD(ld8_column_of_34, 8, 136 * lane)
LOAD(ld8_broadcast, 8, 64)
LOAD(ld8_pairs, 8, 8 * (lane >> 1))                           // lanes i and i ^ 1 read the same
LOAD(ld8_pairs_by_2, 8, 8 * ((lane & 1) | (lane >> 2) << 1))  // i and i ^ 2
LOAD(ld8_pairs_by_4, 8, 8 * ((lane & 3) | (lane >> 3) << 2))  // i and i ^ 4
LOAD(ld8_pairs_by_16, 8, 8 * (lane & 15))                     // the half-warps read the same
LOAD(ld8_pairs_misfit, 8, lane < 16 ? 8 * (lane >> 1) : 64 + 8 * ((lane & 1) | ((lane - 16) >> 2) << 1))
LOAD(ld8_merged_conflict, 8, 128 * ((lane & 15) >> 1) + 8 * (lane >> 4))
LOAD(ld8_unmerged_conflict, 8, 128 * (lane & 7) + 8 * (lane >> 3))
LOAD(ld8_halves_of_one_bank_pair, 8, 8 * (lane & 15) + 1024 * (lane >> 4))
LOAD_IF(ld8_first_half_active, 8, lane < 16, 8 * lane)
LOAD_IF(ld8_even_active, 8, lane % 2 == 0, 4 * lane)
LOAD_IF(ld8_first_quarters_active, 8, lane % 16 < 8, 8 * (lane & 7 | lane >> 4 << 3))
LOAD(ld8_scattered, 8, 8 * (lane * lane * 37 % 1009))
STORE(st8_unit, 8, 8 * lane)
STORE(st8_stride2, 8, 16 * lane)
STORE(st8_column_of_32, 8, 128 * lane)
STORE(st8_pairs, 8, 8 * (lane >> 1))
STORE_IF(st8_even_active, 8, lane % 2 == 0, 4 * lane)

// ---- 16 bytes a lane: quarter-warps, unless two fit together
LOAD(ld16_unit, 16, 16 * lane)
LOAD(ld16_stride2, 16, 32 * lane)
LOAD(ld16_row_of_128_bytes, 16, 128 * lane)
LOAD(ld16_row_of_144_bytes, 16, 144 * lane)
LOAD(ld16_broadcast, 16, 64)
LOAD(ld16_pairs, 16, 16 * (lane >> 1))
LOAD(ld16_pairs_by_2, 16, 16 * ((lane & 1) | (lane >> 2) << 1))
LOAD(ld16_pairs_by_4, 16, 16 * ((lane & 3) | (lane >> 3) << 2))
LOAD(ld16_pairs_by_8, 16, 16 * ((lane & 7) | (lane >> 4) << 3))
LOAD(ld16_pairs_by_16, 16, 16 * (lane & 15))
LOAD(ld16_quads, 16, 16 * (lane >> 2))
LOAD(ld16_octets, 16, 16 * (lane >> 3))
LOAD(ld16_same_in_each_quarter, 16, 16 * (lane & 7))
LOAD(ld16_interleaved, 16, 16 * (4 * (lane & 7) + (lane >> 3)))  // quarters with a stride of 64 bytes
LOAD(ld16_merged_conflict, 16, 128 * ((lane & 7) >> 1) + 16 * (lane >> 3))
LOAD_IF(ld16_first_quarter_active, 16, lane < 8, 16 * lane)
LOAD_IF(ld16_even_active, 16, lane % 2 == 0, 8 * lane)
LOAD(ld16_scattered, 16, 16 * (lane * lane * 37 % 1009))
STORE(st16_unit, 16, 16 * lane)
STORE(st16_row_of_128_bytes, 16, 128 * lane)
STORE(st16_row_of_144_bytes, 16, 144 * lane)
STORE(st16_pairs, 16, 16 * (lane >> 1))
STORE_IF(st16_even_active, 16, lane % 2 == 0, 8 * lane)
LOAD(ld16_one_half_pairs, 16, lane < 16 ? 16 * (lane >> 1) : 16 * (lane - 8))
LOAD(
    ld16_halves_pair_apart,
    16,
    lane < 16 ? 16 * (lane >> 1) : 128 + 16 * ((lane & 1) | ((lane - 16) >> 2) << 1)
)
LOAD(
    ld16_quarters_misfit,
    16,
    16 * ((lane & 8 ? (lane & 1) | (lane >> 2 & 1) << 1 : lane >> 1 & 3) + 4 * (lane >> 3))
)

// ---- matrices
LDMATRIX(ldmatrix_x1_pitch_64, 1, false, 64 * (lane & 7))
LDMATRIX(ldmatrix_x2_pitch_128, 2, false, 128 * (lane & 15))
LDMATRIX(ldmatrix_x4_pitch_16, 4, false, 16 * lane)
LDMATRIX(ldmatrix_x4_pitch_64, 4, false, 64 * (lane & 15) + 16 * (lane >> 4))
LDMATRIX(ldmatrix_x4_pitch_128, 4, false, 128 * (lane & 15) + 16 * (lane >> 4))
LDMATRIX(ldmatrix_x4_pitch_144, 4, false, 144 * (lane & 15) + 16 * (lane >> 4))
LDMATRIX(ldmatrix_x4_swizzled, 4, false, 128 * (lane & 15) + 16 * ((lane >> 4) ^ (lane & 7)))
LDMATRIX(ldmatrix_x4_same_matrix, 4, false, 16 * (lane & 7))
LDMATRIX(ldmatrix_x4_broadcast, 4, false, 0)
LDMATRIX(ldmatrix_x4_trans_pitch_128, 4, true, 128 * (lane & 15) + 16 * (lane >> 4))
LDMATRIX(ldmatrix_x4_trans_pitch_144, 4, true, 144 * (lane & 15) + 16 * (lane >> 4))
STMATRIX(stmatrix_x4_pitch_128, 128 * (lane & 15) + 16 * (lane >> 4))
STMATRIX(stmatrix_x4_pitch_144, 144 * (lane & 15) + 16 * (lane >> 4))
WMMA_LOAD(wmma_load_a_row_16, "a.sync.aligned.row.m16n16k16.shared.f16", 16)
WMMA_LOAD(wmma_load_a_row_24, "a.sync.aligned.row.m16n16k16.shared.f16", 24)
WMMA_LOAD(wmma_load_a_row_64, "a.sync.aligned.row.m16n16k16.shared.f16", 64)
WMMA_LOAD(wmma_load_a_row_72, "a.sync.aligned.row.m16n16k16.shared.f16", 72)
WMMA_LOAD(wmma_load_a_col_64, "a.sync.aligned.col.m16n16k16.shared.f16", 64)
WMMA_LOAD(wmma_load_a_col_72, "a.sync.aligned.col.m16n16k16.shared.f16", 72)
WMMA_LOAD(wmma_load_b_row_64, "b.sync.aligned.row.m16n16k16.shared.f16", 64)
WMMA_LOAD(wmma_load_b_row_72, "b.sync.aligned.row.m16n16k16.shared.f16", 72)
WMMA_LOAD(wmma_load_b_col_64, "b.sync.aligned.col.m16n16k16.shared.f16", 64)
WMMA_LOAD(wmma_load_b_col_72, "b.sync.aligned.col.m16n16k16.shared.f16", 72)
WMMA_LOAD(wmma_load_a_tall_72, "a.sync.aligned.row.m32n8k16.shared.f16", 72)
WMMA_LOAD(wmma_load_b_tall_72, "b.sync.aligned.row.m32n8k16.shared.f16", 72)
WMMA_LOAD_2(wmma_load_a_s8_row_64, "a.sync.aligned.row.m16n16k16.shared.s8", 64)
WMMA_LOAD_2(wmma_load_a_s8_row_80, "a.sync.aligned.row.m16n16k16.shared.s8", 80)
WMMA_LOAD_2(wmma_load_b_s8_row_64, "b.sync.aligned.row.m16n16k16.shared.s8", 64)
WMMA_LOAD_4(wmma_load_a_tf32_row_64, "a.sync.aligned.row.m16n16k8.shared.tf32", 64)
WMMA_LOAD_4(wmma_load_a_tf32_row_68, "a.sync.aligned.row.m16n16k8.shared.tf32", 68)
WMMA_LOAD_4(wmma_load_b_tf32_row_72, "b.sync.aligned.row.m16n16k8.shared.tf32", 72)
WMMA_LOAD(wmma_load_c_row_16, "c.sync.aligned.row.m16n16k16.shared.f32", 16)
WMMA_LOAD(wmma_load_c_row_64, "c.sync.aligned.row.m16n16k16.shared.f32", 64)
WMMA_LOAD(wmma_load_c_row_72, "c.sync.aligned.row.m16n16k16.shared.f32", 72)
WMMA_LOAD(wmma_load_c_col_64, "c.sync.aligned.col.m16n16k16.shared.f32", 64)
WMMA_LOAD(wmma_load_c_col_68, "c.sync.aligned.col.m16n16k16.shared.f32", 68)
WMMA_LOAD(wmma_load_c_col_72, "c.sync.aligned.col.m16n16k16.shared.f32", 72)
WMMA_LOAD(wmma_load_c_wide_64, "c.sync.aligned.row.m8n32k16.shared.f32", 64)
WMMA_LOAD_4(wmma_load_c_f16_row_64, "c.sync.aligned.row.m16n16k16.shared.f16", 64)
WMMA_LOAD_4(wmma_load_c_f16_col_72, "c.sync.aligned.col.m16n16k16.shared.f16", 72)
WMMA_STORE(wmma_store_d_row_16, "sync.aligned.row.m16n16k16.shared.f32", 16)
WMMA_STORE(wmma_store_d_row_64, "sync.aligned.row.m16n16k16.shared.f32", 64)
WMMA_STORE(wmma_store_d_row_72, "sync.aligned.row.m16n16k16.shared.f32", 72)
WMMA_STORE(wmma_store_d_col_68, "sync.aligned.col.m16n16k16.shared.f32", 68)

// ---- atomics and asynchronous copies
ATOMIC(atom_add_unit, "add.u32", 4 * lane)
ATOMIC(atom_add_column_of_32, "add.u32", 128 * lane)
ATOMIC(atom_add_same_word, "add.u32", 64 + 4 * (lane >> 5))  // one word, which ptxas cannot know
ATOMIC(atom_add_two_words, "add.u32", 4 * (lane & 1))
ATOMIC(atom_max_same_word, "max.u32", 64)
ATOMIC(atom_exch_unit, "exch.b32", 4 * lane)
ATOMIC(atom_min_stride2, "min.u32", 8 * lane)
// ptxas makes a loop of ld and atom.cas of 64-bit additions.
ATOMIC_64(atom_add64_unit, 8 * lane)
ATOMIC_64(atom_add64_column_of_32, 128 * lane)
REDUCTION(red_add_unit, 4 * lane)
REDUCTION(red_add_same_word, 64 + 4 * (lane >> 5))
REDUCTION(red_add_column_of_32, 128 * lane)
COPY(cp_async4_unit, 4, 4 * lane)
COPY(cp_async4_column_of_32, 4, 128 * lane)
COPY(cp_async8_unit, 8, 8 * lane)
COPY(cp_async16_unit, 16, 16 * lane)
COPY(cp_async16_row_of_128_bytes, 16, 128 * lane)
COPY(cp_async16_tile_of_144_bytes, 16, 144 * (lane >> 3) + 16 * (lane & 7))

COPY(cp_async8_column_of_32, 8, 128 * lane)
COPY(cp_async4_tile_of_144_bytes, 4, 144 * (lane >> 3) + 4 * (lane & 7))
COPY(cp_async16_tile_of_160_bytes, 16, 160 * (lane >> 3) + 16 * (lane & 7))
COPY(cp_async16_tile_of_192_bytes, 16, 192 * (lane >> 3) + 16 * (lane & 7))
COPY(cp_async16_tile_of_80_bytes, 16, 80 * (lane >> 2) + 16 * (lane & 3))
COPY(cp_async16_tile_swizzled, 16, 128 * (lane >> 3) + 16 * ((lane & 7) ^ (lane >> 3)))
COPY(cp_async16_tile_swizzled_by_2, 16, 128 * (lane >> 3) + 16 * ((lane & 7) ^ 2 * (lane >> 3)))
COPY_IF(cp_async16_row_at_0, 16, lane < 8, 16 * lane, 16 * lane)
COPY_IF(cp_async16_row_at_16, 16, lane < 8, 16 * lane + 16, 16 * lane)
COPY_IF(cp_async16_row_at_32, 16, lane < 8, 16 * lane + 32, 16 * lane)
COPY_IF(cp_async16_row_at_48, 16, lane < 8, 16 * lane + 48, 16 * lane)
COPY_IF(cp_async16_row_at_64, 16, lane < 8, 16 * lane + 64, 16 * lane)
COPY_IF(cp_async16_row_at_112, 16, lane < 8, 16 * lane + 112, 16 * lane)
COPY_IF(cp_async16_row_from_16, 16, lane < 8, 16 * lane, 16 * lane + 16)
COPY_IF(cp_async16_row_from_and_at_16, 16, lane < 8, 16 * lane + 16, 16 * lane + 16)
COPY_IF(cp_async16_row_reversed, 16, lane < 8, 16 * (7 - lane), 16 * lane)
COPY_IF(cp_async16_pairs_apart, 16, lane < 8, 16 * (lane & 1) + 160 * (lane >> 1), 16 * lane)
COPY_IF(cp_async16_two_lanes_of_a_line, 16, lane < 2, 16 * lane + 16, 16 * lane)
COPY_IF(cp_async16_from_rows_of_256, 16, true, 16 * lane, 256 * (lane >> 3) + 16 * (lane & 7))
COPY_IF(cp_async16_from_column, 16, true, 16 * lane, 256 * lane)

// ---- global memory: sectors of 32 bytes
LOAD_GLOBAL(ldg4_unit, 4, 4 * lane)
LOAD_GLOBAL(ldg4_off_by_4, 4, 4 * lane + 4)
LOAD_GLOBAL(ldg4_stride2, 4, 8 * lane)
LOAD_GLOBAL(ldg4_stride8, 4, 32 * lane)
LOAD_GLOBAL(ldg4_stride32, 4, 128 * lane)
LOAD_GLOBAL(ldg4_broadcast, 4, 64)
LOAD_GLOBAL(ldg4_scattered, 4, 4 * (lane * lane * 37 % 1009))
LOAD_GLOBAL(ldg1_unit, 1, lane)
LOAD_GLOBAL(ldg8_unit, 8, 8 * lane)
LOAD_GLOBAL(ldg16_unit, 16, 16 * lane)
LOAD_GLOBAL(ldg16_stride2, 16, 32 * lane)
STORE_GLOBAL(stg4_unit, unsigned, 4 * lane)
STORE_GLOBAL(stg4_stride8, unsigned, 32 * lane)
STORE_GLOBAL(stg16_unit, uint4, 16 * lane)
