// The table: loads, stores, cache control and asynchronous copies (PTX ISA 9.0, 9.7.9).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;
constexpr std::string_view kCluster = "clusters and distributed shared memory: not executed";
constexpr std::string_view kBulk = "bulk and tensor-map copies: not executed";
constexpr std::string_view kBlackwell = "sm_100 and later only: not executed";
constexpr std::string_view kOwnCluster = "clusters of several blocks: each block is one of its own";
constexpr std::string_view kTiles = "races of tiles in global memory";
constexpr std::string_view kTilesOfCluster = "other blocks of the cluster; races of tiles in global memory";
constexpr std::string_view kHints = "cache and eviction hints change nothing";

// clang-format off
#define WL_SCALAR "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
#define WL_SPACES "global|local|shared|shared::cta|shared::cluster|param|param::entry|param::func|const?"
#define WL_STORE_SPACES "global|local|shared|shared::cta|shared::cluster|param|param::func?"
#define WL_HINTS \
    "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate? " \
    "L2::evict_normal|L2::evict_first|L2::evict_last? L2::cache_hint?"
#define WL_PREFETCH "L2::64B|L2::128B|L2::256B?"
#define WL_VECTOR "v2|v4?"
#define WL_WORDS "b32|u32|s32|f32"

constexpr std::array kLoadStore = {
    Form{Op::ld, "ld", WL_SCALAR, "weak? " WL_SPACES " ca|cg|cs|lu|cv? " WL_HINTS " " WL_PREFETCH " " WL_VECTOR, "{d} [a] policy?", "9.7.9.8", kExact, "d = the element or vector at a, sign- or zero-extended to the register.", kHints, "d=[a]"},
    Form{Op::ld, "ld", WL_WORDS, "weak? global? ca|cg|cs|lu|cv? " WL_HINTS " " WL_PREFETCH " v8", "{d} [a] policy?", "9.7.9.8", kExact, "d = the eight words at a.", kBlackwell, "d=[a]"},
    Form{Op::ld, "ld", WL_SCALAR, "volatile global|shared|shared::cta|shared::cluster? " WL_PREFETCH " " WL_VECTOR, "{d} [a] policy?", "9.7.9.8", kExact, "d = the element or vector at a; every access happens.", "", "d=[a]"},
    Form{Op::ld, "ld", WL_WORDS, "volatile global? " WL_PREFETCH " v8", "{d} [a] policy?", "9.7.9.8", kExact, "d = the eight words at a; every access happens.", kBlackwell, "d=[a]"},
    Form{Op::ld, "ld", WL_SCALAR, "relaxed|acquire cta|cluster|gpu|sys global|shared|shared::cta|shared::cluster? " WL_HINTS " " WL_PREFETCH " " WL_VECTOR, "{d} [a] policy?", "9.7.9.8", kExact, "d = the element or vector at a, ordered as the semantics say among the threads of the scope.", kHints, "d=[a]"},
    Form{Op::ld, "ld", WL_WORDS, "relaxed|acquire cta|cluster|gpu|sys global? " WL_HINTS " " WL_PREFETCH " v8", "{d} [a] policy?", "9.7.9.8", kExact, "d = the eight words at a, ordered as the semantics say among the threads of the scope.", kBlackwell, "d=[a]"},
    Form{Op::ld, "ld", WL_SCALAR, "mmio relaxed sys global?", "d [a]", "9.7.9.8", kExact, "d = the element at a of memory-mapped input.", "no device is mapped: the same as ld.relaxed.sys", "d=[a]"},
    Form{Op::ld, "ld", WL_SCALAR, "global nc ca|cg|cs? " WL_HINTS " " WL_PREFETCH " " WL_VECTOR, "{d} [a] policy?", "9.7.9.9", kExact, "d = the element or vector at a of memory that nobody writes during the kernel.", kHints, "d=[a]"},
    Form{Op::ld, "ld", WL_WORDS, "global nc ca|cg|cs? " WL_HINTS " " WL_PREFETCH " v8", "{d} [a] policy?", "9.7.9.9", kExact, "d = the eight words at a of memory that nobody writes during the kernel.", kBlackwell, "d=[a]"},
    Form{Op::ldu, "ldu", WL_SCALAR, "global? v2|v4?", "{d} [a]", "9.7.9.10", kExact, "d = the element or vector at a, the same address in every lane.", "", "d=[a]"},
    Form{Op::st, "st", WL_SCALAR, "weak? " WL_STORE_SPACES " wb|cg|cs|wt? " WL_HINTS " " WL_VECTOR, "[a] {b} policy?", "9.7.9.11", kExact, "The element or vector at a = the low bits of b.", kHints, "[a]=b"},
    Form{Op::st, "st", WL_WORDS, "weak? global? wb|cg|cs|wt? " WL_HINTS " v8", "[a] {b} policy?", "9.7.9.11", kExact, "The eight words at a = b.", kBlackwell, "[a]=b"},
    Form{Op::st, "st", WL_SCALAR, "volatile global|shared|shared::cta|shared::cluster? " WL_VECTOR, "[a] {b}", "9.7.9.11", kExact, "The element or vector at a = b; every access happens.", "", "[a]=b"},
    Form{Op::st, "st", WL_WORDS, "volatile global? v8", "[a] {b}", "9.7.9.11", kExact, "The eight words at a = b; every access happens.", kBlackwell, "[a]=b"},
    Form{Op::st, "st", WL_SCALAR, "relaxed|release cta|cluster|gpu|sys global|shared|shared::cta|shared::cluster? " WL_HINTS " " WL_VECTOR, "[a] {b} policy?", "9.7.9.11", kExact, "The element or vector at a = b, ordered as the semantics say among the threads of the scope.", kHints, "[a]=b"},
    Form{Op::st, "st", WL_WORDS, "relaxed|release cta|cluster|gpu|sys global? " WL_HINTS " v8", "[a] {b} policy?", "9.7.9.11", kExact, "The eight words at a = b, ordered as the semantics say among the threads of the scope.", kBlackwell, "[a]=b"},
    Form{Op::st, "st", WL_SCALAR, "mmio relaxed sys global?", "[a] b", "9.7.9.11", kExact, "The element at a of memory-mapped output = b.", "no device is mapped: the same as st.relaxed.sys", "[a]=b"},
    Form{Op::st_async, "st.async", "b32|b64|u32|u64|s32|s64|f32|f64", "mmio? weak|release? cluster|gpu|sys? shared::cluster|global? mbarrier::complete_tx::bytes? v2|v4?", "[a] {b} [mbar]?", "9.7.9.12", kExact, "Stores to another block of the cluster and completes at its mbarrier.", kCluster},
    Form{Op::st_bulk, "st.bulk", "", "weak? shared|shared::cta?", "[a] size b", "9.7.9.13", kExact, "Zeroes size bytes of shared memory.", "sm_100 and later only: not executed"},
    Form{Op::multimem, "multimem.ld_reduce", "b32|b64|u32|u64|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64|e4m3|e5m2|e4m3x2|e5m2x2|e4m3x4|e5m2x4", "weak|relaxed|acquire? cta|cluster|gpu|sys? global? add|min|max|and|or|xor acc::f32|acc::f16? v2|v4|v8?", "{d} [a]", "9.7.9.14", kExact, "d = a reduction over the copies of a multicast address.", "multicast memory: not executed"},
    Form{Op::multimem, "multimem.st", "b32|b64|u32|u64|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64|e4m3|e5m2|e4m3x2|e5m2x2|e4m3x4|e5m2x4", "weak|relaxed|release? cta|cluster|gpu|sys? global? v2|v4|v8?", "[a] {b}", "9.7.9.14", kExact, "Stores b to every copy of a multicast address.", "multicast memory: not executed"},
    Form{Op::multimem, "multimem.red", "b32|b64|u32|u64|s32|s64|f16|f16x2|bf16|bf16x2|f32|f64", "relaxed|release? cta|cluster|gpu|sys? global? add|min|max|and|or|xor v2|v4|v8?", "[a] {b}", "9.7.9.14", kExact, "Reduces b into every copy of a multicast address.", "multicast memory: not executed"},
    Form{Op::prefetch, "prefetch", "", "global|local? L1|L2|L2::evict_last|L2::evict_normal", "[a]", "9.7.9.15", kExact, "Brings the line of a into a cache.", "caches: nothing happens", "hint"},
    Form{Op::prefetch, "prefetch", "", "const|param? tensormap", "[a]", "9.7.9.15", kExact, "Brings a tensor map into a cache.", "caches: nothing happens", "hint"},
    Form{Op::prefetchu, "prefetchu", "", "L1", "[a]", "9.7.9.15", kExact, "Brings the line of a into the uniform cache.", "caches: nothing happens", "hint"},
    Form{Op::applypriority, "applypriority", "", "global? L2::evict_normal", "[a] size", "9.7.9.16", kExact, "Gives a line of the cache the normal priority again.", "caches: nothing happens", "hint"},
    Form{Op::discard, "discard", "", "global? L2", "[a] size", "9.7.9.17", kExact, "Drops a line of the cache: its bytes become unknown.", "the bytes stay", "hint"},
    Form{Op::createpolicy, "createpolicy.fractional", "b64", "L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged L2::evict_first|L2::evict_unchanged?", "d fraction?", "9.7.9.18", kExact, "d = a cache policy for a share of the accesses.", "what caches make of it", "d:64 fraction:any"},
    Form{Op::createpolicy, "createpolicy.range", "b64", "global? L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged L2::evict_first|L2::evict_unchanged?", "d [a] primary total", "9.7.9.18", kExact, "d = a cache policy for a range of addresses.", "what caches make of it", "hint all d:64"},
    Form{Op::createpolicy, "createpolicy.cvt", "b64", "L2", "d a", "9.7.9.18", kExact, "d = the cache policy of an access property.", "what caches make of it", "d:64 a:any"},
    Form{Op::mapa, "mapa", "u32|u64", "shared::cluster?", "d a b", "9.7.9.23", kExact, "d = the address in block b of the cluster that corresponds to a.", kOwnCluster, "d:any a:any b:any"},
    Form{Op::getctarank, "getctarank", "u32|u64", "shared::cluster?", "d a", "9.7.9.24", kExact, "d = the rank in the cluster of the block that a belongs to.", kOwnCluster, "d:any a:any"},
};

constexpr std::array kAsyncCopy = {
    Form{Op::cp_async, "cp.async", "", "ca|cg shared|shared::cta global L2::cache_hint? " WL_PREFETCH, "[dst] [src] size fill? policy?", "9.7.9.25.3.1", kExact, "Starts a copy of 4, 8 or 16 bytes; with a source size the rest is zero; with a predicate the source is ignored and all is zero.", kHints, "[dst]=[src] bytes=size fill:anything"},
    Form{Op::cp_async_commit_group, "cp.async.commit_group", "", "", "", "9.7.9.25.3.2", kExact, "Closes the thread's group of copies started so far.", "", "nothing"},
    Form{Op::cp_async_wait_group, "cp.async.wait_group", "", "", "n", "9.7.9.25.3.3", kExact, "Waits until at most the n latest groups of the thread are open.", "", "waits=copies"},
    Form{Op::cp_async_wait_all, "cp.async.wait_all", "", "", "", "9.7.9.25.3.3", kExact, "Waits for every copy of the thread.", "", "waits=copies"},
};

constexpr std::array kBulkCopy = {
    Form{Op::cp_async_bulk, "cp.async.bulk", "", "shared::cluster|shared::cta global mbarrier::complete_tx::bytes L2::cache_hint?", "[dst] [src] size [mbar] policy?", "9.7.9.25.4.1", kExact, "Starts a copy of size bytes into the block's own shared memory that completes at its mbarrier; the size and all addresses are multiples of 16, the mbarrier's of 8.", "other blocks of a cluster", "[dst]=[src] bytes=bulk"},
    Form{Op::cp_async_bulk, "cp.async.bulk", "", "shared::cluster shared::cta mbarrier::complete_tx::bytes", "[dst] [src] size [mbar]", "9.7.9.25.4.1", kExact, "Starts a copy of many bytes to another block of the cluster that completes at an mbarrier.", kBulk},
    Form{Op::cp_async_bulk, "cp.async.bulk", "", "shared::cluster global mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint?", "[dst] [src] size [mbar] mask policy?", "9.7.9.25.4.1", kExact, "Starts a copy of many bytes to several blocks of the cluster that completes at their mbarriers.", kBulk},
    Form{Op::cp_async_bulk, "cp.async.bulk", "", "global shared::cta bulk_group L2::cache_hint?", "[dst] [src] size policy?", "9.7.9.25.4.1", kExact, "Starts a copy of size bytes out of the block's own shared memory that completes in a group of the thread; the size and both addresses are multiples of 16.", "", "[dst]=[src] bytes=bulk"},
    Form{Op::cp_async_bulk, "cp.async.bulk", "", "global shared::cta bulk_group L2::cache_hint? cp_mask", "[dst] [src] size policy? mask", "9.7.9.25.4.1", kExact, "Starts a copy of the bytes that a mask names.", kBulk},
    Form{Op::cp_reduce_async_bulk, "cp.reduce.async.bulk", "f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64", "global shared::cta bulk_group L2::cache_hint? and|or|xor|add|inc|dec|min|max noftz?", "[dst] [src] size policy?", "9.7.9.25.4.2", kExact, "Starts a reduction of many elements out of the block's own shared memory that completes in a group of the thread.", kTiles, "opaque"},
    Form{Op::cp_reduce_async_bulk, "cp.reduce.async.bulk", "f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64", "shared::cluster|global shared::cta mbarrier::complete_tx::bytes|bulk_group L2::cache_hint? and|or|xor|add|inc|dec|min|max noftz?", "[dst] [src] size [mbar]? policy?", "9.7.9.25.4.2", kExact, "Starts a reduction of many elements into another memory.", kBulk},
    Form{Op::cp_async_bulk, "cp.async.bulk.prefetch", "", "L2 global L2::cache_hint?", "[src] size policy?", "9.7.9.25.4.3", kExact, "Starts a prefetch of many bytes.", "caches: nothing happens", "hint"},
    Form{Op::cp_async_bulk, "cp.async.bulk.tensor", "", "1d|2d|3d|4d|5d shared::cluster|shared::cta global tile? mbarrier::complete_tx::bytes L2::cache_hint?", "[dst] [map] [mbar] policy?", "9.7.9.25.5.2", kExact, "Starts a copy of the tile of a tensor that the map and the coordinates name; it completes at an mbarrier, with the bytes of the whole box.", kTiles, "opaque"},
    Form{Op::cp_async_bulk, "cp.async.bulk.tensor", "", "1d|2d|3d|4d|5d shared::cluster global tile? mbarrier::complete_tx::bytes multicast::cluster L2::cache_hint?", "[dst] [map] [mbar] mask policy?", "9.7.9.25.5.2", kExact, "The same to the blocks of the cluster that the mask names.", kTilesOfCluster, "opaque"},
    Form{Op::cp_async_bulk, "cp.async.bulk.tensor", "", "1d|2d|3d|4d|5d global shared::cta tile? bulk_group L2::cache_hint?", "[map] [src] policy?", "9.7.9.25.5.2", kExact, "Starts a copy of a tile out of the block's own shared memory that completes in a group of the thread.", kTiles, "opaque"},
    Form{Op::cp_async_bulk, "cp.async.bulk.tensor", "", "1d|2d|3d|4d|5d shared::cluster|shared::cta global tile|tile::gather4|im2col|im2col::w|im2col::w::128? mbarrier::complete_tx::bytes multicast::cluster? cta_group::1|cta_group::2? L2::cache_hint?", "[dst] [map] [mbar] offsets? mask? policy?", "9.7.9.25.5.2", kExact, "Starts a copy of a tensor-map tile into shared memory.", kBulk},
    Form{Op::cp_async_bulk, "cp.async.bulk.tensor", "", "1d|2d|3d|4d|5d shared::cluster|shared::cta global tile|tile::gather4|im2col|im2col::w|im2col::w::128? mbarrier::complete_tx::bytes multicast::cluster? cta_group::1|cta_group::2? L2::cache_hint?", "[dst] [map] [mbar] {offsets} mask? policy?", "9.7.9.25.5.2", kExact, "Starts a copy of a tensor-map tile into shared memory.", kBulk},
    Form{Op::cp_async_bulk, "cp.async.bulk.tensor", "", "1d|2d|3d|4d|5d global shared::cta tile|tile::scatter4|im2col_no_offs? bulk_group L2::cache_hint?", "[map] [src] policy?", "9.7.9.25.5.2", kExact, "Starts a copy of a tensor-map tile out of shared memory.", kBulk},
    Form{Op::cp_reduce_async_bulk, "cp.reduce.async.bulk.tensor", "", "1d|2d|3d|4d|5d global shared::cta add|min|max|inc|dec|and|or|xor tile? bulk_group L2::cache_hint?", "[map] [src] policy?", "9.7.9.25.5.3", kExact, "Starts a reduction of a tile into a tensor, element by element.", kTiles, "opaque"},
    Form{Op::cp_reduce_async_bulk, "cp.reduce.async.bulk.tensor", "", "1d|2d|3d|4d|5d global shared::cta add|min|max|inc|dec|and|or|xor tile|im2col_no_offs? bulk_group L2::cache_hint?", "[map] [src] policy?", "9.7.9.25.5.3", kExact, "Starts a reduction of a tile into a tensor.", kBulk},
    Form{Op::cp_async_bulk, "cp.async.bulk.prefetch.tensor", "", "1d|2d|3d|4d|5d L2 global tile? L2::cache_hint?", "[map] policy?", "9.7.9.25.5.4", kExact, "Starts a prefetch of a tile.", "caches: nothing happens", "hint"},
    Form{Op::cp_async_bulk, "cp.async.bulk.prefetch.tensor", "", "1d|2d|3d|4d|5d L2 global tile|tile::gather4|im2col|im2col::w|im2col::w::128? L2::cache_hint?", "[map] {offsets}? policy?", "9.7.9.25.5.4", kExact, "Starts a prefetch of a tensor-map tile.", kBulk},
    Form{Op::cp_async_bulk, "cp.async.bulk.commit_group", "", "", "", "9.7.9.25.6.1", kExact, "Closes the thread's group of bulk copies started so far.", "", "nothing"},
    Form{Op::cp_async_bulk, "cp.async.bulk.wait_group", "", "read?", "n", "9.7.9.25.6.2", kExact, "Waits until at most the n latest groups of bulk copies of the thread are open.", "with .read, too, the bytes have arrived", "waits=copies"},
    Form{Op::tensormap, "tensormap.replace", "b32|b64", "tile|im2col? global_address|rank|box_dim|global_dim|global_stride|element_stride|elemtype|interleave_layout|swizzle_mode|swizzle_atomicity|fill_mode global|shared::cta? b1024?", "[map] a b?", "9.7.9.26", kExact, "Changes one field of a tensor map.", "interleaved tensors", "opaque"},
    Form{Op::tensormap, "tensormap.cp_fenceproxy", "", "global|shared::cta? shared::cta? proxy? tensormap::generic release cta|cluster|gpu|sys sync aligned", "[dst] [src] size", "9.7.13.16", kExact, "Copies a tensor map and orders it between proxies.", "one proxy", "opaque waits=lanes"},
};
// clang-format on

}  // namespace

const std::array<Family, 3> kMemoryFamilies = {
    {{"Loads, stores and caches", kLoadStore},
     {"Asynchronous copies", kAsyncCopy},
     {"Bulk and tensor copies", kBulkCopy}}
};

}  // namespace wl::ptx
