// SPDX-License-Identifier: Apache-2.0

import FanlightGateway

/// `fanlight key`: makes a client's key, or the hash of one, for `server.client_keys`.
enum KeyCommand {
    /// 43 characters of 64 kinds: 256 bits and a little.
    private static let length = 43
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--name"], flags: ["--hash"])
        try parsed.refuseWords()
        let name = parsed.options["--name"] ?? "app"
        let isName = (1...64).contains(name.utf8.count) && name.allSatisfy { $0.isASCII && isPlain($0) }
        guard isName else { throw UsageError("--name takes letters, digits, '-' and '_', at most 64") }
        if parsed.flags.contains("--hash") {
            guard let key = readLine(strippingNewline: true), !key.isEmpty else {
                throw CommandFailure("--hash reads a key from standard input; nothing was there")
            }
            return Console.out(entry(name, key))
        }
        let key = "fl_" + make()
        Console.error("The client's key; it is shown once and is nowhere kept:")
        Console.out(key)
        Console.error("\nThe line for server.client_keys in config.yaml; the key cannot be told from it:")
        Console.out(entry(name, key))
    }

    private static func isPlain(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "-" || character == "_"
    }

    private static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] })
    }

    private static func entry(_ name: String, _ key: String) -> String {
        "- {name: \(name), sha256: \(ClientKey.digest(of: key))}"
    }
}
