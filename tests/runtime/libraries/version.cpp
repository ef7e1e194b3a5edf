// Which cuRAND the loader found.
#include <cstdio>

extern "C" int curandGetVersion(int* version);

int main() {
    int version = 0;
    curandGetVersion(&version);
    std::printf("%d\n", version);
    return 0;
}
