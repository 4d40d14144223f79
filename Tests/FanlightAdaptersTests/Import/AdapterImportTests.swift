// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import Testing

@Suite struct AdapterImportTests {
    static let rows = ImportRow.braces + ImportRow.bodies + ImportRow.dollars + ImportRow.legacy + ImportRow.picGo

    @Test(arguments: rows)
    func importedAdapterDoesTheSame(_ row: ImportRow) throws {
        let imported = try AdapterImport.read(row.bytes)
        #expect(imported.secrets.map(\.setting) == row.secrets)
        let remarks = zip(imported.remarks, row.remarks).map { $0.hasPrefix($1) }
        #expect(imported.remarks.count == row.remarks.count && remarks.allSatisfy(\.self), "\(imported.remarks)")
        for (_, secret) in imported.secrets { #expect(!imported.text.contains(secret)) }

        var catalogue = Catalogue.standard
        let (root, found) = YAMLReader.read(Array(imported.text.utf8), file: "imported.yaml")
        #expect(found == [])
        catalogue.add("imported", try #require(root))
        var yaml = "here: {adapter: imported"
        for (name, value) in imported.secrets + row.settings.map({ ($0.key, $0.value) }) {
            yaml += ", \(name): '\(value)'"
        }
        if root?["settings"]?["username"] != nil { yaml += ", username: ada" }
        let (service, messages) = Fixtures.compile(yaml + "}", catalogue: catalogue)
        #expect(messages == [])
        var run = DeliveryRun(service: try #require(service), context: Fixtures.context(options: row.options))
        guard case .send(let request, _) = run.handle(.start, now: 1_700_000_000) else {
            Issue.record("nothing is sent")
            return
        }
        #expect(ImportRow.lines(request) == row.request)
        let reply = HTTPReply(
            status: row.status,
            headers: row.replyHeaders,
            body: Array(row.reply.utf8),
            finalURL: request.url
        )
        guard case .finished(let result) = run.handle(.reply(reply), now: 1_700_000_001) else {
            Issue.record("not finished")
            return
        }
        #expect(ImportRow.lines(result) == row.result)
    }

    @Test(arguments: rows)
    func itsOwnTestsPass(_ row: ImportRow) throws {
        let imported = try AdapterImport.read(row.bytes, name: "mine")
        var catalogue = Catalogue.standard
        catalogue.add("mine", try #require(YAMLReader.read(Array(imported.text.utf8), file: "mine.yaml").root))
        let findings = AdapterTestRunner(catalogue: catalogue).run("mine")
        #expect(findings.count == 1)
        #expect(findings.flatMap(\.failures) == [])
    }

    @Test(arguments: ["\\r\\n", "\\n", "\\u0085", "\\u2028"])
    func remarksStayRemarks(_ end: String) throws {
        let known = #""Version": "13.0.0", "RequestURL": "https://a.example/", "FileFormName": "f""#
        let file = "{\(known), \"a\(end)injected: 1\": 1}"
        let imported = try AdapterImport.read(Array(file.utf8))
        #expect(imported.text.contains("injected"))
        let (root, found) = YAMLReader.read(Array(imported.text.utf8), file: "imported.yaml")
        #expect(found == [] && root?["url"] != nil && root?["injected: 1' is not known and was left out"] == nil)
        #expect(root?.entries.contains { $0.key.hasPrefix("injected") } == false)
    }

    @Test func thereAreThirtyDescriptions() { #expect(Self.rows.count >= 30) }

    @Test(arguments: [
        ("", "the file is no JSON"), ("[]", "no custom uploader"), ("{\"a\": 1}", "no custom uploader"),
        ("{\"RequestURL\": \"\"}", "RequestURL is empty"), ("{\"RequestURL\": }", "the file is no JSON"),
        ("{\"RequestURL\": \"https://a.example/\", \"Body\": \"JSON\", \"Data\": \"{\"}", "Data is no JSON"),
        ("{\"url\": \"nowhere\", \"paramName\": \"f\"}", "url is no address"),
        ("{\"url\": \"https://a.example\", \"paramName\": \"f\", \"customBody\": \"[1]\"}", "customBody is no object"),
        (
            "[{\"Name\": \"a\", \"RequestURL\": \"https://a.example/\"}, {\"Name\": \"b\", \"RequestURL\": \"https://b.example/\"}]",
            "the file has 2 uploaders; choose one with --name: a, b"
        ),
    ])
    func whatCannotBeReadIsExplained(_ text: String, _ message: String) {
        do {
            _ = try AdapterImport.read(Array(text.utf8))
            Issue.record("read")
        } catch {
            #expect(error.description.hasPrefix(message), "\(error.description)")
        }
    }

    @Test func oneOfSeveralIsChosenByName() throws {
        let text = """
            {"CustomUploadersList": [{"Name": "First One", "RequestURL": "https://a.example/", "FileFormName": "a"},
             {"Name": "b", "RequestURL": "https://b.example/", "FileFormName": "b"}]}
            """
        #expect(try AdapterImport.read(Array(text.utf8), name: "b").text.contains("https://b.example/"))
        #expect(try AdapterImport.read(Array(text.utf8), name: "first_one").text.contains("https://a.example/"))
    }

    @Test func wideTextIsRead() throws {
        let text = "{\"RequestURL\": \"https://a.example/é\", \"FileFormName\": \"f\"}"
        var little: [UInt8] = [0xFF, 0xFE]
        var big: [UInt8] = [0xFE, 0xFF]
        for unit in text.utf16 {
            little += [UInt8(unit & 0xFF), UInt8(unit >> 8)]
            big += [UInt8(unit >> 8), UInt8(unit & 0xFF)]
        }
        #expect(try AdapterImport.read(little).text == AdapterImport.read(big).text)
    }

    @Test func unknownFunctionsAndPathsAreRemarked() throws {
        let text = #"""
            {"Version": "15.0.0", "RequestURL": "https://a.example/", "Body": "MultipartFormData", "FileFormName": "f",
             "Weird": 1, "Arguments": {"a": "{nonsense:1}", "b": "{json:x}"}, "URL": "{json:$..url}",
             "ThumbnailURL": "{regex:(a|2}", "DeletionURL": "{outputbox:hello}"}
            """#
        let remarks = try AdapterImport.read(Array(text.utf8)).remarks
        for part in ["'Weird'", "'nonsense'", "b: {json} reads a reply", "$..url", "pattern", "outputbox"] {
            #expect(remarks.contains { $0.contains(part) }, "\(part): \(remarks)")
        }
    }
}
