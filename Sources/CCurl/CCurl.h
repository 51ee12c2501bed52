#include <curl/curl.h>
#include <malloc.h>

// Swift cannot call variadic C: one typed shim for each shape of option. They are inlined away.

static inline CURLcode curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

// Copies the body, whose length must be given because it may hold any byte.
static inline CURLcode curl_set_body(CURL *easy, const void *bytes, curl_off_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, (const char *)bytes);
}

static inline CURLcode curl_set_write_callbacks(
    CURL *easy, curl_write_callback header, curl_write_callback body, void *context) {
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    return curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode curl_set_prereq_callback(
    CURL *easy, curl_prereq_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLcode curl_set_open_socket_callback(
    CURL *easy, curl_opensocket_callback callback, void *context) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode curl_set_close_socket_callback(
    CURL *easy, curl_closesocket_callback callback, void *context) {
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
}

static inline CURLcode curl_set_tls_callback(CURL *easy, curl_ssl_ctx_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, callback);
}

static inline long curl_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

static inline curl_off_t curl_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

// Owned by the handle; NULL when unknown.
static inline const char *curl_get_string(CURL *easy, CURLINFO info) {
    char *value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

// The socket of a handle that only connected; CURL_SOCKET_BAD when there is none.
static inline curl_socket_t curl_get_socket(CURL *easy) {
    curl_socket_t value = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value);
    return value;
}

static inline void *curl_get_private(CURL *easy) {
    char *value = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
    return value;
}

static inline CURLMcode curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode curl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    return curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}

// The next finished transfer, NULL when there is none.
static inline CURL *curl_multi_next_done(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

// SOCK_STREAM is an enumerator that Swift's Glibc module loses once this header is there too.
static inline int curl_stream_socket(void) {
    return SOCK_STREAM;
}

// CURLVERSION_NOW is a macro that Swift does not import.
static inline curl_version_info_data *curl_current_version(void) {
    return curl_version_info(CURLVERSION_NOW);
}

// What malloc keeps of what libcurl has freed goes back to the system.
static inline void heap_give_back(void) {
    malloc_trim(0);
}
