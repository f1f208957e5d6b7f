internal import Foundation
internal import WhereaboutsVocabulary

/// The `date` field of a reply (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Reads the form that servers must write; nil for anything else.
    static func time(of text: String) -> WallTime? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let month = self.months.firstIndex(of: String(words[2])) else {
            return nil
        }
        let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
        guard let date = try? Date("\(words[3])-\(number)-\(words[1])T\(words[4])Z", strategy: .iso8601) else {
            return nil
        }
        return WallTime(milliseconds: Int64(date.timeIntervalSince1970 * 1000))
    }
}
