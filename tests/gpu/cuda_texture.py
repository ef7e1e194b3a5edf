"""Textures and surfaces of the CUDA driver, by ctypes: arrays, their handles, and their bytes after a launch."""
import ctypes

FORMATS = {"u8": 0x01, "u16": 0x02, "u32": 0x03, "s8": 0x08, "s16": 0x09, "s32": 0x0A, "f16": 0x10, "f32": 0x20}
BYTES = {"u8": 1, "u16": 2, "u32": 4, "s8": 1, "s16": 2, "s32": 4, "f16": 2, "f32": 4}
MODES = {"wrap": 0, "clamp": 1, "mirror": 2, "border": 3}
LAYERED, SURFACE, GATHER = 0x01, 0x02, 0x08  # CUDA_ARRAY3D_*
HOST, ARRAY = 1, 3  # CUmemorytype
size_t, pointer, uint = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint


class ArrayDescriptor(ctypes.Structure):  # CUDA_ARRAY3D_DESCRIPTOR
    _fields_ = [("extent", size_t * 3), ("format", ctypes.c_int), ("channels", uint), ("flags", uint)]


class Side(ctypes.Structure):  # the half of a CUDA_MEMCPY3D that says where from, or where to
    _fields_ = [
        ("x", size_t), ("y", size_t), ("z", size_t), ("level", size_t), ("kind", ctypes.c_int), ("host", pointer),
        ("device", ctypes.c_uint64), ("array", pointer), ("reserved", pointer), ("pitch", size_t), ("height", size_t),
    ]


class Copy(ctypes.Structure):  # CUDA_MEMCPY3D
    _fields_ = [("source", Side), ("target", Side), ("width", size_t), ("height", size_t), ("depth", size_t)]


class Linear(ctypes.Structure):
    _fields_ = [("address", ctypes.c_uint64), ("format", ctypes.c_int), ("channels", uint), ("bytes", size_t)]


class Where(ctypes.Union):
    _fields_ = [("array", pointer), ("linear", Linear), ("reserved", ctypes.c_int * 32)]


class Resource(ctypes.Structure):  # CUDA_RESOURCE_DESC
    _fields_ = [("kind", ctypes.c_int), ("where", Where), ("flags", uint)]


class Sampling(ctypes.Structure):  # CUDA_TEXTURE_DESC
    _fields_ = [
        ("modes", ctypes.c_int * 3), ("linear", ctypes.c_int), ("flags", uint), ("anisotropy", uint),
        ("level_filter", ctypes.c_int), ("levels", ctypes.c_float * 3), ("border", ctypes.c_float * 4),
        ("reserved", ctypes.c_int * 12),
    ]


class Image:
    """One image of a case (tests/conformance/bundle.cpp describes it) on the device, with its handle."""

    def __init__(self, device, form, data):
        self.device, self.form, self.size = device, form, len(data)
        self.array = self.address = None
        resource = Resource()
        if form["in_array"]:
            self._make_array()
            self._copy(data)
            resource.where.array = self.array
        else:
            memory = ctypes.c_uint64()
            device._check("cuMemAlloc_v2", ctypes.byref(memory), size_t(self.size))
            self.address = memory.value
            device.put(self.address, data)
            resource.kind = 2  # CU_RESOURCE_TYPE_LINEAR
            resource.where.linear = Linear(self.address, FORMATS[form["format"]], form["channels"], self.size)
        handle = ctypes.c_uint64()
        if form["surface"]:
            device._check("cuSurfObjectCreate", ctypes.byref(handle), ctypes.byref(resource))
        else:
            sampling = self._sampling()
            device._check("cuTexObjectCreate", ctypes.byref(handle), ctypes.byref(resource), ctypes.byref(sampling), None)
        self.handle = handle.value

    def _make_array(self):
        form = self.form
        width, height, depth = form["extent"]
        extent = [width, height if form["dimensions"] > 1 else 0, form["layers"] or (depth if form["dimensions"] > 2 else 0)]
        flags = (LAYERED if form["layers"] else 0) | (SURFACE if form["surface"] else 0)
        if form["dimensions"] == 2 and not form["surface"] and not form["layers"]:
            flags |= GATHER
        descriptor = ArrayDescriptor((size_t * 3)(*extent), FORMATS[form["format"]], form["channels"], flags)
        array = pointer()
        self.device._check("cuArray3DCreate_v2", ctypes.byref(array), ctypes.byref(descriptor))
        self.array = array.value

    def _sampling(self):
        form = self.form
        sampling = Sampling()
        sampling.modes = (ctypes.c_int * 3)(*(MODES[m] for m in form["address"]))
        sampling.linear = int(form["linear"])
        sampling.flags = (0 if form["as_float"] else 1) | (2 if form["normalized"] else 0)
        sampling.border = (ctypes.c_float * 4)(*form["border"])
        return sampling

    def _copy(self, data=None):
        """Host to array; without data the array's bytes."""
        form = self.form
        row = form["extent"][0] * form["channels"] * BYTES[form["format"]]
        height, depth = form["extent"][1], form["layers"] or form["extent"][2]
        buffer = ctypes.create_string_buffer(data if data is not None else self.size, self.size)
        host = Side(kind=HOST, host=ctypes.addressof(buffer), pitch=row, height=height)
        array = Side(kind=ARRAY, array=self.array)
        sides = (host, array) if data is not None else (array, host)
        copy = Copy(*sides, row, height, depth)
        self.device._check("cuMemcpy3D_v2", ctypes.byref(copy))
        return buffer.raw

    def bytes(self):
        return self._copy() if self.array else self.device.get(self.address, self.size)

    def destroy(self):
        name = "cuSurfObjectDestroy" if self.form["surface"] else "cuTexObjectDestroy"
        self.device._check(name, ctypes.c_uint64(self.handle))
        if self.array:
            self.device._check("cuArrayDestroy", pointer(self.array))
        else:
            self.device._check("cuMemFree_v2", ctypes.c_uint64(self.address))
