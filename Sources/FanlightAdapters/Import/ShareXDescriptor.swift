// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// A custom uploader of ShareX with the differences of its versions levelled.
struct ShareXDescriptor {
    /// Kinds of body.
    enum Body: String, CaseIterable {
        case none = "None"
        case multipart = "MultipartFormData"
        case form = "FormURLEncoded"
        case json = "JSON"
        case xml = "XML"
        case binary = "Binary"
    }

    var name: String
    var dialect: ShareXDialect
    var method: String
    var url: String
    var parameters: [(name: String, value: String)]
    var headers: [(name: String, value: String)]
    var body: Body
    var arguments: [(name: String, value: String)]
    var fileField: String
    var data: String
    var link: String
    var thumbnail: String
    var deletion: String
    var errorMessage: String
    var patterns: [String]
    /// What was unclear or is not carried over.
    var remarks: [String] = []

    private static let known = [
        "version", "name", "destinationtype", "requestmethod", "requesttype", "requesturl", "parameters", "headers",
        "body", "arguments", "fileformname", "data", "url", "thumbnailurl", "deletionurl", "errormessage",
        "responsetype", "regexlist",
    ]

    /// The name in ShareX's list: the given one, else the host.
    static func name(of value: JSONValue) -> String {
        let given = AdapterImport.member("Name", of: value)?.string ?? ""
        if !given.isEmpty { return given }
        let url = AdapterImport.member("RequestURL", of: value)?.string ?? ""
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        return String(rest.prefix { !"/?:{$".contains($0) })
    }

    /// Reads the members; what is missing has ShareX's default.
    init(_ value: JSONValue) throws(ImportError) {
        func text(_ name: String) -> String { AdapterImport.member(name, of: value)?.shown ?? "" }
        func pairs(_ name: String) -> [(name: String, value: String)] {
            (AdapterImport.member(name, of: value)?.object ?? []).map { ($0.name, $0.value.shown ?? "") }
        }
        name = Self.name(of: value)
        url = text("RequestURL")
        guard !url.isEmpty else { throw ImportError("RequestURL is empty") }
        parameters = pairs("Parameters")
        headers = pairs("Headers")
        arguments = pairs("Arguments")
        fileField = text("FileFormName")
        data = text("Data")
        link = text("URL")
        thumbnail = text("ThumbnailURL")
        deletion = text("DeletionURL")
        errorMessage = text("ErrorMessage")
        patterns = (AdapterImport.member("RegexList", of: value)?.array ?? []).compactMap(\.string)
        let methods = [text("RequestMethod"), text("RequestType")].filter { !$0.isEmpty }
        method = methods.first?.uppercased() ?? "POST"
        dialect = .braces
        body = .none
        for member in value.object ?? [] where !Self.known.contains(member.name.lowercased()) {
            remarks.append("'\(member.name)' is not known and was left out")
        }
        if !["GET", "POST", "PUT", "PATCH", "DELETE"].contains(method) {
            remarks.append("the method \(method) is not known; POST is used")
            method = "POST"
        }
        chooseDialect(version: text("Version"), declaresBody: AdapterImport.member("Body", of: value) != nil)
        chooseBody(text("Body"), responseType: text("ResponseType"))
        moveQuery()
        if !text("DestinationType").isEmpty, !text("DestinationType").lowercased().contains("image"),
            !text("DestinationType").lowercased().contains("file"), text("DestinationType") != "None"
        {
            remarks.append("made for \(text("DestinationType")), not for pictures; look whether the service takes them")
        }
    }

    private mutating func chooseDialect(version: String, declaresBody: Bool) {
        let texts =
            [url, link, thumbnail, deletion, errorMessage, data] + (headers + arguments + parameters).map(\.value)
        let hasDollars = texts.contains { ShareXDialect.dollars.calls($0) }
        let hasBraces = texts.contains { ShareXDialect.braces.calls($0) }
        let byVersion = Self.dialect(of: version)
        if let byVersion {
            dialect = byVersion
        } else if hasBraces, !hasDollars {
            dialect = .braces
        } else {
            dialect = declaresBody ? .dollars : .legacy
        }
        // Files that were edited by hand say one version and are written for another.
        if byVersion == .braces, hasDollars, !hasBraces {
            dialect = .dollars
            remarks.append("says version \(version), but is written in \(ShareXDialect.dollars.rawValue); read as such")
        } else if byVersion != nil, byVersion != .braces, hasBraces, !hasDollars {
            dialect = .braces
            remarks.append("says version \(version), but is written in \(ShareXDialect.braces.rawValue); read as such")
        }
    }

    /// `nil` when the text is no version.
    private static func dialect(of version: String) -> ShareXDialect? {
        let numbers = version.split(separator: ".").map { Int($0) ?? 0 }
        guard let major = numbers.first, major > 0 else { return nil }
        let parts = numbers + [Int](repeating: 0, count: max(0, 3 - numbers.count))
        if (parts[0], parts[1], parts[2]) > (13, 7, 1) { return .braces }
        return (parts[0], parts[1], parts[2]) > (12, 3, 1) ? .dollars : .legacy
    }

    private mutating func chooseBody(_ text: String, responseType: String) {
        if let given = Self.body(text) {
            body = given
        } else if dialect == .legacy {
            body = method == "POST" ? .multipart : .none
            if body == .none {
                for argument in arguments where !parameters.contains(where: { $0.name == argument.name }) {
                    parameters.append(argument)
                }
            }
        } else if !fileField.isEmpty {
            body = .multipart
        } else if !data.isEmpty {
            body = data.drop(while: \.isWhitespace).first == "<" ? .xml : .json
        } else {
            body = arguments.isEmpty ? .none : .form
        }
        switch responseType.lowercased() {
        case "", "text": break
        case "redirectionurl": takeReply(instead: "responseurl")
        case "locationheader": takeReply(instead: "header:Location")
        default: remarks.append("ResponseType \(responseType) is not carried over")
        }
    }

    /// Old response types changed what `$response$` gives.
    private mutating func takeReply(instead function: String) {
        let call = "$\(function)$"
        link = link.isEmpty ? call : link.replacing("$response$", with: call)
        thumbnail = thumbnail.replacing("$response$", with: call)
        deletion = deletion.replacing("$response$", with: call)
    }

    private static func body(_ text: String) -> Body? {
        if let number = Int(text), Body.allCases.indices.contains(number) { return Body.allCases[number] }
        let word = text.lowercased().filter { $0.isLetter || $0 == "/" || $0 == "-" }
        if word.isEmpty { return nil }
        if word.contains("multipart") { return .multipart }
        if word.contains("urlencoded") { return .form }
        return Body.allCases.first { word.hasPrefix($0.rawValue.lowercased()) }
    }

    /// The query of the URL joins the parameters, as ShareX does it; one without a value stays in the URL.
    private mutating func moveQuery() {
        guard let mark = url.firstIndex(of: "?") else { return }
        let query = url[url.index(after: mark)...].prefix { $0 != "#" }
        var kept: [String] = []
        for pair in query.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else {
                kept.append(String(pair))
                continue
            }
            let name = TextCoding.formDecoded(String(halves[0]))
            if parameters.contains(where: { $0.name == name }) { continue }
            parameters.append((name, TextCoding.formDecoded(String(halves[1]))))
        }
        url = String(url[..<mark]) + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    }
}

extension TextCoding {
    /// Percent-encoded text of a query, where a plus is a blank; what is wrongly encoded stays.
    fileprivate static func formDecoded(_ text: String) -> String {
        var out: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                out.append(value)
                rest = rest.dropFirst(2)
            } else {
                out.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}
