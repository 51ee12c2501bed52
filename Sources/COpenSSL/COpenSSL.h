#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// HMAC-SHA256 with its key taken in, or null. Parameters are pointers to names, which Swift cannot give for as
// long as they are used.
static inline EVP_MAC_CTX *mac_hmac_sha256(const unsigned char *key, size_t count) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
    EVP_MAC_free(algorithm);
    if (context && EVP_MAC_init(context, key, count, parameters) == 1) return context;
    EVP_MAC_CTX_free(context);
    return NULL;
}
