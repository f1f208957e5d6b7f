import Foundation
import Security
import WhereaboutsSharing

/// The signing key in the keychain, which the app and its extension share.
///
/// It can be read after the first unlock since the device started, also while the device is locked, and leaves the device in no backup.
struct KeychainIdentity: IdentityStore {
    /// A failure of the keychain.
    struct Failure: Error, CustomStringConvertible {
        let status: OSStatus

        var description: String {
            switch self.status {
            case errSecInteractionNotAllowed:
                "this device was not unlocked since it started, so its signing key cannot be read; unlock it once"
            case errSecMissingEntitlement:
                "the keychain refuses the access group: add keychain-access-groups to the entitlements of both targets"
            default: "the keychain fails with status \(self.status)"
            }
        }
    }

    // Without kSecAttrAccessGroup, an item goes to the first group of the entitlements; both targets name the same one first.
    private var query: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: "sharing",
            kSecAttrAccount: "identity",
            kSecUseDataProtectionKeychain: true,
        ]
    }

    func read() throws -> [UInt8]? {
        var query = self.query
        query[kSecReturnData] = true
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        switch status {
        case errSecSuccess: return (item as? Data).map { [UInt8]($0) }
        case errSecItemNotFound: return nil
        default: throw Failure(status: status)
        }
    }

    func create(_ key: [UInt8]) throws -> Bool {
        var query = self.query
        query[kSecValueData] = Data(key)
        query[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let status = SecItemAdd(query as CFDictionary, nil)
        switch status {
        case errSecSuccess: return true
        case errSecDuplicateItem: return false
        default: throw Failure(status: status)
        }
    }
}
