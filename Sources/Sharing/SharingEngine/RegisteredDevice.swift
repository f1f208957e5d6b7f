public import WhereaboutsVocabulary

/// The part of a registration that describes the device.
public struct RegisteredDevice: Sendable, Hashable {
    /// How many bytes the key for pushes has: an X25519 public key.
    package static let pushKeyByteCount = 32
    /// How many bytes a sealed name has, whatever the name.
    package static let sealedNameByteCount = 92

    /// Identifies the device among those of the sharer.
    public let id: DeviceID
    /// When the person chose the device to answer, in whole milliseconds.
    ///
    /// Of several devices, the one chosen last answers.
    public let chosen: WallTime
    /// The public key that the server seals pushes to.
    package let pushKey: [UInt8]
    /// The person's name for the device, sealed for their own devices: the server cannot read it.
    package let sealedName: [UInt8]

    /// Creates the description of a device.
    ///
    /// - Throws: ``SharingError`` when the key or the name has the wrong size.
    package init(id: DeviceID, chosen: WallTime, pushKey: [UInt8], sealedName: [UInt8]) throws(SharingError) {
        guard pushKey.count == Self.pushKeyByteCount, sealedName.count == Self.sealedNameByteCount else {
            throw SharingError(
                .badBytes,
                "a device has a key of \(Self.pushKeyByteCount) bytes and a sealed name of \(Self.sealedNameByteCount), got "
                    + "\(pushKey.count) and \(sealedName.count); make both with the app's own library"
            )
        }
        self.id = id
        self.chosen = chosen.wholeMilliseconds
        self.pushKey = pushKey
        self.sealedName = sealedName
    }
}
