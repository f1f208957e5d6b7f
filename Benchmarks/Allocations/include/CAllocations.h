#pragma once
#include <stdint.h>

/// How many times this process has allocated memory.
uint64_t callocations_count(void);
