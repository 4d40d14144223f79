// SPDX-License-Identifier: Apache-2.0

public import FanlightCore
import Glibc
import Synchronization

/// A folder of spool files.
///
/// A file goes when its last user lets go of it. Those that the journal owns stay until it gives them up, also over a
/// restart. A few files that went are kept empty-handed for the next picture: to write over a file that the system
/// has in memory costs a tenth of a new one.
public final class DiskSpool: Spool, SpoolOwner {
    private struct State {
        /// Files with users.
        var live: Set<String> = []
        /// Files that the journal owns.
        var kept: Set<String> = []
        /// Files for the next pictures, the newest last.
        var free: [FreeFile] = []
        var freeBytes = 0
        var next = 1
        /// The gateway ends; no file waits for a next picture any more.
        var isClosed = false
    }

    private struct FreeFile {
        var name: String
        var descriptor: Int32
        var size: Int
        var since: ContinuousClock.Instant
    }

    /// Bytes of a large file that are given back to the disk at a time: less than a millisecond's work.
    private static let portion = 2_097_152

    private let folder: String
    /// The folder itself; the lock on it says that its files are in use, and ends with the process.
    private let lock: Int32
    /// Makes names of this run unlike those of any other.
    private let run = String(UInt64.random(in: .min ... .max), radix: 36)
    private let state = Mutex(State())
    private let reuse: Reuse
    private let pool: BlockingPool?

    /// How many files wait for the next picture, and how long.
    public struct Reuse: Sendable {
        /// Files at most; 0 = none waits.
        public var files: Int
        /// Bytes of all of them at most.
        public var bytes: Int
        /// Bytes of one file at most: to cut a long one short costs more than a new one, and whoever comes next would pay.
        public var largest: Int
        /// Longest wait, for nobody's picture shall lie about.
        public var time: Duration

        /// Creates bounds.
        public init(
            files: Int = 32,
            bytes: Int = 134_217_728,
            largest: Int = 8_388_608,
            time: Duration = .seconds(60)
        ) {
            self.files = files
            self.bytes = bytes
            self.largest = largest
            self.time = time
        }
    }

    /// Opens the folder and makes it when missing; call ``sweep(keeping:)`` before the first file.
    ///
    /// - Parameters:
    ///   - folder: Path.
    ///   - reuse: Which files wait for the next picture.
    ///   - pool: Where large files are given back to the disk; `nil` = on the thread of their last user.
    /// - Returns: `nil` when the folder cannot be made or written.
    public init?(folder: String, reuse: Reuse = Reuse(), pool: BlockingPool? = nil) {
        self.folder = folder
        self.reuse = reuse
        self.pool = pool
        guard Folder.make(folder), Folder.isWritable(folder) else { return nil }
        // SAFETY: the string lives through the call.
        lock = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard lock >= 0 else { return nil }
        while flock(lock, LOCK_SH) != 0, errno == EINTR {}
    }

    deinit {
        for file in state.withLock({ $0.free }) { discard(file) }
        _ = close(lock)
    }

    /// Removes what earlier runs left, but not what the journal owns, and nothing while another gateway uses the folder.
    public func sweep(keeping names: Set<String>) {
        state.withLock { $0.kept = names }
        if flock(lock, LOCK_EX | LOCK_NB) == 0 {
            for name in Folder.names(folder) where name.hasPrefix("spool-") && !names.contains(name) {
                Folder.remove("\(folder)/\(name)")
            }
        }
        while flock(lock, LOCK_SH) != 0, errno == EINTR {}
    }

    /// Opens a new empty file.
    public func create() -> (any SpoolWriter)? {
        let (name, used) = state.withLock { state in
            defer { state.next += 1 }
            let used = state.free.popLast()
            state.freeBytes -= used?.size ?? 0
            return ("spool-\(run)-\(state.next)", used)
        }
        let path = "\(folder)/\(name)"
        if let used {
            // A new name is a new file: the journal may still speak of the old one.
            // SAFETY: the strings live through the call.
            if unsafe rename("\(folder)/\(used.name)", path) == 0 {
                return DiskSpoolWriter(name, path: path, descriptor: used.descriptor, oldSize: used.size, spool: self)
            }
            discard(used)
        }
        guard let descriptor = try? open(path, O_RDWR | O_CREAT | O_EXCL) else { return nil }
        return DiskSpoolWriter(name, path: path, descriptor: descriptor, oldSize: 0, spool: self)
    }

    /// Hands a complete file over to its users.
    func finished(path: String, descriptor: Int32, size: Int, sha256: String?) -> SpooledFile {
        let file = SpooledFile(path: path, descriptor: descriptor, size: size, sha256: sha256, owner: self)
        let name = file.name
        state.withLock { _ = $0.live.insert(name) }
        return file
    }

    /// Opens a file that the journal owns.
    public func reopen(_ name: String, size: Int) throws(DescriptorShortage) -> SpooledFile? {
        guard Album.isPlainName(name) else { return nil }
        let path = "\(folder)/\(name)"
        guard let descriptor = try open(path, O_RDONLY | O_NOFOLLOW) else { return nil }
        var status = stat()
        // SAFETY: the record is a local that outlives the call.
        guard unsafe fstat(descriptor, &status) == 0, Int(status.st_size) == size else {
            _ = close(descriptor)
            return nil
        }
        // Not among the files with users: another object may stand for the same name, and only the journal removes it.
        return SpooledFile(path: path, descriptor: descriptor, size: size, owner: Reader.shared)
    }

    /// Opens a file (C: open); where no descriptor is left, files that wait for a next picture give theirs up.
    private func open(_ path: String, _ flags: Int32) throws(DescriptorShortage) -> Int32? {
        while true {
            // SAFETY: the string lives through the call.
            let descriptor = unsafe Glibc.open(path, flags | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return descriptor }
            guard errno == EMFILE || errno == ENFILE else { return nil }
            let oldest = state.withLock { state -> FreeFile? in
                guard !state.free.isEmpty else { return nil }
                state.freeBytes -= state.free[0].size
                return state.free.removeFirst()
            }
            guard let oldest else { throw DescriptorShortage() }
            discard(oldest)
        }
    }

    /// The journal owns the file from now on.
    public func keep(_ name: String) { state.withLock { _ = $0.kept.insert(name) } }

    /// The journal gives a file up.
    public func remove(_ name: String) {
        let isLive = state.withLock { state in
            state.kept.remove(name)
            return state.live.contains(name)
        }
        if !isLive, Album.isPlainName(name) { Folder.remove("\(folder)/\(name)") }
        trim()
    }

    /// The last user has let go.
    public func release(_ name: String, descriptor: Int32, size: Int) {
        let file = FreeFile(name: name, descriptor: descriptor, size: size, since: .now)
        enum Fate { case kept, free, gone }
        let fate = state.withLock { state -> Fate in
            state.live.remove(name)
            if state.kept.contains(name) { return .kept }
            guard !state.isClosed, size <= reuse.largest, state.free.count < reuse.files,
                state.freeBytes + size <= reuse.bytes
            else { return .gone }
            state.free.append(file)
            state.freeBytes += size
            return .free
        }
        switch fate {
        case .kept: _ = close(descriptor)
        case .free: break
        case .gone: discard(name, descriptor: descriptor, size: size)
        }
    }

    /// Removes files that waited too long for a next picture.
    public func trim() {
        let limit = ContinuousClock.now - reuse.time
        let old = state.withLock { state -> [FreeFile] in
            let old = state.free.prefix { $0.since < limit }
            state.free.removeFirst(old.count)
            state.freeBytes -= old.reduce(0) { $0 + $1.size }
            return Array(old)
        }
        for file in old { discard(file) }
    }

    /// Removes every file that the journal does not own, those with users too, and keeps none from now on: what is left in the
    /// folder when the gateway ends is what it goes on with.
    public func clear() {
        let (waiting, used) = state.withLock { state in
            defer { (state.isClosed, state.free, state.freeBytes) = (true, [], 0) }
            return (state.free, state.live.subtracting(state.kept))
        }
        for file in waiting { discard(file) }
        for name in used { Folder.remove("\(folder)/\(name)") }
    }

    /// Waits until the names of all files are on the disk.
    public func synchronize() -> Bool { fsync(lock) == 0 }

    private func discard(_ file: FreeFile) { discard(file.name, descriptor: file.descriptor, size: file.size) }

    /// Removes a file that nobody uses any more and closes its descriptor.
    ///
    /// The name goes at once. The disk takes back a large file when it is closed, which may last some milliseconds.
    func discard(_ name: String, descriptor: Int32, size: Int) {
        Folder.remove("\(folder)/\(name)")
        guard let pool, size > reuse.largest else {
            _ = close(descriptor)
            return
        }
        pool.submit(.heavy) { Self.giveBack(descriptor, size: size) }
    }

    /// Closes a file without a name, bit by bit.
    ///
    /// The system gives back all of a file in one go, for many milliseconds, and lets nothing else onto the processor meanwhile.
    private static func giveBack(_ descriptor: Int32, size: Int) {
        var status = stat()
        // SAFETY: the record outlives the call.
        let isNameless = unsafe fstat(descriptor, &status) == 0 && status.st_nlink == 0
        var rest = isNameless ? size - portion : 0
        while rest > 0, ftruncate(descriptor, off_t(rest)) == 0 {
            usleep(500)
            rest -= portion
        }
        _ = close(descriptor)
    }

    /// Closes what was opened a second time; the name is the journal's.
    private final class Reader: SpoolOwner {
        static let shared = Reader()
        func keep(_ name: String) {}
        func release(_ name: String, descriptor: Int32, size: Int) { _ = close(descriptor) }
    }
}
