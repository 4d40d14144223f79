// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import Glibc

/// Files with secrets that everybody on the machine can read.
enum OpenFiles {
    /// One finding for each such file: those that `${file:…}` names, and the configuration and the files of adapters where
    /// secrets stand in them.
    ///
    /// - Parameters:
    ///   - root: The configuration as it is written.
    ///   - path: Its file.
    ///   - adapters: The operator's own adapters, of the configuration and of files of their own.
    ///   - secrets: Where values of secret settings stand.
    ///   - isRefused: True makes errors of the findings.
    static func findings(_ root: Node, path: String, adapters: [Node], secrets: [SourcePosition], isRefused: Bool)
        -> [Diagnostic]
    {
        let severity = isRefused ? Diagnostic.Severity.error : .warning
        let means = isRefused ? "; server.strict_files refuses that" : ""
        var found: [Diagnostic] = []
        var seen: Set<String> = []
        for (file, position) in files(root) + adapters.flatMap(files) where seen.insert(file).inserted && isOpen(file) {
            let message = "everybody on this machine can read the file \(file)\(means); chmod 640 it"
            found.append(Diagnostic(severity, at: position, message))
        }
        let places = [written(root)] + adapters.map(written(inService:)) + secrets
        var told: Set<String> = []
        for place in places.compactMap({ $0 }) where told.insert(place.file).inserted && isOpen(place.file) {
            let message =
                "a secret stands in this file, which everybody on this machine can read\(means); chmod 640 it, or write ${file:…}"
            found.append(Diagnostic(severity, at: place, message))
        }
        return found
    }

    /// True where others than owner and group may read.
    private static func isOpen(_ path: String) -> Bool {
        var facts = Glibc.stat()
        // SAFETY: the string and the structure live through the call.
        return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG && facts.st_mode & S_IROTH != 0
    }

    private static func files(_ node: Node) -> [(String, SourcePosition)] {
        switch node.content {
        case .scalar(let text, _):
            return text.split(separator: "${file:", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
                rest.firstIndex(of: "}").map { (String(rest[..<$0]), node.position) }
            }
        case .sequence(let items): return items.flatMap(files)
        case .mapping(let entries): return entries.flatMap { files($0.value) }
        }
    }

    /// Where the first secret stands in the file itself.
    private static func written(_ root: Node) -> SourcePosition? {
        for section in ["server", "notify"] {
            for entry in root[section]?.entries ?? [] {
                switch entry.key {
                case "client_keys":
                    for item in entry.value.items where isWritten(item) || (item["key"].map(isWritten) ?? false) {
                        return item.position
                    }
                    if isWritten(entry.value) { return entry.value.position }
                case "url" where section == "notify":
                    if WrittenCredentials.standIn(address: entry.value) { return entry.value.position }
                case "state_key", "secret": if isWritten(entry.value) { return entry.value.position }
                default: break
                }
            }
        }
        return (root["services"]?.entries ?? []).lazy.compactMap { written(inService: $0.value) }.first
    }

    /// Where the first secret stands in a service or an adapter.
    private static func written(inService service: Node) -> SourcePosition? {
        if !WrittenCredentials.of(service).isEmpty { return service.position }
        let defaults = (service["settings"]?.entries ?? []).filter { $0.value["secret"]?.text == "true" }
            .compactMap { $0.value["default"] }
        if let node = defaults.first(where: { isWritten($0) && !$0.isNull && $0.text != "" }) { return node.position }
        return service.entries.first {
            WrittenCredentials.isTelling($0.key) && !$0.value.isNull
                && WrittenCredentials.isCredential($0.value.text ?? "", named: $0.key)
        }?.value.position
    }

    /// True for a text that refers to nothing.
    private static func isWritten(_ node: Node) -> Bool { node.text.map { !$0.contains("${") } ?? false }
}
