"""The few calls of the CUDA driver that the GPU scripts need, by ctypes: no package beyond numpy."""
import ctypes
import struct


class DriverError(RuntimeError):
    pass


class Device:
    """Device 0 with its primary context current, and one arena of device memory that each launch uses anew."""

    def __init__(self, arena_bytes=64 << 20):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self._check("cuInit", 0)
        handle = ctypes.c_int()
        self._check("cuDeviceGet", ctypes.byref(handle), 0)
        name = ctypes.create_string_buffer(256)
        self._check("cuDeviceGetName", name, 256, handle)
        self.name = name.value.decode()
        version = ctypes.c_int()
        self._check("cuDriverGetVersion", ctypes.byref(version))
        self.driver_api = f"{version.value // 1000}.{version.value % 1000 // 10}"
        context = ctypes.c_void_p()
        self._check("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
        self._check("cuCtxSetCurrent", context)
        arena = ctypes.c_uint64()
        self._check("cuMemAlloc_v2", ctypes.byref(arena), ctypes.c_size_t(arena_bytes))
        self.arena, self.arena_bytes = arena.value, arena_bytes

    def _check(self, function, *args):
        status = getattr(self.lib, function)(*args)
        if status != 0:
            text = ctypes.c_char_p()
            self.lib.cuGetErrorName(status, ctypes.byref(text))
            raise DriverError(f"{function}: {text.value.decode() if text.value else status}")

    def load(self, image):
        """Loads a cubin (bytes), or compiles PTX text by the driver; returns the module's handle."""
        image = image if isinstance(image, bytes) else image.encode()
        module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(8192)
        options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
        values = (ctypes.c_void_p * 2)(ctypes.addressof(log), 8192)
        try:
            self._check("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(image), 2, options, values)
        except DriverError as error:
            raise DriverError(f"{error}: {log.value.decode(errors='replace').strip()}") from None
        return module

    def unload(self, module):
        self._check("cuModuleUnload", module)

    def function(self, module, name):
        handle = ctypes.c_void_p()
        self._check("cuModuleGetFunction", ctypes.byref(handle), module, name.encode())
        return handle

    def put(self, address, data):
        if len(data):
            self._check("cuMemcpyHtoD_v2", ctypes.c_uint64(address), bytes(data), ctypes.c_size_t(len(data)))

    def get(self, address, size):
        out = ctypes.create_string_buffer(max(1, size))
        if size:
            self._check("cuMemcpyDtoH_v2", out, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return out.raw[:size]

    def launch(self, function, grid, block, buffers, value=b"", shared=0, handles=()):
        """`buffers`: the initial bytes of each buffer, whose addresses are the 64-bit parameters in order, then the
        `handles`; `value`: one more parameter, 16-byte aligned. Returns the bytes of all buffers after the launch."""
        addresses, at = [], self.arena
        for data in buffers:
            addresses.append(at)
            at += (len(data) + 255) // 256 * 256 + 256
        if at > self.arena + self.arena_bytes:
            raise DriverError("the case's buffers exceed the arena")
        for address, data in zip(addresses, buffers):
            self.put(address, data)
        params = struct.pack(f"<{len(addresses) + len(handles)}Q", *addresses, *handles)
        if value:
            params += b"\0" * (-len(params) % 16) + value
        packed = ctypes.create_string_buffer(params, max(1, len(params)))
        if shared > 48 << 10:  # more than every kernel may have: to be asked for
            self._check("cuFuncSetAttribute", function, 8, shared)  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        size = ctypes.c_size_t(len(params))
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(packed), 2, ctypes.addressof(size), 0)
        self._check("cuLaunchKernel", function, *grid, *block, shared, None, None, extra)
        self._check("cuCtxSynchronize")
        return [self.get(a, len(b)) for a, b in zip(addresses, buffers)]

    def set_stack(self, size):
        """Bytes of stack a thread, for calls and local arrays; a context begins with 1024."""
        self._check("cuCtxSetLimit", 0, ctypes.c_size_t(size))  # CU_LIMIT_STACK_SIZE

    def start(self, function, shape, parameters):
        """Launches and waits. `shape`: grid, block, shared (bytes), cooperative; `parameters`: the bytes of each."""
        kept = [ctypes.create_string_buffer(p, len(p)) for p in parameters]
        pointers = (ctypes.c_void_p * len(kept))(*[ctypes.addressof(p) for p in kept])
        where = [function, *shape["grid"], *shape["block"], shape["shared"], None, pointers]
        if shape["cooperative"]:
            self._check("cuLaunchCooperativeKernel", *where)
        else:
            self._check("cuLaunchKernel", *where, None)
        self._check("cuCtxSynchronize")
