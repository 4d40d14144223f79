// SPDX-License-Identifier: Apache-2.0

import CMicrohttpd

/// The functions that the library calls, each only a door to ``ServerCore``.
///
/// SAFETY, for all of them: the context is the core that ``MicrohttpdServer`` retains until the daemon is gone; the slot
/// holds one retained ``Exchange``, put there by `handle` and released by `completed`.
enum Callbacks {
    static let handle: MHD_AccessHandlerCallback = { context, connection, path, method, version, data, size, slot in
        guard let context = unsafe context, let connection = unsafe connection, let size = unsafe size,
            let slot = unsafe slot
        else { return .NO }
        let core = unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        guard let old = unsafe slot.pointee else {
            let request = unsafe HeadReader.read(connection, method: method, path: path, version: version)
            let (exchange, result) = unsafe core.begin(connection, request)
            unsafe slot.pointee = unsafe Unmanaged.passRetained(exchange).toOpaque()
            return result
        }
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(old).takeUnretainedValue()
        guard unsafe size.pointee > 0 else { return unsafe core.proceed(exchange, connection) }
        let bytes = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
        unsafe size.pointee = 0
        return unsafe core.take(bytes, exchange, connection)
    }

    static let completed: MHD_RequestCompletedCallback = { context, connection, slot, _ in
        guard let context = unsafe context, let connection = unsafe connection, let slot = unsafe slot,
            let old = unsafe slot.pointee
        else { return }
        let core = unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(old).takeRetainedValue()
        unsafe slot.pointee = nil
        unsafe core.end(exchange, connection)
    }

    static let connected: MHD_NotifyConnectionCallback = { context, connection, _, event in
        guard let context = unsafe context, let connection = unsafe connection else { return }
        let core = unsafe Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        let key = UInt(bitPattern: connection)
        if event == .CONNECTION_NOTIFY_STARTED {
            unsafe core.table.open(
                key,
                descriptor: fl_connection_socket(connection),
                address: HeadReader.peer(of: connection)
            )
        } else {
            core.table.close(key)
        }
    }

    static let unescape: fl_unescape = { _, _, text in
        guard let text = unsafe text else { return 0 }
        // SAFETY: a C string that the library lets us shorten in place; it wants the new length and a zero there.
        let length = unsafe strlenOf(text)
        return unsafe text.withMemoryRebound(to: UInt8.self, capacity: length + 1) { bytes in
            let shorter = unsafe PercentDecoder.decode(UnsafeMutableBufferPointer(start: bytes, count: length))
            unsafe bytes[shorter] = 0
            return shorter
        }
    }

    private static func strlenOf(_ text: UnsafePointer<CChar>) -> Int {
        var count = 0
        while unsafe text[count] != 0 { count += 1 }
        return count
    }
}
