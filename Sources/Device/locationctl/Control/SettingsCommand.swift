internal import ArgumentParser
internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages

/// `locationctl settings`.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings",
        abstract: "Show and change apps' permissions, as a settings page does; changes take effect at once.",
        usage: """
            locationctl settings [--json]
            locationctl settings location-services on|off
            locationctl settings BUNDLE [location never|ask|while-using|always] [precise on|off]
            """,
        discussion: """
            location        never; ask: the app may ask the next time; while-using: while the app is in use; always.
            precise         off: the app knows the place within some kilometres.

            Settings that the device's owner locked (locationd --management) are shown, but cannot be changed.
            """
    )

    @Argument(help: "location-services, or an app's bundle identifier; then keys and values.") var words: [String] = []
    @Flag(help: "Print JSON.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func validate() throws { _ = try Self.request(self.words) }

    func run() throws {
        let request = try Self.request(self.words)
        guard case .settings(var settings) = try self.daemon.ask(.with { $0.settings = request }).body else { return }
        if !request.bundle.isEmpty { settings.apps.removeAll { $0.bundle != request.bundle } }
        print(self.json ? try settings.json : settings.text)
    }

    /// Interprets the arguments of the command line.
    static func request(_ words: [String]) throws -> WireSettingsRequest {
        var request = WireSettingsRequest()
        var rest = words[...]
        if let first = rest.first, first != "location-services" {
            // An empty argument is usually an unset variable of a script, which must not mean the whole device.
            guard !first.isEmpty else { throw ValidationError("an empty text is not an app's bundle identifier") }
            guard first.contains(".") || rest.count == 1 else {
                throw ValidationError(
                    "there is no setting \(first); the device has location-services, an app's begin with its bundle "
                        + "identifier"
                )
            }
            request.bundle = first
            rest = rest.dropFirst()
        }
        var keys: Set<String> = []
        while let key = rest.popFirst() {
            guard keys.insert(key).inserted else { throw ValidationError("\(key) is given twice; give it once") }
            guard let value = rest.popFirst() else { throw ValidationError("\(key) needs a value; see --help") }
            switch key {
            case "location-services" where request.bundle.isEmpty:
                request.locationServices = try self.flag(value, of: key)
            case "location" where !request.bundle.isEmpty: request.location = try self.location(value)
            case "precise" where !request.bundle.isEmpty: request.precise = try self.flag(value, of: key)
            default:
                throw ValidationError(
                    request.bundle.isEmpty
                        ? "the device has no setting \(key), only location-services; an app's begin with its bundle "
                            + "identifier"
                        : "an app has no setting \(key); there are: location, precise"
                )
            }
        }
        return request
    }

    private static func flag(_ value: String, of key: String) throws -> Bool {
        switch value {
        case "on": return true
        case "off": return false
        default: throw ValidationError("\(key) is on or off, not \(value)")
        }
    }

    private static func location(_ value: String) throws -> WireAppSettings.Location {
        guard let setting = LocationSetting(rawValue: value) else {
            throw ValidationError("location is never, ask, while-using or always, not \(value)")
        }
        return setting.wire
    }
}

extension WireSettings {
    fileprivate var text: String {
        let managed = self.locationServicesManaged ? " (by the device's owner)" : ""
        let services = "location-services  \(self.locationServices ? "on" : "off")\(managed)"
        if self.apps.isEmpty { return services }
        let rows = self.apps.map { [$0.bundle, $0.name, $0.location.word, $0.precise ? "on" : "off", $0.notes] }
        return "\(services)\n\n\(Table(rows: [["APP", "NAME", "LOCATION", "PRECISE", ""]] + rows))"
    }
}

extension WireAppSettings {
    fileprivate var notes: String {
        var notes: [String] = []
        if self.allowedOnce { notes.append("allowed once") }
        if self.preciseForNow { notes.append("precise for now") }
        if self.provisionalAlways { notes.append("always, to be confirmed") }
        switch self.restriction {
        case .none, .UNRECOGNIZED: break
        case .locked: notes.append("locked by the device's owner")
        case .forbidden: notes.append("forbidden by the device's owner")
        }
        return notes.joined(separator: ", ")
    }
}

extension WireAppSettings.Location {
    fileprivate var word: String {
        if case .UNRECOGNIZED(let number) = self { return "unknown (\(number))" }
        return LocationSetting.allCases.first { $0.wire == self }?.rawValue ?? ""
    }
}
