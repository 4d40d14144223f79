// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore

/// Why nothing could be made of a description.
public struct ImportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One sentence; says what would help.
    public var description: String

    /// Creates an error.
    public init(_ description: String) { self.description = description }
}

/// An adapter that was made from somebody else's description of a service.
public struct ImportedAdapter: Sendable {
    /// Name for the catalogue.
    public var name: String
    /// The adapter file, with remarks as comments and a test to fill in.
    public var text: String
    /// What could not be carried over, one sentence each.
    public var remarks: [String]
    /// Secrets of the description by the setting that now wants them; they are not in the text.
    public var secrets: [(setting: String, value: String)]
}

/// Makes adapters of custom uploaders of ShareX and of settings of PicGo's web uploader.
public enum AdapterImport {
    /// Reads a description; its kind is told by what is in it.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - name: Name for the adapter; `nil` = made from the description. In a file with several descriptions it names
    ///     the one to take.
    /// - Throws: What is wrong with the file, or that its requests cannot be said in the adapter language.
    public static func read(_ bytes: [UInt8], name: String? = nil) throws(ImportError) -> ImportedAdapter {
        let root: JSONValue
        do {
            root = try LenientJSON.parse(bytes)
        } catch {
            throw ImportError("the file is no JSON: \(error.description)")
        }
        let draft = try draft(of: root, name: name)
        return try AdapterFile(draft: draft).imported()
    }

    private static func draft(of root: JSONValue, name: String?) throws(ImportError) -> AdapterDraft {
        if let settings = PicGoImport.settings(in: root) {
            return try PicGoImport.draft(settings, name: name)
        }
        let list = root.array ?? member("CustomUploadersList", of: root)?.array ?? [root]
        let uploaders = list.filter { member("RequestURL", of: $0) != nil }
        guard let first = uploaders.first else {
            throw ImportError(
                "no custom uploader of ShareX (with RequestURL) and no settings of PicGo's web uploader (with url and paramName)"
            )
        }
        if uploaders.count == 1 { return try ShareXImport.draft(first, name: name) }
        let names = uploaders.map { ShareXDescriptor.name(of: $0) }
        guard let name, let index = names.firstIndex(where: { $0 == name || AdapterDraft.word($0, or: "") == name })
        else {
            throw ImportError(
                "the file has \(names.count) uploaders; choose one with --name: " + names.joined(separator: ", ")
            )
        }
        return try ShareXImport.draft(uploaders[index], name: name)
    }

    /// A member by its name in any case, as ShareX reads it.
    static func member(_ name: String, of value: JSONValue) -> JSONValue? {
        value.object?.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
