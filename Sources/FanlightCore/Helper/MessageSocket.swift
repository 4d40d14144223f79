// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One end of a local socket that carries whole messages, each with at most one descriptor (C: sendmsg, recvmsg).
///
/// Blocks; to be used on threads that may.
public struct MessageSocket: Sendable {
    /// The socket; not owned.
    public let descriptor: Int32

    /// Takes a connected socket of type SOCK_SEQPACKET.
    public init(descriptor: Int32) { self.descriptor = descriptor }

    /// A message and the descriptor that came with it; the receiver closes it.
    public struct Message: Sendable {
        /// The text, without a descriptor's meaning.
        public var text: String
        /// Open descriptor; `nil` = none.
        public var descriptor: Int32?
        /// True when one was sent and the system had none left for it here.
        public var isDescriptorLost = false
    }

    /// Two connected ends; `nil` when the system refuses.
    public static func pair() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        // SAFETY: the array has room for the two descriptors.
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        return (ends[0], ends[1])
    }

    /// Sends one message; false when the other end is gone or the system refuses.
    public func send(_ text: String, descriptor passed: Int32? = nil) -> Bool {
        var bytes = Array(text.utf8)
        var control = [UInt64](repeating: 0, count: 3)
        // SAFETY: the buffers outlive the call; the control buffer holds one aligned header and one descriptor, in the
        // layout of CMSG_FIRSTHDR and CMSG_DATA, which are macros and closed to Swift.
        return unsafe bytes.withUnsafeMutableBytes { payload in
            unsafe control.withUnsafeMutableBytes { ancillary in
                var part = unsafe iovec(iov_base: payload.baseAddress, iov_len: payload.count)
                return unsafe withUnsafeMutablePointer(to: &part) { part in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = part
                    unsafe message.msg_iovlen = 1
                    if let passed {
                        unsafe ancillary.storeBytes(of: Self.headerSize + 4, as: Int.self)
                        unsafe ancillary.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
                        unsafe ancillary.storeBytes(of: Self.rights, toByteOffset: 12, as: Int32.self)
                        unsafe ancillary.storeBytes(of: passed, toByteOffset: Self.headerSize, as: Int32.self)
                        unsafe message.msg_control = ancillary.baseAddress
                        unsafe message.msg_controllen = ancillary.count
                    }
                    while true {
                        let sent = unsafe sendmsg(self.descriptor, &message, Int32(MSG_NOSIGNAL))
                        if sent < 0, errno == EINTR { continue }
                        return sent == payload.count
                    }
                }
            }
        }
    }

    /// Waits for one message; `nil` when the other end is gone or a message is longer than `longest`.
    public func receive(longest: Int = HelperRequest.longest) -> Message? {
        var control = [UInt64](repeating: 0, count: 3)
        var passed: Int32?
        var isWhole = false
        var isLost = false
        // SAFETY: as in send; at most the buffers' sizes are received, and the header is read within its buffer.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            unsafe control.withUnsafeMutableBytes { ancillary in
                var part = unsafe iovec(iov_base: UnsafeMutableRawPointer(buffer.baseAddress), iov_len: longest)
                unsafe withUnsafeMutablePointer(to: &part) { part in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = part
                    unsafe message.msg_iovlen = 1
                    unsafe message.msg_control = ancillary.baseAddress
                    // Room for one descriptor; the system closes any further ones.
                    unsafe message.msg_controllen = Self.headerSize + 4
                    var got = -1
                    repeat {
                        got = unsafe recvmsg(descriptor, &message, Self.closeOnExec)
                    } while got < 0 && errno == EINTR
                    count = max(0, got)
                    let flags = unsafe message.msg_flags
                    isWhole = got > 0 && flags & Self.truncated == 0
                    isLost = flags & Self.withoutDescriptors != 0
                    let length = unsafe message.msg_controllen
                    guard got >= 0, length >= Self.headerSize + 4 else { return }
                    let type = unsafe ancillary.load(fromByteOffset: 12, as: Int32.self)
                    if type == Self.rights {
                        passed = unsafe ancillary.load(fromByteOffset: Self.headerSize, as: Int32.self)
                    }
                }
            }
        }
        // Those of a message with several are not told apart.
        guard isWhole, !(isLost && passed != nil) else {
            if let passed { _ = close(passed) }
            return nil
        }
        return Message(text: String(decoding: bytes, as: UTF8.self), descriptor: passed, isDescriptorLost: isLost)
    }

    /// Size of a control header on 64-bit Linux: its length, level and type.
    private static let headerSize = 16
    /// MSG_CMSG_CLOEXEC.
    private static let closeOnExec: Int32 = 0x4000_0000
    /// MSG_TRUNC.
    private static let truncated: Int32 = 0x20
    /// MSG_CTRUNC.
    private static let withoutDescriptors: Int32 = 0x08
    /// SCM_RIGHTS.
    private static let rights: Int32 = 1
}
