// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// What is known and found while one service is compiled.
final class Compilation {
    /// Findings so far.
    var diagnostics: [Diagnostic] = []
    /// Values that nobody may see.
    private(set) var secrets: [String] = []
    /// Where the first value of a secret setting stands as it is, without a reference.
    var writtenSecret: SourcePosition?
    /// Environment variables that are named and not set.
    var unset: [(name: String, position: SourcePosition)] = []
    /// References without a value so far; what was read with such a gap in it is not judged any further.
    private(set) var gaps = 0
    /// The adapters that it is based on, the nearest first.
    var bases: [(name: String, node: Node)] = []
    /// Declared names.
    var names = VariableNames()
    /// Values that messages may not hold and links may.
    private(set) var messageSecrets: [String] = []
    /// The same, for those that are looked for only where they stand alone, not as a part of other words.
    private(set) var messageWords: [String] = []
    /// What values from the environment or a file count as now.
    var meaning = OutsideMeaning.open

    /// Values of the settings, which decide about hosts.
    var settings: [String: JSONValue] = [:]
    /// What requests may choose.
    var options: [OptionSpec] = []
    /// What URLs that begin with a slash are laid onto.
    var base: Choice?
    /// True while an adapter is looked at without a service: what services, variables and files would give may be missing.
    let isDraft: Bool
    /// Hosts that the service's credentials may go to.
    var declared: [HostPattern] = []

    /// What values from outside are taken for.
    enum OutsideMeaning {
        /// Anybody may see them, save what comes from a file: messages may not hold that.
        case open
        /// Messages may not hold them, links may: nobody said whether they are secret.
        case untold
        /// Nobody may see them.
        case secret
        /// They are part of a URL, which is public in parts.
        case address
    }

    private let references: References

    /// Starts with the source of values outside the configuration.
    init(references: References, isDraft: Bool = false) {
        self.references = references
        self.isDraft = isDraft
    }

    /// Reports an error.
    func error(_ node: Node, _ message: String) { diagnostics.append(Diagnostic(at: node.position, message)) }

    /// Reports what is allowed and probably not meant.
    func warning(_ node: Node, _ message: String) {
        diagnostics.append(Diagnostic(.warning, at: node.position, message))
    }

    /// Reports an error at a place.
    func error(at position: SourcePosition, _ message: String) { diagnostics.append(Diagnostic(at: position, message)) }

    /// What an advice about names begins with.
    static let advice = "; did you mean "

    /// `; did you mean 'x'?`, or nothing.
    static func hint(_ nearest: String?) -> String { nearest.map { advice + "'\($0)'?" } ?? "" }

    /// Runs a part of the work in which values from outside count as secrets.
    func secretly<T>(_ work: () -> T) -> T { meaning(.secret, work) }

    /// Runs a part of the work in which values from outside are parts of a URL.
    func asAddress<T>(_ work: () -> T) -> T { meaning(.address, work) }

    /// Runs a part of the work in which values from outside are taken for that.
    func meaning<T>(_ meaning: OutsideMeaning, _ work: () -> T) -> T {
        let before = self.meaning
        self.meaning = meaning
        defer { self.meaning = before }
        return work()
    }

    /// The value of `env:NAME`, `env:NAME:-default` or `file:PATH`; `nil` when the text is neither.
    ///
    /// - Parameter prefix: What stands before it, as it is written.
    func outside(_ inner: String, after prefix: Substring, at position: SourcePosition) -> String? {
        do {
            guard let value = try references.value(of: inner) else { return nil }
            keep(value, inner, after: prefix)
            return value
        } catch {
            gaps += 1
            switch error {
            case .unreadable where isDraft, .empty where isDraft: break
            case .unset(let name): unset.append((name, position))
            case .unreadable(let path):
                self.error(at: position, "the file '\(path)' cannot be read, or is no regular file")
            case .empty(let path): self.error(at: position, "the file '\(path)' is empty; write the value into it")
            case .binary(let path): self.error(at: position, "the file '\(path)' holds NUL; it takes text")
            case .badName: self.error(at: position, "${env:…} takes the name of a variable")
            case .nested: self.error(at: position, "a default after ':-' is plain text; references do not nest")
            }
            return ""
        }
    }

    private func keep(_ value: String, _ inner: String, after prefix: Substring) {
        let isFile = inner.hasPrefix("file:")
        switch meaning {
        // Whoever keeps a value in a file of its own holds it for a secret, whatever the field is called.
        case .open: if isFile { hideInMessages(value) }
        case .untold: hideInMessages(value)
        case .secret: hide(value)
        case .address:
            let found = AddressSecrets(value, after: String(prefix), isFile: isFile)
            found.everywhere.forEach(hide)
            for text in found.inMessages { hideInMessages(text, isLong: true) }
            messageWords += found.alone
        }
    }

    /// Keeps a secret from messages and links; one that links hold by chance from messages only.
    func hide(_ value: String) {
        if CredentialNames.isCommon(value) { messageWords.append(value) } else { secrets.append(value) }
    }

    /// Keeps a value from messages, a short one only where it stands alone: it may be the name of a branch.
    private func hideInMessages(_ value: String, isLong: Bool = false) {
        if CredentialNames.isCommon(value) || !isLong && value.utf8.count < 8 {
            messageWords.append(value)
        } else {
            messageSecrets.append(value)
        }
    }

    /// The characters of a scalar with values from outside put in; every other `${…}` stays as written.
    func text(_ node: Node) -> String? {
        guard let source = node.text else {
            error(node, "expected text")
            return nil
        }
        var out = ""
        var rest = Substring(source)
        while let open = rest.firstRange(of: "${") {
            out += rest[..<open.lowerBound]
            let inner = rest[open.upperBound...].prefix { $0 != "}" }
            if inner.endIndex < rest.endIndex,
                let value = outside(String(inner), after: source[..<open.lowerBound], at: node.position)
            {
                out += value
                rest = rest[rest.index(after: inner.endIndex)...]
            } else {
                for kind in ["env:", "file:"] where inner.hasPrefix(kind) {
                    error(node, "'${\(kind)' is not closed with '}'")
                }
                out += "${"
                rest = rest[open.upperBound...]
            }
        }
        return out + rest
    }

    /// The same; `nil` where a value from outside is missing, which has been reported.
    func wholeText(_ node: Node) -> String? {
        let before = gaps
        let text = text(node)
        return gaps == before ? text : nil
    }

    /// Reads a scalar by a reader that says what it expects.
    func read<T>(_ node: Node?, _ reader: (String) throws(Expectation) -> T) -> T? {
        guard let node, !node.isNull, let text = wholeText(node) else { return nil }
        do {
            return try reader(text)
        } catch {
            self.error(node, "expected \(error.description)")
            return nil
        }
    }

    /// True where a key is not given at all; what is given and wrong has been reported.
    static func lacks(_ node: Node, _ key: String) -> Bool { node[key]?.isNull ?? true }

    /// Reports a list or a mapping where a text has to stand; text that somebody else reads is left to them.
    func checkText(_ node: Node?, _ message: String) {
        if let node, !node.isNull, node.text == nil { error(node, message) }
    }

    /// Reports every key of a mapping that the section does not have.
    ///
    /// - Returns: False where it is no mapping; that has been reported, and nothing can be missing in it.
    @discardableResult
    func checkKeys(of node: Node?, _ section: Section, in place: String? = nil) -> Bool {
        checkKeys(of: node, section.names, in: place ?? section.name)
    }

    /// Reports every key of a mapping that is not among the valid ones.
    @discardableResult
    func checkKeys(of node: Node?, _ valid: [String], in place: String) -> Bool {
        guard let node, !node.isNull else { return true }
        guard case .mapping(let entries) = node.content else {
            error(node, "\(place) is a mapping of \(valid.joined(separator: ", "))")
            return false
        }
        for entry in entries where !valid.contains(entry.key) {
            let nearest = NearestName.of(entry.key, among: valid)
            error(at: entry.position, "unknown key '\(entry.key)' in \(place)" + Self.hint(nearest))
        }
        return true
    }
}
