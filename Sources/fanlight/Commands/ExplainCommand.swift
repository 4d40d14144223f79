// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightGateway
import FanlightImaging
import FanlightMetadata
import Glibc

/// `fanlight explain`: shows what would be sent for a picture, and sends nothing.
enum ExplainCommand {
    private static let captions = ["--title", "--description", "--message", "--alt", "--tags"]
    private static let places = ["--latitude", "--longitude", "--altitude"]

    static func run(_ arguments: [String]) async throws {
        let known = ["--service", "--config", "--format", "--option", "--field"] + captions + places
        let parsed = try Arguments(arguments, options: known)
        let format = try OutputFormat.of(parsed)
        guard parsed.words.count == 1, let path = parsed.words.first else { throw UsageError("explain takes one FILE") }
        guard let name = parsed.options["--service"] else { throw UsageError("explain wants --service NAME") }
        let loaded = try LoadedConfiguration.loadOrFail(LoadedConfiguration.path(parsed))
        guard let service = loaded.services.first(where: { $0.name == name }) else {
            let names = loaded.services.map(\.name)
            let hint =
                NearestName.of(name, among: names).map { "; did you mean \($0)?" }
                ?? "; there are: \(names.joined(separator: ", "))"
            throw CommandFailure("\(loaded.path) has no service \(name)\(hint)")
        }
        let upload = try UploadChoices(fields(parsed, service: service))
        let folder = Environment.value("TMPDIR") ?? "/tmp"
        let spoolFolder = "\(folder)/fanlight-explain-\(getpid())"
        defer { Files.removeFolder(spoolFolder) }
        let explanation = try await explain(service, loaded, upload, path: path, spoolFolder: spoolFolder)
        switch format {
        case .text: for line in explanation.lines { Console.out(line) }
        case .json: Console.out(explanation.json.serialized(pretty: true))
        }
        if let failure = explanation.failure { throw CommandFailure("\(name) could not take it: \(failure)") }
    }

    /// The command line as the fields of an upload.
    private static func fields(_ parsed: Arguments, service: CompiledService) throws(UsageError) -> [HTTPField] {
        var fields: [HTTPField] = []
        for (option, value) in parsed.values {
            switch option {
            case "--option", "--field":
                let halves = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
                    String.init
                )
                guard halves.count == 2, !halves[0].isEmpty else { throw UsageError("\(option) wants NAME=VALUE") }
                if option == "--field" {
                    fields.append(HTTPField(halves[0], halves[1]))
                    continue
                }
                guard service.options.contains(where: { $0.name == halves[0] }) else {
                    let names = service.options.map(\.name)
                    let all = names.isEmpty ? "it has none" : "it has: " + names.joined(separator: ", ")
                    throw UsageError("\(service.name) has no option \(halves[0]); \(all)")
                }
                fields.append(HTTPField("option.\(service.name).\(halves[0])", halves[1]))
            case _ where (captions + places).contains(option):
                fields.append(HTTPField(String(option.dropFirst(2)), value))
            default: continue
            }
        }
        return fields
    }

    private static func explain(
        _ service: CompiledService,
        _ loaded: LoadedConfiguration,
        _ upload: UploadChoices,
        path: String,
        spoolFolder: String
    ) async throws -> Explanation {
        guard let bytes = Files.read(path) else { throw CommandFailure("cannot read \(path)") }
        let facts: ImageFacts
        do throws(ImageError) {
            facts = try ImageReader.read(bytes, limits: loaded.configuration.image.limits)
        } catch {
            throw CommandFailure("\(path): \(Problem(error).detail)")
        }
        guard let spool = DiskSpool(folder: spoolFolder), let writer = spool.create() else {
            throw CommandFailure("cannot write below \(spoolFolder); set TMPDIR to a folder that can be written")
        }
        // SAFETY: the array lives through the call.
        guard unsafe bytes.withUnsafeBytes({ unsafe writer.append($0) }), let source = writer.finish() else {
            throw CommandFailure("cannot write below \(spoolFolder)")
        }
        let base = loaded.configuration.image.constraints
        let images = HelperPool(
            executable: Files.sibling("fanlight-imaging"),
            workers: 1,
            timeout: .seconds(30),
            recycleAfter: 10,
            spool: spool
        )
        defer { images.shutdown() }
        let constraints = service.constraints.applied(to: base)
        var explanation = Explanation(service: service, facts: facts, bytes: bytes.count, constraints: constraints)
        explanation.geotag = upload.geotag ?? facts.geotag
        explanation.notes = ConstraintNotes.of(service, base: base)
        let rendition: Rendition
        do throws(ImageError) {
            rendition = try await images.prepare(source, facts: facts, constraints: constraints)
        } catch {
            explanation.failure = Problem(error).detail
            return explanation
        }
        explanation.rendition = rendition
        explanation.rehearse(context(service, loaded, upload, facts, explanation.geotag, rendition))
        return explanation
    }

    private static func context(
        _ service: CompiledService,
        _ loaded: LoadedConfiguration,
        _ upload: UploadChoices,
        _ facts: ImageFacts,
        _ geotag: Geotag?,
        _ rendition: Rendition
    ) -> DeliveryContext {
        let identity = Identity.system
        let id = identity.uploadID()
        let server = loaded.configuration.server
        return DeliveryContext(
            caption: upload.caption,
            geotag: geotag,
            takenAt: facts.takenAt,
            rendition: rendition,
            options: upload.options[service.name] ?? [:],
            uploadID: id,
            idempotencyKey: id + "." + service.name,
            uuid: identity.uploadID(),
            now: Int(identity.now() / 1_000),
            publicURL: server.publicURL ?? "http://\(server.listen.urlHost):\(server.listen.port)"
        )
    }
}
