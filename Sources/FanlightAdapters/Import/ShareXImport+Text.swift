// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension ShareXImport {
    /// A template that gives the same characters.
    mutating func text(_ source: String, _ place: Place, named name: String) -> String {
        let (pieces, ignored) = descriptor.dialect.pieces(source)
        if !ignored.isEmpty {
            draft.remark("\(name): ShareX ignores what follows a bare '|' or '}'; so does the adapter")
        }
        var out = ""
        for piece in pieces {
            switch piece {
            case .literal(let text): out += literal(text, place, named: name)
            case .call(let function, let arguments): out += call(function, arguments, place, named: name)
            }
        }
        return out
    }

    /// Characters as a template: `${` loses its meaning, codes such as `%y` become values.
    private mutating func literal(_ text: String, _ place: Place, named name: String) -> String {
        let plain = text.replacing("${", with: "$${")
        guard place.hasCodes, plain.contains("%") else { return plain }
        var out = ""
        var rest = plain[...]
        while let character = rest.popFirst() {
            guard character == "%" else {
                out.append(character)
                continue
            }
            let known = NameCodes.known.first { rest.hasPrefix($0.code) }
            let other = NameCodes.others.first { rest.hasPrefix($0) }
            if let other, other.count > known?.code.count ?? 0 {
                draft.remark("\(name): the code %\(other) is not carried over and goes out as it is written")
            } else if let known {
                out += known.value
                rest = rest.dropFirst(known.code.count)
                continue
            }
            out.append("%")
        }
        return out
    }

    private mutating func call(
        _ function: String,
        _ arguments: [[ShareXPiece]],
        _ place: Place,
        named name: String
    ) -> String {
        switch function {
        case "filename": return place.encodesName ? "${file.name|urlencode}" : "${file.name}"
        case "input": return input(place, named: name)
        case "random", "select":
            let values = arguments.map { plain($0) }.filter { !$0.isEmpty }
            guard let first = values.first else { return "" }
            if function == "random" {
                draft.remark(
                    "\(name): ShareX takes one of \(values.count) values by chance; here it is chosen by a value of its own"
                )
            }
            return choice(place, values: values, default: first, "which of these goes into \(name)")
        case "prompt", "inputbox":
            let title = arguments.first.map { plain($0) } ?? ""
            let text = arguments.count > 1 ? plain(arguments[1]) : ""
            let question = title.isEmpty ? "what ShareX asks for in \(name)" : title
            return choice(place, values: [], default: text, question)
        case "base64": return base64(arguments, place, named: name)
        case "outputbox":
            draft.remark("\(name): {outputbox} shows a window; left out")
            return ""
        case "json", "xml", "regex", "header", "response", "responseurl":
            guard place == .reply else {
                draft.remark("\(name): {\(function)} reads a reply, which is not there yet; left out")
                return ""
            }
            guard let extractors = extractors(function, arguments, named: name) else { return "" }
            return reference(extractors)
        default:
            draft.remark("\(name): the function '\(function)' is not known; left out")
            return ""
        }
    }

    /// Chosen by operators where it decides where the request goes, else by each upload.
    private mutating func choice(_ place: Place, values: [String], default text: String, _ question: String) -> String {
        let wish = values.isEmpty ? question : "choice"
        guard place == .url else { return draft.option(wish, values: values, default: text, question) }
        return draft.setting(wish, values: values, default: text, question)
    }

    /// ShareX puts a text there that it uploads, and nothing where it uploads a file.
    private mutating func input(_ place: Place, named name: String) -> String {
        switch place {
        case .data, .argument:
            if place == .argument, descriptor.body != .form { return "" }
            draft.remark("\(name): {input} is the text that ShareX uploads; here it is the picture in base64")
            return "${file.base64}"
        case .parameter, .url, .header:
            if descriptor.body != .none { return "" }
            draft.remark("\(name): {input} is the text or address that ShareX sends; here it is the upload's message")
            return place == .url ? "${message|urlencode}" : "${message}"
        default: return ""
        }
    }

    private mutating func base64(_ arguments: [[ShareXPiece]], _ place: Place, named name: String) -> String {
        if let text = Self.literal(arguments) { return TextCoding.base64(Array(text.utf8)) }
        let inner = arguments.first ?? []
        if inner.count == 1, case .call(let function, let nested) = inner[0] {
            let value = call(function, nested, place == .url ? .header : place, named: name)
            if value.hasPrefix("${"), value.hasSuffix("}"), value.dropFirst(2).firstRange(of: "${") == nil {
                return value.dropLast() + "|base64}"
            }
        }
        draft.remark("\(name): base64 over several values cannot be said; the values go out without it")
        return inner.map { piece -> String in
            switch piece {
            case .literal(let text): text.replacing("${", with: "$${")
            case .call: ""
            }
        }.joined()
    }

    /// The characters of an argument; functions in it are left out.
    mutating func plain(_ pieces: [ShareXPiece]) -> String {
        var out = ""
        for case .literal(let text) in pieces { out += text }
        if pieces.contains(where: { if case .call = $0 { true } else { false } }) {
            draft.remark("a function inside another one's list is left out")
        }
        return out
    }
}

/// Codes of ShareX's file names, which it also replaces in values.
enum NameCodes {
    /// Longest first, because one may begin like another.
    static let known: [(code: String, value: String)] = [
        ("height", "${file.height}"), ("width", "${file.width}"), ("unix", "${now|unix}"), ("guid", "${uuid}"),
        ("mo", "${now|date:MM}"), ("mi", "${now|date:mm}"), ("yy", "${now|date:yyyy|match:\"..(..)\"}"),
        ("y", "${now|date:yyyy}"), ("d", "${now|date:dd}"), ("h", "${now|date:HH}"), ("s", "${now|date:ss}"),
    ]
    /// Codes that have no value here.
    static let others = [
        "radjective", "ranimal", "remoji", "mon2", "mon", "rna", "uln", "iAa", "pn", "pm", "ms", "wy", "w2", "rn",
        "ra", "rx", "rf", "ia", "ib", "ix", "un", "cn", "t", "w", "i", "n",
    ]
}
