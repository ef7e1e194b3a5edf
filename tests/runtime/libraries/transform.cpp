// A program of a library that no plain version stands in for.
extern "C" int cufftLoad();

int main() { return cufftLoad(); }
