internal import Foundation

/// The identity that a beacon sends; if parts are missing, a constraint that beacons satisfy.
struct BeaconIdentity: Sendable, Hashable, CustomStringConvertible {
    var uuid: UUID
    var major: UInt16?
    var minor: UInt16?

    /// An identity that no beacon has: the nil UUID (RFC 9562, 5.9).
    static let nothing = BeaconIdentity(uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))

    init(uuid: UUID, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    init(from coder: NSCoder) throws {
        let text = try coder.text("uuid")
        guard let uuid = UUID(uuidString: text) else {
            throw CocoaError(
                .coderReadCorrupt,
                userInfo: ["NSDebugDescription": "The archive's value 'uuid' is not a UUID."]
            )
        }
        self.uuid = uuid
        self.major = try coder.ifPresent("major") { try coder.integer($0) }
        self.minor = try coder.ifPresent("minor") { try coder.integer($0) }
    }

    func write(to coder: NSCoder) {
        coder.write(self.uuid.uuidString, "uuid")
        if let major = self.major { coder.write(Double(major), "major") }
        if let minor = self.minor { coder.write(Double(minor), "minor") }
    }

    var description: String {
        let numbers = [("major", self.major), ("minor", self.minor)].map { "\($0):\($1.map { "\($0)" } ?? "(null)")" }
        return "uuid:\(self.uuid), \(numbers.joined(separator: ", "))"
    }
}
