// Counts malloc, calloc, realloc and aligned allocations of the calling thread.
#ifndef PUSHBENCH_ALLOC_COUNTER_H
#define PUSHBENCH_ALLOC_COUNTER_H
#include <stdint.h>

/// Allocations made by the calling thread since it started.
uint64_t pb_thread_allocations(void);
#endif
