internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The state of the device as it is shown: by field for scripts, in lines for people.
struct StatusReport: Encodable {
    /// One app.
    struct App: Encodable {
        var bundle: String
        var name: String
        var authorization: String
        var reducedAccuracy: Bool
        var prompt: String
        var process: String
        var pid: Int32
        var sessions: [String]
        var streams: UInt32
        var activities: [String]
        var conditions: [Condition]
        var monitorsPushes: Bool
        var extensionRunning: Bool
        var container: String
        var entitlements: [String]

        init(_ app: WireAppStatus) {
            self.bundle = app.bundle
            self.name = app.name
            self.authorization = app.authorization.words
            self.reducedAccuracy = app.reducedAccuracy
            self.prompt = app.prompt
            self.process = app.process.isEmpty ? "not running" : app.process
            self.pid = app.pid
            self.sessions = app.sessions
            self.streams = app.streams
            self.activities = app.activities
            self.conditions = app.conditions.map(Condition.init)
            self.monitorsPushes = app.monitorsPushes
            self.extensionRunning = app.extensionRunning
            self.container = app.container
            self.entitlements = app.entitlements
        }

        fileprivate var lines: [String] {
            var lines = [
                "", "\(self.name)  \(self.bundle)",
                "  authorization  \(self.authorization)\(self.reducedAccuracy ? ", approximate" : ", precise")",
            ]
            if !self.prompt.isEmpty {
                lines.append("  asked          \(self.prompt)  (answer: locationctl agent, or settings \(self.bundle))")
            }
            let number = self.pid == 0 ? "" : " (\(self.pid))"
            let inside = self.extensionRunning ? ", extension running" : ""
            lines.append("  process        \(self.process)\(number)\(inside)")
            if !self.sessions.isEmpty { lines.append("  sessions       \(Self.counted(self.sessions))") }
            if self.streams > 0 { lines.append("  streams        \(self.streams)") }
            if !self.activities.isEmpty { lines.append("  activities     \(self.activities.joined(separator: ", "))") }
            lines += self.conditions.map { "  condition      \($0.text)" }
            lines.append("  pushes         \(self.monitorsPushes ? "monitored" : "not monitored")")
            lines.append("  container      \(self.container)")
            return lines
        }

        /// Equal ones together: `always, when in use (3)`.
        private static func counted(_ words: [String]) -> String {
            var counts: [(word: String, count: Int)] = []
            for word in words {
                if let index = counts.firstIndex(where: { $0.word == word }) {
                    counts[index].count += 1
                } else {
                    counts.append((word, 1))
                }
            }
            return counts.map { $0.count == 1 ? $0.word : "\($0.word) (\($0.count))" }.joined(separator: ", ")
        }
    }

    /// A condition of an app, by the app's own names.
    struct Condition: Encodable {
        /// Empty: a region of a manager.
        var monitor: String
        var identifier: String
        var state: String
        /// Whether something happened that the app did not handle.
        var hasEvent: Bool
        /// Why it has no events; empty: it is watched.
        var reasons: [String]

        fileprivate init(_ condition: WireConditionStatus) {
            self.monitor = condition.monitor
            self.identifier = condition.identifier
            self.state = condition.state.words
            self.hasEvent = condition.hasEvent_p
            self.reasons = condition.reasons
        }

        fileprivate var text: String {
            let name = self.monitor.isEmpty ? "region \(self.identifier)" : "\(self.monitor)/\(self.identifier)"
            let event = self.hasEvent ? ", an event waits" : ""
            let reasons = self.reasons.isEmpty ? "" : " (no events: \(self.reasons.joined(separator: ", ")))"
            return "\(name): \(self.state)\(event)\(reasons)"
        }
    }

    struct Prompt: Encodable {
        var id: UInt64
        var bundle: String
        var question: String
    }

    struct Indicator: Encodable {
        var bundle: String
        var title: String
        /// The app answers no location pushes until it is opened.
        var sharingStopped: Bool

        var words: String {
            if self.sharingStopped { return "stopped sharing the location; open it once to go on" }
            return self.title.isEmpty ? "uses the location" : self.title
        }
    }

    /// An installed app that is not served.
    struct Broken: Encodable {
        var bundle: String
        var reason: String

        fileprivate var lines: [String] {
            ["", self.bundle, "  not served     \(self.reason)", "  remedy         install it again, or uninstall it"]
        }
    }

    /// The way of scanners of beacons to the device.
    struct BeaconFeed: Encodable {
        var path: String
        var state: String
        var scanners: UInt32
        /// The receptions that were understood, since locationd began.
        var advertisements: UInt64
        /// The lines that made no sense, or came too fast, and the fault of the newest.
        var dropped: UInt64
        var fault: String

        fileprivate init(_ status: WireBeaconFeedStatus) {
            self.path = status.path
            self.state = status.state
            self.scanners = status.scanners
            self.advertisements = status.advertisements
            self.dropped = status.dropped
            self.fault = status.fault
        }

        fileprivate var lines: [String] {
            let heard = self.advertisements == 0 ? "" : ", \(self.advertisements) receptions"
            var lines = ["beacons    \(self.path): \(self.state)\(heard)"]
            if self.dropped > 0 {
                lines.append("           dropped \(self.dropped) lines; the last one: \(self.fault)")
            }
            return lines
        }
    }

    /// A source that runs, or waits, beside the one whose word counts.
    struct Source: Encodable {
        var source: String
        var sourceState: String
    }

    var source: String
    var sourceState: String
    var otherSources: [Source]
    var receiverOn: Bool
    /// Absent where fixes do not come from a receiver.
    var receiver: ReceiverReport?
    /// Whether an upgrade replaced the program file of the locationd that runs.
    var programReplaced: Bool
    /// Absent where the device hears no beacons.
    var beaconFeed: BeaconFeed?
    /// Absent where no programs read NMEA 0183.
    var nmeaSocket: NMEASocketReport?
    /// Absent where polkit is not asked who gives orders.
    var polkit: PolkitReport?
    /// Why the newest lines of the log are not on disk; empty: they are.
    var logFault: String
    /// Why a decision may be lost over a restart; empty: it is kept.
    var stateFault: String
    var gateway: String
    var gatewayState: String
    var locationServices: Bool
    var agents: UInt32
    /// Absent while nothing is asked.
    var prompt: Prompt?
    var indicators: [Indicator]
    var apps: [App]
    var broken: [Broken]
    /// How often which bound was reached since locationd began (docs/bounds.md).
    var bounds: [String: UInt64]

    init(_ status: WireDeviceStatus) {
        self.source = status.source
        self.sourceState = status.sourceState
        self.otherSources = status.otherSources.map { Source(source: $0.source, sourceState: $0.sourceState) }
        self.receiverOn = status.receiverOn
        if status.hasReceiver { self.receiver = ReceiverReport(status.receiver) }
        self.programReplaced = status.programReplaced
        if status.hasBeaconFeed { self.beaconFeed = BeaconFeed(status.beaconFeed) }
        if status.hasNmeaSocket { self.nmeaSocket = NMEASocketReport(status.nmeaSocket) }
        if status.hasPolkit { self.polkit = PolkitReport(status.polkit) }
        self.logFault = status.logFault
        self.stateFault = status.stateFault
        self.gateway = status.gateway
        self.gatewayState = status.gatewayState
        self.locationServices = status.locationServices
        self.agents = status.agents
        if status.hasPrompt {
            let prompt = status.prompt
            self.prompt = Prompt(id: prompt.id, bundle: prompt.bundle, question: prompt.question)
        }
        self.indicators = status.indicators.map {
            Indicator(bundle: $0.bundle, title: $0.title, sharingStopped: $0.sharingStopped)
        }
        self.apps = status.apps.map(App.init)
        self.broken = status.broken.map { Broken(bundle: $0.bundle, reason: $0.reason) }
        self.bounds = Dictionary(status.bounds.map { ($0.bound, $0.count) }) { $1 }
    }

    /// How long ago the newest fix came; empty for a receiver that delivers as usual.
    private var lastFixAge: String {
        guard let age = self.receiver?.lastFixAge, age >= 2 else { return "" }
        return ", the last fix \(Int(min(age, 1e9).rounded())) s ago"
    }

    /// For people.
    var text: String {
        var lines =
            self.programReplaced
            ? ["version    older than the installed one; restart locationd (`locationctl doctor` has the command)"] : []
        lines += [
            "services   \(self.locationServices ? "on" : "off")",
            "fixes      \(self.source): \(self.sourceState)\(self.lastFixAge)",
        ]
        lines += self.receiver?.lines ?? []
        lines += self.otherSources.map { "also       \($0.source): \($0.sourceState)" }
        lines += self.beaconFeed?.lines ?? []
        lines += self.nmeaSocket?.lines ?? []
        lines += self.polkit?.lines ?? []
        lines += [
            "pushes     \(self.gateway.isEmpty ? self.gatewayState : "\(self.gateway): \(self.gatewayState)")"
        ]
        if !self.stateFault.isEmpty { lines.append("state      \(self.stateFault)") }
        if !self.logFault.isEmpty { lines.append("log        not written: \(self.logFault)") }
        if let prompt = self.prompt {
            let nobody = self.agents == 0 ? "  (nobody is shown it: start locationctl agent)" : ""
            lines.append("asked      \(prompt.bundle): \(prompt.question)\(nobody)")
        }
        for indicator in self.indicators {
            lines.append("shown      \(indicator.bundle): \(indicator.words)")
        }
        // Titles are apps' own words.
        lines += self.apps.flatMap(\.lines) + self.broken.flatMap(\.lines)
        return lines.map(PlainText.of).joined(separator: "\n")
    }
}

extension WireState.Authorization {
    /// The status in words.
    var words: String {
        switch self {
        case .notDetermined: "not determined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .whenInUse: "when in use"
        case .always: "always"
        case .UNRECOGNIZED(let number): "unknown (\(number))"
        }
    }
}

extension WireConditionState {
    /// The state in words.
    fileprivate var words: String {
        switch self {
        case .unknown: "not known"
        case .satisfied: "satisfied"
        case .unsatisfied: "not satisfied"
        case .unmonitored: "not watched"
        case .UNRECOGNIZED(let number): "unknown (\(number))"
        }
    }
}
