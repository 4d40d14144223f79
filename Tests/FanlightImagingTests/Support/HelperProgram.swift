// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The helper that was built together with the tests.
enum HelperProgram {
    static let path: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments.first ?? ""
        let folder = bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let beside = folder + "/fanlight-imaging"
        return unsafe access(beside, X_OK) == 0 ? beside : ".build/debug/fanlight-imaging"
    }()
}
