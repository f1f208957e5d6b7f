internal import Foundation
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost

/// A property list of a bundle; errors name the file and the key.
struct PropertyList {
    /// The longest key that an app may choose, in bytes; the same limit as `ClientMessage.purposeBytesMax`.
    static let keyBytesMax = 100

    let path: String
    let values: [String: Any]

    init(path: String) throws(DaemonError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw DaemonError("\(path) is missing or cannot be read")
        }
        guard let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        else {
            throw DaemonError(
                "\(path) is not a property list with a dictionary at its root; check it with plutil or xmllint"
            )
        }
        self.path = path
        self.values = list
    }

    func string(_ key: String) throws(DaemonError) -> String? {
        guard let value = self.values[key] else { return nil }
        guard let string = value as? String, !string.isEmpty else {
            throw DaemonError("\(self.path): \(key) must be a string that is not empty")
        }
        return string
    }

    func required(_ key: String, because reason: String) throws(DaemonError) -> String {
        guard let value = try self.string(key) else {
            throw DaemonError("\(self.path): the key \(key) is missing; \(reason)")
        }
        return value
    }

    func dictionary(_ key: String) -> [String: Any]? {
        self.values[key] as? [String: Any]
    }

    /// Whether the key is present with a value other than false and the empty string.
    func grants(_ key: String) -> Bool { AppManifest.grants(self.values[key]) }

    /// Refuses a value that is not an array of strings.
    func checkStrings(_ key: String) throws(DaemonError) {
        guard let value = self.values[key], !(value is [String]) else { return }
        throw DaemonError("\(self.path): \(key) must be an array of strings")
    }

    /// Refuses a value that is not a dictionary of texts.
    func checkTexts(_ key: String) throws(DaemonError) {
        guard let value = self.values[key] else { return }
        guard let texts = value as? [String: String], !texts.contains(where: { $0.key.isEmpty || $0.value.isEmpty })
        else {
            throw DaemonError("\(self.path): \(key) must be a dictionary of texts that are not empty")
        }
        guard texts.keys.allSatisfy({ $0.utf8.count <= Self.keyBytesMax }) else {
            throw DaemonError("\(self.path): a key of \(key) may have \(Self.keyBytesMax) bytes")
        }
    }

    /// `UIRequiredDeviceCapabilities`: an array of required capabilities, or a dictionary from capabilities to whether
    /// they are required or must be absent.
    func capabilities() throws(DaemonError) -> [String: Bool] {
        let key = "UIRequiredDeviceCapabilities"
        switch self.values[key] {
        case nil: return [:]
        case let needed as [String]: return Dictionary(needed.map { ($0, true) }) { $1 }
        case let either as [String: Bool]: return either
        default:
            throw DaemonError("\(self.path): \(key) must be an array of strings, or a dictionary of true and false")
        }
    }
}
