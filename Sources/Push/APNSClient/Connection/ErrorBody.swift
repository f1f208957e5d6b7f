internal import Foundation
internal import NIOCore
internal import WhereaboutsAPNS
internal import WhereaboutsJSONReading

/// The JSON of a rejection, and of GOAWAY.
struct ErrorBody {
    private struct Members: Decodable {
        let reason: String
        let timestamp: Int64?
    }

    /// The reason; nil if it is not one of Apple's.
    let reason: Reason?
    let timestamp: Int64?

    /// Reads a body; nil if it is not such a JSON object.
    init?(_ bytes: ByteBuffer) {
        guard let members = try? JSONReader().decode(Members.self, from: Data(bytes.readableBytesView)) else {
            return nil
        }
        self.reason =
            switch members.reason {
            // Observed instead of the documented text (APNSwift, pull request 229).
            case "BadEnvironmentKeyInToken": .badEnvironmentKeyIDInToken
            // Documented with a space for broadcasts.
            case "Service Unavailable": .serviceUnavailable
            default: Reason(rawValue: members.reason)
            }
        self.timestamp = members.timestamp
    }
}
