// A library by a name that programs ask for; all that it holds is the library that it needs.
