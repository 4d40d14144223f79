// SPDX-License-Identifier: Apache-2.0

/// Words of a command line: options with a value, flags, and the rest.
struct Arguments {
    private(set) var options: [String: String] = [:]
    /// Every option with its value, in order; an option may be repeated.
    private(set) var values: [(name: String, value: String)] = []
    private(set) var flags: Set<String> = []
    private(set) var words: [String] = []

    /// Reads the words; an unknown option is a usage error that names what is known.
    init(_ arguments: [String], options known: [String], flags knownFlags: [String] = []) throws(UsageError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                words.append(word)
                continue
            }
            let halves = word.split(separator: "=", maxSplits: 1).map(String.init)
            let name = halves[0]
            if knownFlags.contains(name), halves.count == 1 {
                flags.insert(name)
            } else if known.contains(name) {
                guard let value = halves.count == 2 ? halves[1] : rest.popFirst() else {
                    throw UsageError("\(name) wants a value")
                }
                options[name] = value
                values.append((name, value))
            } else {
                let all = (known + knownFlags).sorted().joined(separator: ", ")
                throw UsageError("unknown option \(name); known: \(all.isEmpty ? "none" : all)")
            }
        }
    }
}

extension Arguments {
    /// A usage error where more words stand than mean something.
    func refuseWords(after count: Int = 0) throws(UsageError) {
        if words.count > count { throw UsageError("\(words[count]) means nothing here") }
    }
}

/// A command line that cannot be understood; the program ends with status 2.
struct UsageError: Error {
    var message: String
    init(_ message: String) { self.message = message }
}

/// A command that failed; the program ends with status 1.
struct CommandFailure: Error {
    var message: String
    init(_ message: String) { self.message = message }
}
