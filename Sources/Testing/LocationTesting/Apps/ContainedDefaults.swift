internal import Foundation

/// The standard defaults: the defaults of the app whose code runs; outside of apps, those of the process.
///
/// The object `UserDefaults.standard` is given this class, so that code under test stays unchanged. This is safe because the
/// class has no stored properties of its own.
final class ContainedDefaults: UserDefaults {
    /// Gives the standard defaults this class, once per process.
    static func install() { _ = self.installed }

    private static let installed: Void = {
        let standard = UserDefaults.standard
        precondition(type(of: standard) == UserDefaults.self, "UserDefaults.standard already has another class")
        // The first word of a Swift object is its class.
        let object = unsafe Unmanaged.passUnretained(standard).toOpaque()
        unsafe object.storeBytes(of: unsafeBitCast(ContainedDefaults.self as AnyClass, to: UInt.self), as: UInt.self)
        precondition(UserDefaults.standard is ContainedDefaults, "an object's first word is not its class")
    }()

    /// Whether a program in its own process set a value that is not yet in a file.
    private nonisolated(unsafe) static var isUnsaved = false

    /// Saves the values that a program in its own process set, as Apple's systems do automatically.
    static func save() {
        guard unsafe self.isUnsaved else { return }
        unsafe self.isUnsaved = false
        UserDefaults.standard.synchronize()
    }

    private static func wasChanged() {
        if Kernel.current?.owner is SeparateApp { unsafe self.isUnsaved = true }
    }

    override func object(forKey defaultName: String) -> Any? {
        guard let container = Container.current else { return super.object(forKey: defaultName) }
        let value = container.defaults[defaultName] ?? container.registered[defaultName]
        DeviceHost.current?.checks.readDefaults(defaultName, value)
        return value
    }

    override func set(_ value: Any?, forKey defaultName: String) {
        guard let container = Container.current else {
            Self.wasChanged()
            return super.set(value, forKey: defaultName)
        }
        container.defaults[defaultName] = value.map(Self.kept)
    }

    override func set(_ url: URL?, forKey defaultName: String) {
        // Foundation's own method never returns for nil (Swift 6.3).
        guard let url else { return self.removeObject(forKey: defaultName) }
        super.set(url, forKey: defaultName)
    }

    override func removeObject(forKey defaultName: String) {
        guard let container = Container.current else {
            Self.wasChanged()
            return super.removeObject(forKey: defaultName)
        }
        container.defaults[defaultName] = nil
    }

    override func register(defaults registrationDictionary: [String: Any]) {
        guard let container = Container.current else { return super.register(defaults: registrationDictionary) }
        container.registered.merge(registrationDictionary) { $1 }
    }

    override func dictionaryRepresentation() -> [String: Any] {
        guard let container = Container.current else { return super.dictionaryRepresentation() }
        return container.registered.merging(container.defaults) { $1 }
    }

    override func synchronize() -> Bool { Container.current == nil ? super.synchronize() : true }

    /// A value as it would be read back from a file; a value that a property list cannot hold ends the app, as with
    /// Foundation.
    private static func kept(_ value: Any) -> Any {
        guard PropertyListSerialization.propertyList(value, isValidFor: .binary),
            let data = try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0),
            let copy = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil)
        else { preconditionFailure("UserDefaults cannot store a \(type(of: value)): not a property list") }
        return copy
    }
}
