// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

extension Compilation {
    private static let bodyKeys = ["file", "parts", "related", "form", "json", "raw"]

    /// Reads the body of a request.
    ///
    /// - Parameter sendsFile: Where no body is described, the picture goes as field `file` of a form.
    func body(_ node: Node, sendsFile: Bool) -> BodyProgram {
        let kinds = Self.bodyKeys.filter { node[$0].map { !$0.isNull } ?? false }
        if kinds.count > 1, let second = node[kinds[1]] {
            error(second, "a request has one body: '\(kinds[0])' and '\(kinds[1])' exclude each other")
        }
        let texts = choices(node["fields"], in: "fields").map { field in
            PartProgram(name: .constant(field.name), content: .text(field.value))
        }
        if let kind = kinds.first, kind != "file", !texts.isEmpty, let fields = node["fields"] {
            error(fields, "fields are text parts beside 'file'; with '\(kind)' they would not be sent")
        }
        switch kinds.first {
        case "form": return .form(choices(node["form"], in: "form"))
        case "json": return node["json"].flatMap { jsonTree($0) }.map { .json($0) } ?? .none
        case "raw": return node["raw"].map { raw($0) } ?? .none
        case "parts": return .multipart(node["parts"].map { parts($0, isNamed: true) } ?? [])
        case "related": return .related(node["related"].map { parts($0, isNamed: false) } ?? [])
        case "file": return .multipart(texts + (node["file"].flatMap { file($0) }.map { [$0] } ?? []))
        default:
            if sendsFile {
                return .multipart(texts + [PartProgram(name: .constant("file"), content: .picture(name: nil))])
            }
            return texts.isEmpty ? .none : .multipart(texts)
        }
    }

    private func file(_ node: Node) -> PartProgram? {
        guard case .mapping = node.content else {
            return choice(node).map { PartProgram(name: $0, content: .picture(name: nil)) }
        }
        checkKeys(of: node, AdapterFields.file)
        guard let field = node["field"], !field.isNull else {
            error(node, "file needs 'field'")
            return nil
        }
        guard let name = choice(field) else { return nil }
        let fileName = node["name"].flatMap { template($0) }
        return PartProgram(name: name, content: .picture(name: fileName), type: node["type"].flatMap { choice($0) })
    }

    private func parts(_ node: Node, isNamed: Bool) -> [PartProgram] {
        guard !node.items.isEmpty else {
            error(node, "\(isNamed ? "parts" : "related") is a list of parts")
            return []
        }
        return node.items.compactMap { part($0, isNamed: isNamed) }
    }

    private func part(_ node: Node, isNamed: Bool) -> PartProgram? {
        guard checkKeys(of: node, AdapterFields.part) else { return nil }
        let kinds = ["text", "json", "file"].filter { node[$0] != nil }
        guard kinds.count == 1, let kind = kinds.first, let value = node[kind] else {
            error(node, "a part has one of text, json and file")
            return nil
        }
        let name = node["name"].flatMap { choice($0) }
        if isNamed, Self.lacks(node, "name") { error(node, "a part of a form needs 'name'") }
        if !isNamed, let found = node["name"] { error(found, "a part of 'related' has no name") }
        if kind != "file", let found = node["filename"] { error(found, "only the picture has a file name") }
        let content: PartProgram.Content?
        switch kind {
        case "text": content = choice(value).map { .text($0) }
        case "json": content = jsonTree(value).map { .json($0) }
        default:
            if value.text != "file" { error(value, "file takes the word file") }
            content = .picture(name: node["filename"].flatMap { template($0) })
        }
        return content.map {
            PartProgram(
                name: name,
                content: $0,
                type: node["type"].flatMap { choice($0) },
                when: predicate(node["when"])
            )
        }
    }

    private func raw(_ node: Node) -> BodyProgram {
        guard case .sequence(let items) = node.content else {
            if node.text != "file" { error(node, "raw takes the word file, or a list of texts and file") }
            return .picture
        }
        return .pieces(
            items.compactMap { item in
                if item.text == "file" { return .picture }
                guard case .mapping = item.content else {
                    error(item, "an item of raw is the word file, or a mapping with 'text'")
                    return nil
                }
                checkKeys(of: item, AdapterFields.piece, in: "raw")
                guard let text = item["text"] else {
                    error(item, "an item of raw is the word file, or a mapping with 'text'")
                    return nil
                }
                return choice(text).map { .text($0) }
            }
        )
    }
}
