#include "CLibPQ.h"

#if __has_include(<postgresql/libpq-fe.h>)
#include <dlfcn.h>
#include <stddef.h>

static struct clibpq library;

const struct clibpq *clibpq_open(const char **error) {
    void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        *error = dlerror();
        return NULL;
    }
#define CLIBPQ_FIND(name)                                                                                              \
    *(void **)&library.name = dlsym(handle, #name);                                                                    \
    if (!library.name) {                                                                                               \
        *error = dlerror();                                                                                            \
        return NULL;                                                                                                   \
    }
    CLIBPQ_FUNCTIONS(CLIBPQ_FIND)
    return &library;
}
#elif defined(WHEREABOUTS_POSTGRESQL)
#error "libpq-fe.h is missing: apt-get install libpq-dev, or build without the trait PostgreSQL"
#endif
