// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Glibc
import Testing

@testable import FanlightImaging

@Suite("Pool of helpers")
struct HelperPoolTests {
    private let spool: FolderSpool

    init() throws {
        spool = FolderSpool()
    }

    private func pool(_ executable: String? = nil, workers: Int = 2, timeout: Duration = .seconds(60)) -> HelperPool {
        HelperPool(
            executable: executable ?? HelperProgram.path,
            workers: workers,
            timeout: timeout,
            recycleAfter: 50,
            spool: spool
        )
    }

    private func prepare(
        _ pool: HelperPool,
        _ bytes: [UInt8],
        _ constraints: RenditionConstraints = RenditionConstraints()
    ) async throws -> (rendition: Rendition, bytes: [UInt8], facts: ImageFacts) {
        let facts = try ImageReader.read(bytes, limits: ImageLimits())
        let rendition = try await pool.prepare(try spool.file(bytes), facts: facts, constraints: constraints)
        let made = try #require(rendition.file.readAll())
        let madeFacts = try ImageReader.read(made, limits: ImageLimits())
        #expect(madeFacts.mediaType == rendition.mediaType)
        #expect(madeFacts.uprightWidth == rendition.width)
        #expect(madeFacts.uprightHeight == rendition.height)
        return (rendition, made, madeFacts)
    }

    /// A program of a few lines in place of the helper.
    private func program(_ script: String) throws -> SpooledFile {
        let file = try spool.file(Array("#!/bin/sh\n\(script)\n".utf8))
        // A writable descriptor would keep the system from running the file.
        let path = file.path + ".sh"
        let copy = try #require(fopenedCopy(from: file, to: path))
        return copy
    }

    @Test("A program that is missing or does not answer is known before the first picture, and after it")
    func uselessProgram() async throws {
        #expect(pool().tryHelper())
        let missing = pool("/nonexistent/fanlight-imaging")
        #expect(!missing.tryHelper() && !missing.canPrepare())
        let file = try program("exit 127")
        let broken = pool(file.path)
        #expect(!broken.canPrepare() && !broken.tryHelper())
        let unasked = pool(file.path)
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        await #expect(throws: ImageError.self) { try await prepare(unasked, jpeg) }
        #expect(!unasked.canPrepare())
        #expect(unasked.helperCount == 0)
    }

    @Test("A program that vanishes, is replaced and comes back is told at once, whatever helpers are alive")
    func vanishingProgram() async throws {
        let path = try spool.file([0]).path + "-helper"
        // SAFETY: strings that live through the calls.
        try #require(unsafe symlink(HelperProgram.path, path) == 0)
        defer { _ = unsafe unlink(path) }
        let pool = pool(path)
        #expect(pool.canPrepare())
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        _ = try await prepare(pool, jpeg)
        #expect(pool.helperCount == 1 && pool.canPrepare())
        _ = unsafe unlink(path)
        #expect(pool.helperCount == 1 && !pool.canPrepare())
        try #require(unsafe symlink(try program("exit 127").path, path) == 0)
        #expect(!pool.canPrepare())
        _ = unsafe unlink(path)
        try #require(unsafe symlink(HelperProgram.path, path) == 0)
        #expect(pool.canPrepare())
    }

    private func fopenedCopy(from file: SpooledFile, to path: String) -> SpooledFile? {
        guard let bytes = file.readAll() else { return nil }
        let writer = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
        let written = unsafe bytes.withUnsafeBytes { unsafe write(writer, $0.baseAddress, $0.count) }
        _ = close(writer)
        guard written == bytes.count else { return nil }
        return SpooledFile(path: path, descriptor: unsafe open(path, O_RDONLY | O_CLOEXEC), size: bytes.count)
    }

    @Test("Every orientation comes out upright, whatever the size", arguments: Orientation.allCases)
    func orientations(orientation: Orientation) async throws {
        let pool = pool()
        defer { pool.shutdown() }
        for (width, height) in [(64, 48), (67, 45)] {
            let jpeg = try Pictures.jpeg(uprightWidth: width, uprightHeight: height, orientation: orientation)
            let made = try await prepare(pool, jpeg)
            #expect(made.rendition.mediaType == .jpeg)
            #expect(made.facts.orientation == .upright)
            #expect(made.facts.geotag == nil)
            let found = try Pictures.quarters(made.bytes, .jpeg)
            #expect(found.width == width)
            #expect(found.height == height)
            #expect(found.names == [0, 1, 2, 3])
            let isExact = width == 64 || orientation == .transposed
            let lane: Lane = orientation == .upright ? .stripped : isExact ? .rotated : .resized
            #expect(made.rendition.lane == lane)
        }
    }

    @Test("The position leaves in no lane")
    func position() async throws {
        let pool = pool()
        defer { pool.shutdown() }
        for orientation in [Orientation.upright, .right] {
            for edge in [0, 100] {
                let jpeg = try Pictures.jpeg(uprightWidth: 320, uprightHeight: 160, orientation: orientation)
                #expect(try ImageReader.read(jpeg, limits: ImageLimits()).geotag != nil)
                let made = try await prepare(pool, jpeg, RenditionConstraints(maxEdge: edge))
                #expect(made.facts.geotag == nil)
                #expect(!String(decoding: made.bytes, as: UTF8.self).contains("Exif"))
                #expect(made.rendition.width == (edge == 0 ? 320 : 100))
            }
        }
    }

    @Test("Untouched is the very same file, and starts no helper")
    func untouched() async throws {
        let pool = pool()
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .upright)
        let file = try spool.file(jpeg)
        let facts = try ImageReader.read(jpeg, limits: ImageLimits())
        let made = try await pool.prepare(file, facts: facts, constraints: RenditionConstraints(metadata: .keep))
        #expect(made.file === file)
        #expect(made.lane == .untouched)
        #expect(pool.processIdentifiers.isEmpty)
    }

    @Test("Bitmaps are converted", arguments: [MediaType.jpeg, .png, .webp])
    func bitmap(output: MediaType) async throws {
        let pool = pool()
        defer { pool.shutdown() }
        let bitmap = Pictures.bitmap(uprightWidth: 67, uprightHeight: 45)
        let made = try await prepare(pool, bitmap, RenditionConstraints(formats: [output]))
        #expect(made.rendition.lane == .converted)
        #expect(made.rendition.mediaType == output)
        #expect(try Pictures.quarters(made.bytes, output).names == [0, 1, 2, 3])
    }

    @Test("A byte limit holds")
    func byteLimit() async throws {
        let pool = pool()
        defer { pool.shutdown() }
        let jpeg = try Pictures.encode(Pictures.noise(width: 600, height: 400), as: .jpeg, quality: 98)
        let made = try await prepare(pool, jpeg, RenditionConstraints(maxBytes: 30_000))
        #expect(made.rendition.file.size <= 30_000)
        await #expect(throws: ImageError.self) {
            try await prepare(pool, jpeg, RenditionConstraints(maxBytes: 20))
        }
    }

    @Test("A killed helper is replaced")
    func crashBetween() async throws {
        let pool = pool(workers: 1)
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        _ = try await prepare(pool, jpeg)
        let first = try #require(pool.processIdentifiers.first)
        _ = kill(first, SIGSEGV)
        let made = try await prepare(pool, jpeg)
        #expect(made.rendition.lane == .rotated)
        #expect(pool.processIdentifiers.first != first)
    }

    @Test("Helpers that die together cost no picture")
    func crashOfAll() async throws {
        let pool = pool(workers: 2)
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 640, uprightHeight: 481, orientation: .right)
        for _ in 0..<50 where pool.processIdentifiers.count < 2 {
            async let one = prepare(pool, jpeg)
            async let other = prepare(pool, jpeg)
            _ = try await (one, other)
        }
        let helpers = pool.processIdentifiers
        try #require(helpers.count == 2)
        for helper in helpers { _ = kill(helper, SIGKILL) }
        #expect(try await prepare(pool, jpeg).rendition.width == 640)
        #expect(Set(pool.processIdentifiers).isDisjoint(with: helpers))
    }

    @Test("A helper that crashes each time costs a clear error after one retry")
    func crashAlways() async throws {
        let script = try program("dd bs=65536 count=1 >/dev/null 2>&1; kill -SEGV $$")
        let pool = pool(script.path, workers: 1)
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        await #expect(throws: ImageError.processingFailed("the decoding process ended early (signal 11)")) {
            try await prepare(pool, jpeg)
        }
    }

    @Test("A decoder that spins is killed when its processor time is over")
    func spinning() async throws {
        let script = try program("dd bs=65536 count=1 >/dev/null 2>&1; ulimit -S -t 1; while :; do :; done")
        let pool = pool(script.path, workers: 1, timeout: .seconds(120))
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        await #expect(throws: ImageError.processingFailed("the picture took too much processor time")) {
            try await prepare(pool, jpeg)
        }
        #expect(pool.processIdentifiers.isEmpty)
    }

    @Test("A helper gets no descriptor of the gateway")
    func descriptors() async throws {
        let open = fcntl(0, F_DUPFD, 77)
        defer { _ = close(open) }
        try #require(open >= 77)
        let pool = pool(workers: 1)
        defer { pool.shutdown() }
        _ = try await prepare(pool, try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right))
        let helper = try #require(pool.processIdentifiers.first)
        #expect(unsafe access("/proc/\(helper)/fd", X_OK) == 0)
        #expect(unsafe access("/proc/\(helper)/fd/\(open)", F_OK) != 0)
    }

    @Test("A helper that hangs is killed in time")
    func hang() async throws {
        let script = try program("exec sleep 60")
        let pool = pool(script.path, workers: 1, timeout: .milliseconds(200))
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        let start = ContinuousClock.now
        await #expect(throws: ImageError.processingFailed("the picture took too long")) {
            try await prepare(pool, jpeg)
        }
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(pool.processIdentifiers.isEmpty)
    }

    @Test("A helper that hangs over many files is not waited for as long as they would take together")
    func hangOverMany() async throws {
        let script = try program("exec sleep 60")
        let pool = pool(script.path, workers: 1, timeout: .seconds(2))
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        let facts = try ImageReader.read(jpeg, limits: ImageLimits())
        let sets = (0..<20).map { RenditionConstraints(maxEdge: 10 + $0) }
        let start = ContinuousClock.now
        let made = await pool.prepare(try spool.file(jpeg), facts: facts, constraints: sets)
        #expect(ContinuousClock.now - start < .seconds(30))
        for failed in made {
            #expect(throws: ImageError.processingFailed("the picture took too long")) { try failed.get() }
        }
    }

    @Test(
        "A helper that answers nonsense is not believed",
        arguments: [
            "echo hello", "printf '1\\tmade\\t0\\t-5\\t0\\t0'", "printf '1\\tmade\\t0\\t5\\t0\\t0'",
            "printf '1\\tsame\\t0\\t0'", "printf '1\\tend\\t1'", "yes",
        ]
    )
    func nonsense(answer: String) async throws {
        let script = try program("dd bs=65536 count=1 >/dev/null 2>&1; \(answer); sleep 1")
        let pool = pool(script.path, workers: 1, timeout: .seconds(20))
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        await #expect(throws: ImageError.processingFailed("the decoding process gave no sensible answer")) {
            try await prepare(pool, jpeg)
        }
    }

    @Test("Without a helper program and after a shutdown there are clear errors")
    func unavailable() async throws {
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        let missing = pool("/nowhere/fanlight-imaging")
        await #expect(throws: ImageError.unavailable("the decoding process cannot be started")) {
            try await prepare(missing, jpeg)
        }
        missing.shutdown()
        await #expect(throws: ImageError.self) { try await prepare(missing, jpeg) }
    }

    @Test("A shutdown wakes a picture that waits for its helper")
    func shutdownUnderWay() async throws {
        let script = try program("exec sleep 60")
        let pool = pool(script.path, workers: 1)
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        async let waiting: Void = {
            await #expect(throws: ImageError.self) { try await prepare(pool, jpeg) }
        }()
        while pool.processIdentifiers.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        pool.shutdown()
        await waiting
        #expect(pool.processIdentifiers.isEmpty)
    }

    @Test("Many pictures at once share few helpers")
    func many() async throws {
        let pool = pool(workers: 2)
        defer { pool.shutdown() }
        let jpeg = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        try await withThrowingTaskGroup(of: Lane.self) { group in
            for _ in 0..<20 { group.addTask { try await prepare(pool, jpeg).rendition.lane } }
            for try await lane in group { #expect(lane == .rotated) }
        }
        #expect(pool.processIdentifiers.count <= 2)
    }
}
