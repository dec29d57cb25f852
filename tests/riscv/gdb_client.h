// A debugger of few words: sends packets over a socket and takes down what comes back.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/riscv/gdb/packet.h"

namespace meshkv::test {

class GdbClient {
 public:
  explicit GdbClient(int port) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
    ask("QStartNoAckMode");
    raw("+");
  }
  ~GdbClient() { close(); }
  GdbClient(const GdbClient&) = delete;
  GdbClient& operator=(const GdbClient&) = delete;

  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  void raw(const std::string& bytes) {
    if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0)
      throw std::runtime_error("cannot send");
  }
  void send(const std::string& payload) { raw(riscv::gdb::frame(payload)); }
  /// The next packet; "(silence)" if none comes for a long time, "(closed)" at the end.
  std::string next() {
    while (events_.empty()) {
      pollfd p{socket_, POLLIN, 0};
      if (::poll(&p, 1, 60000) <= 0) return "(silence)";
      char buffer[4096];
      const ssize_t n = ::recv(socket_, buffer, sizeof buffer, 0);
      if (n <= 0) return "(closed)";
      for (const riscv::gdb::Event& e : reader_.feed(buffer, static_cast<std::size_t>(n))) {
        if (e.kind == riscv::gdb::EventKind::kPacket) events_.push_back(e.payload);
      }
    }
    const std::string first = events_.front();
    events_.erase(events_.begin());
    return first;
  }
  std::string ask(const std::string& payload) {
    send(payload);
    return next();
  }

 private:
  int socket_ = -1;
  riscv::gdb::PacketReader reader_;
  std::vector<std::string> events_;
};

}  // namespace meshkv::test
