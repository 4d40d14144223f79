// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightTestSupport
import Testing

@testable import FanlightGateway

@Suite("/openapi.json")
struct DescriptionTests {
    private static let document = InterfaceDescription.document(version: "1", hasKeys: true)

    @Test("Every path and method of the interface is described, and answers", arguments: InterfacePath.allCases)
    func paths(path: InterfacePath) async throws {
        let bench = try Bench(script: Bench.delivers)
        await bench.gateway.start()
        let id = await bench.post().id
        let concrete = path.rawValue.replacing("{id}", with: id).replacing("{name}", with: "none.jpg")
        let described = try #require(Self.document["paths"]?[path.rawValue])
        for method in path.methods {
            let operation = try #require(described[method.lowercased()])
            #expect(operation["operationId"]?.string != nil && operation["responses"] != nil, "\(method) \(path)")
            let answer = await bench.send(method, concrete)
            #expect(
                answer.status != 405
                    && answer.body["detail"]?.string?.hasPrefix("There is nothing at this path") != true
            )
            #expect(operation["responses"]?[String(answer.status)] != nil, "\(method) \(path): \(answer.status)")
        }
        let refused = await bench.send("PATCH", concrete)
        #expect(refused.status == 405)
        let allowed = Set((refused.header("Allow") ?? "").split(separator: ", ").map(String.init))
        #expect(allowed.subtracting(["HEAD"]) == Set(path.methods))
    }

    @Test("Every reference leads somewhere, and no list is left open")
    func references() {
        func walk(_ value: JSONValue) {
            switch value {
            case .object(let members):
                for member in members {
                    if member.name == "$ref", let text = member.value.string {
                        let target = text.split(separator: "/").dropFirst().reduce(Self.document as JSONValue?) {
                            $0?[String($1)]
                        }
                        #expect(target != nil && target != .null, "\(text)")
                    }
                    walk(member.value)
                }
            case .array(let items): for item in items { walk(item) }
            case .string(let text): #expect(!text.hasPrefix("@"), "\(text)")
            default: break
            }
        }
        walk(Self.document)
        #expect(Self.document["components"]?["schemas"]?["Report"] != nil)
    }

    @Test("Every problem code is in the document")
    func codes() {
        let codes = Self.document["components"]?["schemas"]?["Problem"]?["properties"]?["code"]?["enum"]?.array
        let names = Set((codes ?? []).compactMap(\.string))
        #expect(names.isSuperset(of: Problem.Code.allCases.map(\.rawValue)))
    }

    @Test("Keys are asked for below /v1 where there are some, and only there")
    func keys() {
        for (hasKeys, path, isAsked) in [
            (true, "/v1/uploads", true), (true, "/healthz", false), (false, "/v1/uploads", false),
        ] {
            let document = InterfaceDescription.document(version: "1", hasKeys: hasKeys)
            #expect((document["paths"]?[path]?["get"]?["security"] != nil) == isAsked)
        }
    }

    @Test("Reports and problems have the members that their schemas list")
    func members() async throws {
        let bench = try Bench(["a"]) { request throws(TransportError) in
            HTTPReply(status: 401, headers: [], body: [], finalURL: request.url)
        }
        let schemas = Self.document["components"]?["schemas"]
        func names(_ value: JSONValue?) -> Set<String> {
            guard case .object(let members)? = value else { return [] }
            return Set(members.map(\.name))
        }
        let report = await bench.post().body
        #expect(names(report) == names(schemas?["Report"]?["properties"]))
        let entry = report["deliveries"]?.array?.first
        #expect(names(entry) == names(schemas?["Delivery"]?["properties"]))
        #expect(names(entry?["error"]) == names(schemas?["Failure"]?["properties"]))
        #expect(names(entry?["rendition"]) == names(schemas?["Rendition"]?["properties"]))
        #expect(names(report["image"]) == names(schemas?["Image"]?["properties"]))
        let problem = await bench.send("GET", "/v1/uploads/none").body
        #expect(names(problem).isSubset(of: names(schemas?["Problem"]?["properties"])))
    }
}
