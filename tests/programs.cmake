add_subdirectory(programs)
