// SPDX-License-Identifier: Apache-2.0

/// What the gateway allows one helper, given on its command line: `--cpu SECONDS --memory BYTES`.
struct HelperLimits {
    /// Processor time for each file that is made of a picture.
    var processorSeconds = 10
    /// Bytes beyond what the libraries need to start.
    var memory = 1_000_000_000

    /// Reads the arguments; `nil` for anything unexpected.
    init?(_ arguments: [String]) {
        guard arguments.count % 2 == 0 else { return nil }
        for at in stride(from: 0, to: arguments.count, by: 2) {
            guard let value = Int(arguments[at + 1]), value > 0 else { return nil }
            switch arguments[at] {
            case "--cpu": processorSeconds = value
            case "--memory": memory = value
            default: return nil
            }
        }
    }
}
