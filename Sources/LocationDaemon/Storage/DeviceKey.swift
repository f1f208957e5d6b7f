internal import Crypto
internal import Foundation

/// The device's own key: it proves to the gateway which device this is.
enum DeviceKey {
    /// Reads the key, or makes it at the first start.
    static func load(path: String) throws(DaemonError) -> Curve25519.Signing.PrivateKey {
        if let data = FileManager.default.contents(atPath: path) {
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: data) else {
                throw DaemonError(
                    "\(path) is no device key (32 bytes expected, \(data.count) found); restore it, or remove it to "
                        + "become another device, whose apps get new push tokens"
                )
            }
            return key
        }
        let key = Curve25519.Signing.PrivateKey()
        try DurableFile.write(key.rawRepresentation, to: path, durability: .power)
        return key
    }
}
