// A program of the driver API in two processes: the parent makes memory of the device, a child doubles what
// it holds. How it gets there is the first word of the command line; a second one is the child's.
#include <cuda.h>

#include <array>
#include <cstdio>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr size_t kBytes = 2 << 20;
constexpr unsigned kN = 256;

// a[i] *= 2
const char* const kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 a)
{
    .reg .b32 %r<2>;
    .reg .b64 %p<4>;
    .reg .f32 %f<2>;
    ld.param.u64 %p1, [a];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %p2, %r1, 4;
    add.s64 %p3, %p1, %p2;
    ld.global.f32 %f1, [%p3];
    add.f32 %f1, %f1, %f1;
    st.global.f32 [%p3], %f1;
    ret;
}
)";

const char* name_of(CUresult result) {
    const char* name = "no error of the driver's";
    cuGetErrorName(result, &name);
    return name;
}

// What the parent tells the child, beside a descriptor.
struct Message {
    CUipcMemHandle memory = {};
    CUipcEventHandle event = {};
    CUmemPoolPtrExportData pointer = {};
};

void send_to(int socket, const Message& message, int descriptor) {
    iovec words{const_cast<Message*>(&message), sizeof message};
    std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr header{};
    header.msg_iov = &words, header.msg_iovlen = 1;
    if (descriptor >= 0) {
        header.msg_control = room.data(), header.msg_controllen = room.size();
        cmsghdr* extra = CMSG_FIRSTHDR(&header);
        extra->cmsg_level = SOL_SOCKET, extra->cmsg_type = SCM_RIGHTS,
        extra->cmsg_len = CMSG_LEN(sizeof(int));
        *reinterpret_cast<int*>(CMSG_DATA(extra)) = descriptor;
    }
    if (sendmsg(socket, &header, 0) < 0) perror("sendmsg");
}

int receive_from(int socket, Message& message) {
    iovec words{&message, sizeof message};
    std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr header{};
    header.msg_iov = &words, header.msg_iovlen = 1;
    header.msg_control = room.data(), header.msg_controllen = room.size();
    if (recvmsg(socket, &header, 0) < 0) perror("recvmsg");
    const cmsghdr* extra = CMSG_FIRSTHDR(&header);
    return extra == nullptr ? -1 : *reinterpret_cast<const int*>(CMSG_DATA(extra));
}

void start() {
    cuInit(0);
    CUcontext context = nullptr;
    cuDevicePrimaryCtxRetain(&context, 0);
    cuCtxSetCurrent(context);
}

void launch(CUdeviceptr a) {
    CUmodule module = nullptr;
    CUfunction twice = nullptr;
    cuModuleLoadData(&module, kPtx);
    cuModuleGetFunction(&twice, module, "twice");
    void* arguments[] = {&a};
    cuLaunchKernel(twice, 1, 1, 1, kN, 1, 1, 0, nullptr, arguments, nullptr);
}

CUmemAllocationProp shareable() {
    CUmemAllocationProp prop{};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED, prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return prop;
}

CUdeviceptr map_at(CUdeviceptr at, CUmemGenericAllocationHandle handle) {
    CUmemAccessDesc access{};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE, access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    cuMemMap(at, kBytes, 0, handle, 0);
    cuMemSetAccess(at, kBytes, &access, 1);
    return at;
}

void fill(CUdeviceptr a) {
    std::vector<float> holds(kN);
    for (unsigned k = 0; k < kN; ++k) holds[k] = static_cast<float>(k);
    cuMemcpyHtoD(a, holds.data(), kN * sizeof(float));
}

void show(CUdeviceptr a) {
    std::vector<float> holds(kN);
    const CUresult result = cuMemcpyDtoH(holds.data(), a, kN * sizeof(float));
    printf("%s %g %g\n", name_of(result), holds[1], holds[kN - 1]);
}

int child(const std::string& what, int socket) {
    start();
    Message message;
    const int descriptor = receive_from(socket, message);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): so the driver takes it
    auto* const number = reinterpret_cast<void*>(static_cast<intptr_t>(descriptor));
    CUdeviceptr a = 0, again = 0;
    if (what == "handle") {
        CUevent event = nullptr;
        const CUresult opened = cuIpcOpenMemHandle(&a, message.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
        if (opened == CUDA_SUCCESS)
            cuIpcOpenMemHandle(&again, message.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
        const CUresult of_event = cuIpcOpenEventHandle(&event, message.event);
        printf("child: %s %s %d\n", name_of(opened), name_of(of_event), static_cast<int>(a == again));
        if (opened != CUDA_SUCCESS) return 1;
        launch(a);
        cuEventRecord(event, nullptr);
        cuCtxSynchronize();
        printf("child: %s %s", name_of(cuIpcCloseMemHandle(a)), name_of(cuIpcCloseMemHandle(a)));
        printf(" %s\n", name_of(cuIpcCloseMemHandle(a)));
        return 0;
    }
    if (what == "descriptor") {
        CUmemGenericAllocationHandle handle = 0, own = 0;
        const CUmemAllocationProp prop = shareable();
        printf(
            "child: %s\n", name_of(cuMemImportFromShareableHandle(&handle, number, prop.requestedHandleTypes))
        );
        cuMemCreate(&own, kBytes, &prop, 0);
        cuMemAddressReserve(&a, 2 * kBytes, 0, 0, 0);
        map_at(map_at(a, own) + kBytes, handle);
        launch(a + kBytes);
        cuCtxSynchronize();
        return 0;
    }
    CUmemoryPool pool = nullptr;
    printf(
        "child: %s",
        name_of(cuMemPoolImportFromShareableHandle(&pool, number, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)
        )
    );
    printf(" %s\n", name_of(cuMemPoolImportPointer(&a, pool, &message.pointer)));
    launch(a);
    cuCtxSynchronize();
    return 0;
}

// Starts it again as the child, and waits for it.
void in_another_process(const char* self, const char* what, const Message& message, int descriptor) {
    fflush(stdout);
    int ends[2];
    socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
    const std::string end = std::to_string(ends[1]);
    const pid_t process = fork();
    if (process == 0) {
        execl(self, self, what, end.c_str(), nullptr);
        _exit(127);
    }
    send_to(ends[0], message, descriptor);
    int status = 0;
    waitpid(process, &status, 0);
    close(ends[0]);
    close(ends[1]);
}

void by_handle(const char* self) {
    CUdeviceptr a = 0, own = 0;
    CUevent event = nullptr, plain = nullptr;
    Message message;
    cuMemAlloc(&a, kBytes);
    fill(a);
    cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
    cuEventCreate(&plain, CU_EVENT_DEFAULT);
    printf(
        "%s %s",
        name_of(cuIpcGetMemHandle(&message.memory, a)),
        name_of(cuIpcGetEventHandle(&message.event, event))
    );
    printf(" %s\n", name_of(cuEventCreate(&plain, CU_EVENT_INTERPROCESS)));
    printf("%s\n", name_of(cuIpcOpenMemHandle(&own, message.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)));
    in_another_process(self, "handle", message, -1);
    cuStreamWaitEvent(nullptr, event, 0);
    launch(a);
    show(a);
    cuMemFree(a);
    in_another_process(self, "handle", message, -1);
}

void by_descriptor(const char* self) {
    CUdeviceptr a = 0;
    CUmemGenericAllocationHandle handle = 0;
    int descriptor = -1;
    const CUmemAllocationProp prop = shareable();
    CUcontext context = nullptr;
    cuCtxPopCurrent(&context);  // these need none
    cuMemCreate(&handle, kBytes, &prop, 0);
    cuMemAddressReserve(&a, kBytes, 0, 0, 0);
    map_at(a, handle);
    cuCtxPushCurrent(context);
    fill(a);
    printf("%s\n", name_of(cuMemExportToShareableHandle(&descriptor, handle, prop.requestedHandleTypes, 0)));
    in_another_process(self, "descriptor", {}, descriptor);
    show(a);
}

void by_pool(const char* self) {
    CUdeviceptr a = 0;
    CUmemoryPool pool = nullptr;
    int descriptor = -1;
    Message message;
    CUmemPoolProps prop{};
    prop.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    printf("%s", name_of(cuMemPoolCreate(&pool, &prop)));
    cuMemAllocFromPoolAsync(&a, kBytes, pool, nullptr);
    fill(a);
    printf(" %s", name_of(cuMemPoolExportToShareableHandle(&descriptor, pool, prop.handleTypes, 0)));
    printf(" %s\n", name_of(cuMemPoolExportPointer(&message.pointer, a)));
    in_another_process(self, "pool", message, descriptor);
    show(a);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (argc > 2) return child(what, std::stoi(argv[2]));
    start();
    if (what == "handle") by_handle(argv[0]);
    if (what == "descriptor") by_descriptor(argv[0]);
    if (what == "pool") by_pool(argv[0]);
    return 0;
}
