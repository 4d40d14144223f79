// SPDX-License-Identifier: Apache-2.0

/// Builds nodes from events; keeps going after every fault that leaves the structure clear.
struct TreeBuilder {
    /// A finished node that aliases may name.
    private struct Anchored {
        var node: Node
        /// Nodes in it, aliases expanded.
        var weight: Int
        /// Levels in it: 0 for a scalar.
        var height: Int
    }

    /// Reading cannot go on; the finding is already noted.
    private struct Stop: Error {}

    private(set) var diagnostics: [Diagnostic]
    private let text: SourceText
    private let source: YAMLEventSource
    private var anchors: [String: Anchored] = [:]
    private var openAnchors: Set<String> = []
    private var nodeCount = 0

    init(text: SourceText) {
        self.text = text
        diagnostics = text.diagnostics
        source = YAMLEventSource(text)
    }

    mutating func document() -> Node? {
        do {
            var root: Node?
            while true {
                let event = try next()
                switch event.kind {
                case .streamEnd:
                    return root
                        ?? Node(.scalar("", isPlain: true), at: SourcePosition(file: text.file, line: 1, column: 1))
                case .documentStart where root != nil:
                    report("only one document may stand in a file", at: event.position)
                    return root
                case .streamStart, .documentStart, .documentEnd: continue
                default: root = try node(event, depth: 0).node
                }
            }
        } catch {
            return nil
        }
    }

    private mutating func next() throws(Stop) -> YAMLEvent {
        do {
            return try source.next()
        } catch {
            describe(error)
            throw Stop()
        }
    }

    private mutating func describe(_ fault: YAMLFault) {
        let place = text.lines.place(of: fault.index)
        let position = SourcePosition(file: text.file, line: place.line, column: place.column)
        guard text.hasTab(at: fault.index) else { return report(Self.plainWords(fault.message), at: position) }
        let message = "a tab cannot indent; use blanks"
        report(message, at: position)
        for line in text.tabbedLines(after: place.line) {
            report(message, at: SourcePosition(file: text.file, line: line, column: 1))
        }
    }

    /// What an operator can act on, for the library's most frequent words.
    private static func plainWords(_ problem: String) -> String {
        switch problem {
        case "mapping values are not allowed in this context":
            "a second ': ' in one value, or wrong indentation; quote the value or indent it under its key"
        case "could not find expected ':'": "expected ': ' after the key"
        case "did not find expected ',' or '}'", "did not find expected ',' or ']'":
            problem + "; between brackets a value that holds braces, such as ${…}, has to stand in quotes"
        case "did not find expected key": "expected a key here; the indentation does not match the lines above"
        case "found unexpected end of stream": "this quoted text is not closed"
        case "found character that cannot start any token":
            "this character cannot start a value; put the value in quotes"
        default: problem
        }
    }

    /// Findings of one file are bounded.
    private var canReport: Bool { diagnostics.count < 200 }

    private mutating func report(_ message: String, at position: SourcePosition) {
        guard canReport else { return }
        diagnostics.append(Diagnostic(at: position, message))
    }

    private mutating func node(_ event: YAMLEvent, depth: Int) throws(Stop) -> Anchored {
        nodeCount += 1
        if nodeCount > YAMLReader.maxNodes {
            report("more than \(YAMLReader.maxNodes) values", at: event.position)
            throw Stop()
        }
        if let tag = event.tag, tag != "!", tag != "tag:yaml.org,2002:str" {
            report("tags are not supported; every value is read as its key demands", at: event.position)
        }
        if let anchor = event.anchor { openAnchors.insert(anchor) }
        let result: Anchored
        switch event.kind {
        case .alias(let name): return try alias(name, at: event.position, depth: depth)
        case .scalar(let text, let isPlain):
            let node = Node(.scalar(text, isPlain: isPlain && event.tag == nil), at: event.position)
            result = Anchored(node: node, weight: 1, height: 0)
        case .sequenceStart: result = try sequence(at: event.position, depth: depth + 1)
        case .mappingStart: result = try mapping(at: event.position, depth: depth + 1)
        default: throw Stop()
        }
        if let anchor = event.anchor {
            anchors[anchor] = result
            openAnchors.remove(anchor)
        }
        return result
    }

    private mutating func alias(_ name: String, at position: SourcePosition, depth: Int) throws(Stop) -> Anchored {
        let nothing = Anchored(node: Node(.scalar("", isPlain: true), at: position), weight: 1, height: 0)
        if openAnchors.contains(name) {
            report("alias '*\(shortened(name))' stands inside the value that it names", at: position)
            return nothing
        }
        guard let anchored = anchors[name] else {
            let nearest = canReport ? NearestName.of(name, among: anchors.keys.sorted()) : nil
            let hint = nearest.map { "; did you mean '*\($0)'?" } ?? ""
            report("no anchor '&\(shortened(name))' stands before this alias" + hint, at: position)
            return nothing
        }
        if nodeCount + anchored.weight > YAMLReader.maxNodes {
            report("aliases expand to more than \(YAMLReader.maxNodes) values", at: position)
            throw Stop()
        }
        if depth + anchored.height > YAMLReader.maxDepth {
            report("nested more than \(YAMLReader.maxDepth) levels through this alias", at: position)
            return nothing
        }
        nodeCount += anchored.weight
        return anchored
    }

    private mutating func checkDepth(_ depth: Int, at position: SourcePosition) throws(Stop) {
        guard depth > YAMLReader.maxDepth else { return }
        report("nested more than \(YAMLReader.maxDepth) levels", at: position)
        throw Stop()
    }

    private mutating func sequence(at position: SourcePosition, depth: Int) throws(Stop) -> Anchored {
        try checkDepth(depth, at: position)
        var items: [Node] = []
        var weight = 1
        var height = 0
        while true {
            let event = try next()
            if case .sequenceEnd = event.kind { break }
            let item = try node(event, depth: depth)
            items.append(item.node)
            weight += item.weight
            height = max(height, item.height)
        }
        return Anchored(node: Node(.sequence(items), at: position), weight: weight, height: height + 1)
    }

    private mutating func mapping(at position: SourcePosition, depth: Int) throws(Stop) -> Anchored {
        try checkDepth(depth, at: position)
        var entries: [Node.Entry] = []
        var seen: [String: SourcePosition] = [:]
        var weight = 1
        var height = 0
        while true {
            let event = try next()
            if case .mappingEnd = event.kind { break }
            let key = try node(event, depth: depth)
            let value = try node(try next(), depth: depth)
            weight += key.weight + value.weight
            height = max(height, value.height)
            guard let name = keyName(key.node, at: event.position) else { continue }
            if let first = seen[name] {
                report("key '\(shortened(name))' is given twice; first in line \(first.line)", at: event.position)
                continue
            }
            seen[name] = event.position
            entries.append(Node.Entry(key: name, position: event.position, value: value.node))
        }
        return Anchored(node: Node(.mapping(entries), at: position), weight: weight, height: height + 1)
    }

    private mutating func keyName(_ key: Node, at position: SourcePosition) -> String? {
        guard case .scalar(let name, let isPlain) = key.content else {
            report("a key must be a text, not a list or a mapping", at: position)
            return nil
        }
        if isPlain && name == "<<" {
            report(
                "merge keys ('<<') are not supported; repeat the values, or use an alias for one of them",
                at: position
            )
            return nil
        }
        if name.isEmpty {
            report("a key is missing before ':'", at: position)
            return nil
        }
        return name
    }

    private func shortened(_ name: String) -> String { name.count > 60 ? String(name.prefix(60)) + "…" : name }
}
