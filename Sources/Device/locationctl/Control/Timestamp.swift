internal import Foundation

/// Formats a time as all commands print it: RFC 3339, in the device's time zone.
enum Timestamp {
    /// The text for a time in microseconds since 1970.
    static func of(_ microseconds: Int64, in zone: TimeZone = .current) -> String {
        let date = Date(timeIntervalSince1970: Double(microseconds) / 1e6)
        return date.ISO8601Format(.init(timeZoneSeparator: .colon, includingFractionalSeconds: true, timeZone: zone))
    }
}
