// SPDX-License-Identifier: Apache-2.0

import FanlightCore
import Synchronization

/// Open spool files of uploads under way, the latest used ones only: what waits in a queue holds no descriptor.
final class PictureShelf: Sendable {
    private struct State {
        var files: [String: SpooledFile] = [:]
        /// Names, the latest used last.
        var order: [String] = []
    }

    /// Descriptors that are kept open where nobody says otherwise.
    static let defaultCapacity = 64

    private let spool: any Spool
    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: Descriptors that are kept open for whoever comes next.
    init(spool: any Spool, capacity: Int = defaultCapacity) {
        self.spool = spool
        self.capacity = capacity
    }

    /// Puts the open file of a rendition on the shelf.
    func put(_ file: SpooledFile, of rendition: JournalRendition) {
        guard let key = Self.key(rendition) else { return }
        let dropped = state.withLock { state -> SpooledFile? in
            state.order.removeAll { $0 == key }
            state.order.append(key)
            state.files[key] = file
            guard state.order.count > capacity else { return nil }
            return state.files.removeValue(forKey: state.order.removeFirst())
        }
        // Closing a file is no work for the time in which the lock is held.
        _ = dropped
    }

    /// The file of a rendition; `nil` when it is gone.
    func open(_ rendition: JournalRendition) throws(DescriptorShortage) -> SpooledFile? {
        guard let key = Self.key(rendition) else { return nil }
        if let file = state.withLock({ $0.files[key] }) { return file }
        while true {
            do throws(DescriptorShortage) {
                guard let file = try rendition.open(in: spool) else { return nil }
                put(file, of: rendition)
                return file
            } catch {
                guard dropOldest() else { throw error }
            }
        }
    }

    /// Lets go of the file that was not used for longest; false = there is none.
    private func dropOldest() -> Bool {
        let dropped = state.withLock { state in
            state.order.isEmpty ? nil : state.files.removeValue(forKey: state.order.removeFirst())
        }
        return dropped != nil
    }

    /// Lets go of files that nobody needs any more.
    func remove(_ renditions: [JournalRendition]) {
        let keys = Set(renditions.compactMap(Self.key))
        let dropped = state.withLock { state in
            state.order.removeAll { keys.contains($0) }
            return keys.compactMap { state.files.removeValue(forKey: $0) }
        }
        _ = dropped
    }

    /// Two parts of one file are two pictures.
    private static func key(_ rendition: JournalRendition) -> String? {
        rendition.file.map { name in
            rendition.part.map { "\(name) \($0.start) \($0.head.count) \(rendition.bytes)" } ?? name
        }
    }
}
