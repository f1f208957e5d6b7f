package import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// A packet as a message, and back.
package enum WireMessage {
    /// The version of the schema; clients refuse a daemon with another one.
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
            throw WireError(malformed: "a packet of \(packet.count) bytes is no \(M.protoMessageName): \(error)")
        }
    }
}
