internal import Foundation
internal import TOMLKit

/// A TOML file with options of a command; keys are the long names without hyphens.
///
/// ```toml
/// gpsd = "localhost:2947"
/// nmea = ["/dev/ttyUSB0", "udp://:10110"]   # an option that may be given more than once
/// ```
///
/// The command's own parser checks the values, so that an option is defined in one place only (ADR 0068).
package struct OptionFile: Sendable {
    /// The maximum number of bytes of a file; a larger file is a mistake.
    package static let byteCountMax = 64 * 1024

    /// One or several values, as text for arguments, or a flag.
    enum Value: Sendable, Hashable {
        case one(String)
        case many([String])
        case flag(Bool)
    }

    /// The file's name, for errors.
    package let name: String
    private let values: [String: Value]
    /// The names of the options outside of tables, including flags that are false.
    var names: Set<String> { Set(self.values.keys) }
    private let tables: [String: [String: Value]]
    /// The arrays of tables.
    private let lists: [String: [[String: Value]]]

    /// Reads a file.
    ///
    /// - Parameter path: the path of the file.
    /// - Throws: ``OptionFileError`` when the file cannot be read, or is not valid.
    package init(path: String) throws(OptionFileError) {
        try self.init(toml: Self.text(at: path), name: path)
    }

    private static func text(at path: String) throws(OptionFileError) -> String {
        let contents: Data?
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            contents = try file.read(upToCount: Self.byteCountMax + 1)
        } catch {
            throw OptionFileError("\(path) cannot be read: check the path and its owner")
        }
        let data = contents ?? Data()
        guard data.count <= Self.byteCountMax, let text = String(data: data, encoding: .utf8) else {
            throw OptionFileError("\(path) must be UTF-8 text of at most \(Self.byteCountMax) bytes")
        }
        return text
    }

    /// Parses the text of a file.
    ///
    /// - Throws: ``OptionFileError`` when the text is not valid.
    package init(toml: String, name: String) throws(OptionFileError) {
        var (values, tables): ([String: Value], [String: [String: Value]]) = ([:], [:])
        var lists: [String: [[String: Value]]] = [:]
        do {
            for (key, value) in try TOMLTable(string: toml) {
                if let table = value.table {
                    tables[key] = try Self.values(table)
                } else if let array = value.array, !array.isEmpty, array.allSatisfy({ $0.table != nil }) {
                    lists[key] = try array.compactMap(\.table).map { try Self.values($0) }
                } else {
                    values[key] = try Self.value(value, of: key)
                }
            }
        } catch let error as OptionFileError {
            throw OptionFileError("\(name): \(error)")
        } catch {
            throw OptionFileError("\(name) is not valid TOML: \(error)")
        }
        (self.name, self.values, self.tables, self.lists) = (name, values, tables, lists)
    }

    private static func values(_ table: TOMLTable) throws -> [String: Value] {
        try Dictionary(uniqueKeysWithValues: table.map { ($0, try self.value($1, of: $0)) })
    }

    private init(name: String, values: [String: Value]) {
        (self.name, self.values, self.tables, self.lists) = (name, values, [:], [:])
    }

    private static func value(_ value: any TOMLValueConvertible, of key: String) throws(OptionFileError) -> Value {
        if let array = value.array {
            var texts: [String] = []
            for element in array {
                guard let text = Self.text(element) else {
                    throw OptionFileError("'\(key)' has a list with an entry that is neither a text nor a number")
                }
                texts.append(text)
            }
            return .many(texts)
        }
        if let isOn = value.bool { return .flag(isOn) }
        guard let text = Self.text(value) else {
            throw OptionFileError("'\(key)' is a \(value.type): expected a text, a number, true, false or a list")
        }
        return .one(text)
    }

    private static func text(_ value: any TOMLValueConvertible) -> String? {
        value.string ?? value.int.map { "\($0)" } ?? value.double.map { "\($0)" }
    }

    /// The options under a `[title]`, for a file of several commands.
    ///
    /// - Parameters:
    ///   - title: the title.
    ///   - titles: all titles that the file may have; options outside of these tables are an error.
    ///   - lists: the titles of arrays of tables that the file may have.
    /// - Returns: the options; empty if the title is missing.
    /// - Throws: ``OptionFileError`` for an unknown title, or an option outside of the tables.
    package func table(
        _ title: String,
        of titles: [String],
        besides lists: [String] = []
    ) throws(OptionFileError) -> OptionFile {
        let allowed = (titles.map { "[\($0)]" } + lists.map { "[[\($0)]]" }).joined(separator: " and ")
        if let stray = self.values.keys.min() {
            throw OptionFileError("\(self.name): '\(stray)' must be under \(allowed)")
        }
        if let unknown = self.tables.keys.filter({ !titles.contains($0) }).min() {
            throw OptionFileError("\(self.name) has [\(unknown)]: only \(allowed) may be there")
        }
        if let unknown = self.lists.keys.filter({ !lists.contains($0) }).min() {
            throw OptionFileError("\(self.name) has [[\(unknown)]]: only \(allowed) may be there")
        }
        return OptionFile(name: "\(self.name) [\(title)]", values: self.tables[title] ?? [:])
    }

    /// The tables under a `[[title]]`.
    ///
    /// - Parameters:
    ///   - title: the title.
    ///   - fields: the fields that each of the tables must have; no other is allowed.
    /// - Returns: the text of each field, for each table; empty if the title is missing.
    /// - Throws: ``OptionFileError`` for a field that is missing, unknown, or a list.
    package func list(_ title: String, fields: [String]) throws(OptionFileError) -> [[String: String]] {
        var entries: [[String: String]] = []
        for table in self.lists[title] ?? [] {
            var entry: [String: String] = [:]
            for field in fields {
                guard case .one(let text) = table[field] else {
                    let rule = table[field] == nil ? "is missing" : "must be a text or a number"
                    throw OptionFileError("\(self.name) [[\(title)]]: '\(field)' \(rule)")
                }
                entry[field] = text
            }
            if let unknown = table.keys.filter({ !fields.contains($0) }).min() {
                let allowed = fields.joined(separator: ", ")
                throw OptionFileError("\(self.name) [[\(title)]]: '\(unknown)' is not one of \(allowed)")
            }
            entries.append(entry)
        }
        return entries
    }

    /// The options with their arguments, sorted by name.
    ///
    /// - Parameters:
    ///   - options: the options of the command.
    ///   - overridden: the names of options to leave out, because a higher place has them.
    /// - Returns: the options; a flag that is false is left out.
    /// - Throws: ``OptionFileError`` for an unknown option, or a value of the wrong type.
    func named(
        for options: CommandOptions,
        besides overridden: Set<String>
    ) throws(OptionFileError) -> [(name: String, arguments: [String])] {
        if let title = self.tables.keys.min() ?? self.lists.keys.min() {
            throw OptionFileError("\(self.name) has [\(title)]: \(options.command) has no sections; remove the title")
        }
        var named: [(name: String, arguments: [String])] = []
        for (name, value) in self.values.sorted(by: { $0.key < $1.key }) {
            guard let option = options[name] else {
                throw OptionFileError(
                    "\(self.name): '\(name)' is not an option of \(options.command); `\(options.command) --help` names them"
                )
            }
            guard !overridden.contains(name) else { continue }
            switch (value, option) {
            case (.one(let text), .value), (.one(let text), .values): named.append((name, ["--\(name)=\(text)"]))
            case (.many(let texts), .values): named.append((name, texts.map { "--\(name)=\($0)" }))
            case (.flag(true), .flag): named.append((name, ["--\(name)"]))
            case (.flag(false), .flag): break
            case (_, .flag): throw OptionFileError("\(self.name): '\(name)' must be true or false")
            case (.flag, _): throw OptionFileError("\(self.name): '\(name)' needs a text, as in \(name) = \"…\"")
            case (.many, .value): throw OptionFileError("\(self.name): '\(name)' accepts one value, not a list")
            }
        }
        return named
    }
}
