// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reader that the environment names.
private let target: FuzzTarget? = {
    // SAFETY: the text is copied before anything may change the environment.
    guard let name = unsafe getenv("FANLIGHT_FUZZ") else { return nil }
    return unsafe FuzzTarget(rawValue: String(cString: name))
}()

/// What libFuzzer calls for each input; a broken promise ends the process, which keeps the input as a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { fatalError("FANLIGHT_FUZZ names no reader") }
    // SAFETY: libFuzzer gives so many bytes for the time of this call; they are copied.
    let bytes = unsafe data.map { unsafe [UInt8](UnsafeBufferPointer(start: $0, count: count)) } ?? []
    if let broken = target.run(bytes) { fatalError(broken) }
    return 0
}
