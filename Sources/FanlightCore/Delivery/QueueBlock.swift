// SPDX-License-Identifier: Apache-2.0

/// Why no attempt may begin, and what a delivery is told that cannot wait for the end of it.
enum QueueBlock: Sendable {
    case circuit(until: Timestamp?)
    case held(until: Timestamp)
    case rate(until: Timestamp)
    case place

    var end: Timestamp? {
        switch self {
        case .circuit(let until): until
        case .held(let until), .rate(let until): until
        case .place: nil
        }
    }

    func failure(_ now: Timestamp) -> DeliveryFailure {
        func seconds(_ until: Timestamp) -> String {
            "\(max(1, (until - now).roundedUpMilliseconds + 999) / 1_000) s"
        }
        switch self {
        case .circuit(let until):
            let next = until.map { "; it is tried again in \(seconds($0))" } ?? "; a probe is under way"
            let text = "The service failed too often in a row\(next). Retry this delivery later."
            return DeliveryFailure(kind: .circuitOpen, message: text, retry: .retry)
        case .held(let until):
            let text = "The service takes no more uploads for \(seconds(until)). Retry this delivery then."
            return DeliveryFailure(kind: .rateLimited, message: text, retry: .retryAfter(until - now))
        case .rate(let until):
            let text = "The rate that is set for this service is used up for \(seconds(until))."
            return DeliveryFailure(kind: .rateLimited, message: text, retry: .retryAfter(until - now))
        case .place:
            let text = "The service was busy with other uploads until the deadline. Retry this delivery later."
            return DeliveryFailure(kind: .timeout, message: text, retry: .retry)
        }
    }
}
