#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

// When bytes arrived, which the kernel knows (SO_TIMESTAMPNS, socket(7)), and not when they were read.

// Has the kernel note when bytes arrive. Where it refuses, only the time of reading is known.
static inline void arrival_note(int descriptor) {
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
}

// A socket for the life of a process: where no socket asks for stamps the kernel stops making them, and it takes
// a moment to begin again. -1 where there is none.
static inline int arrival_keep(void) {
    int descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0) arrival_note(descriptor);
    return descriptor;
}

// As recv with `flags`. `stamp` becomes the wall clock's time, in nanoseconds, at which the segment with the last of the
// bytes arrived; 0 where the kernel does not say.
static inline ssize_t arrival_receive(int descriptor, void *room, size_t size, int flags, int64_t *stamp) {
    struct iovec part = {room, size};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct msghdr message = {0};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
    *stamp = 0;
    ssize_t count = recvmsg(descriptor, &message, flags);
    struct cmsghdr *note = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (note && note->cmsg_level == SOL_SOCKET && note->cmsg_type == SO_TIMESTAMPNS) {
        struct timespec then;
        memcpy(&then, CMSG_DATA(note), sizeof then);
        *stamp = then.tv_sec * 1000000000LL + then.tv_nsec;
    }
    return count;
}

// The stamp of the last byte that nobody has read yet, all of them left where they are; 0 where there is none. A TCP
// socket copies nothing with MSG_TRUNC (tcp(7)), however large the room is said to be, and needs none.
static inline int64_t arrival_of_unread(int descriptor) {
    int64_t stamp;
    return arrival_receive(descriptor, NULL, 1 << 30, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT, &stamp) > 0 ? stamp : 0;
}

// Bytes that have come over the connection, read or not: tcpi_bytes_received of Linux 4.1 and later (linux/tcp.h), which
// glibc's structure lacks. -1 where that is not known.
static inline int64_t arrival_bytes(int descriptor) {
    uint64_t info[17];
    socklen_t size = sizeof info;
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &size) == 0 && size == sizeof info
        ? (int64_t)info[16] : -1;
}

// Milliseconds since the connection last got data, whichever segment that was; -1 where that is not known.
static inline int64_t arrival_age(int descriptor) {
    struct tcp_info info;
    socklen_t size = sizeof info;
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_last_data_recv : -1;
}

// What libssl reads and writes through: as its own BIO for sockets, but that it notes when bytes arrived.
struct arrival_socket {
    int descriptor;
    int64_t stamp;
};

static inline int arrival_bio_read(BIO *bio, char *room, int size) {
    struct arrival_socket *socket = (struct arrival_socket *)BIO_get_data(bio);
    errno = 0;
    int count = (int)arrival_receive(socket->descriptor, room, (size_t)size, 0, &socket->stamp);
    BIO_clear_retry_flags(bio);
    if (count < 0 && BIO_sock_should_retry(count)) BIO_set_retry_read(bio);
    if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    return count;
}

static inline int arrival_bio_write(BIO *bio, const char *bytes, int size) {
    struct arrival_socket *socket = (struct arrival_socket *)BIO_get_data(bio);
    errno = 0;
    int count = (int)send(socket->descriptor, bytes, (size_t)size, MSG_NOSIGNAL);
    BIO_clear_retry_flags(bio);
    if (count < 0 && BIO_sock_should_retry(count)) BIO_set_retry_write(bio);
    return count;
}

static inline long arrival_bio_control(BIO *bio, int command, long number, void *pointer) {
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    default: return 0;
    }
}

static inline int arrival_bio_destroy(BIO *bio) {
    free(BIO_get_data(bio));
    BIO_set_data(bio, NULL);
    return 1;
}

// For all connections of a process; NULL when memory is out.
static inline BIO_METHOD *arrival_bio_method(void) {
    BIO_METHOD *method = BIO_meth_new(
        BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket that notes arrivals");
    if (method) {
        BIO_meth_set_read(method, arrival_bio_read);
        BIO_meth_set_write(method, arrival_bio_write);
        BIO_meth_set_ctrl(method, arrival_bio_control);
        BIO_meth_set_destroy(method, arrival_bio_destroy);
    }
    return method;
}

// Has `connection` read and write through `descriptor`, which it does not close. 0 when memory is out.
static inline int arrival_connect(SSL *connection, const BIO_METHOD *method, int descriptor) {
    struct arrival_socket *socket = (struct arrival_socket *)calloc(1, sizeof *socket);
    BIO *bio = socket ? BIO_new(method) : NULL;
    if (!bio) {
        free(socket);
        return 0;
    }
    socket->descriptor = descriptor;
    BIO_set_data(bio, socket);
    BIO_set_init(bio, 1);
    SSL_set_bio(connection, bio, bio);
    return 1;
}

// Of what the connection read last; see arrival_receive.
static inline int64_t arrival_stamp(const SSL *connection) {
    return ((struct arrival_socket *)BIO_get_data(SSL_get_rbio(connection)))->stamp;
}
