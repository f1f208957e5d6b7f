/// A value of a parameter or a column, in PostgreSQL's binary form.
package enum PostgreSQLValue: Sendable, Hashable {
    case bytes([UInt8])
    case integer(Int64)
    case text(String)
    case null
    /// One dimension of values of a type, which may be null; a statement with arrays works on any number of rows.
    case array(PostgreSQLElement, [PostgreSQLValue])

    /// The bytes that are sent; nil for null.
    var wire: [UInt8]? {
        switch self {
        case .bytes(let bytes): bytes
        case .integer(let number): Self.bytes(of: number)
        case .text(let text): Array(text.utf8)
        case .null: nil
        case .array(let element, let values): Self.wire(values, element)
        }
    }

    private static func bytes(of number: some FixedWidthInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// An array: the numbers of dimensions, of nulls and of the type, its length and its first index, then each value after its
    /// length.
    private static func wire(_ values: [PostgreSQLValue], _ element: PostgreSQLElement) -> [UInt8] {
        let dimension: [Int32] = values.isEmpty ? [] : [Int32(values.count), 1]
        let head = [values.isEmpty ? 0 : 1, 1, element.rawValue] + dimension
        return values.reduce(into: head.flatMap(Self.bytes)) { bytes, value in
            let wire = value.wire
            bytes += Self.bytes(of: Int32(wire?.count ?? -1)) + (wire ?? [])
        }
    }
}

/// The type of an array's values, as its number in pg_type.
package enum PostgreSQLElement: Int32, Sendable {
    case bytes = 17
    case integer = 20
    case text = 25
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

    package func optionalText(_ column: Int) throws -> String? {
        if case .null = self.values[column] { nil } else { try self.text(column) }
    }
}
