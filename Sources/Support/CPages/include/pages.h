#pragma once
// The files of our web pages, embedded in the programs that serve them.
#include <stddef.h>

/// The bytes of a file, such as `see.html`, and their count; null for an unknown name.
const unsigned char *_Nullable page_file(const char *_Nonnull name, size_t *_Nonnull count);
