// Graphs, textures, surfaces, arrays.
#include "table.h"

namespace wild {
namespace {

cudaGraph_t got = nullptr;
cudaGraphExec_t made = nullptr;
cudaGraphNode_t node = nullptr;
cudaTextureObject_t object = 0;
cudaChannelFormatDesc format{32, 0, 0, 0, cudaChannelFormatKindFloat};
cudaArray_t data = nullptr;
size_t count = 0;
const cudaTextureDesc kHow{};
void nothing(void*) {}

CALL("cudaGraphCreate null", cudaGraphCreate(nullptr, 0))
CALL("cudaGraphCreate flags", cudaGraphCreate(&got, 1))
CALL("cudaGraphDestroy null", cudaGraphDestroy(nullptr))
CALL("cudaGraphDestroy wild", cudaGraphDestroy(nowhere<cudaGraph_t>()))
CALL("cudaGraphDestroy twice", cudaGraphDestroy(destroyed_graph()))
CALL("cudaGraphInstantiate null", cudaGraphInstantiate(nullptr, graph(), 0))
CALL("cudaGraphInstantiate of null", cudaGraphInstantiate(&made, nullptr, 0))
CALL("cudaGraphInstantiate wild", cudaGraphInstantiate(&made, nowhere<cudaGraph_t>(), 0))
CALL("cudaGraphInstantiate destroyed", cudaGraphInstantiate(&made, destroyed_graph(), 0))
CALL("cudaGraphInstantiate flags", cudaGraphInstantiate(&made, graph(), 0x100))
CALL("cudaGraphInstantiate empty", cudaGraphInstantiate(&made, graph(), 0))
CALL("cudaGraphInstantiateWithParams null", cudaGraphInstantiateWithParams(&made, graph(), nullptr))
CALL("cudaGraphExecDestroy null", cudaGraphExecDestroy(nullptr))
CALL("cudaGraphExecDestroy wild", cudaGraphExecDestroy(nowhere<cudaGraphExec_t>()))
CALL("cudaGraphExecDestroy twice", cudaGraphExecDestroy(destroyed_instance()))
CALL("cudaGraphLaunch null", cudaGraphLaunch(nullptr, nullptr))
CALL("cudaGraphLaunch wild", cudaGraphLaunch(nowhere<cudaGraphExec_t>(), nullptr))
CALL("cudaGraphLaunch destroyed", cudaGraphLaunch(destroyed_instance(), nullptr))
CALL("cudaGraphLaunch destroyed stream", cudaGraphLaunch(instance(), destroyed_stream()))
CALL("cudaGraphUpload null", cudaGraphUpload(nullptr, nullptr))
CALL("cudaGraphClone null", cudaGraphClone(nullptr, graph()))
CALL("cudaGraphClone of null", cudaGraphClone(&got, nullptr))
CALL("cudaGraphClone destroyed", cudaGraphClone(&got, destroyed_graph()))
ROW("cudaGraphAddKernelNode null", const auto p = node_params();
    say(cudaGraphAddKernelNode(nullptr, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddKernelNode null graph", const auto p = node_params();
    say(cudaGraphAddKernelNode(&node, nullptr, nullptr, 0, &p)))
CALL("cudaGraphAddKernelNode null parameters", cudaGraphAddKernelNode(&node, graph(), nullptr, 0, nullptr))
ROW("cudaGraphAddKernelNode null function", auto p = node_params(); p.func = nullptr;
    say(cudaGraphAddKernelNode(&node, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddKernelNode wild function", auto p = node_params(); p.func = nowhere();
    say(cudaGraphAddKernelNode(&node, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddKernelNode no blocks", auto p = node_params(); p.gridDim = dim3(0, 1, 1);
    say(cudaGraphAddKernelNode(&node, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddKernelNode 2048 threads", auto p = node_params(); p.blockDim = dim3(2048, 1, 1);
    say(cudaGraphAddKernelNode(&node, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddKernelNode null arguments", auto p = node_params(); p.func = const_cast<void*>(kernel());
    say(cudaGraphAddKernelNode(&node, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddKernelNode null dependencies", const auto p = node_params();
    say(cudaGraphAddKernelNode(&node, graph(), nullptr, 2, &p)))
ROW("cudaGraphAddKernelNode null dependency", const auto p = node_params();
    const cudaGraphNode_t of[] = {nullptr};
    say(cudaGraphAddKernelNode(&node, graph(), of, 1, &p)))
ROW("cudaGraphAddKernelNode wild dependency", const auto p = node_params();
    const cudaGraphNode_t of[] = {nowhere<cudaGraphNode_t>()};
    say(cudaGraphAddKernelNode(&node, graph(), of, 1, &p)))
ROW("cudaGraphAddKernelNode dependency of another graph", const auto p = node_params();
    const cudaGraphNode_t of[] = {empty_node(graph())};
    say(cudaGraphAddKernelNode(&node, graph(), of, 1, &p)))
ROW("cudaGraphAddKernelNode dependency twice", const auto p = node_params(); cudaGraph_t g = graph();
    const cudaGraphNode_t one = empty_node(g);
    const cudaGraphNode_t of[] = {one, one};
    say(cudaGraphAddKernelNode(&node, g, of, 2, &p)))
CALL("cudaGraphAddMemcpyNode null", cudaGraphAddMemcpyNode(&node, graph(), nullptr, 0, nullptr))
CALL(
    "cudaGraphAddMemcpyNode1D null",
    cudaGraphAddMemcpyNode1D(&node, graph(), nullptr, 0, nullptr, host_memory(), 64, cudaMemcpyHostToDevice)
)
CALL(
    "cudaGraphAddMemcpyNode1D wild",
    cudaGraphAddMemcpyNode1D(&node, graph(), nullptr, 0, nowhere(), host_memory(), 64, cudaMemcpyHostToDevice)
)
CALL(
    "cudaGraphAddMemcpyNode1D kind",
    cudaGraphAddMemcpyNode1D(
        &node, graph(), nullptr, 0, device_memory(), host_memory(), 64, static_cast<cudaMemcpyKind>(7)
    )
)
CALL(
    "cudaGraphAddMemcpyNode1D nothing",
    cudaGraphAddMemcpyNode1D(
        &node, graph(), nullptr, 0, device_memory(), host_memory(), 0, cudaMemcpyHostToDevice
    )
)
CALL("cudaGraphAddMemsetNode null", cudaGraphAddMemsetNode(&node, graph(), nullptr, 0, nullptr))
ROW("cudaGraphAddMemsetNode element of 3", const cudaMemsetParams p{device_memory(), 64, 0, 3, 4, 1};
    say(cudaGraphAddMemsetNode(&node, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddMemsetNode no height", const cudaMemsetParams p{device_memory(), 64, 0, 4, 4, 0};
    say(cudaGraphAddMemsetNode(&node, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddMemsetNode null target", const cudaMemsetParams p{nullptr, 64, 0, 4, 4, 1};
    say(cudaGraphAddMemsetNode(&node, graph(), nullptr, 0, &p)))
CALL("cudaGraphAddHostNode null", cudaGraphAddHostNode(&node, graph(), nullptr, 0, nullptr))
ROW("cudaGraphAddHostNode null function", const cudaHostNodeParams p{nullptr, nullptr};
    say(cudaGraphAddHostNode(&node, graph(), nullptr, 0, &p)))
ROW("cudaGraphAddHostNode", const cudaHostNodeParams p{nothing, nullptr};
    say(cudaGraphAddHostNode(&node, graph(), nullptr, 0, &p)))
CALL("cudaGraphAddEmptyNode null", cudaGraphAddEmptyNode(nullptr, graph(), nullptr, 0))
CALL("cudaGraphAddEmptyNode null graph", cudaGraphAddEmptyNode(&node, nullptr, nullptr, 0))
CALL("cudaGraphAddEmptyNode wild graph", cudaGraphAddEmptyNode(&node, nowhere<cudaGraph_t>(), nullptr, 0))
CALL("cudaGraphAddEmptyNode destroyed graph", cudaGraphAddEmptyNode(&node, destroyed_graph(), nullptr, 0))
CALL("cudaGraphAddChildGraphNode null", cudaGraphAddChildGraphNode(&node, graph(), nullptr, 0, nullptr))
CALL(
    "cudaGraphAddChildGraphNode destroyed",
    cudaGraphAddChildGraphNode(&node, graph(), nullptr, 0, destroyed_graph())
)
ROW("cudaGraphAddChildGraphNode itself", cudaGraph_t g = graph();
    say(cudaGraphAddChildGraphNode(&node, g, nullptr, 0, g)))
CALL("cudaGraphAddMemAllocNode null", cudaGraphAddMemAllocNode(&node, graph(), nullptr, 0, nullptr))
ROW("cudaGraphAddMemAllocNode nothing said", cudaMemAllocNodeParams p{};
    say(cudaGraphAddMemAllocNode(&node, graph(), nullptr, 0, &p)))
CALL("cudaGraphAddMemFreeNode null", cudaGraphAddMemFreeNode(&node, graph(), nullptr, 0, nullptr))
CALL("cudaGraphAddMemFreeNode wild", cudaGraphAddMemFreeNode(&node, graph(), nullptr, 0, nowhere()))
CALL("cudaGraphGetNodes null", cudaGraphGetNodes(graph(), nullptr, nullptr))
CALL("cudaGraphGetNodes of null", cudaGraphGetNodes(nullptr, nullptr, &count))
CALL("cudaGraphGetNodes destroyed", cudaGraphGetNodes(destroyed_graph(), nullptr, &count))
CALL("cudaGraphGetRootNodes null", cudaGraphGetRootNodes(graph(), nullptr, nullptr))
CALL("cudaGraphGetEdges null", cudaGraphGetEdges(graph(), nullptr, nullptr, nullptr, nullptr))
ROW("cudaGraphAddDependencies itself", cudaGraph_t g = graph(); const cudaGraphNode_t n = empty_node(g);
    say(cudaGraphAddDependencies(g, &n, &n, nullptr, 1)))
ROW("cudaGraphAddDependencies a circle", cudaGraph_t g = graph();
    const cudaGraphNode_t a = empty_node(g), b = empty_node(g);
    say(cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
    say(cudaGraphAddDependencies(g, &b, &a, nullptr, 1));
    say(cudaGraphInstantiate(&made, g, 0)))
ROW("cudaGraphAddDependencies twice", cudaGraph_t g = graph();
    const cudaGraphNode_t a = empty_node(g), b = empty_node(g);
    say(cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
    say(cudaGraphAddDependencies(g, &a, &b, nullptr, 1)))
CALL("cudaGraphAddDependencies nulls", cudaGraphAddDependencies(graph(), nullptr, nullptr, nullptr, 2))
ROW("cudaGraphAddDependencies wild", const cudaGraphNode_t n = nowhere<cudaGraphNode_t>();
    say(cudaGraphAddDependencies(graph(), &n, &n, nullptr, 1)))
ROW("cudaGraphNodeGetType of null", cudaGraphNodeType t; say(cudaGraphNodeGetType(nullptr, &t)))
ROW("cudaGraphNodeGetType wild", cudaGraphNodeType t;
    say(cudaGraphNodeGetType(nowhere<cudaGraphNode_t>(), &t)))
CALL("cudaGraphNodeGetType null", cudaGraphNodeGetType(empty_node(graph()), nullptr))
ROW("cudaGraphKernelNodeGetParams of an empty node", cudaKernelNodeParams p;
    say(cudaGraphKernelNodeGetParams(empty_node(graph()), &p)))
ROW("cudaGraphKernelNodeSetParams of an empty node", const auto p = node_params();
    say(cudaGraphKernelNodeSetParams(empty_node(graph()), &p)))
CALL("cudaGraphKernelNodeGetParams null", cudaGraphKernelNodeGetParams(nullptr, nullptr))
CALL("cudaGraphExecUpdate null", cudaGraphExecUpdate(nullptr, graph(), nullptr))
ROW("cudaGraphExecUpdate null graph", cudaGraphExecUpdateResultInfo i;
    say(cudaGraphExecUpdate(instance(), nullptr, &i)))
ROW("cudaGraphExecUpdate of another shape", cudaGraphExecUpdateResultInfo i;
    say(cudaGraphExecUpdate(instance(), graph(), &i)))
ROW("cudaGraphExecKernelNodeSetParams another graph's node", const auto p = node_params();
    say(cudaGraphExecKernelNodeSetParams(instance(), empty_node(graph()), &p)))
CALL("cudaGraphNodeSetEnabled null", cudaGraphNodeSetEnabled(nullptr, nullptr, 1))
CALL("cudaGraphConditionalHandleCreate null", cudaGraphConditionalHandleCreate(nullptr, graph(), 0, 0))
ROW("cudaGraphConditionalHandleCreate null graph", cudaGraphConditionalHandle h;
    say(cudaGraphConditionalHandleCreate(&h, nullptr, 0, 0)))
CALL("cudaGraphAddNode null parameters", cudaGraphAddNode(&node, graph(), nullptr, nullptr, 0, nullptr))
ROW("cudaGraphAddNode word", cudaGraphNodeParams p{}; p.type = static_cast<cudaGraphNodeType>(99);
    say(cudaGraphAddNode(&node, graph(), nullptr, nullptr, 0, &p)))
ROW("cudaGraphAddNode wild condition", cudaGraphNodeParams p{}; p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = 12345;
    p.conditional.size = 1;
    say(cudaGraphAddNode(&node, graph(), nullptr, nullptr, 0, &p)))

ROW("cudaCreateTextureObject null", const auto r = linear(device_memory(), kBytes);
    say(cudaCreateTextureObject(nullptr, &r, &kHow, nullptr)))
CALL("cudaCreateTextureObject null resource", cudaCreateTextureObject(&object, nullptr, &kHow, nullptr))
ROW("cudaCreateTextureObject null description", const auto r = linear(device_memory(), kBytes);
    say(cudaCreateTextureObject(&object, &r, nullptr, nullptr)))
#define TEXTURE(name, ...)                                           \
    ROW("cudaCreateTextureObject " name, const auto r = __VA_ARGS__; \
        say(cudaCreateTextureObject(&object, &r, &kHow, nullptr)))
TEXTURE("of nothing", cudaResourceDesc{})
TEXTURE("null array", of_array(nullptr))
TEXTURE("wild array", of_array(nowhere<cudaArray_t>()))
TEXTURE("freed array", of_array(freed_array()))
TEXTURE("array", of_array(array()))
TEXTURE("linear null", linear(nullptr, kBytes))
TEXTURE("linear wild", linear(nowhere(), kBytes))
TEXTURE("linear malloc", linear(host_memory(), kBytes))
TEXTURE("linear freed", linear(freed_memory(), kBytes))
TEXTURE("linear odd", linear(static_cast<char*>(device_memory()) + 4, 64))
TEXTURE("linear nothing", linear(device_memory(), 0))
TEXTURE("linear all bytes", linear(device_memory(), kHuge))
TEXTURE("linear over the end", linear(device_memory(), 1 << 28))
cudaResourceDesc with_format(int bits, int second) {
    cudaResourceDesc r = linear(device_memory(), kBytes);
    r.res.linear.desc = {bits, second, 0, 0, cudaChannelFormatKindFloat};
    return r;
}
TEXTURE("format of 7 bits", with_format(7, 0))
TEXTURE("format of 8 bits float", with_format(8, 0))
TEXTURE("format of two widths", with_format(32, 16))
TEXTURE("format of nothing", with_format(0, 0))
cudaResourceDesc pitched(void* at, size_t width, size_t height, size_t pitch) {
    cudaResourceDesc r{};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = {at, format, width, height, pitch};
    return r;
}
TEXTURE("pitched", pitched(device_memory(), 16, 4, 512))
TEXTURE("pitched null", pitched(nullptr, 16, 4, 512))
TEXTURE("pitched too narrow", pitched(device_memory(), 256, 4, 512))
TEXTURE("pitched oddly", pitched(device_memory(), 16, 4, 100))
TEXTURE("pitched no width", pitched(device_memory(), 0, 4, 512))
TEXTURE("pitched all rows", pitched(device_memory(), 16, kHuge, 512))
ROW("cudaCreateTextureObject filter of integers", auto r = linear(device_memory(), kBytes);
    cudaTextureDesc how{};
    r.res.linear.desc.f = cudaChannelFormatKindUnsigned;
    how.filterMode = cudaFilterModeLinear;
    say(cudaCreateTextureObject(&object, &r, &how, nullptr)))
ROW("cudaCreateTextureObject filter word", const auto r = of_array(array()); cudaTextureDesc how{};
    how.filterMode = static_cast<cudaTextureFilterMode>(9);
    say(cudaCreateTextureObject(&object, &r, &how, nullptr)))
ROW("cudaCreateTextureObject address word", const auto r = of_array(array()); cudaTextureDesc how{};
    how.addressMode[0] = static_cast<cudaTextureAddressMode>(9);
    say(cudaCreateTextureObject(&object, &r, &how, nullptr)))
CALL("cudaDestroyTextureObject 0", cudaDestroyTextureObject(0))
CALL("cudaDestroyTextureObject wild", cudaDestroyTextureObject(kNowhere))
ROW("cudaDestroyTextureObject twice", const auto t = texture(); say(cudaDestroyTextureObject(t));
    say(cudaDestroyTextureObject(t)))
CALL("cudaGetTextureObjectResourceDesc null", cudaGetTextureObjectResourceDesc(nullptr, texture()))
ROW("cudaGetTextureObjectResourceDesc wild", cudaResourceDesc r;
    say(cudaGetTextureObjectResourceDesc(&r, kNowhere)))
ROW("cudaGetTextureObjectTextureDesc 0", cudaTextureDesc r; say(cudaGetTextureObjectTextureDesc(&r, 0)))
ROW("cudaCreateSurfaceObject null", const auto r = of_array(array());
    say(cudaCreateSurfaceObject(nullptr, &r)))
CALL("cudaCreateSurfaceObject null resource", cudaCreateSurfaceObject(&object, nullptr))
ROW("cudaCreateSurfaceObject linear", const auto r = linear(device_memory(), kBytes);
    say(cudaCreateSurfaceObject(&object, &r)))
ROW("cudaCreateSurfaceObject wild array", const auto r = of_array(nowhere<cudaArray_t>());
    say(cudaCreateSurfaceObject(&object, &r)))
ROW("cudaCreateSurfaceObject plain array", const auto r = of_array(array());
    say(cudaCreateSurfaceObject(&object, &r)))
CALL("cudaDestroySurfaceObject 0", cudaDestroySurfaceObject(0))
CALL("cudaDestroySurfaceObject wild", cudaDestroySurfaceObject(kNowhere))
CALL("cudaMallocArray null", cudaMallocArray(nullptr, &format, 64, 16, 0))
CALL("cudaMallocArray null format", cudaMallocArray(&data, nullptr, 64, 16, 0))
CALL("cudaMallocArray no width", cudaMallocArray(&data, &format, 0, 16, 0))
CALL("cudaMallocArray too wide", cudaMallocArray(&data, &format, 1 << 20, 16, 0))
CALL("cudaMallocArray all", cudaMallocArray(&data, &format, kHuge, kHuge, 0))
CALL("cudaMallocArray flags", cudaMallocArray(&data, &format, 64, 16, 0x8000))
ROW("cudaMallocArray format of 7 bits", const cudaChannelFormatDesc f{7, 0, 0, 0, cudaChannelFormatKindFloat};
    say(cudaMallocArray(&data, &f, 64, 16, 0)))
ROW("cudaMallocArray format of nothing", const cudaChannelFormatDesc f{};
    say(cudaMallocArray(&data, &f, 64, 16, 0)))
CALL("cudaMalloc3DArray null", cudaMalloc3DArray(nullptr, &format, {8, 8, 8}, 0))
CALL("cudaMalloc3DArray nothing", cudaMalloc3DArray(&data, &format, {0, 0, 0}, 0))
CALL("cudaMalloc3DArray depth without height", cudaMalloc3DArray(&data, &format, {8, 0, 8}, 0))
CALL("cudaMalloc3DArray cube not square", cudaMalloc3DArray(&data, &format, {8, 4, 6}, cudaArrayCubemap))
CALL("cudaArrayGetInfo null array", cudaArrayGetInfo(&format, nullptr, nullptr, nullptr))
CALL("cudaArrayGetInfo wild array", cudaArrayGetInfo(&format, nullptr, nullptr, nowhere<cudaArray_t>()))
CALL("cudaArrayGetInfo freed array", cudaArrayGetInfo(&format, nullptr, nullptr, freed_array()))
CALL("cudaArrayGetInfo nulls", cudaArrayGetInfo(nullptr, nullptr, nullptr, array()))
CALL("cudaGetChannelDesc null", cudaGetChannelDesc(nullptr, array()))
CALL("cudaGetChannelDesc null array", cudaGetChannelDesc(&format, nullptr))

}  // namespace
}  // namespace wild
