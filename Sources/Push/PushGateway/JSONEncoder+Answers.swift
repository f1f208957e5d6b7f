internal import Foundation

extension JSONEncoder {
    /// Writes the answers to operators and senders.
    static var ofAnswers: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }
}
