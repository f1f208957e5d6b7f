// The folders of the app whose code runs: each app under test has a container of its own.
#define _GNU_SOURCE
#include "internal.h"
#include <stdlib.h>
#include <string.h>

// In Swift: the home directory, or the temporary directory, of the app whose code runs; NULL if no app's code runs.
const char *whereabouts_virtual_time_home(int is_temporary);

// Whether an environment variable names a folder of the app; if so, sets its value, which is NULL for folders below the home.
static int says_home(const char *name, const char **value) {
    if (!cvirtualtime_current.kernel) return 0;
    int is_temporary = strcmp(name, "TMPDIR") == 0;
    int is_home = strcmp(name, "HOME") == 0 || strcmp(name, "CFFIXED_USER_HOME") == 0;
    int is_below_home = strcmp(name, "XDG_DATA_HOME") == 0 || strcmp(name, "XDG_CONFIG_HOME") == 0 ||
                        strcmp(name, "XDG_CACHE_HOME") == 0 || strcmp(name, "XDG_STATE_HOME") == 0;
    if (!is_temporary && !is_home && !is_below_home) return 0;
    const char *home = whereabouts_virtual_time_home(is_temporary);
    if (!home) return 0;
    *value = is_below_home ? NULL : home;
    return 1;
}

char *getenv(const char *name) {
    static char *(*system)(const char *);
    const char *home;
    if (says_home(name, &home)) return (char *)home;
    if (!system) system = cvirtualtime_system("getenv");
    return system(name);
}

char *secure_getenv(const char *name) {
    static char *(*system)(const char *);
    const char *home;
    if (says_home(name, &home)) return (char *)home;
    if (!system) system = cvirtualtime_system("secure_getenv");
    return system(name);
}
