import Foundation
import Glibc

/// A connection to a port of this machine.
final class Socket {
    private var descriptor: Int32

    /// Connects.
    ///
    /// - Parameter receiveByteCount: the size of the kernel's buffer for a client that does not read; nil for the system's
    ///   default.
    init(port: Int, receiveByteCount: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if let receiveByteCount { try set(SOL_SOCKET, SO_RCVBUF, receiveByteCount) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        let code = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Self.failure }
    }

    deinit { close() }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) throws {
        var value = value
        let code = unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
        guard code == 0 else { throw Self.failure }
    }

    /// Sends a text.
    func send(_ text: String) throws {
        var rest = ArraySlice(Array(text.utf8))
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Self.failure }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the next bytes; none at the end. A reset counts as an end.
    ///
    /// - Throws: ``TooLate`` if no bytes arrive in time.
    func receive(seconds: Double = 30) throws -> [UInt8] {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&state, 1, Int32(seconds * 1_000)) > 0 else { throw TooLate(what: "bytes from the service") }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        return Array(buffer[..<max(0, count)])
    }

    // MARK: Ways to end the connection

    /// Closes the connection in an orderly way.
    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Ends only this side of the connection.
    func finish() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Aborts the connection: the other side receives a reset.
    func reset() {
        try? set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    /// Disappears silently, as a machine that has lost its power. The other side receives nothing until it sends something
    /// itself.
    ///
    /// - Throws: `POSIXError` if this process does not have the permission.
    func vanish() throws {
        // A socket in repair mode closes silently. The option exists only on Linux.
        let repair: Int32 = 19
        try set(Int32(IPPROTO_TCP), repair, Int32(1))
        close()
    }
}
