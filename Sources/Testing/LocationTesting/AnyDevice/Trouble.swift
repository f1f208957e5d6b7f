/// An event that a test applies to a device and its apps, such as a lost signal, a crash or a changed setting.
///
/// A trouble with a duration ends by itself. Strings are the bundle identifiers of apps.
public enum Trouble: Sendable, Hashable, Codable {
    /// The person answers the app's question.
    case answer(String, Person.Answer)
    /// The person changes the app's setting.
    case set(String, Person.Setting)
    /// The person switches the app's precise location on (`true`) or off.
    case setPrecise(String, Bool)
    /// The person opens the app.
    case open(String)
    /// The person leaves the app for the home screen.
    case leave(String)
    /// The person closes the app, with a swipe.
    case close(String)
    /// The person locks the device.
    case lock(for: Duration)
    /// The person switches location services off.
    case locationServicesOff(for: Duration)
    /// The person switches airplane mode on: no network, no pushes.
    case airplaneMode(for: Duration)
    /// The person switches low power mode on.
    case lowPowerMode(for: Duration)
    /// The person switches the app's background refresh off.
    case backgroundRefreshOff(String, for: Duration)
    /// The wall clock is moved; a negative duration moves it back.
    case moveClock(by: Duration)
    /// The system stops the app's process.
    case suspend(String, for: Duration)
    /// The system ends the app's process.
    case terminate(String)
    /// The system ends the app's process at its n-th await, counted from 1 over all launches; never drawn at random.
    case terminateAtAwait(String, Int)
    /// A bug ends the app's process.
    case crash(String)
    /// The app is installed over itself.
    case update(String)
    /// The app's code is removed until the person opens it.
    case offload(String)
    /// The system kills the app's push extension.
    case cutExtension(String)
    /// The location service ends, and starts again.
    case serviceDown(VirtualDevice.ServiceEnd, for: Duration)
    /// The device is off, and then locked; a `lockedFor` of zero leaves it unlocked.
    case reboot(offFor: Duration, lockedFor: Duration)
    /// The receiver sees no satellites.
    case signalLost(for: Duration)
    /// The receiver reports positions this far to the north.
    case stray(metres: Int, for: Duration)
    /// The device has an oddity from now on.
    case quirk(Quirk)
    /// Pushes that are sent during this time arrive twice.
    case pushesDoubled(for: Duration)
    /// Pushes that are sent during this time arrive later.
    case pushesDelayed(by: Duration, for: Duration)
    /// Pushes that are sent during this time are lost.
    case pushesLost(for: Duration)
    /// Every app has a new push token.
    case newPushTokens
    /// Other apps' pushes spend the device's budget.
    case pushBudgetSpent

    /// A trouble without its app and arguments.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case answer, set, setPrecise, open, leave, close, lock, locationServicesOff, airplaneMode, lowPowerMode
        case backgroundRefreshOff, moveClock, suspend, terminate, terminateAtAwait, crash, update, offload, cutExtension
        case serviceDown, reboot, signalLost, stray, quirk, pushesDoubled, pushesDelayed, pushesLost, newPushTokens,
            pushBudgetSpent
    }

    /// Its kind.
    public var kind: Kind {
        // The raw values of the kinds are the names of the cases.
        guard let kind = Kind(rawValue: String("\(self)".prefix(while: { $0 != "(" }))) else {
            preconditionFailure("Trouble.Kind lacks \(self)")
        }
        return kind
    }

    /// The app that it affects; nil: all apps of the device.
    var app: String? {
        switch self {
        case .answer(let app, _), .set(let app, _), .setPrecise(let app, _), .open(let app), .leave(let app),
            .close(let app), .backgroundRefreshOff(let app, _), .suspend(let app, _), .terminate(let app),
            .terminateAtAwait(let app, _), .crash(let app), .update(let app), .offload(let app), .cutExtension(let app):
            app
        case .lock, .locationServicesOff, .airplaneMode, .lowPowerMode, .moveClock, .serviceDown, .reboot, .signalLost,
            .stray, .quirk, .pushesDoubled, .pushesDelayed, .pushesLost, .newPushTokens, .pushBudgetSpent:
            nil
        }
    }

    /// The trouble as Swift code, without its type.
    var literal: String {
        // Removes the types of the arguments, which the compiler infers.
        let code = "\(self)".replacing(/[\w.]+\.(?=[a-zA-Z]\w*[,()])/, with: ".")
        return "."
            + code.replacing(/(-?[0-9.e+-]+) seconds/) { match in
                Duration.milliseconds((1000 * (Double(match.output.1) ?? 0)).rounded()).literal
            }
    }

    /// The trouble's durations; shortening them makes a story smaller.
    var durations: [Duration] {
        get {
            switch self {
            case .lock(let time), .locationServicesOff(let time), .airplaneMode(let time), .lowPowerMode(let time),
                .backgroundRefreshOff(_, let time), .moveClock(let time), .suspend(_, let time),
                .serviceDown(_, let time), .signalLost(let time), .stray(_, let time), .pushesDoubled(let time),
                .pushesLost(let time):
                [time]
            case .reboot(let off, let locked): [off, locked]
            case .pushesDelayed(let delay, let time): [delay, time]
            case .answer, .set, .setPrecise, .open, .leave, .close, .terminate, .terminateAtAwait, .crash, .update,
                .offload,
                .cutExtension, .quirk, .newPushTokens, .pushBudgetSpent:
                []
            }
        }
        set {
            guard let first = newValue.first, let last = newValue.last else { return }
            switch self {
            case .lock: self = .lock(for: first)
            case .locationServicesOff: self = .locationServicesOff(for: first)
            case .airplaneMode: self = .airplaneMode(for: first)
            case .lowPowerMode: self = .lowPowerMode(for: first)
            case .backgroundRefreshOff(let app, _): self = .backgroundRefreshOff(app, for: first)
            case .moveClock: self = .moveClock(by: first)
            case .suspend(let app, _): self = .suspend(app, for: first)
            case .serviceDown(let end, _): self = .serviceDown(end, for: first)
            case .signalLost: self = .signalLost(for: first)
            case .stray(let metres, _): self = .stray(metres: metres, for: first)
            case .pushesDoubled: self = .pushesDoubled(for: first)
            case .pushesLost: self = .pushesLost(for: first)
            case .reboot: self = .reboot(offFor: first, lockedFor: last)
            case .pushesDelayed: self = .pushesDelayed(by: first, for: last)
            case .answer, .set, .setPrecise, .open, .leave, .close, .terminate, .terminateAtAwait, .crash, .update,
                .offload,
                .cutExtension, .quirk, .newPushTokens, .pushBudgetSpent:
                break
            }
        }
    }
}
