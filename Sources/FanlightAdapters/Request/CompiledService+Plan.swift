// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

extension CompiledService {
    /// What must be done for one attempt.
    ///
    /// - Throws: A failure of kind `rejected` when a value that the service needs is absent.
    public func plan(_ context: DeliveryContext) throws(DeliveryFailure) -> DeliveryPlan {
        let scope = scope(context)
        if let store {
            guard let folder = try store.folder.text(in: scope), !folder.isEmpty,
                let name = try store.name.text(in: scope).flatMap(Self.safeName)
            else { throw DeliveryFailure(kind: .rejected, message: "\(self.name) has no place for the picture") }
            return .store(folder: folder, name: name)
        }
        guard let request else { throw DeliveryFailure(kind: .rejected, message: "\(name) has no URL") }
        return .exchange(try request.request(in: scope, timeouts: timeouts))
    }

    /// The request that deletes a delivered picture; `nil` when the adapter cannot.
    ///
    /// - Parameter context: The delivery, with the captures of its reply.
    /// - Throws: A failure of kind `rejected` when a value that the request needs is absent.
    public func deletePlan(_ context: DeliveryContext) throws(DeliveryFailure) -> HTTPRequest? {
        guard let delete else { return nil }
        return try delete.request.request(in: scope(context), timeouts: timeouts)
    }

    /// Judges the reply to a delete request, where `nil` means deleted.
    ///
    /// A picture that is gone already counts as deleted.
    public func deleteOutcome(of reply: HTTPReply, context: DeliveryContext) -> DeliveryFailure? {
        let document = ReplyDocument(reply)
        let isGone = [404, 410].contains(reply.status)
        let isGood = (200..<300).contains(reply.status) && (delete?.ok?.holds(in: scope(context), document) ?? true)
        if isGone || isGood { return nil }
        if case .failure(let failure) = outcome(of: reply, context: context) { return failure }
        return DeliveryFailure(
            kind: .rejected,
            message: "HTTP \(reply.status): " + Excerpt.of(document.text, secrets: secrets, limit: 160),
            httpStatus: reply.status
        )
    }

    /// A relative name without empty, hidden and upward steps and without control characters.
    private static func safeName(_ text: String) -> String? {
        let steps = text.split(separator: "/").map(String.init).filter { !$0.isEmpty }
        let isSafe = steps.allSatisfy { step in
            !step.hasPrefix(".") && step.utf8.count <= 200
                && step.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\\" }
        }
        return isSafe && !steps.isEmpty ? steps.joined(separator: "/") : nil
    }
}
