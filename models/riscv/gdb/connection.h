// The debugger's port: a TCP socket on the loopback interface, one client at a time.
#pragma once

#include <optional>
#include <string>

namespace meshkv::riscv::gdb {

class Connection {
 public:
  /// Listens on 127.0.0.1. `port` 0: any that is free. Throws std::runtime_error if it cannot.
  explicit Connection(int port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int port() const { return port_; }
  bool connected() const { return client_ >= 0; }
  /// What to wait on: the client, or the listening socket while there is none.
  int descriptor() const { return connected() ? client_ : listener_; }
  /// Waits for a client.
  void accept();
  /// Something can be read, or accepted, without waiting.
  bool ready() const;
  /// Waits for bytes. Nothing: the client is gone.
  std::optional<std::string> receive();
  void send(const std::string& bytes);
  void drop();
  /// Lets the client read what was sent, then drops it.
  void finish();

 private:
  int listener_ = -1;
  int client_ = -1;
  int port_ = 0;
};

}  // namespace meshkv::riscv::gdb
