// SPDX-License-Identifier: Apache-2.0

import FanlightAdapters
import FanlightConfiguration
import FanlightCore
import FanlightGateway
import Glibc

/// Puts a changed configuration in the place of the one before, or leaves everything as it is.
final class Reloader {
    private var loaded: LoadedConfiguration
    /// What the process was started with: keys that only a restart changes are compared with it.
    private let started: GatewayConfiguration
    private let running: RunningGateway
    private let observatory: Observatory
    private let url: String
    private var watch: FileWatch
    private let log: EventLog

    init(
        _ loaded: LoadedConfiguration,
        running: RunningGateway,
        observatory: Observatory,
        url: String,
        log: EventLog
    ) {
        self.loaded = loaded
        watch = loaded.watch
        started = loaded.configuration
        self.running = running
        self.observatory = observatory
        self.url = url
        self.log = log
    }

    /// The configuration in use.
    var configuration: GatewayConfiguration { loaded.configuration }

    /// True when somebody asked for a reload that has not been made.
    private var isAsked = false

    /// Reads everything again when a file has changed, once nobody writes one any more.
    func reloadIfChanged() {
        guard isAsked || watch.hasChanged, watch.isQuiet() else { return }
        isAsked = false
        reload()
    }

    /// Reads everything again, changed or not; at a later look where a file is being written just now.
    func reloadWhenQuiet() {
        isAsked = true
        reloadIfChanged()
    }

    /// Reads everything again; one log line tells what came of it.
    private func reload() {
        ServiceManager.tell("RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds())")
        defer { ServiceManager.tell("READY=1") }
        let files = FileWatch()
        var (next, diagnostics) = LoadedConfiguration.load(loaded.path, watch: files)
        if let losses = next.map({ Losses.findings(from: loaded, to: $0) }), !losses.isEmpty {
            diagnostics += losses
            next = nil
        }
        // One of the files that a broken configuration does not come to read may be what is mended.
        if next == nil { files.add(watch) }
        watch = files
        guard let next else {
            observatory.reloaded(isApplied: false)
            return write("error", "configuration refused; the one before stays in use", diagnostics)
        }
        let unchanged = next.fingerprints.filter { loaded.fingerprints[$0.key] == $0.value }
        running.change(
            to: next.settings(url: url),
            services: next.services,
            unchanged: Set(unchanged.keys)
        )
        observatory.setMinFree(next.configuration.server.minFree)
        observatory.reloaded(isApplied: true)
        loaded = next
        let names = RestartKeys.changed(from: started, to: next.configuration)
        write(
            names.isEmpty && diagnostics.isEmpty ? "info" : "warning",
            names.isEmpty ? "configuration reloaded" : "configuration reloaded; some keys need a restart",
            diagnostics,
            [
                .init("services", .int(next.services.count)),
                .init("services_on", .int(next.services.filter(\.enabled).count)),
                .init("services_changed", .int(next.services.count - unchanged.count)),
                .init("needs_restart", .array(names.map { .string($0) })),
            ]
        )
    }

    private func write(
        _ level: String,
        _ message: String,
        _ diagnostics: [Diagnostic],
        _ more: [JSONValue.Member] = []
    ) {
        log.write(ConfigurationLine.json(level, message, loaded.path, diagnostics, more))
    }

    private static func monotonicMicroseconds() -> Int64 {
        var time = timespec()
        // SAFETY: the structure lives through the call.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
