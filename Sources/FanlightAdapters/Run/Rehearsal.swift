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
    /// What decides whether, and how often, it is done; `nil` = once, in any case.
    public var note: String?
}

extension CompiledService {
    /// The requests of a delivery, without sending any; what only replies can tell stands as `${name}`.
    ///
    /// Steps that are left out for this upload are not among them.
    public func rehearse(_ context: DeliveryContext) -> [RehearsedStep] {
        var scope = scope(context)
        scope.showsPlaceholders = true
        if let store {
            do throws(DeliveryFailure) {
                let (folder, name) = try store.place(in: scope)
                return [RehearsedStep(id: "store", deed: .store(folder: folder, name: name))]
            } catch {
                return [RehearsedStep(id: "store", deed: .fail(error))]
            }
        }
        let logins = (session?.steps ?? []).compactMap { rehearsed($0, scope, note: "only when no session is open") }
        return logins + steps.compactMap { rehearsed($0, scope) }
    }

    /// One step; `nil` when its test says already that it is left out.
    private func rehearsed(_ step: StepProgram, _ scope: Scope, note: String? = nil) -> RehearsedStep? {
        var notes = [note].compactMap { $0 }
        if let when = step.when {
            if when.variables.contains(where: \.comesFromReplies) {
                notes.append("only when a reply says so")
            } else if !when.holds(in: scope, .nothing) {
                return nil
            }
        }
        if step.isOptional { notes.append("its failure fails nothing") }
        if step.poll != nil { notes.append("repeated until the service has finished") }
        let deed: RehearsedStep.Deed
        do throws(DeliveryFailure) {
            deed = .send(try step.request.request(in: scope, timeouts: timeouts))
        } catch {
            deed = .fail(error)
        }
        let text = notes.joined(separator: "; ")
        return RehearsedStep(id: step.id, deed: deed, note: text.isEmpty ? nil : text)
    }

    /// The text with every secret of the service replaced by three stars, also those that are common words, wherever they
    /// stand: in a request that is only shown, a star too many hides nothing from anybody who needs it.
    public func redacted(_ text: String, _ context: DeliveryContext) -> String {
        hiding(scope(context)).adding(secrets: messageWords).cleaned(text)
    }
}

extension Variable {
    /// True for what is known only after a reply.
    fileprivate var comesFromReplies: Bool {
        switch self {
        case .capture, .status, .session, .plain(.networkError), .plain(.recovered): true
        default: false
        }
    }
}
