#pragma once
// The files of the viewer's page, embedded in the program.
#include <stddef.h>

/// The bytes of a file of the page, such as `see.html`, and their count; null for an unknown name.
const unsigned char *_Nullable viewer_file(const char *_Nonnull name, size_t *_Nonnull count);
