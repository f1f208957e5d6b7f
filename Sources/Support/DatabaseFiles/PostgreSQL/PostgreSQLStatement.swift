/// A value of a parameter or a column, in PostgreSQL's binary form.
package enum PostgreSQLValue: Sendable, Hashable {
    case bytes([UInt8])
    case integer(Int64)
    case text(String)
    case null
    /// One dimension of values of a type, which may be null, but no arrays; a statement with arrays works on any number of rows.
    case array(PostgreSQLElement, [PostgreSQLValue])

    /// The bytes that are sent; nil for null.
    var wire: [UInt8]? {
        if case .null = self { return nil }
        var bytes: [UInt8] = []
        self.append(to: &bytes)
        return bytes
    }

    /// The number of bytes of a value in an array.
    private var bytesCount: Int {
        switch self {
        case .bytes(let own): own.count
        case .integer: 8
        case .text(let text): text.utf8.count
        case .null, .array: 0
        }
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .bytes(let own): bytes += own
        case .integer(let number): Self.append(number, to: &bytes)
        case .text(let text): bytes += text.utf8
        case .null: break
        case .array(let element, let values): Self.append(values, of: element, to: &bytes)
        }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends the numbers of dimensions, of nulls and of the type, the length and the first index, then each value after its
    /// length.
    private static func append(_ values: [PostgreSQLValue], of element: PostgreSQLElement, to bytes: inout [UInt8]) {
        let dimension: [Int32] = values.isEmpty ? [] : [Int32(values.count), 1]
        for number in [values.isEmpty ? 0 : 1, 1, element.rawValue] + dimension { Self.append(number, to: &bytes) }
        for value in values {
            if case .null = value {
                Self.append(Int32(-1), to: &bytes)
                continue
            }
            Self.append(Int32(value.bytesCount), to: &bytes)
            value.append(to: &bytes)
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
