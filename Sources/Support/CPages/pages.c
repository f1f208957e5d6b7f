#include "pages.h"

#include <string.h>

// #embed is from C23; clang supports it in every version of C, but warns.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char style_css[] = {
#embed "page/style.css"
};
static const unsigned char world_js[] = {
#embed "page/world.js"
};
static const unsigned char map_js[] = {
#embed "page/map.js"
};
static const unsigned char text_js[] = {
#embed "page/text.js"
};
static const unsigned char world_txt[] = {
#embed "page/world.txt"
};
static const unsigned char see_html[] = {
#embed "page/see.html"
};
static const unsigned char see_css[] = {
#embed "page/see.css"
};
static const unsigned char first_js[] = {
#embed "page/first.js"
};
static const unsigned char bytes_js[] = {
#embed "page/bytes.js"
};
static const unsigned char cryptography_js[] = {
#embed "page/cryptography.js"
};
static const unsigned char protocol_js[] = {
#embed "page/protocol.js"
};
static const unsigned char words_js[] = {
#embed "page/words.js"
};
static const unsigned char server_js[] = {
#embed "page/server.js"
};
static const unsigned char page_js[] = {
#embed "page/page.js"
};
static const unsigned char repair_html[] = {
#embed "page/repair.html"
};
static const unsigned char repair_js[] = {
#embed "page/repair.js"
};
static const unsigned char console_css[] = {
#embed "page/console.css"
};
static const unsigned char console_js[] = {
#embed "page/console.js"
};
static const unsigned char console_html[] = {
#embed "page/console.html"
};
static const unsigned char device_html[] = {
#embed "page/device.html"
};
static const unsigned char device_words_js[] = {
#embed "page/device-words.js"
};
static const unsigned char device_js[] = {
#embed "page/device.js"
};
static const unsigned char person_html[] = {
#embed "page/person.html"
};
static const unsigned char person_words_js[] = {
#embed "page/person-words.js"
};
static const unsigned char person_js[] = {
#embed "page/person.js"
};
static const unsigned char dispatch_html[] = {
#embed "page/dispatch.html"
};
static const unsigned char dispatch_words_js[] = {
#embed "page/dispatch-words.js"
};
static const unsigned char dispatch_js[] = {
#embed "page/dispatch.js"
};

#define FILE_OF(name, bytes) { name, bytes, sizeof bytes }
static const struct {
    const char *name;
    const unsigned char *bytes;
    size_t count;
} files[] = {
    FILE_OF("style.css", style_css),
    FILE_OF("world.js", world_js),
    FILE_OF("map.js", map_js),
    FILE_OF("text.js", text_js),
    FILE_OF("world.txt", world_txt),
    FILE_OF("see.html", see_html),
    FILE_OF("see.css", see_css),
    FILE_OF("first.js", first_js),
    FILE_OF("bytes.js", bytes_js),
    FILE_OF("cryptography.js", cryptography_js),
    FILE_OF("protocol.js", protocol_js),
    FILE_OF("words.js", words_js),
    FILE_OF("server.js", server_js),
    FILE_OF("page.js", page_js),
    FILE_OF("repair.html", repair_html),
    FILE_OF("repair.js", repair_js),
    FILE_OF("console.css", console_css),
    FILE_OF("console.js", console_js),
    FILE_OF("console.html", console_html),
    FILE_OF("device.html", device_html),
    FILE_OF("device-words.js", device_words_js),
    FILE_OF("device.js", device_js),
    FILE_OF("person.html", person_html),
    FILE_OF("person-words.js", person_words_js),
    FILE_OF("person.js", person_js),
    FILE_OF("dispatch.html", dispatch_html),
    FILE_OF("dispatch-words.js", dispatch_words_js),
    FILE_OF("dispatch.js", dispatch_js),
};

const unsigned char *page_file(const char *name, size_t *count) {
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i].name, name) == 0) {
            *count = files[i].count;
            return files[i].bytes;
        }
    }
    return NULL;
}
