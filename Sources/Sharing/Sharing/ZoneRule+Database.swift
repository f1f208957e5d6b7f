internal import Foundation

/// The rules of the system's time-zone database, needed to write a grant, but not to read one.
extension ZoneRule {
    private static let database = "/usr/share/zoneinfo"
    private static let local = "/etc/localtime"

    /// The rule of this computer's time zone.
    ///
    /// - Throws: ``SharingError`` when a grant cannot hold the system's rule.
    public static func here() throws -> ZoneRule {
        let variable = ProcessInfo.processInfo.environment["TZ"].map { $0.hasPrefix(":") ? String($0.dropFirst()) : $0 }
        if let variable, !variable.isEmpty {
            if let rule = ZoneRule(posix: variable) { return rule }
            return try self.named(variable)
        }
        // Without a file, the system's clocks show UTC.
        if !FileManager.default.fileExists(atPath: Self.local), let utc = ZoneRule(offset: 0) { return utc }
        return try self.read(Self.local)
    }

    /// The rule of a zone of the database.
    ///
    /// - Parameter name: such as `Europe/Berlin`.
    /// - Returns: the rule.
    /// - Throws: ``SharingError`` when there is no such zone, or a grant cannot hold its rule.
    public static func named(_ name: String) throws -> ZoneRule {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy { byte in
                    // A path must not lead out of the database.
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                        || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || "_+-".utf8.contains(byte)
                }
        }
        guard isName, FileManager.default.fileExists(atPath: "\(Self.database)/\(name)") else {
            throw SharingError(
                .badText,
                "'\(name)' is not a time zone of \(Self.database): expected a name such as Europe/Berlin; check the spelling, or install the "
                    + "system's time zones"
            )
        }
        return try self.read("\(Self.database)/\(name)")
    }

    /// Reads the last line of a zone's file, which is the rule after the last change that the file lists (RFC 9636).
    private static func read(_ path: String) throws -> ZoneRule {
        let bytes = FileManager.default.contents(atPath: path).map { [UInt8]($0) } ?? []
        let newline = UInt8(ascii: "\n")
        if bytes.starts(with: Array("TZif".utf8)), bytes.last == newline {
            let line = bytes.dropLast().split(separator: newline, omittingEmptySubsequences: false).last ?? []
            if let rule = ZoneRule(posix: String(decoding: line, as: UTF8.self)) { return rule }
        }
        throw SharingError(
            .badText,
            "\(path) has no rule for future years that a grant can store (whole minutes, and clock changes on a weekday of a "
                + "month); name another zone with the same clock"
        )
    }
}
