// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration

/// What a running gateway does not lose by a reload: a file that is cut short looks like a wish to drop the rest.
enum Losses {
    /// One error for each loss that takes a restart; it says so.
    static func findings(from running: LoadedConfiguration, to next: LoadedConfiguration) -> [Diagnostic] {
        let start = SourcePosition(file: next.path, line: 1, column: 1)
        var found: [Diagnostic] = []
        if next.services.isEmpty, !running.services.isEmpty {
            let message =
                "this file has no services, and the running configuration has \(running.services.count); "
                + "write the whole file, or restart the gateway to run it without services"
            found.append(Diagnostic(at: start, message))
        }
        let keys = running.configuration.server.clientKeys.count
        if next.configuration.server.clientKeys.isEmpty, keys > 0 {
            let message =
                "server.client_keys is gone, and the running configuration has \(keys) of them; "
                + "put them back, or restart the gateway to open it to everybody"
            found.append(Diagnostic(at: start, message))
        }
        return found
    }
}
