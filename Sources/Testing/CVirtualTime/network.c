// URLSession on the thread that pumps a device: all requests fail, since replies would arrive in real time, on other threads.
#define _GNU_SOURCE
#include "internal.h"

// libcurl's CURLOPT_UNIX_SOCKET_PATH, as <curl/curl.h> numbers it.
static const int unix_socket_path = 10231;

// Every request of URLSession goes through this function of Foundation's, whose C types are structs of one int.
int CFURLSessionMultiHandleAddHandle(void *session, void *request) {
    static int (*system)(void *, void *);
    static int (*set)(void *, int, void *);
    if (!system) system = cvirtualtime_system("CFURLSessionMultiHandleAddHandle");
    if (cvirtualtime_current.kernel) {
        if (!set) set = cvirtualtime_system("CFURLSession_easy_setopt_ptr");
        // A device file is not a socket, so the request cannot connect: no name is looked up and no packet is sent.
        set(request, unix_socket_path, "/dev/null");
        cvirtualtime_misused(cvirtualtime_network);
    }
    return system(session, request);
}
