// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Foundation
import Testing

@Suite("A crash of the gateway itself", .serialized)
struct CrashReportTests {
    @Test("Nothing of its memory is printed", arguments: [SIGSEGV, SIGILL, SIGTRAP])
    func silence(_ number: Int32) async throws {
        let live = try LiveGateway(services: LiveGateway.four, logs: true)
        #expect(kill(live.gateway.pid, number) == 0)
        for _ in 0..<3_000 where live.gateway.isRunning { try await Task.sleep(for: .milliseconds(10)) }
        #expect(live.gateway.stop() == number)
        // Warnings about the configuration stand before the lines of the log.
        let lines = live.gateway.log.split(separator: "\n").filter { !$0.hasPrefix(live.folder) }
        let strange = lines.filter { (try? JSONParser.parse(Array($0.utf8))) == nil }
        #expect(strange.isEmpty, "what is no line of the log begins with: \(strange.first ?? "")")
    }
}
