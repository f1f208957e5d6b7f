internal import Crypto
internal import DurableStorage
internal import Foundation
internal import Glibc

/// The device's own key: it proves to the gateway which device this is, and what is kept at rest is sealed by it.
enum DeviceKey {
    /// Reads the key, or makes it at the first start.
    static func load(path: String) throws(DaemonError) -> Curve25519.Signing.PrivateKey {
        guard let data = try StateFile.read(path) else {
            let key = Curve25519.Signing.PrivateKey()
            try StateFile.write(key.rawRepresentation, to: path, durability: .power)
            return key
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & 0o077 == 0 else {
            throw DaemonError("\(path) may be read by others; whoever did is this device: chmod 600 it, or remove it")
        }
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: data) else {
            throw DaemonError(
                "\(path) is no device key (32 bytes expected, \(data.count) found); restore it, or remove it to "
                    + "become another device, whose apps get new push tokens and ask people again"
            )
        }
        return key
    }
}
