// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMicrohttpd
import Glibc
import Testing

/// Stops at the worst moments.
@Suite("Stopping the server")
struct StopTests {
    @Test("A stop right after the start ends the server and not the process")
    func stopAfterStart() throws {
        for round in 0..<300 {
            let server = try MicrohttpdServer(
                address: "127.0.0.1",
                port: 0,
                service: ScriptedService(file: ""),
                limits: ServerLimits(threads: 8)
            )
            usleep(UInt32(round % 200))
            server.stop()
        }
    }
}
