// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Stands in for an application that needs the server's port before it can be made.
///
/// The server takes no connection before it is set, so that its own answer is never sent.
final class LateService: HTTPService {
    private let target = Mutex<(any HTTPService)?>(nil)

    func set(_ service: any HTTPService) { target.withLock { $0 = service } }

    var isSet: Bool { target.withLock { $0 != nil } }

    func decide(_ head: RequestHead) -> HeadDecision {
        guard let service = target.withLock({ $0 }) else {
            return .answer(HTTPAnswer(status: 503, headers: [HTTPField("Retry-After", "1")]))
        }
        return service.decide(head)
    }
}
