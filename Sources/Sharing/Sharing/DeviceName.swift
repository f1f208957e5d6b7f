internal import Crypto
internal import Foundation
internal import WhereaboutsVocabulary

/// Encrypts a device's name with the person's key, so that their devices can read the name and the server cannot.
package enum DeviceName {
    /// The maximum number of bytes of a name.
    ///
    /// Source: our choice; a name fits on a line of a list, and all sealed names have the same size.
    package static let byteCountMax = 62
    private static let paddedByteCount = Self.byteCountMax + 2

    /// Checks that a text can name a device; an empty text cannot.
    ///
    /// - Throws: ``SharingError`` as ``GivenName/checked(_:bytesMax:)`` does.
    package static func checked(_ name: String) throws -> String {
        try name.isEmpty ? name : GivenName.checked(name, bytesMax: self.byteCountMax)
    }

    /// Seals the name of a device; the result has one size, whatever the name.
    package static func seal(_ name: String, of device: DeviceID, by identity: Identity) throws -> [UInt8] {
        var writer = ByteWriter()
        writer.counted(Array(try self.checked(name).utf8))
        writer.fixed(repeatElement(0, count: self.paddedByteCount - writer.bytes.count))
        guard
            let sealed = try AES.GCM.seal(writer.bytes, using: self.key(identity), authenticating: device.bytes)
                .combined
        else { throw SharingError(.badProfile, "the device's name could not be sealed; give it another") }
        return [UInt8](sealed)
    }

    /// Opens a sealed name; nil unless it was sealed with the person's key for this device.
    package static func open(_ sealed: [UInt8], of device: DeviceID, by identity: Identity) -> String? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let padded = try? AES.GCM.open(box, using: self.key(identity), authenticating: device.bytes)
        else { return nil }
        var reader = ByteReader([UInt8](padded), name: "the device's name")
        guard let utf8 = try? reader.counted(), let name = String(validating: utf8, as: UTF8.self) else { return nil }
        // Another app with the person's key may have sealed an invalid name.
        return GivenName.shown(name, bytesMax: self.byteCountMax)
    }

    private static func key(_ identity: Identity) -> SymmetricKey { identity.secret(for: "whereabouts/device-name/v1") }
}
