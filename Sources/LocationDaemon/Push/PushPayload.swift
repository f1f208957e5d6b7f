internal import Foundation

/// The one check locationd makes of a payload; it reads nothing in it.
enum PushPayload {
    /// Whether the bytes are a JSON object, which an extension can be given as a dictionary.
    static func isObject(_ payload: [UInt8]) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(payload))) is [String: Any]
    }
}
