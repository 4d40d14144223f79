// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Turns the settings of PicGo's web uploader into an adapter.
enum PicGoImport {
    private static let known = [
        "url", "paramName", "jsonPath", "customHeader", "customBody", "urlPrefix", "urlSuffix", "_configName", "_id",
        "_createdAt", "_updatedAt",
    ]

    /// The settings in a file: alone, or inside PicGo's own configuration.
    static func settings(in root: JSONValue) -> JSONValue? {
        if root["url"]?.string != nil, root["paramName"] != nil { return root }
        if let list = root["uploader"]?["web-uploader"]?["configList"]?.array {
            let chosen = root["uploader"]?["web-uploader"]?["defaultId"]?.string
            return list.first { $0["_id"]?.string == chosen && chosen != nil } ?? list.first
        }
        for place in [root["picBed"]?["web-uploader"], root["web-uploader"]] {
            if let place, place["url"] != nil { return place }
        }
        return nil
    }

    static func draft(_ value: JSONValue, name: String?) throws(ImportError) -> AdapterDraft {
        guard let url = value["url"]?.string, url.firstRange(of: "://") != nil else {
            throw ImportError("url is no address with http:// or https://")
        }
        let host =
            url.firstRange(of: "://").map { String(url[$0.upperBound...].prefix { $0 != "/" && $0 != "?" }) } ?? url
        var draft = AdapterDraft(
            name: name ?? AdapterDraft.word(value["_configName"]?.string ?? host, or: "imported"),
            description: "\(host), from the settings of PicGo's web uploader",
            origin: "settings of PicGo's web uploader"
        )
        draft.request.append(.init("url", .string(plain(url))))
        let headers = try object(value["customHeader"], named: "customHeader")
        addHeaders(headers, &draft)
        let fields = members(try object(value["customBody"], named: "customBody"), &draft)
        if !fields.isEmpty { draft.request.append(.init("fields", .object(fields))) }
        let field = value["paramName"]?.string ?? ""
        if field.isEmpty { draft.remark("paramName is empty; the field is called file") }
        draft.request.append(.init("file", .string(field.isEmpty ? "file" : plain(field))))
        addLink(value, &draft)
        for member in value.object ?? [] where !known.contains(member.name) {
            draft.remark("'\(member.name)' is not known and was left out")
        }
        return draft
    }

    /// The plugin names itself, and so does the adapter: some hosts look at it.
    private static func addHeaders(_ given: [JSONValue.Member], _ draft: inout AdapterDraft) {
        var headers = [JSONValue.Member("User-Agent", "PicGo")]
        for member in members(given, &draft) {
            switch member.name.lowercased() {
            case "content-type", "contenttype", "content-length", "host":
                draft.remark("the header \(member.name) is made by the gateway itself; left out")
            case "user-agent": headers[0] = member
            default: headers.append(member)
            }
        }
        draft.request.append(.init("headers", .object(headers)))
    }

    /// Values as text; credentials become settings.
    private static func members(_ given: [JSONValue.Member], _ draft: inout AdapterDraft) -> [JSONValue.Member] {
        var out: [JSONValue.Member] = []
        for member in given {
            let text = member.value.shown ?? ""
            let value =
                Telling.isTelling(member.name) && !text.isEmpty
                ? draft.secret(member.name, text, "what PicGo sent as \(member.name)") : plain(text)
            out.append(.init(member.name, .string(value)))
        }
        return out
    }

    /// JSON in a text, or JSON itself.
    private static func object(_ value: JSONValue?, named name: String) throws(ImportError) -> [JSONValue.Member] {
        guard let value, value != .null else { return [] }
        if let members = value.object { return members }
        guard let text = value.string else { throw ImportError("\(name) is no object") }
        if text.allSatisfy(\.isWhitespace) { return [] }
        do {
            if let members = try LenientJSON.parse(Array(text.utf8)).object { return members }
        } catch {
            throw ImportError("\(name) is no JSON: \(error.description)")
        }
        throw ImportError("\(name) is no object")
    }

    private static func addLink(_ value: JSONValue, _ draft: inout AdapterDraft) {
        let path = value["jsonPath"]?.string ?? ""
        let places = path.isEmpty ? ["text"] : paths(path)
        if places.contains(where: { $0.hasPrefix("$") && JSONPath($0) == nil }) {
            draft.remark("jsonPath \(path) cannot be said; the link is looked for in the usual places")
            return
        }
        let (prefix, suffix) = (value["urlPrefix"]?.string ?? "", value["urlSuffix"]?.string ?? "")
        if prefix.isEmpty, suffix.isEmpty {
            let items = places.map { JSONValue.string($0) }
            draft.reply.append(.init("link", items.count == 1 ? items[0] : .array(items)))
        } else {
            let name = draft.save(places)
            draft.reply.append(.init("link", .string(plain(prefix) + "${\(name)}" + plain(suffix))))
        }
    }

    /// A number in the path may be an item of a list or a name.
    private static func paths(_ path: String) -> [String] {
        let steps = path.split(separator: ".").map(String.init)
        func joined(_ step: (String) -> String) -> String { steps.reduce("$") { $0 + step($1) } }
        let asItem = joined { $0.allSatisfy(\.isNumber) ? "[\($0)]" : "." + $0 }
        let asName = joined { $0.allSatisfy(\.isNumber) ? "['\($0)']" : "." + $0 }
        return asItem == asName ? [asItem] : [asItem, asName]
    }

    private static func plain(_ text: String) -> String { text.replacing("${", with: "$${") }
}
