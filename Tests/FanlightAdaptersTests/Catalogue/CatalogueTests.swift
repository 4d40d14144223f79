// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import Testing

@Suite struct CatalogueTests {
    @Test func embeddedFilesAreValid() {
        let (catalogue, diagnostics) = Catalogue.embedded()
        #expect(diagnostics.isEmpty)
        #expect(catalogue.names.count >= 4)
    }

    @Test(arguments: Catalogue.standard.names)
    func everyTestOfAnAdapterPasses(_ name: String) {
        let findings = AdapterTestRunner(catalogue: .standard).run(name)
        #expect(!findings.isEmpty)
        for finding in findings {
            #expect(finding.failures == [], "\(finding.adapter): \(finding.test)")
        }
    }

    @Test(arguments: Catalogue.standard.names)
    func everyAdapterNamesItsSources(_ name: String) {
        let sources = Catalogue.standard[name]?["sources"]?.items ?? []
        #expect(!sources.isEmpty)
        for source in sources {
            #expect(source["fact"]?.text != nil)
            #expect(source["date"]?.text != nil)
        }
    }

    @Test func aWrongExpectationFails() {
        let text = """
            url: https://img.example.org/
            tests:
              - name: wrong
                request: {url: "https://other.example.org/", file: {field: photo}}
                reply: {body: "nothing"}
                result: {link: "https://img.example.org/a.jpg"}
            """
        var catalogue = Catalogue.standard
        guard let node = YAMLReader.read(Array(text.utf8), file: "mine.yaml").root else {
            Issue.record("no node")
            return
        }
        catalogue.add("mine", node)
        let findings = AdapterTestRunner(catalogue: catalogue).run("mine")
        #expect(findings.count == 1)
        #expect(findings[0].failures.count == 3)
    }

    @Test func anAdapterWithoutTestsFails() {
        var catalogue = Catalogue()
        catalogue.add("mine", Node(.mapping([]), at: SourcePosition(file: "mine.yaml", line: 1, column: 1)))
        #expect(AdapterTestRunner(catalogue: catalogue).run("mine").map(\.passed) == [false])
    }
}
