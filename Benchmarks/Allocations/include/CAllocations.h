#pragma once
#include <stdint.h>

/// How often this process asked for memory so far.
uint64_t callocations_count(void);
