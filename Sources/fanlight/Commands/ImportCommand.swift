// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration

/// `fanlight import`: makes an adapter of somebody else's description.
enum ImportCommand {
    static func run(_ arguments: [String]) throws {
        let parsed = try Arguments(arguments, options: ["--name", "--output"])
        guard parsed.words.count == 1, let path = parsed.words.first else {
            throw UsageError("import takes one FILE; - is standard input")
        }
        let name = parsed.options["--name"]
        if let name, let fault = fault(name) { throw UsageError("--name: \(fault)") }
        guard let bytes = Files.read(path == "-" ? "/dev/stdin" : path, limit: 4_194_304) else {
            throw CommandFailure("cannot read \(path)")
        }
        let adapter: ImportedAdapter
        do throws(ImportError) {
            adapter = try AdapterImport.read(bytes, name: name)
        } catch {
            throw CommandFailure("\(path): \(error.description)")
        }
        try write(adapter, to: parsed.options["--output"])
        for remark in adapter.remarks { Console.error("\(path): warning: \(remark)") }
        for (setting, _) in adapter.secrets {
            Console.error("\(path): note: a credential is not carried over; give it as '\(setting)' in config.yaml")
        }
    }

    private static func fault(_ name: String) -> String? {
        let isFine =
            (1...64).contains(name.utf8.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        return isFine ? nil : "a name is made of letters, digits, '-' and '_', at most 64"
    }

    private static func write(_ adapter: ImportedAdapter, to path: String?) throws(CommandFailure) {
        guard let path else {
            Console.out(text: adapter.text)
            return
        }
        guard Files.write(Array(adapter.text.utf8), to: path) else { throw CommandFailure("cannot write \(path)") }
        Console.error("\(path): the adapter '\(adapter.name)'; try: fanlight test \(path)")
    }
}
