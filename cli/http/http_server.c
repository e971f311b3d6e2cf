#define _DEFAULT_SOURCE /* S_ISSOCK */

#include "http/http_server.h"

#include "http/http_gate.h"
#include "http/http_pages.h"
#include "pictures/asset.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MOST_CONNECTIONS = 16, SECONDS_OF_REQUEST = 10, SECONDS_OF_REPLY = 30, HEAD_SIZE = 1024 };

struct connection {
    int socket; /* -1: none */
    time_t until;
    size_t length;
    char bytes[HTTP_LARGEST_REQUEST + 1];
};

struct server {
    struct http_asker *asker;
    struct http_gate gate;
    int listens, terminal; /* terminal: -1: none */
    struct connection connections[MOST_CONNECTIONS];
};

static time_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec;
}

/* ---- Replies ---- */

/* False: nobody takes them in time. */
static bool send_all(int to, const char *bytes, size_t length) {
    time_t until = now() + SECONDS_OF_REPLY;
    while (length && now() < until) {
        ssize_t sent = send(to, bytes, length, 0);
        if (sent < 0 && errno != EINTR)
            return false;
        bytes += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
    }
    return !length;
}

struct reply {
    const char *status, *type, *more; /* more: further lines of the head, each with its end */
    struct loupe_span body;
};

static void send_reply(const struct connection *connection, const struct reply *reply) {
    char head[HEAD_SIZE];
    size_t length = loupe_format(
        head, sizeof(head),
        "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %llu\r\n"
        "Connection: close\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
        "Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nCross-Origin-Opener-Policy: same-origin\r\n"
        "%s\r\n",
        reply->status, reply->type, (unsigned long long)reply->body.length,
        reply->more ? reply->more : "");
    if (send_all(connection->socket, head, length))
        send_all(connection->socket, reply->body.bytes, reply->body.length);
}

static void refuse(const struct connection *connection, const char *status) {
    struct reply reply = {.status = status, .type = "text/plain", .body = loupe_span_of(status)};
    send_reply(connection, &reply);
}

/* ---- Requests ---- */

static const char *type_of(const char *name) {
    static const struct {
        const char *ending, *type;
    } types[] = {{"js", "text/javascript"}, {"css", "text/css"}, {"svg", "image/svg+xml"}};
    const char *dot = strrchr(name, '.');
    for (unsigned i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
        if (!strcmp(dot + 1, types[i].ending))
            return types[i].type;
    return "text/html";
}

/* What draws pages that are files draws that of the whole heap, too. */
static const struct {
    const char *name;
    const struct asset *asset;
} of_pages[] = {{"/page.css", &asset_style}, {"/page.js", &asset_program}};

static void give_page(const struct connection *connection, struct loupe_span path) {
    for (unsigned i = 0; i < sizeof(of_pages) / sizeof(of_pages[0]); i++) {
        const struct asset *asset = of_pages[i].asset;
        struct reply reply = {.status = "200 OK",
                              .type = type_of(of_pages[i].name),
                              .body = {asset->bytes, asset->size}};
        if (loupe_span_equals(path, of_pages[i].name)) {
            send_reply(connection, &reply);
            return;
        }
    }
    for (const struct http_page *page = http_pages; page->name; page++) {
        struct reply reply = {
            .status = "200 OK", .type = type_of(page->name), .body = loupe_span_of(page->text)};
        if (loupe_span_equals(path, page->name)) {
            send_reply(connection, &reply);
            return;
        }
    }
    refuse(connection, "404 Not Found");
}

/* The token for the cookie, and the path that it is for. */
static void begin_session(struct server *server, const struct connection *connection,
                          struct loupe_span token) {
    char cookie[256], body[64];
    if (!http_gate_takes_token(&server->gate, token)) {
        refuse(connection, "403 Forbidden");
        return;
    }
    loupe_format(cookie, sizeof(cookie),
                 "Set-Cookie: loupe=%s; Path=/%s; HttpOnly; SameSite=Strict\r\n",
                 server->gate.cookie, server->gate.path);
    loupe_format(body, sizeof(body), "{\"at\":\"/%s\"}", server->gate.path);
    struct reply reply = {.status = "200 OK",
                          .type = "application/json",
                          .more = cookie,
                          .body = loupe_span_of(body)};
    send_reply(connection, &reply);
}

static void answer_question(struct server *server, const struct connection *connection,
                            struct loupe_span question) {
    struct cli_buffer buffer = {.bytes = NULL};
    const char *problem = http_ask(server->asker, question, &buffer);
    struct reply reply = {.status = problem ? "400 Bad Request" : "200 OK",
                          .type = problem ? "text/plain" : "application/json",
                          .body = problem ? loupe_span_of(problem) : cli_buffer_text(&buffer)};
    send_reply(connection, &reply);
    cli_buffer_deinit(&buffer);
}

static bool is_question(const struct server *server, struct loupe_span path) {
    char name[HTTP_SECRET_SIZE + sizeof("//ask")];
    loupe_format(name, sizeof(name), "/%s/ask", server->gate.path);
    return loupe_span_equals(path, name);
}

static void answer_post(struct server *server, const struct connection *connection,
                        const struct http_request *request) {
    if (loupe_span_equals(request->path, "/session"))
        begin_session(server, connection, request->body);
    else if (!is_question(server, request->path) || !http_gate_has_cookie(&server->gate, request))
        refuse(connection, "403 Forbidden");
    else
        answer_question(server, connection, request->body);
}

static void answer_request(struct server *server, const struct connection *connection,
                           const struct http_request *request) {
    if (!http_gate_is_ours(&server->gate, request))
        refuse(connection, "403 Forbidden");
    else if (loupe_span_equals(request->method, "POST"))
        answer_post(server, connection, request);
    else if (loupe_span_equals(request->method, "GET"))
        give_page(connection, request->path);
    else
        refuse(connection, "405 Method Not Allowed");
}

/* ---- Connections ---- */

/* A process that reads the file may have the socket, too: the end is said to the client. */
static void end_connection(struct connection *connection) {
    shutdown(connection->socket, SHUT_RDWR);
    close(connection->socket);
    connection->socket = -1;
}

static void begin_connection(struct server *server) {
    struct timeval patience = {.tv_sec = SECONDS_OF_REQUEST};
    int socket = accept(server->listens, NULL, NULL);
    /* Cap: all of a table. */
    for (unsigned i = 0; socket >= 0 && i < MOST_CONNECTIONS; i++) {
        struct connection *connection = &server->connections[i];
        if (connection->socket >= 0)
            continue;
        fcntl(socket, F_SETFD, FD_CLOEXEC);
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        connection->socket = socket;
        connection->length = 0;
        connection->until = now() + SECONDS_OF_REQUEST;
        return;
    }
    if (socket >= 0)
        close(socket);
}

/* More of a request, which is answered when it is whole. */
static void take_bytes(struct server *server, struct connection *connection) {
    struct http_request request;
    size_t room = sizeof(connection->bytes) - connection->length;
    ssize_t got = recv(connection->socket, connection->bytes + connection->length, room, 0);
    if (got < 0 && errno == EINTR)
        return;
    connection->length += got > 0 ? (size_t)got : 0;
    enum http_state state = http_read_request(connection->bytes, connection->length, &request);
    if (state == HTTP_MORE && got > 0)
        return;
    if (state == HTTP_WHOLE)
        answer_request(server, connection, &request);
    else if (state == HTTP_TOO_LARGE)
        refuse(connection, "413 Content Too Large");
    else if (state == HTTP_BAD)
        refuse(connection, "400 Bad Request");
    end_connection(connection);
}

/* ---- Until the end ---- */

/* What stands for the terminal: its end ends the server, also where that has come already. A file
 * or nothing has none. */
static int terminal(void) {
    struct stat about;
    errno = 0;
    bool ends =
        isatty(STDIN_FILENO) || errno == EIO ||
        (!fstat(STDIN_FILENO, &about) && (S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode)));
    return ends ? STDIN_FILENO : -1;
}

static bool is_room(const struct server *server) {
    /* Cap: all of a table. */
    for (unsigned i = 0; i < MOST_CONNECTIONS; i++)
        if (server->connections[i].socket < 0)
            return true;
    return false;
}

static void run(struct server *server) {
    struct pollfd waiting[MOST_CONNECTIONS + 2];
    for (;;) {
        /* Cap: all of a table. */
        for (unsigned i = 0; i < MOST_CONNECTIONS; i++)
            waiting[i] = (struct pollfd){.fd = server->connections[i].socket, .events = POLLIN};
        waiting[MOST_CONNECTIONS] =
            (struct pollfd){.fd = is_room(server) ? server->listens : -1, .events = POLLIN};
        waiting[MOST_CONNECTIONS + 1] = (struct pollfd){.fd = server->terminal, .events = 0};
        poll(waiting, MOST_CONNECTIONS + 2, 1000);
        if (waiting[MOST_CONNECTIONS + 1].revents)
            return;
        if (waiting[MOST_CONNECTIONS].revents)
            begin_connection(server);
        /* Cap: all of a table. */
        for (unsigned i = 0; i < MOST_CONNECTIONS; i++) {
            struct connection *connection = &server->connections[i];
            if (waiting[i].fd >= 0 && waiting[i].revents)
                take_bytes(server, connection);
            else if (waiting[i].fd >= 0 && now() >= connection->until)
                end_connection(connection);
        }
    }
}

/* The port, or 0: errno says why there is none. */
static unsigned listen_at(int *ret, unsigned port) {
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof(place);
    int yes = 1;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *ret = socket(AF_INET, SOCK_STREAM, 0);
    if (*ret < 0)
        return 0;
    fcntl(*ret, F_SETFD, FD_CLOEXEC);
    setsockopt(*ret, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(*ret, (struct sockaddr *)&place, sizeof(place)) || listen(*ret, MOST_CONNECTIONS) ||
        getsockname(*ret, (struct sockaddr *)&place, &size))
        return 0;
    return ntohs(place.sin_port);
}

static int begin(struct server *server, unsigned port) {
    unsigned got = listen_at(&server->listens, port);
    if (!got)
        return cli_fail(CLI_FAILURE, "serve", "cannot listen at 127.0.0.1 port %u: %s", port,
                        strerror(errno));
    if (!http_gate_init(&server->gate, got))
        return cli_fail(CLI_FAILURE, "serve", "the system gives no random numbers");
    printf("http://127.0.0.1:%u/#%s\n", got, server->gate.token);
    printf(
        "Open this address in a browser of this machine. It ends with this terminal (Ctrl-C).\n");
    fflush(stdout);
    return CLI_OK;
}

int http_serve(struct http_asker *asker, unsigned port) {
    struct server *server = calloc(1, sizeof(*server));
    if (!server)
        return cli_fail(CLI_FAILURE, "serve", "out of memory");
    server->asker = asker;
    server->listens = -1;
    server->terminal = terminal();
    /* Cap: all of a table. */
    for (unsigned i = 0; i < MOST_CONNECTIONS; i++)
        server->connections[i].socket = -1;
    int status = begin(server, port);
    if (!status)
        run(server);
    if (server->listens >= 0)
        close(server->listens);
    free(server);
    return status;
}
