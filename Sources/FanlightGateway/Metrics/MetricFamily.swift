// SPDX-License-Identifier: Apache-2.0

/// Every metric of the gateway, described once: the text at `/metrics` and its reference read this.
///
/// Labels are bounded: names of configured services, closed lists of outcomes, lanes, routes and reasons. Nothing that a
/// client or a service sends becomes a label.
public enum MetricFamily: String, Sendable, CaseIterable {
    case uploads = "fanlight_uploads_total"
    case uploadSeconds = "fanlight_upload_duration_seconds"
    case uploadsUnderWay = "fanlight_uploads_in_flight"
    case uploadBytes = "fanlight_upload_bytes_total"
    case deliveries = "fanlight_deliveries_total"
    case deliverySeconds = "fanlight_delivery_duration_seconds"
    case attempts = "fanlight_attempts_total"
    case reused = "fanlight_deliveries_reused_total"
    case deletions = "fanlight_deletions_total"
    case deliveriesUnderWay = "fanlight_deliveries_in_flight"
    case queueDepth = "fanlight_queue_depth"
    case breakerState = "fanlight_breaker_state"
    case renditions = "fanlight_renditions_total"
    case renditionSeconds = "fanlight_rendition_duration_seconds"
    case decodes = "fanlight_decodes_total"
    case helpers = "fanlight_helpers"
    case helperRestarts = "fanlight_helper_restarts_total"
    case requests = "fanlight_http_requests_total"
    case refusals = "fanlight_http_refusals_total"
    case connections = "fanlight_http_connections"
    case evictedConnections = "fanlight_http_connections_evicted_total"
    case journalBytes = "fanlight_journal_bytes"
    case journalUploads = "fanlight_journal_uploads"
    case journalFailures = "fanlight_journal_failures_total"
    case recovered = "fanlight_uploads_recovered_total"
    case spoolBytes = "fanlight_spool_bytes"
    case stateFreeBytes = "fanlight_state_free_bytes"
    case ready = "fanlight_ready"
    case reloads = "fanlight_config_reloads_total"
    case reloadSuccessful = "fanlight_config_last_reload_successful"
    case reloadTime = "fanlight_config_last_reload_timestamp_seconds"
    case webhooks = "fanlight_webhooks_total"
    case lostLogLines = "fanlight_log_lines_lost_total"
    case buildInfo = "fanlight_build_info"
    case residentMemory = "process_resident_memory_bytes"
    case openDescriptors = "process_open_fds"
    case maxDescriptors = "process_max_fds"
    case processorSeconds = "process_cpu_seconds_total"
    case startTime = "process_start_time_seconds"

    /// How values behave.
    public enum Kind: String, Sendable { case counter, gauge, histogram }

    /// Kind, as Prometheus names it.
    public var kind: Kind {
        switch self {
        case .uploadSeconds, .deliverySeconds, .renditionSeconds: .histogram
        case .processorSeconds: .counter
        case _ where rawValue.hasSuffix("_total"): .counter
        default: .gauge
        }
    }

    /// Names of the labels, in order.
    public var labels: [String] {
        switch self {
        case .uploads: ["status"]
        case .deliveries: ["service", "outcome"]
        case .deletions: ["service", "result"]
        case .attempts, .reused, .deliverySeconds, .deliveriesUnderWay, .queueDepth, .breakerState: ["service"]
        case .renditions, .renditionSeconds: ["lane"]
        case .helperRestarts: ["reason"]
        case .requests: ["route", "status"]
        case .refusals: ["status"]
        case .reloads, .webhooks: ["result"]
        case .buildInfo: ["version"]
        default: []
        }
    }

    /// One sentence without a period, for the text and the reference.
    public var help: String {
        switch self {
        case .uploads: "Uploads that are finished, by status: delivered, partial, failed"
        case .uploadSeconds: "Time from the acceptance of an upload to its last outcome"
        case .uploadsUnderWay: "Uploads with deliveries or deletions that are not settled"
        case .uploadBytes: "Bytes of the pictures that were taken"
        case .deliveries:
            "Deliveries that are settled, by outcome: delivered, unknown, skipped, or the kind of the error"
        case .deliverySeconds: "Time from the start of a delivery to its outcome, waits and all attempts included"
        case .attempts: "Attempts to deliver to a service; one may take several exchanges"
        case .reused: "Deliveries that gave the link of an earlier one instead of sending the same picture again"
        case .deletions:
            "Deletions at a service, by result: deleted, failed, shared (another upload has the same picture)"
        case .deliveriesUnderWay: "Deliveries and deletions that a service works on at the moment"
        case .queueDepth:
            "Deliveries and deletions that wait for a place at a service: concurrency, rate, breaker or the service's own wish"
        case .breakerState: "State of a service's circuit breaker: 0 closed, 1 half-open, 2 open"
        case .renditions: "Files made for services, by lane: untouched, stripped, rotated, resized, converted"
        case .renditionSeconds: "Time to make all renditions of one picture, by the costliest lane among them"
        case .decodes: "Times that the pixels of a picture were decoded; all renditions of one picture share one"
        case .helpers: "Imaging helper processes that are alive"
        case .helperRestarts:
            "Imaging helpers that were replaced: recycled, crashed, processor_time, timeout, nonsense, shortage, unstartable"
        case .requests: "Answered requests, by route and status"
        case .refusals:
            "Requests that the server refused before they reached a route, by status: 400, 408, 413, 429, 431, 503"
        case .connections: "Open connections of clients"
        case .evictedConnections: "Silent connections that had to make room for others"
        case .journalBytes: "Size of the journal on disk"
        case .journalUploads: "Uploads in the journal"
        case .journalFailures: "Writes that the journal refused, and reads that it refused at the start"
        case .recovered: "Uploads of an earlier run that were continued at the start"
        case .spoolBytes: "Size of the prepared pictures that the journal keeps"
        case .stateFreeBytes: "Free space on the disk of the state folder"
        case .ready: "1 when the gateway takes uploads: journal writable, helpers startable, disk left"
        case .reloads: "Reloads of the configuration, by result: applied, refused"
        case .reloadSuccessful: "1 when the configuration on disk is the one in use"
        case .reloadTime: "When the configuration in use was loaded, seconds since 1970"
        case .webhooks:
            "Calls of the webhook, by result: delivered, failed (it is repeated), given_up (it was the last one)"
        case .lostLogLines: "Lines of the log that were left out because standard error was not read"
        case .buildInfo: "Always 1; the label is the version"
        case .residentMemory: "Resident memory of the gateway, without its helpers"
        case .openDescriptors: "Open file descriptors of the gateway"
        case .maxDescriptors: "Most file descriptors that the gateway may open"
        case .processorSeconds: "Processor time of the gateway, without its helpers"
        case .startTime: "When the gateway started, seconds since 1970"
        }
    }

    /// Upper bounds of a histogram's buckets, in seconds.
    var buckets: [Double] {
        switch self {
        case .renditionSeconds: [0.001, 0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
        default: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
        }
    }

    /// The reference in Markdown.
    public static func reference() -> String {
        let rows = allCases.map { family in
            let labels = family.labels.map { "`\($0)`" }.joined(separator: ", ")
            return "| `\(family.rawValue)` | \(family.kind.rawValue) | \(labels) | \(family.help) |\n"
        }
        return "| metric | type | labels | meaning |\n|---|---|---|---|\n" + rows.joined()
    }
}
