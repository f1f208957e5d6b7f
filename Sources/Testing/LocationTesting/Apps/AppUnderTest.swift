public import CoreLocation
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost

/// An app to install on a virtual device: its bundle identifier, its Info.plist, and the entry of its code.
///
/// The code is ordinary Core Location code and runs untouched, in the test's process.
public struct AppUnderTest: Sendable {
    /// The bundle identifier, such as `com.example.Workout`.
    public var bundle: String
    /// The values of the Info.plist, under Apple's keys; by default the values for an app that may do everything.
    public var infoPlist: [String: any Sendable]
    /// The entitlements; by default those for location pushes if there is an extension, otherwise none.
    public var entitlements: Set<String>

    let entry: Entry
    let pushExtension: PushEntry?

    /// Where the code of the push extension starts.
    enum PushEntry: Sendable {
        /// An object in the test's process.
        case object(@MainActor @Sendable () -> any CLLocationPushServiceExtension)
        /// A program in its own process: the name of its type, as the runtime spells it.
        case separate(String)
    }

    /// The entry of an app's code.
    enum Entry: Sendable {
        /// A program: the process ends when it returns.
        case main(@MainActor @Sendable () async throws -> Void)
        /// An app with a run loop: the process lives with its object.
        case object(@MainActor @Sendable () -> AnyObject)
        /// A program in its own process: the name of its type, as the runtime spells it.
        case separate(String)
    }

    /// The Info.plist of an app that may do everything, with the texts that people are shown.
    public static var fullInfoPlist: [String: any Sendable] {
        [
            "NSLocationWhenInUseUsageDescription": "For the test of what happens while the app is in use.",
            "NSLocationAlwaysAndWhenInUseUsageDescription": "For the test of what happens at any time.",
            "UIBackgroundModes": ["location"],
        ]
    }

    /// Reads an app's own Info.plist.
    ///
    /// - Parameter url: the file.
    /// - Returns: its values, for `infoPlist`.
    /// - Throws: ``InfoPlistFailure``.
    public static func infoPlist(contentsOf url: URL) throws -> [String: any Sendable] {
        guard let data = try? Data(contentsOf: url) else { throw InfoPlistFailure(url, "cannot be read") }
        guard let list = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil) else {
            throw InfoPlistFailure(url, "is not a property list")
        }
        guard let values = list as? [String: Any] else {
            throw InfoPlistFailure(url, "has no dictionary at its root")
        }
        return values.compactMapValues(self.sendable)
    }

    /// The error for a file that is not an Info.plist.
    public struct InfoPlistFailure: Error, CustomStringConvertible, Sendable {
        /// The mistake, and its remedy.
        public let description: String

        init(_ url: URL, _ mistake: String) {
            self.description =
                "\(url.path) \(mistake), so it is not an Info.plist; check the path, and the file with plutil or xmllint"
        }
    }

    /// The types of Info.plist values that Core Location uses.
    private static func sendable(_ value: Any) -> (any Sendable)? {
        switch value {
        case let text as String: text
        case let flag as Bool: flag
        case let texts as [String]: texts
        case let texts as [String: String]: texts
        default: nil
        }
    }

    /// An app that is a program, as `@main` makes one; its process ends when `main` returns or throws.
    ///
    /// ```swift
    /// AppUnderTest("com.example.FindFriends") { await FindFriendsApp.main() }
    /// ```
    /// - Parameters:
    ///   - bundle: the bundle identifier.
    ///   - infoPlist: the values of the Info.plist.
    ///   - pushExtension: makes the object of the location push service extension; nil: the app has none.
    ///   - main: the program.
    public init(
        _ bundle: String,
        infoPlist: [String: any Sendable] = Self.fullInfoPlist,
        pushExtension: (@MainActor @Sendable () -> any CLLocationPushServiceExtension)? = nil,
        main: @escaping @MainActor @Sendable () async throws -> Void
    ) {
        self.init(bundle, infoPlist, pushExtension.map { .object($0) }, .main(main))
    }

    /// An app with a run loop, as iOS apps are; its process lives until it is ended.
    ///
    /// ```swift
    /// AppUnderTest("com.example.Workout", object: { WorkoutModel() })
    /// ```
    /// - Parameters:
    ///   - bundle: the bundle identifier.
    ///   - infoPlist: the values of the Info.plist.
    ///   - pushExtension: makes the object of the location push service extension; nil: the app has none.
    ///   - object: makes, at every launch, the object that holds all others: a delegate, a model. A test reads it with
    ///     ``VirtualApp/read(_:)``.
    public init(
        _ bundle: String,
        infoPlist: [String: any Sendable] = Self.fullInfoPlist,
        pushExtension: (@MainActor @Sendable () -> any CLLocationPushServiceExtension)? = nil,
        object: @escaping @MainActor @Sendable () -> AnyObject
    ) {
        self.init(bundle, infoPlist, pushExtension.map { .object($0) }, .object(object))
    }

    /// An app that is a program, run in a separate process: for code with static state, and for code that ends its
    /// process.
    ///
    /// The device starts the test's binary again, which then runs only this program, in lock-step with the device and in
    /// its time. A launch begins with fresh statics; a trap or an `exit` ends the app and not the tests. A launch takes about 10 ms,
    /// an update 20 µs.
    ///
    /// ```swift
    /// extension FindFriendsApp: SeparateProgram {}
    /// AppUnderTest("com.example.FindFriends", separateProcess: FindFriendsApp.self)
    /// ```
    /// The test and that process share no memory: the test sees only what the device sees.
    ///
    /// - Parameters:
    ///   - bundle: the bundle identifier.
    ///   - infoPlist: the values of the Info.plist.
    ///   - program: the program; a type that other files can name.
    ///   - pushExtension: the program of the location push service extension, which has another process for each
    ///     launch (``CoreLocation/CLLocationPushServiceExtension/serve(_:)``); nil: the app has none.
    public init(
        _ bundle: String,
        infoPlist: [String: any Sendable] = Self.fullInfoPlist,
        separateProcess program: any SeparateProgram.Type,
        pushExtension: (any SeparateProgram.Type)? = nil
    ) {
        let push = pushExtension.map { PushEntry.separate(Self.name(of: $0)) }
        self.init(bundle, infoPlist, push, .separate(Self.name(of: program)))
    }

    private static func name(of program: any SeparateProgram.Type) -> String {
        guard let name = _mangledTypeName(program), _typeByName(name) is any SeparateProgram.Type else {
            preconditionFailure(
                "\(program) cannot be found by its name in another process: declare it neither private nor local"
            )
        }
        return name
    }

    private init(
        _ bundle: String,
        _ infoPlist: [String: any Sendable],
        _ pushExtension: PushEntry?,
        _ entry: Entry
    ) {
        precondition(!bundle.isEmpty, "the bundle identifier is empty; give one such as com.example.Workout")
        self.bundle = bundle
        self.infoPlist = infoPlist
        self.entitlements = pushExtension == nil ? [] : [Entitlement.push, Entitlement.pushEnvironment]
        self.entry = entry
        self.pushExtension = pushExtension
    }

    /// The app's manifest for the engine.
    var manifest: AppManifest {
        AppManifest(
            infoPlist: self.infoPlist,
            entitlements: self.entitlements,
            hasPushExtension: self.pushExtension != nil
        )
    }
}
