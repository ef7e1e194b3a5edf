"""Launching kernels from Python: what goes in, what comes back, and what is refused."""

import gc
import importlib.util
import threading
import unittest
import warnings

import numpy as np
import warplens as wl

ADD = """__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
"""
HAS_ML_DTYPES = importlib.util.find_spec("ml_dtypes") is not None


class ByDlpack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class ByInterface:
    def __init__(self, array):
        self.array, self.__array_interface__ = array, array.__array_interface__


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.add = wl.kernel(ADD)
        random = np.random.default_rng(1)
        cls.a, cls.b = random.random(1000, np.float32), random.random(1000, np.float32)

    def test_a_launch_writes_what_is_not_const(self):
        a, c = self.a.copy(), np.full(1000, 7, np.float32)
        said = self.add[4, 256](a, self.b, c, 900)
        self.assertTrue(said.ok, said.text)
        np.testing.assert_array_equal(c[:900], self.a[:900] + self.b[:900])
        np.testing.assert_array_equal(c[900:], 7)
        np.testing.assert_array_equal(a, self.a)

    def test_parameters_are_told_by_the_symbol_and_the_source(self):
        self.assertEqual([(one.name, one.type) for one in self.add.parameters],
                         [("a", "float const*"), ("b", "float const*"), ("c", "float*"), ("n", "int")])
        plain = wl.kernel(ADD.replace("__global__", 'extern "C" __global__'))
        self.assertEqual([one.is_input for one in plain.parameters], [True, True, False, False])

    def test_a_fault_raises_nothing_and_warns(self):
        broken = wl.kernel(ADD.replace("i < n", "i <= n"))
        with self.assertWarnsRegex(wl.KernelWarning, "out_of_bounds"):
            said = broken[4, 256](self.a, self.b, np.zeros(1000, np.float32), 1000)
        self.assertEqual(said.verdict, "findings")
        self.assertEqual((said.findings[0].rule, said.findings[0].line), ("out_of_bounds", 3))

    def test_arrays_of_other_libraries_are_written_too(self):
        for kind in (ByDlpack, ByInterface):
            with self.subTest(kind.__name__):
                c = np.zeros(1000, np.float32)
                self.add[4, 256](kind(self.a), kind(self.b), kind(c), 1000)
                np.testing.assert_array_equal(c, self.a + self.b)

    def test_every_element_type_comes_back_bit_by_bit(self):
        types = {"f2": "__half", "f4": "float", "f8": "double", "i1": "signed char", "i2": "short", "i4": "int",
                 "i8": "long long", "u1": "unsigned char", "u2": "unsigned short", "u4": "unsigned",
                 "u8": "unsigned long long", "?": "bool"}
        params = ", ".join(f"const {name}* x{i}, {name}* y{i}" for i, name in enumerate(types.values()))
        body = " ".join(f"y{i}[threadIdx.x] = x{i}[threadIdx.x];" for i in range(len(types)))
        k = wl.kernel(f"#include <cuda_fp16.h>\n__global__ void copy({params}) {{ {body} }}\n")
        given = [array for dtype in types
                 for array in (np.arange(-4, 4).astype(dtype), np.zeros(8, dtype))]
        k[1, 8](*given)
        for name, x, y in zip(types.values(), given[::2], given[1::2]):
            np.testing.assert_array_equal(x, y, name)

    @unittest.skipUnless(HAS_ML_DTYPES, "ml_dtypes is not installed")
    def test_types_that_numpy_lacks(self):
        import ml_dtypes

        k = wl.kernel("#include <cuda_bf16.h>\n__global__ void copy(const __nv_bfloat16* x, __nv_bfloat16* y)\n"
                      "{ y[threadIdx.x] = x[threadIdx.x]; }\n")
        x = np.arange(8).astype(ml_dtypes.bfloat16) / 3
        y = np.zeros_like(x)
        said = k[1, 8].debug(x, wl.out(y), reference=lambda x: x, write=True)
        self.assertTrue(said.ok, said.text)
        self.assertEqual(x.tobytes(), y.tobytes())
        np.testing.assert_array_equal(said.tiles["y"][0], x.astype(np.float32))

    def test_scalars_structs_vectors_and_null(self):
        k = wl.kernel("""struct Pair { float scale; int shift; };
__global__ void f(float* x, Pair p, double d, long long l, float2 v, const float* none) {
    x[0] = p.scale, x[1] = p.shift, x[2] = d, x[3] = l, x[4] = v.y, x[5] = none == nullptr;
}
""")
        pair = np.array([(2.5, -3)], [("scale", "f4"), ("shift", "i4")])[0]
        x = np.zeros(6, np.float32)
        k[1, 1](x, pair, 0.5, -7, (1.0, 9.0), None)
        self.assertEqual(x.tolist(), [2.5, -3, 0.5, -7, 9, 1])

    def test_what_cannot_be_is_said(self):
        c = np.zeros(1000, np.float32)
        wide = np.zeros((4, 8), np.float32)
        gpu = type("OnGpu", (), {"__cuda_array_interface__": {}})()
        for values, words in [((self.a, self.b, c), "takes 4 arguments .a, b, c, n.; 3 were given"),
                              ((self.a, self.b, wide.T, 4), "c: the array is not C-contiguous"),
                              ((c, self.b, c, 4), "a and c share memory"),
                              ((self.a, gpu, c, 4), "b: this array lies on a GPU"),
                              ((self.a, self.b, c.astype(complex), 4), "no element type .* complex"),
                              ((wl.out(self.a), self.b, c, 4), "a is an output, but its type is float const"),
                              ((self.a, self.b, c, 2.5), "n")]:
            with self.subTest(words), self.assertRaisesRegex(wl.Error, words):
                self.add[4, 256](*values)
        with self.assertRaisesRegex(wl.Error, "the grid is 0"):
            self.add[0, 256]
        with self.assertRaisesRegex(wl.Error, "block"):
            self.add[1, 2048](self.a, self.b, c, 4)

    def test_kernels_that_cannot_be_are_said(self):
        for source, entry, words in [("nowhere.cu", "", "there is no file nowhere.cu"),
                                     ("__global__ void f() { x }\n", "", "x"),
                                     (ADD, "sub", "there is no entry 'sub'"),
                                     (ADD + ADD.replace("add", "more"), "", "has 2 kernels")]:
            with self.subTest(words), self.assertRaisesRegex(wl.Error, words):
                wl.kernel(source, entry)
        multicast = '__global__ void f() { asm volatile("multimem.red.relaxed.sys.global.add.u32 [%0], 1;" :: "l"(0ull)); }\n'
        with self.assertRaisesRegex(wl.Unsupported, "multimem.red"):
            wl.kernel(multicast)

    def test_nothing_is_left_when_a_result_is_gone(self):
        said = self.add[4, 256].debug(self.a, self.b, np.zeros(1000, np.float32), 1000,
                                      reference=lambda a, b: a + b)
        folder = said.capture.parent
        self.assertTrue(folder.is_dir())
        del said
        gc.collect()
        self.assertFalse(folder.exists())
        for thread in threading.enumerate():
            if thread.name == "warplens reference":
                thread.join(5)
                self.assertFalse(thread.is_alive())


class OtherCompilers(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("triton"), "triton is not installed")
    def test_a_kernel_of_triton(self):
        import triton_kernels

        x, y = np.random.default_rng(2).random((2, 1000), np.float32)
        out = np.zeros(1000, np.float32)
        k = wl.triton(triton_kernels.add, BLOCK=256)
        self.assertTrue(k[4](x, y, out, 1000).ok)
        np.testing.assert_array_equal(out, x + y)
        said = k[3].debug(x, y, wl.out(out), 1000, reference=lambda x, y: x + y, search=0)
        self.assertEqual(said.findings[0].rule, "never_written")
        self.assertIn("the grid is too small", " ".join(said.text.split()))

    @unittest.skipUnless(importlib.util.find_spec("numba_cuda"), "numba-cuda is not installed")
    def test_a_kernel_of_numba(self):
        from numba import cuda

        def total(a, c):
            shared = cuda.shared.array(64, "f4")
            at = cuda.threadIdx.x
            shared[at] = a[cuda.grid(1)]
            half = 32
            while half > 0:
                if at < half:
                    shared[at] += shared[at + half]
                half //= 2
            if at == 0:
                c[cuda.blockIdx.x] = shared[0]

        a, c = np.random.default_rng(3).random(256, np.float32), np.zeros(4, np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            said = wl.numba(total)[4, 64].debug(a, wl.out(c), reference=lambda a: a.reshape(4, 64).sum(1), search=0)
        self.assertEqual(said.findings[0].rule, "race_shared")
        self.assertTrue(said.findings[0].file.endswith("call_test.py"), said.findings[0])


if __name__ == "__main__":
    unittest.main()
