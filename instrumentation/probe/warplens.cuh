// The marks a kernel sets for its observer: each is one PTX comment that names its operands and costs
// nothing.
//
// A mark is an `asm volatile` whose text is only a comment, so it stays where it was written, keeps its place
// among the memory accesses around it, gives an emulator or an instrumenter its operands by register name,
// and vanishes in ptxas. Names are string literals. Needs C++17; includes nothing.
#pragma once

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;
struct __nv_fp8_e4m3;
struct __nv_fp8_e5m2;

namespace wl::probe {

template <class T>
struct Element {
    using Type = T;
};
template <class T>
struct Element<const T> : Element<T> {};
template <class T>
struct Element<volatile T> : Element<T> {};
template <class T>
struct Element<const volatile T> : Element<T> {};
template <class T>
struct Element<T&> : Element<T> {};
template <class T>
struct Element<T*> : Element<T> {};
template <class T>
struct Element<T* const> : Element<T> {};
template <class T, decltype(sizeof(0)) n>
struct Element<T[n]> : Element<T> {};
template <class T, decltype(sizeof(0)) n>
struct Element<const T[n]> : Element<T> {};
template <class T>
struct Element<T[]> : Element<T> {};  // extern __shared__ float s[]
template <class T>
struct Element<const T[]> : Element<T> {};

// The index of a type in wl::DType (instrumentation/base/dtype.h); two packed halves count as their half.
template <class T>
struct DTypeIndex;

#define WL_DTYPE_INDEX(type, index)          \
    template <>                              \
    struct DTypeIndex<type> {                \
        static constexpr int kValue = index; \
    }
WL_DTYPE_INDEX(bool, 0);
WL_DTYPE_INDEX(unsigned char, 0);
WL_DTYPE_INDEX(char, 1);
WL_DTYPE_INDEX(signed char, 1);
WL_DTYPE_INDEX(unsigned short, 2);
WL_DTYPE_INDEX(short, 3);
WL_DTYPE_INDEX(unsigned int, 4);
WL_DTYPE_INDEX(int, 5);
WL_DTYPE_INDEX(unsigned long, sizeof(long) == 8 ? 6 : 4);
WL_DTYPE_INDEX(long, sizeof(long) == 8 ? 7 : 5);
WL_DTYPE_INDEX(unsigned long long, 6);
WL_DTYPE_INDEX(long long, 7);
WL_DTYPE_INDEX(__half, 8);
WL_DTYPE_INDEX(__half2, 8);
WL_DTYPE_INDEX(__nv_bfloat16, 9);
WL_DTYPE_INDEX(__nv_bfloat162, 9);
WL_DTYPE_INDEX(float, 10);
WL_DTYPE_INDEX(double, 11);
WL_DTYPE_INDEX(__nv_fp8_e4m3, 12);
WL_DTYPE_INDEX(__nv_fp8_e5m2, 13);
#undef WL_DTYPE_INDEX

template <class T>
inline constexpr int kDType = DTypeIndex<typename Element<T>::Type>::kValue;

// In memory a vector counts as its elements: a row of 8 float4 has 32 columns.
template <class T>
struct MatrixDType : DTypeIndex<T> {};

#define WL_VECTORS(name, scalar)                         \
    template <>                                          \
    struct MatrixDType<name##2> : DTypeIndex<scalar> {}; \
    template <>                                          \
    struct MatrixDType<name##3> : DTypeIndex<scalar> {}; \
    template <>                                          \
    struct MatrixDType<name##4> : DTypeIndex<scalar> {}
WL_VECTORS(uchar, unsigned char);
WL_VECTORS(char, signed char);
WL_VECTORS(ushort, unsigned short);
WL_VECTORS(short, short);
WL_VECTORS(uint, unsigned int);
WL_VECTORS(int, int);
WL_VECTORS(float, float);
#undef WL_VECTORS
template <>
struct MatrixDType<double2> : DTypeIndex<double> {};

template <class T>
inline constexpr int kMatrixDType = MatrixDType<typename Element<T>::Type>::kValue;

// A register as the 16, 32 or 64 bits, or the float, that an asm operand can carry.
template <class T>
__device__ __forceinline__ auto as_register(const T& value) {
    if constexpr (sizeof(T) == 1) {
        return static_cast<unsigned short>(reinterpret_cast<const unsigned char&>(value));
    } else if constexpr (sizeof(T) == 2) {
        return reinterpret_cast<const unsigned short&>(value);
    } else if constexpr (sizeof(T) == 4) {
        return reinterpret_cast<const unsigned int&>(value);
    } else {
        return reinterpret_cast<const unsigned long long&>(value);
    }
}
__device__ __forceinline__ float as_register(const float& value) { return value; }
__device__ __forceinline__ double as_register(const double& value) { return value; }

template <const char* name, int dtype, int index, int count>
struct FragmentMark {
#define WL_FRAGMENT_MARK(type, constraint)                        \
    static __device__ __forceinline__ void set(type value) {      \
        asm volatile("//@wl fragment %0 %1 %2 %3 %4" ::"C"(name), \
                     "n"(dtype),                                  \
                     "n"(index),                                  \
                     "n"(count),                                  \
                     constraint(value)                            \
                     : "memory");                                 \
    }
    WL_FRAGMENT_MARK(unsigned short, "h")
    WL_FRAGMENT_MARK(unsigned int, "r")
    WL_FRAGMENT_MARK(unsigned long long, "l")
    WL_FRAGMENT_MARK(float, "f")
    WL_FRAGMENT_MARK(double, "d")
#undef WL_FRAGMENT_MARK
};

template <const char* name, int index, int count, class T>
__device__ __forceinline__ void mark_registers(const T* registers) {
    if constexpr (index < count) {
        FragmentMark<name, kDType<T>, index, count>::set(as_register(registers[index]));
        mark_registers<name, index + 1, count>(registers);
    }
}

template <const char* name, class T, decltype(sizeof(0)) count>
__device__ __forceinline__ void mark_fragment(const T (&registers)[count]) {
    mark_registers<name, 0, static_cast<int>(count)>(registers);
}
template <const char* name, class Fragment, int count = Fragment::num_elements>
__device__ __forceinline__ void mark_fragment(const Fragment& fragment) {
    mark_registers<name, 0, count>(fragment.x);
}

template <const char* name, int dtype>
struct LanesMark {
#define WL_LANES_MARK(type, constraint)                                                             \
    static __device__ __forceinline__ void set(type value) {                                        \
        asm volatile("//@wl lanes %0 %1 %2" ::"C"(name), "n"(dtype), constraint(value) : "memory"); \
    }
    WL_LANES_MARK(unsigned short, "h")
    WL_LANES_MARK(unsigned int, "r")
    WL_LANES_MARK(unsigned long long, "l")
    WL_LANES_MARK(float, "f")
    WL_LANES_MARK(double, "d")
#undef WL_LANES_MARK
};

}  // namespace wl::probe

// Runs `statement` with `wl_name` naming the characters of the literal as it is spelt, quotes and all: what a
// PTX reader gets is a C string literal, whatever `%`, `"` or `\` is in it.
#define WL_MARK(name, statement)                                                                  \
    do {                                                                                          \
        static constexpr char wl_name[] = #name;                                                  \
        static_assert(wl_name[0] == '"', "the name of a WarpLens mark must be a string literal"); \
        statement;                                                                                \
    } while (0)

#define WL_MATRIX_MARK(text, name, ptr, rows, cols, ld, ...)      \
    WL_MARK(                                                      \
        name,                                                     \
        asm volatile(text ::"C"(wl_name),                         \
                     "n"(wl::probe::kMatrixDType<decltype(ptr)>), \
                     "l"(&(ptr)[0]),                              \
                     "r"(static_cast<int>(rows)),                 \
                     "r"(static_cast<int>(cols)),                 \
                     "r"(static_cast<int>(ld))__VA_ARGS__         \
                     : "memory")                                  \
    )

// From here on this warp does `name`.
#define WL_STAGE(name) WL_MARK(name, asm volatile("//@wl stage %0" ::"C"(wl_name) : "memory"))

// The block's matrix at ptr: (rows, cols) elements, `ld` elements from one row to the next. Taken at the
// instant when every warp of the block that has not exited stands here; orders nothing.
#define WL_TILE(name, ptr, rows, cols, ld) \
    WL_MATRIX_MARK("//@wl tile %0 %1 %2 %3 %4 %5", name, ptr, rows, cols, ld)

// The same for memory that one warp owns, taken when the warp stands here.
#define WL_WARP_TILE(name, ptr, rows, cols, ld) \
    WL_MATRIX_MARK("//@wl warp_tile %0 %1 %2 %3 %4 %5", name, ptr, rows, cols, ld)

// Every register of a wmma fragment or of an array of registers, by lane.
#define WL_FRAGMENT(name, fragment) WL_MARK(name, wl::probe::mark_fragment<wl_name>(fragment))

// One value a lane.
#define WL_LANES(name, value)                                                                                \
    WL_MARK(                                                                                                 \
        name,                                                                                                \
        (wl::probe::LanesMark<wl_name, wl::probe::kDType<decltype(value)>>::set(wl::probe::as_register(value \
        )))                                                                                                  \
    )

// What the memory at ptr means from here on: WL_LAYOUT(name, ptr, rows, cols, ld, order), where order 0 is
// row major, 1 column major; or WL_LAYOUT(name, ptr, "Swizzle<3,3,3> o (64,64):(64,1)"), any notation of
// docs/layouts.md without the element type, which is ptr's.
#define WL_LAYOUT(name, ptr, ...)                                                                      \
    WL_PICK_LAYOUT(__VA_ARGS__, WL_LAYOUT_BY_NUMBERS, WL_NO_LAYOUT, WL_NO_LAYOUT, WL_LAYOUT_BY_TEXT, ) \
    (name, ptr, __VA_ARGS__)
#define WL_PICK_LAYOUT(a, b, c, d, which, ...) which
#define WL_LAYOUT_BY_NUMBERS(name, ptr, rows, cols, ld, order) \
    WL_MATRIX_MARK("//@wl layout %0 %1 %2 %3 %4 %5 %6", name, ptr, rows, cols, ld, , "n"(order))
#define WL_LAYOUT_BY_TEXT(name, ptr, layout)                                                      \
    do {                                                                                          \
        static constexpr char wl_layout[] = #layout;                                              \
        static_assert(wl_layout[0] == '"', "the layout of a WL_LAYOUT must be a string literal"); \
        WL_MARK(                                                                                  \
            name,                                                                                 \
            asm volatile("//@wl layout %0 %1 %2 0 0 0 %3" ::"C"(wl_name),                         \
                         "n"(wl::probe::kMatrixDType<decltype(ptr)>),                             \
                         "l"(&(ptr)[0]),                                                          \
                         "C"(wl_layout)                                                           \
                         : "memory")                                                              \
        );                                                                                        \
    } while (0)
