// SPDX-License-Identifier: Apache-2.0

import CSQLite
import FanlightCore

/// An open SQLite database with the statements that were prepared on it; the only file that sees the library.
///
/// Not for several threads at the same time: it is opened without the library's own locks (C: SQLITE_OPEN_NOMUTEX).
@safe final class SQLiteConnection {
    /// Path of the file, for messages.
    let path: String
    private let handle: OpaquePointer
    private var prepared: [String: SQLiteStatement] = [:]

    /// Opens a file, makes it when missing (C: sqlite3_open_v2).
    ///
    /// - Parameter busyMilliseconds: Longest wait for another process's lock.
    init(path: String, busyMilliseconds: Int32) throws(JournalError) {
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // SAFETY: the string and the pointer's place outlive the call; a handle is given even where opening fails.
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let error = unsafe Self.error(code, opened, path: path)
            unsafe sqlite3_close_v2(opened)
            throw error
        }
        unsafe handle = opened
        unsafe sqlite3_busy_timeout(opened, busyMilliseconds)
    }

    deinit {
        // Statements hold the handle open until the last of them is finalised.
        prepared = [:]
        // SAFETY: the handle is this object's own and is closed once.
        unsafe sqlite3_close_v2(handle)
    }

    /// Runs statements without parameters (C: sqlite3_exec).
    func execute(_ sql: String) throws(JournalError) {
        // SAFETY: the string lives through the call.
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Runs a statement that gives no rows; it is prepared once.
    func run(_ sql: String, _ values: [SQLiteValue] = []) throws(JournalError) {
        try query(sql, values) { _ in }
    }

    /// Runs a statement and hands over each row; the row is valid during the call only.
    func query(
        _ sql: String,
        _ values: [SQLiteValue] = [],
        row: (SQLiteRow) throws(JournalError) -> Void
    ) throws(JournalError) {
        let statement = try statement(sql)
        defer { statement.reset() }
        let bound = statement.bind(values)
        guard bound == SQLITE_OK else { throw error(bound) }
        while true {
            switch statement.step() {
            case SQLITE_ROW: try row(SQLiteRow(statement: statement))
            case SQLITE_DONE: return
            case let code: throw error(code)
            }
        }
    }

    /// The first column of the first row as a number; `nil` without a row, or for NULL.
    func integer(_ sql: String, _ values: [SQLiteValue] = []) throws(JournalError) -> Int64? {
        var found: Int64?
        try query(sql, values) { row in found = found ?? row.integer(0) }
        return found
    }

    /// Rows that the last statement changed (C: sqlite3_changes).
    var changes: Int {
        // SAFETY: the handle is open.
        Int(unsafe sqlite3_changes(handle))
    }

    /// Number of the row that was inserted last (C: sqlite3_last_insert_rowid).
    var lastInserted: Int64 {
        // SAFETY: the handle is open.
        unsafe sqlite3_last_insert_rowid(handle)
    }

    /// True between BEGIN and its end (C: sqlite3_get_autocommit).
    var isInTransaction: Bool {
        // SAFETY: the handle is open.
        unsafe sqlite3_get_autocommit(handle) == 0
    }

    private func statement(_ sql: String) throws(JournalError) -> SQLiteStatement {
        if let known = prepared[sql] { return known }
        var made: OpaquePointer?
        // SAFETY: the string lives through the call; the statement belongs to the object that is made of it.
        let code = unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard code == SQLITE_OK, let made = unsafe made else { throw error(code) }
        let statement = unsafe SQLiteStatement(made)
        prepared[sql] = statement
        return statement
    }

    private func error(_ code: Int32) -> JournalError { unsafe Self.error(code, handle, path: path) }

    /// Turns a result code into an error; messages of the library name tables and columns, never values.
    private static func error(_ code: Int32, _ handle: OpaquePointer?, path: String) -> JournalError {
        // SAFETY: the message is copied before anything else is done with the handle.
        let reason = unsafe handle.flatMap { unsafe sqlite3_errmsg($0) }.map { unsafe String(cString: $0) } ?? ""
        return meaning(of: code, path: path, reason: reason)
    }

    /// What a result code says of the file; `code` is an extended one.
    static func meaning(of code: Int32, path: String, reason: String) -> JournalError {
        // No room for the index of the write-ahead log.
        if code == SQLITE_IOERR | 19 << 8 { return .full }
        // The file that is open does not have its name any more (C: SQLITE_READONLY_DBMOVED).
        if code == SQLITE_READONLY | 4 << 8 { return .moved }
        switch code & 0xFF {
        case SQLITE_FULL: return .full
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: return .readOnly(path: path)
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path: path, reason: reason)
        case SQLITE_IOERR: return .disk(code: code)
        default: return .failed(code: code, reason: reason)
        }
    }
}

/// A prepared statement (C: sqlite3_stmt).
@safe final class SQLiteStatement {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }

    deinit {
        // SAFETY: the handle is this object's own and is finalised once.
        unsafe sqlite3_finalize(handle)
    }

    /// Gives the parameters their values, from the first on; text and bytes are copied.
    func bind(_ values: [SQLiteValue]) -> Int32 {
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            // SAFETY: the library copies what it is lent before each call returns.
            let code =
                switch value {
                case .null: unsafe sqlite3_bind_null(handle, place)
                case .integer(let number): unsafe sqlite3_bind_int64(handle, place, number)
                case .text(var text):
                    text.withUTF8 { utf8 in
                        unsafe utf8.withMemoryRebound(to: CChar.self) { unsafe bind($0, at: place) }
                    }
                case .blob(let bytes): unsafe fl_bind_blob(handle, place, bytes, Int32(bytes.count))
                }
            if code != SQLITE_OK { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ characters: UnsafeBufferPointer<CChar>, at place: Int32) -> Int32 {
        // An empty text may have no address, and NULL would be no text.
        guard let start = characters.baseAddress else { return unsafe fl_bind_text(handle, place, "", 0) }
        // SAFETY: the library copies the bytes.
        return unsafe fl_bind_text(handle, place, start, Int32(characters.count))
    }

    /// Goes to the next row (C: sqlite3_step).
    func step() -> Int32 {
        // SAFETY: the handle lives as long as this object.
        unsafe sqlite3_step(handle)
    }

    /// Makes the statement ready for its next use; forgets the values, which may be large.
    func reset() {
        // SAFETY: the handle lives as long as this object.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    func isNull(_ column: Int) -> Bool {
        // SAFETY: the statement stands on a row.
        unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    func integer(_ column: Int) -> Int64 {
        // SAFETY: the statement stands on a row.
        unsafe sqlite3_column_int64(handle, Int32(column))
    }

    func bytes(_ column: Int) -> [UInt8] {
        // SAFETY: the bytes are copied before the next call to the library; their count is asked for after them.
        guard let start = unsafe sqlite3_column_blob(handle, Int32(column)) else { return [] }
        let count = Int(unsafe sqlite3_column_bytes(handle, Int32(column)))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// The row on which a statement stands; columns count from 0.
struct SQLiteRow {
    private let statement: SQLiteStatement

    init(statement: SQLiteStatement) { self.statement = statement }

    func integer(_ column: Int) -> Int64? { statement.isNull(column) ? nil : statement.integer(column) }
    func int(_ column: Int) -> Int? { integer(column).map { Int($0) } }
    func bytes(_ column: Int) -> [UInt8]? { statement.isNull(column) ? nil : statement.bytes(column) }
    func text(_ column: Int) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }
}
