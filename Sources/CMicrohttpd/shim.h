// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>
#include <arpa/inet.h>

// The library documents this shape without naming it.
typedef size_t (*fl_unescape)(void *_Nullable context, struct MHD_Connection *_Nullable connection, char *_Nullable text);

// MHD_start_daemon is variadic, which Swift cannot call; the flags are fixed because the wrapper is written for them.
// No error log: the library would write clients' bytes to standard error. No socket to listen on: connections are handed in.
static inline struct MHD_Daemon *_Nullable fl_start_daemon(
    unsigned int threads, size_t connection_memory, unsigned int connection_limit,
    unsigned int idle_seconds, MHD_AccessHandlerCallback _Nonnull handler,
    MHD_RequestCompletedCallback _Nonnull completed, MHD_NotifyConnectionCallback _Nonnull connected,
    fl_unescape _Nonnull unescape, void *_Nonnull context) {
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, handler, context,
        MHD_OPTION_THREAD_POOL_SIZE, threads,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connected, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
        MHD_OPTION_END);
}

// accept4 under a name of its own: its declaration is for _GNU_SOURCE only, which would change other declarations, too.
extern int fl_accept4(int, struct sockaddr *_Nonnull, socklen_t *_Nonnull, int) __asm__("accept4");

// Accepts a connection and hands it to the daemon; 0, or an errno (ECONNABORTED when the daemon did not take it).
static inline int fl_accept(int listener, struct MHD_Daemon *_Nonnull daemon) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int descriptor = fl_accept4(listener, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor < 0) return errno;
    return MHD_add_connection(daemon, descriptor, (struct sockaddr *)&address, size) == MHD_YES ? 0 : ECONNABORTED;
}

// Bytes of the head from the method to the end of the empty line; 0 when there is none.
static inline long fl_head_size(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info && info->header_size <= 1 << 24 ? (long)info->header_size : 0;
}

// MHD_get_connection_info is variadic and answers with a union.
static inline int fl_connection_socket(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

// As above; also formats the address, whose structure depends on its family. False when there is none.
static inline int fl_connection_peer(struct MHD_Connection *_Nonnull connection, char *_Nonnull text, size_t size) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    if (!address) return 0;
    if (address->sa_family == AF_INET)
        return inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, (socklen_t)size) != NULL;
    if (address->sa_family == AF_INET6)
        return inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text, (socklen_t)size) != NULL;
    return 0;
}
