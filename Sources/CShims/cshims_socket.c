#define _GNU_SOURCE
#include "cshims.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>

ssize_t cps_socket_receive(struct cps_socket *socket, void *bytes, size_t count) {
    if (socket->is_drained) {
        socket->error = EAGAIN;
        return -1;
    }
    for (;;) {
        ssize_t received = recv(socket->descriptor, bytes, count, 0);
        if (received > 0) {
            socket->bytes_received += (uint64_t)received;
            // Less than asked for: the socket was empty at that instant (epoll(7)). What comes
            // later raises a new event, so the call that would only learn EAGAIN can be spared.
            socket->is_drained = (size_t)received < count;
            return received;
        }
        if (received == 0) {
            socket->is_at_end = true;
            return 0;
        }
        if (errno == EINTR) continue;
        socket->error = errno;
        return -1;
    }
}

ssize_t cps_socket_send(struct cps_socket *socket, const void *bytes, size_t count) {
    int flags = MSG_NOSIGNAL | (socket->has_more ? MSG_MORE : 0);
    for (;;) {
        ssize_t sent = send(socket->descriptor, bytes, count, flags);
        if (sent >= 0) {
            socket->bytes_sent += (uint64_t)sent;
            return sent;
        }
        if (errno == EINTR) continue;
        socket->error = errno;
        return -1;
    }
}

int cps_socket_open(int family) {
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
}

int cps_socket_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
