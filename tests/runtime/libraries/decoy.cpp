// Lies where a toolkit's libcurand.so.10 does, in a folder that the program names itself.
extern "C" int curandGetVersion(int* version);
extern "C" int curandGetVersion(int* version) {
    *version = 1;
    return 0;
}
