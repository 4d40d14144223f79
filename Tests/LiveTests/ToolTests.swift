// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Foundation
import Testing

/// The commands that need no gateway, as people run them.
@Suite struct ToolTests {
    /// A folder that goes when the test ends.
    private final class Folder {
        let path: String

        init(_ files: [String: String] = [:]) throws {
            path = NSTemporaryDirectory() + "fanlight-tools-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            for (name, text) in files { try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8) }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func json(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    // MARK: test

    @Test func theCatalogueIsTested() throws {
        let run = try CommandRun(["test"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasPrefix("SERVICE"))
        #expect(run.output.contains(", 0 failed\n"))
    }

    private static let adapter = """
        url: https://img.example.org/up
        file: image
        link: $.url
        tests:
          - name: works
            request: {url: "https://img.example.org/up", file: {field: image}}
            reply: {body: '{"url":"https://img.example.org/1.jpg"}'}
            result: {link: "https://img.example.org/1.jpg"}
        """

    @Test func ownFilesAreTested() throws {
        let folder = try Folder([
            "good.yaml": Self.adapter,
            "config.yaml": "services:\n  mine:\n" + Self.adapter.split(separator: "\n").map { "    \($0)\n" }.joined(),
        ])
        let run = try CommandRun(["test", "good.yaml", "config.yaml"], in: folder.path)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.hasSuffix("2 adapters, 2 tests, 0 failed\n"))
    }

    @Test func aFailedTestIsShownAtItsPlace() throws {
        let folder = try Folder([
            "bad.yaml": Self.adapter.replacingOccurrences(of: "field: image", with: "field: picture")
        ])
        let run = try CommandRun(["test", "bad.yaml"], in: folder.path)
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("bad.yaml:5:5: error: bad: works: file: expected 'picture: picture.jpg"))
        let value = try Self.json(try CommandRun(["test", "--format", "json", "bad.yaml"], in: folder.path).output)
        #expect(value["failed"]?.int == 1)
        #expect(value["adapters"]?[0]?["failures"]?[0]?["line"]?.int == 5)
    }

    @Test(arguments: [
        ("url: https://img.example.org/\n", "no tests"), ("url: [", "error"), ("services: {}\n", "nothing to test"),
        (ToolTests.adapter + "\nlnik: x", "unknown key 'lnik'"),
    ])
    func whatCannotBeTestedFails(_ text: String, _ part: String) throws {
        let folder = try Folder(["mine.yaml": text])
        let run = try CommandRun(["test", "mine.yaml"], in: folder.path)
        #expect(run.status == 1)
        #expect(run.errors.contains(part), "\(run.errors)")
    }

    // MARK: explain

    @Test func explainShowsTheRequestWithoutSecrets() throws {
        let config = """
            image: {max_edge: 400}
            services:
              mine:
                url: https://img.example.org/up?key=topsecret99
                file: image
                options: {album: {type: text}}
                auth: {type: basic, username: ada, password: lovelace-1}
                headers: {X-Token: '${env:TOOL_TOKEN}'}
                fields: {title: '${title}', lat: '${lat|fixed:3}', album: '${option.album}'}
                limits: {formats: [png]}
            """
        let folder = try Folder(["config.yaml": config])
        #expect(try CommandRun(["sandbox", "--make-photo", folder.path + "/p.jpg"]).status == 0)
        let words = ["explain", "--service", "mine", "--title", "Sea", "--option", "album=7", "p.jpg"]
        let run = try CommandRun(words, in: folder.path, environment: ["TOOL_TOKEN": "token-from-outside"])
        #expect(run.status == 0, "\(run.errors)")
        for part in [
            "image/jpeg 1600x1200, orientation 6", "48.2082, 16.3738 (exif)", "image/png 300x400", "lane converted",
            "formats png (limits.formats of mine)", "at most 400 pixels an edge (image.max_edge)",
            "POST https://img.example.org/up?key=***", "Authorization: Basic ***", "X-Token: ***", "title = Sea",
            "lat = 48.208", "album = 7", "Nothing was sent.",
        ] {
            #expect(run.output.contains(part), "\(part): \(run.output)")
        }
        for secret in ["topsecret99", "lovelace-1", "token-from-outside", "YWRhOmxvdmVsYWNlLTE="] {
            #expect(!(run.output + run.errors).contains(secret))
        }
        let other = try CommandRun(words + ["--format", "json"], in: folder.path, environment: ["TOOL_TOKEN": "abcd"])
        let value = try Self.json(other.output)
        #expect(value["rendition"]?["lane"] == "converted")
        #expect(value["steps"]?[0]?["method"] == "POST")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["config.yaml", "p.jpg"])
    }

    @Test(arguments: [
        (["explain", "config.yaml"], 2, "--service"),
        (["explain", "--service", "mien", "config.yaml"], 1, "did you mean mine"),
        (["explain", "--service", "mine", "config.yaml"], 1, "JPEG"),
        (["explain", "--service", "mine", "--option", "a=b", "config.yaml"], 2, "no option a"),
        (["explain", "--service", "mine", "--latitude", "91", "--longitude", "0", "config.yaml"], 1, "-90 to 90"),
    ])
    func explainRefusesWithReasons(_ words: [String], _ status: Int32, _ part: String) throws {
        let folder = try Folder(["config.yaml": "services: {mine: {url: 'https://img.example.org/'}}"])
        let run = try CommandRun(words, in: folder.path)
        #expect(run.status == status)
        #expect(run.errors.contains(part), "\(run.errors)")
    }

    // MARK: import, schema, check, help

    @Test func importWritesAnAdapterThatPasses() throws {
        let descriptor = """
            {"Version": "15.0.0", "Name": "My host", "RequestURL": "https://img.example.org/u", "Body": "MultipartFormData",
             "Headers": {"X-Key": "sesame-1"}, "FileFormName": "f", "URL": "{json:url}", "Odd": 1}
            """
        let folder = try Folder()
        let piped = try CommandRun(["import", "-"], input: descriptor, in: folder.path)
        #expect(piped.status == 0)
        #expect(piped.output.contains("file: f") && !piped.output.contains("sesame-1"))
        #expect(piped.errors.contains("'Odd' is not known") && piped.errors.contains("'x_key' in config.yaml"))
        let run = try CommandRun(["import", "--output", "mine.yaml", "-"], input: descriptor, in: folder.path)
        #expect(run.status == 0 && run.output.isEmpty)
        #expect(try CommandRun(["test", "mine.yaml"], in: folder.path).status == 0)
        #expect(try CommandRun(["import", "-"], input: "{}").status == 1)
        #expect(try CommandRun(["import"]).status == 2)
    }

    @Test func schemasAreJSON() throws {
        for name in ["config", "adapter"] {
            let value = try Self.json(try CommandRun(["schema", name]).output)
            #expect(value["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        }
        #expect(try CommandRun(["schema", "other"]).status == 2)
    }

    @Test("An adapter file that is no mapping is told at its place", arguments: ["[1]\n", "hello\n"])
    func adapterFileWithoutKeys(text: String) throws {
        let folder = NSTemporaryDirectory() + "fanlight-tool-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/adapters", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try text.write(toFile: folder + "/adapters/y.yaml", atomically: true, encoding: .utf8)
        let yaml = "adapter_files: \(folder)/adapters\nservices: {a: {adapter: local, folder: \(folder)/album}}\n"
        try yaml.write(toFile: folder + "/config.yaml", atomically: true, encoding: .utf8)
        let run = try CommandRun(["check", "--config", folder + "/config.yaml"])
        #expect(run.status == 1)
        #expect(run.errors.contains("y.yaml:1:1: error: an adapter is a mapping of keys"), "\(run.errors)")
    }

    @Test func checkAnswersPrograms() throws {
        let folder = try Folder(["config.yaml": "servces: {}\nimage: {quality: 0}\n"])
        let run = try CommandRun(["check", "--format", "json"], in: folder.path)
        #expect(run.status == 1)
        let value = try Self.json(run.output)
        #expect(value["valid"] == false)
        #expect(value["errors"]?.int == 2)
        #expect(value["findings"]?[0]?["line"]?.int == 1)
        #expect(value["findings"]?[1]?["column"]?.int == 18)
    }

    @Test func everyCommandHasAPage() throws {
        let list = try CommandRun(["help"]).output.split(separator: "\n").filter { $0.hasPrefix("  ") }
        let names = list.compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(names.count >= 12)
        for name in names {
            let page = try CommandRun(["help", name])
            #expect(page.status == 0)
            #expect(page.output.contains("Usage: fanlight \(name)") && page.output.contains("Exit status:"), "\(name)")
            #expect(page.output.contains("Examples:"), "\(name)")
            #expect(try CommandRun([name, "--help"]).output == page.output || name == "help", "\(name)")
        }
        #expect(try CommandRun(["help", "nothing"]).status == 2)
        #expect(try CommandRun(["nothing"]).status == 2)
        #expect(try CommandRun([]).status == 2)
    }
}
