// SPDX-License-Identifier: Apache-2.0

import FanlightCore

/// Steps of a path that lead elsewhere: `.` and `..`, which servers and libraries resolve before they look.
enum PathSteps {
    /// True where a part of the path is `.` or `..`, also percent-encoded, or between slashes that are, or backslashes.
    static func lead(_ path: String) -> Bool {
        TextCoding.percentDecoded(path).unicodeScalars
            .split(omittingEmptySubsequences: true) { $0 == "/" || $0 == "\\" }
            .contains { $0.elementsEqual(".".unicodeScalars) || $0.elementsEqual("..".unicodeScalars) }
    }
}

extension Variable {
    /// True where a client says what the value is.
    var isClients: Bool {
        switch self {
        case .plain(.title), .plain(.description), .plain(.message), .plain(.alt), .plain(.tags): true
        case .file(.name), .file(.stem), .option, .field: true
        default: false
        }
    }
}

extension Filter {
    /// True where the value is fit for a URL afterwards, whatever it was.
    var fitsURL: Bool {
        switch kind {
        case .urlencode, .urlpath, .int, .bool, .fixed, .hex, .base58, .unix, .unixMS: true
        case .md5, .sha1, .sha256, .hmacSHA1, .hmacSHA256: true
        default: false
        }
    }
}

extension RequestProgram {
    /// Refuses a path in which a client's values lead out of where the operator lets the picture go.
    func checkSteps(of address: WebAddress, in scope: Scope) throws(DeliveryFailure) {
        let given = (url.variables + (base?.variables ?? [])).filter(\.isClients)
        guard !given.isEmpty, PathSteps.lead(address.path) else { return }
        let guilty = given.first { PathSteps.lead(scope.value(of: $0)?.shown ?? "") } ?? given[0]
        throw DeliveryFailure(
            kind: .rejected,
            message: "\(scope.service) takes no '.' or '..' as a part of a path, which '\(guilty.name)' makes"
        )
    }
}
