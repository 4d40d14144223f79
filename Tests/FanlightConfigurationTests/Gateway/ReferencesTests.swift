// SPDX-License-Identifier: Apache-2.0

import FanlightConfiguration
import FanlightCore
import Testing

@Suite struct ReferencesTests {
    static let references = References(
        variable: { ["NAME": "value", "EMPTY": ""][$0] },
        file: { ["/run/key": "secret-0123456789\n", "/run/empty": "\r\n\n", "/run/nul": "a\u{0}b\n"][$0] }
    )

    @Test(
        arguments: [
            ("plain", "plain"), ("${env:NAME}", "value"), ("a${env:NAME}b${env:NAME}", "avaluebvalue"),
            ("${env:EMPTY:-x}", "x"), ("${env:NONE:-http://h:1/}", "http://h:1/"), ("${env:NONE:-}", ""),
            ("${env:NAME:-x}", "value"),
            ("${file:/run/key}", "secret-0123456789"), ("${setting.a} ${option.b}", "${setting.a} ${option.b}"),
            ("$${env:NAME}", "$value"),
            ("${env:NAME", "${env:NAME"), ("100 $", "100 $"),
        ]
    )
    func resolves(_ text: String, _ value: String) throws {
        var problems: [References.Problem] = []
        #expect(Self.references.resolve(text, problems: &problems) == value)
        #expect(References.none.resolve(text, problems: &problems) == text)
        #expect(problems.isEmpty)
    }

    @Test(arguments: [
        ("${env:NONE}", ["the environment variable NONE to be set"]),
        ("${env:EMPTY}", ["the environment variable EMPTY to be set"]),
        ("${file:/no}", ["the file /no to be a regular file that can be read"]),
        ("${file:/run/empty}", ["the file /run/empty not to be empty"]),
        (
            "${env:NONE:-${env:OTHER}}",
            ["plain text after :-, for references cannot stand inside each other"]
        ),
        ("${file:/run/nul}", ["the file /run/nul to hold text without NUL"]),
        (
            "${env:NONE}-${file:/no}-${env:NONE}-${env:OTHER}",
            [
                "the environment variable NONE to be set", "the file /no to be a regular file that can be read",
                "the environment variable OTHER to be set",
            ]
        ),
    ])
    func saysEverythingThatIsMissing(_ text: String, _ expected: [String]) {
        let (_, findings) = decode("server:\n  state: '\(text)'\n", references: Self.references)
        #expect(findings.filter { $0.contains("server") } == expected.map { "2:10: server.state: expected \($0)" })
    }

    @Test func everyItemOfAListIsReportedAtItsPlace() {
        let text =
            "server:\n  cors:\n    - '${env:NONE}'\n    - https://a.example\n    - '${file:/no}'\n"
            + "  client_keys:\n    - '${env:NONE}${env:OTHER}'\n"
        let (_, findings) = decode(text, references: Self.references)
        #expect(
            findings.filter { $0.contains("server") } == [
                "3:7: server.cors: expected the environment variable NONE to be set",
                "5:7: server.cors: expected the file /no to be a regular file that can be read",
                "7:7: server.client_keys: expected the environment variable NONE to be set",
                "7:7: server.client_keys: expected the environment variable OTHER to be set",
            ]
        )
    }

    @Test func resolvesWholeNodesAndKeepsAnEmptyResultText() throws {
        let (root, _) = YAMLReader.read(Array("a: [x, '${env:NAME}']\nb: {c: '${env:EMPTY:-}'}\n".utf8), file: "c")
        var findings: [References.Finding] = []
        let node = Self.references.resolve(try #require(root), findings: &findings)
        #expect(findings.isEmpty)
        #expect(node["a"]?.items.map(\.text) == ["x", "value"])
        #expect(node["b"]?["c"]?.text?.isEmpty == true)
    }

    @Test func leavesServicesAloneAndResolvesTheRest() throws {
        let (decoded, findings) = decode(
            "adapter_files: ./${env:NAME}\nservices: {a: {x: '${env:NONE}'}}\nserver: {client_keys: ['${file:/run/key}']}\n",
            references: Self.references
        )
        let configuration = try #require(decoded)
        #expect(findings.isEmpty)
        #expect(configuration.adapterFiles == "./value")
        #expect(configuration.services[0].node["x"]?.text == "${env:NONE}")
        #expect(configuration.server.clientKeys.map(\.key?.value) == ["secret-0123456789"])
        #expect(!"\(configuration.server)".contains("secret"))
    }

    @Test func reportsWhatIsMissingInTheServerSection() {
        let (configuration, findings) = decode(
            "services: {a: {x: '${env:NONE}'}}\nserver:\n  listen: 0.0.0.0:${env:PORT:-80}\n  public_url: ${env:NONE}\n",
            references: Self.references
        )
        #expect(configuration == nil)
        #expect(findings == ["4:15: server.public_url: expected the environment variable NONE to be set"])
    }
}
