/// A value of a parameter or a column, in PostgreSQL's binary form.
package enum PostgreSQLValue: Sendable, Hashable {
    case bytes([UInt8])
    case integer(Int64)
    case text(String)
    case null

    /// The bytes that are sent; nil for null.
    var wire: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .integer(let number): (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - $0 * 8)) }
        case .text(let text): Array(text.utf8)
        case .null: nil
        }
    }
}

/// A statement and its parameters; each connection prepares its text once.
package struct PostgreSQLStatement: Sendable {
    let sql: String
    let values: [PostgreSQLValue]

    package init(_ sql: String, _ values: [PostgreSQLValue] = []) {
        self.sql = sql
        self.values = values
    }

    package static let commit = Self("COMMIT")
}

/// A row of a result.
package struct PostgreSQLRow: Sendable {
    let values: [PostgreSQLValue]

    package func integer(_ column: Int) throws -> Int64 {
        guard case .integer(let number) = self.values[column] else { throw PostgreSQLError.wrongType }
        return number
    }

    package func optionalInteger(_ column: Int) throws -> Int64? {
        if case .null = self.values[column] { nil } else { try self.integer(column) }
    }

    package func bytes(_ column: Int) throws -> [UInt8] {
        guard case .bytes(let bytes) = self.values[column] else { throw PostgreSQLError.wrongType }
        return bytes
    }

    package func optionalBytes(_ column: Int) throws -> [UInt8]? {
        if case .null = self.values[column] { nil } else { try self.bytes(column) }
    }

    package func text(_ column: Int) throws -> String {
        guard case .text(let text) = self.values[column] else { throw PostgreSQLError.wrongType }
        return text
    }
}
