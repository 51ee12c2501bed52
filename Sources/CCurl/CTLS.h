#include <curl/curl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// The client side of the libssl that libcurl stands on. Swift does not import its macros.

// Moving: what could not be written may be offered again from another place.
static inline void tls_set_modes(SSL_CTX *context) {
    SSL_CTX_set_mode(
        context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                     | SSL_MODE_AUTO_RETRY);
    // The sessions of servers that hang up without a farewell are no bad ones; what came before is judged
    // by its framing and tls_was_cut.
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    // One system call for a record instead of two.
    SSL_CTX_set_read_ahead(context, 1);
}

// Of a connection whose end was read: 1 when its TCP end came without the farewell of TLS.
static inline int tls_was_cut(const SSL *connection) {
    return BIO_eof(SSL_get_rbio(connection));
}

static inline int tls_set_minimum(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

// An idle connection keeps no buffers (34 KB). Not before its handshake has ended, which would make
// and free them at each step.
static inline void tls_release_buffers(SSL *connection) {
    SSL_set_mode(connection, SSL_MODE_RELEASE_BUFFERS);
}

// Sessions are handed out, and not kept.
static inline void tls_hand_out_sessions(
    SSL_CTX *context, int (*taken)(SSL *connection, SSL_SESSION *session)) {
    SSL_CTX_set_session_cache_mode(
        context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, taken);
}

static inline int tls_set_server_name(SSL *connection, const char *name) {
    return (int)SSL_set_tlsext_host_name(connection, name);
}

static inline int tls_set_owner(SSL *connection, void *owner) {
    return SSL_set_app_data(connection, owner);
}

static inline void *tls_owner(const SSL *connection) {
    return SSL_get_app_data(connection);
}

// Closed as far as the session is concerned: libssl else takes it for a bad one, which cannot be
// resumed, when a connection breaks.
static inline void tls_call_closed(SSL *connection) {
    SSL_set_shutdown(connection, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

// Whether what an info callback of libssl is told is the farewell of the other side.
static inline int tls_is_farewell(int event, int value) {
    return event == SSL_CB_READ_ALERT && (value & 0xff) == SSL_AD_CLOSE_NOTIFY;
}

// The connection that a libcurl handle uses at the moment; NULL without TLS.
static inline SSL *curl_tls_connection(CURL *easy) {
    struct curl_tlssessioninfo *info = 0;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &info) != CURLE_OK || !info
        || info->backend != CURLSSLBACKEND_OPENSSL || !info->internals)
        return 0;
    return (SSL *)info->internals;
}
