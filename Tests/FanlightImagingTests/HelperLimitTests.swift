// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import FanlightMetadata
import Glibc
import Testing

@testable import FanlightImaging

@Suite("Limits of helpers")
struct HelperLimitTests {
    private let spool: FolderSpool

    init() throws {
        spool = FolderSpool()
    }

    private func pool(
        workers: Int = 1,
        timeout: Duration = .seconds(60),
        processorTime: Duration = .seconds(60),
        memory: Int = 1_000_000_000
    ) -> HelperPool {
        HelperPool(
            executable: HelperProgram.path,
            workers: workers,
            timeout: timeout,
            recycleAfter: 50,
            processorTime: processorTime,
            memory: memory,
            spool: spool
        )
    }

    private func prepare(_ pool: HelperPool, _ bytes: [UInt8], _ constraints: RenditionConstraints) async throws
        -> Rendition
    {
        let facts = try ImageReader.read(bytes, limits: ImageLimits())
        return try await pool.prepare(try spool.file(bytes), facts: facts, constraints: constraints)
    }

    private func text(_ path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        defer { _ = close(descriptor) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, unsafe read(descriptor, buffer.baseAddress, buffer.count))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A helper has no network, no files, no core and little else")
    func confinement() async throws {
        let pool = pool()
        defer { pool.shutdown() }
        let small = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        _ = try await prepare(pool, small, RenditionConstraints())
        let helper = try #require(pool.processIdentifiers.first)
        let status = text("/proc/\(helper)/status")
        #expect(status.contains("Seccomp:\t2"))
        #expect(status.contains("NoNewPrivs:\t1"))
        let limits = text("/proc/\(helper)/limits").split(separator: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true)
        }
        func soft(_ name: String) -> Substring? {
            limits.first { $0.joined(separator: " ").hasPrefix(name) }.flatMap { line in
                line.dropFirst(name.split(separator: " ").count).first
            }
        }
        #expect(soft("Max core file size") == "0")
        #expect(soft("Max open files") == "64")
        #expect(soft("Max file size") == "\(HelperAnswer.longestFile)")
        #expect(soft("Max address space").flatMap { Int($0) } != nil)
        #expect(soft("Max cpu time").flatMap { Int($0) } != nil)
    }

    @Test("Processor time is allowed anew for each request, by the file that is to be made")
    func processorTime() async throws {
        let pool = pool(processorTime: .seconds(100))
        defer { pool.shutdown() }
        let small = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        let facts = try ImageReader.read(small, limits: ImageLimits())
        for sets in [1, 3] {
            let wanted = (0..<sets).map { RenditionConstraints(maxEdge: 10 + $0) }
            _ = await pool.prepare(try spool.file(small), facts: facts, constraints: wanted)
            let helper = try #require(pool.processIdentifiers.first)
            let line = text("/proc/\(helper)/limits").split(separator: "\n").first { $0.hasPrefix("Max cpu time") }
            let seconds = line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) } ?? 0
            #expect((sets * 100...sets * 100 + 10).contains(seconds))
        }
    }

    @Test("A picture that needs too much memory ends in an error, and the next one works")
    func memory() async throws {
        let pool = pool(memory: 20_000_000)
        defer { pool.shutdown() }
        let large = Pictures.bitmap(uprightWidth: 4000, uprightHeight: 3000)
        await #expect(throws: ImageError.self) { try await prepare(pool, large, RenditionConstraints(maxEdge: 0)) }
        let small = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        #expect(try await prepare(pool, small, RenditionConstraints()).lane == .rotated)
    }

    @Test("A helper that is killed at its work costs no picture")
    func crashAtWork() async throws {
        let pool = pool(workers: 2)
        defer { pool.shutdown() }
        let noise = Pictures.noise(width: 1600, height: 1200)
        let large = RenditionConstraints(maxEdge: 0, format: .webp)
        let small = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        async let slow = prepare(pool, noise, large)
        while pool.busyIdentifiers.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        let victim = try #require(pool.busyIdentifiers.first)
        async let other = prepare(pool, small, RenditionConstraints())
        _ = kill(victim, SIGSEGV)
        #expect(try await slow.width == 1600)
        #expect(try await other.lane == .rotated)
        #expect(try await prepare(pool, small, RenditionConstraints()).lane == .rotated)
        #expect(!pool.processIdentifiers.contains(victim))
    }

    @Test("A helper that stands still is killed at its limit, and the next picture works")
    func standstill() async throws {
        let pool = pool(timeout: .milliseconds(1500))
        defer { pool.shutdown() }
        let small = try Pictures.jpeg(uprightWidth: 64, uprightHeight: 48, orientation: .right)
        _ = try await prepare(pool, small, RenditionConstraints())
        let helper = try #require(pool.processIdentifiers.first)
        _ = kill(helper, SIGSTOP)
        await #expect(throws: ImageError.processingFailed("the picture took too long")) {
            try await prepare(pool, small, RenditionConstraints())
        }
        #expect(!pool.processIdentifiers.contains(helper))
        #expect(kill(helper, 0) != 0)
    }
}
