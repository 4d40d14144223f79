// SPDX-License-Identifier: Apache-2.0

import CXML2
import Glibc

/// A parsed XML reply that answers XPath; the only file that sees libxml2.
///
/// No network, no document types, hence no entities; names are compared without their namespaces.
@safe
final class XMLReply {
    private let document: UnsafeMutablePointer<xmlDoc>

    /// Parses text (C: xmlReadMemory); `nil` when it is not well-formed or declares a document type.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count < 16_000_000, Self.mayBeXML(bytes), !Self.declaresType(bytes) else { return nil }
        let options = Int32(
            XML_PARSE_NONET.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
                | XML_PARSE_NOCDATA.rawValue
        )
        // SAFETY: libxml2 copies the bytes; the document is owned by this object from here on.
        let parsed = unsafe bytes.withUnsafeBytes { raw in
            unsafe xmlReadMemory(
                raw.bindMemory(to: CChar.self).baseAddress,
                Int32(bytes.count),
                "reply.xml",
                "UTF-8",
                options
            )
        }
        guard let parsed = unsafe parsed else { return nil }
        unsafe self.document = parsed
        dropNamespaces()
    }

    deinit {
        // SAFETY: this object is the only owner.
        unsafe xmlFreeDoc(document)
    }

    /// The first text, without blanks at its ends, of the nodes that an expression selects; of a string, number or
    /// truth value its text.
    ///
    /// One after another: each of many nodes inside each other may hold the whole reply.
    func first(_ expression: String, where isWanted: (String) -> Bool = { !$0.isEmpty }) -> String? {
        // SAFETY: context and result live inside this function; texts are copied before they are freed.
        guard let context = unsafe xmlXPathNewContext(document) else { return nil }
        defer { unsafe xmlXPathFreeContext(context) }
        unsafe context.pointee.error = { _, _ in }
        unsafe context.pointee.opLimit = 1_000_000
        guard let result = unsafe xmlXPathEvalExpression(expression, context) else { return nil }
        defer { unsafe xmlXPathFreeObject(result) }
        guard unsafe result.pointee.type == XPATH_NODESET else {
            return unsafe Self.take(xmlXPathCastToString(result)).flatMap { isWanted($0) ? $0 : nil }
        }
        guard let set = unsafe result.pointee.nodesetval, let nodes = unsafe set.pointee.nodeTab else { return nil }
        for index in 0..<min(Int(unsafe set.pointee.nodeNr), 1_000) {
            if let text = unsafe Self.take(xmlXPathCastNodeToString(nodes[index])), isWanted(text) { return text }
        }
        return nil
    }

    /// True when libxml2 takes the expression (C: xmlXPathCtxtCompile).
    static func isValid(_ expression: String) -> Bool {
        // SAFETY: context and compiled form are freed here.
        guard let context = unsafe xmlXPathNewContext(nil) else { return false }
        defer { unsafe xmlXPathFreeContext(context) }
        unsafe context.pointee.error = { _, _ in }
        guard let compiled = unsafe xmlXPathCtxtCompile(context, expression) else { return false }
        unsafe xmlXPathFreeCompExpr(compiled)
        return true
    }

    private static func take(_ text: UnsafeMutablePointer<xmlChar>?) -> String? {
        // SAFETY: libxml2 gave the text to us; it is copied, then freed once (xmlFree is free unless replaced).
        guard let text = unsafe text else { return nil }
        defer { unsafe free(text) }
        return unsafe Words.trimmed(String(cString: text))
    }

    /// False for what begins as no document does, such as JSON, which need not be looked through.
    private static func mayBeXML(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
        return text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    }

    private static func declaresType(_ bytes: [UInt8]) -> Bool {
        let marks: [[UInt8]] = [Array("<!doctype".utf8), Array("<!entity".utf8)]
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "<") {
            let rest = bytes[index...].prefix(9).map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }
            if marks.contains(where: { rest.starts(with: $0) }) { return true }
        }
        return false
    }

    /// Walks all elements without recursion and forgets their namespaces, so that XPath names match as written.
    private func dropNamespaces() {
        // SAFETY: only links inside our own document are followed; the namespaces stay owned by their elements.
        var current = unsafe xmlDocGetRootElement(document)
        while let node = unsafe current {
            if unsafe node.pointee.type == XML_ELEMENT_NODE {
                unsafe node.pointee.ns = nil
                var attribute = unsafe node.pointee.properties
                while let found = unsafe attribute {
                    unsafe found.pointee.ns = nil
                    unsafe attribute = found.pointee.next
                }
            }
            if unsafe node.pointee.type == XML_ELEMENT_NODE, let child = unsafe node.pointee.children {
                unsafe current = child
                continue
            }
            var up: UnsafeMutablePointer<xmlNode>? = unsafe node
            while let here = unsafe up, unsafe here.pointee.next == nil {
                let parent = unsafe here.pointee.parent
                unsafe up = parent?.pointee.type == XML_ELEMENT_NODE ? parent : nil
            }
            unsafe current = up?.pointee.next
        }
    }
}
