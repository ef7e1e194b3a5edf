// The tables of a capture file as a capture: what reading all of it and opening it have in common.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/capture/database.h"
#include "instrumentation/capture/header.h"
#include "instrumentation/capture/schema.h"

#include <string>

namespace wl::capture {

constexpr FileKind kCaptureFile{kApplicationId, "capture"};

struct File {
    sqlite3* database = nullptr;
    size_t size = 0;
    bool newer_minor = false;  // may hold tables, columns and items that this version does not know
    Seal seal;
};

// Throws Error for a major version that this program cannot read; `database` tells who wrote it.
void check_version(const Header& header, const std::string& name, sqlite3* database);

// Throws DatabaseFault.
Capture read_tables(File& file);
// Without the blobs: ids alone are checked. False of a file whose writer left no seal for that: nothing was
// read.
bool read_tables_but_blobs(File& file, Capture& capture, std::shared_ptr<StoredBlobs> stored);

}  // namespace wl::capture
