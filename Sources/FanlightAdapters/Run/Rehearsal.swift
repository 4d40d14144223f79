// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// What one step of a delivery would do, as far as it can be known before any reply.
public struct RehearsedStep: Sendable {
    /// What the step does.
    public enum Deed: Sendable {
        case send(HTTPRequest)
        case store(folder: String, name: String)
        /// The step cannot be done; the delivery would fail with this.
        case fail(DeliveryFailure)
    }
    /// Identifier of the step.
    public var id: String
    /// What it does.
    public var deed: Deed
}

extension CompiledService {
    /// The requests of a delivery, without sending any.
    public func rehearse(_ context: DeliveryContext) -> [RehearsedStep] {
        var run = DeliveryRun(service: self, context: context)
        switch run.handle(.start, now: context.now) {
        case .send(let request, let exchange): return [RehearsedStep(id: exchange.step, deed: .send(request))]
        case .store(let folder, let name):
            return [RehearsedStep(id: "store", deed: .store(folder: folder, name: name))]
        case .finished(.failure(let failure)): return [RehearsedStep(id: "upload", deed: .fail(failure))]
        default: return []
        }
    }

    /// The text with every secret of the service replaced by three stars.
    public func redacted(_ text: String, _ context: DeliveryContext) -> String {
        Redaction(secrets: hiddenValues(scope(context))).cleaned(text)
    }
}
