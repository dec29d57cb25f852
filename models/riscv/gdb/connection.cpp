#include "models/riscv/gdb/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace meshkv::riscv::gdb {
namespace {

bool readable(int descriptor, int milliseconds) {
  pollfd p{descriptor, POLLIN, 0};
  int n = 0;
  do {
    n = ::poll(&p, 1, milliseconds);
  } while (n < 0 && errno == EINTR);
  return n > 0;
}

}  // namespace

Connection::Connection(int port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(listener_, generic, length) != 0 || ::listen(listener_, 1) != 0 ||
      ::getsockname(listener_, generic, &length) != 0) {
    const std::string why = std::strerror(errno);
    if (listener_ >= 0) ::close(listener_);
    throw std::runtime_error("cannot listen on 127.0.0.1:" + std::to_string(port) + ": " + why);
  }
  port_ = ntohs(address.sin_port);
}

Connection::~Connection() {
  drop();
  ::close(listener_);
}

void Connection::accept() {
  do {
    client_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  } while (client_ < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (client_ < 0) throw std::runtime_error(std::string("no debugger can connect: ") + std::strerror(errno));
  const int on = 1;
  ::setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool Connection::ready() const {
  return readable(descriptor(), 0);
}

std::optional<std::string> Connection::receive() {
  char buffer[4096];
  ssize_t n = 0;
  do {
    n = ::recv(client_, buffer, sizeof buffer, 0);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return std::nullopt;
  return std::string(buffer, static_cast<std::size_t>(n));
}

void Connection::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (connected() && sent < bytes.size()) {
    const ssize_t n = ::send(client_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the client is gone, which the next receive() says
    sent += static_cast<std::size_t>(n);
  }
}

void Connection::drop() {
  if (client_ >= 0) ::close(client_);
  client_ = -1;
}

void Connection::finish() {
  if (!connected()) return;
  // Closing a socket that has unread bytes resets the connection, and the last packet with it.
  constexpr int kPatience = 500;
  ::shutdown(client_, SHUT_WR);
  char buffer[256];
  while (readable(client_, kPatience) && ::recv(client_, buffer, sizeof buffer, 0) > 0) {
  }
  drop();
}

}  // namespace meshkv::riscv::gdb
