package import SwiftProtobuf

/// Encodes messages as packets, and decodes them.
package enum WireMessage {
    /// The version of the schema; a client refuses a daemon with another version.
    package static let version: UInt32 = 1

    package static func encode(_ message: some Message) throws(WireError) -> [UInt8] {
        do {
            return try message.serializedBytes()
        } catch {
            throw WireError(malformed: "cannot encode \(type(of: message)): \(error)")
        }
    }

    /// Decodes a message; unknown fields are ignored.
    package static func decode<M: Message>(_ type: M.Type, from packet: [UInt8]) throws(WireError) -> M {
        do {
            return try M(serializedBytes: packet)
        } catch {
            throw WireError(malformed: "a packet of \(packet.count) bytes is not a \(M.protoMessageName): \(error)")
        }
    }
}
