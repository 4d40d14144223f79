// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension ShareXImport {
    /// The body of the request.
    mutating func addBody() throws(ImportError) {
        switch descriptor.body {
        case .multipart:
            if !descriptor.arguments.isEmpty {
                draft.request.append(.init("fields", .object(members(descriptor.arguments, .argument))))
            }
            if descriptor.fileField.isEmpty { draft.remark("FileFormName is empty; the field is called file") }
            draft.request.append(.init("file", .string(descriptor.fileField.isEmpty ? "file" : descriptor.fileField)))
        case .binary:
            if !descriptor.arguments.isEmpty { draft.remark("Arguments are not sent beside a binary body; left out") }
            draft.request.append(.init("raw", "file"))
        case .form: draft.request.append(.init("form", .object(members(descriptor.arguments, .argument))))
        case .json: draft.request.append(.init("json", try json()))
        case .xml: try addXML()
        case .none: addNoBody()
        }
    }

    private mutating func json() throws(ImportError) -> JSONValue {
        if descriptor.data.isEmpty { return .object([]) }
        let value: JSONValue
        do {
            value = try LenientJSON.parse(Array(descriptor.data.utf8))
        } catch {
            throw ImportError("Data is no JSON: \(error.description)")
        }
        return tree(value, named: "Data")
    }

    /// Functions in every text of the tree; in braces only two of them exist there.
    private mutating func tree(_ value: JSONValue, named name: String) -> JSONValue {
        switch value {
        case .object(let members):
            var out: [JSONValue.Member] = []
            for member in members {
                if case .string(let text) = member.value, Telling.isTelling(member.name), !text.isEmpty,
                    dataText(text, named: member.name) == text
                {
                    out.append(
                        .init(
                            member.name,
                            .string(draft.secret(member.name, text, "what the uploader had as \(member.name)"))
                        )
                    )
                } else {
                    out.append(.init(member.name, tree(member.value, named: member.name)))
                }
            }
            return .object(out)
        case .array(let items):
            var out: [JSONValue] = []
            for item in items { out.append(tree(item, named: name)) }
            return .array(out)
        case .string(let text): return .string(dataText(text, named: name))
        default: return value
        }
    }

    /// A text of Data: since 14 only `{input}` and `{filename}` are functions there, and no backslash is special.
    mutating func dataText(_ text: String, named name: String) -> String {
        guard descriptor.dialect == .braces else { return self.text(text, .data, named: name) }
        var out = ""
        var rest = text[...]
        scan: while !rest.isEmpty {
            for function in ["input", "filename"] where rest.lowercased().hasPrefix("{\(function)}") {
                out += self.text("{\(function)}", .data, named: name)
                rest = rest.dropFirst(function.count + 2)
                continue scan
            }
            let end = rest.dropFirst().firstIndex(of: "{") ?? rest.endIndex
            let quoted = rest[..<end].map { "{}|\\".contains($0) ? "\\\($0)" : String($0) }.joined()
            out += self.text(quoted, .data, named: name)
            rest = rest[end...]
        }
        return out
    }
}

extension ShareXImport {
    /// Text with functions in it; what it puts in is escaped for XML.
    private mutating func addXML() throws(ImportError) {
        let text = dataText(descriptor.data, named: "Data")
        addContentType("application/xml")
        draft.request.append(
            .init("raw", [.object([.init("text", .string(text.replacing("${file.name}", with: "${file.name|xml}")))])])
        )
    }

    /// Adds the type unless the uploader has one of its own.
    private mutating func addContentType(_ type: String) {
        if descriptor.headers.contains(where: { $0.name.lowercased() == "content-type" }) { return }
        let place = draft.request.firstIndex { $0.name == "headers" }
        let members = place.flatMap { draft.request[$0].value.object } ?? []
        let value = JSONValue.object(members + [.init("Content-Type", .string(type))])
        if let place {
            draft.request[place].value = value
        } else {
            draft.request.append(.init("headers", value))
        }
    }

    /// A request without a body carries no picture; it becomes the only step, because only steps may do without one.
    private mutating func addNoBody() {
        draft.remark("the uploader sends no file, as those of URL shorteners; so does the adapter")
        let step: [JSONValue.Member] = [.init("id", "request")] + draft.request
        draft.request = [.init("steps", [.object(step)])]
    }
}
