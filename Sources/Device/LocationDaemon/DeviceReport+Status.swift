internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The contents of `locationctl status` and `locationctl settings`.
extension DeviceReport {
    // MARK: Settings

    var settings: WireSettings {
        .with {
            $0.locationServices = self.engine.areServicesOn
            $0.locationServicesManaged = self.engine.areServicesManaged
            $0.apps = self.bundles.apps.sorted { $0.key < $1.key }.map { self.settings(of: $0.key, $0.value) }
        }
    }

    private func settings(of bundle: BundleID, _ installed: BundleStore.Installed) -> WireAppSettings {
        .with {
            $0.bundle = bundle.rawValue
            $0.name = installed.bundle.name
            guard let status = self.engine.status(of: bundle) else { return }
            $0.location = .init(status.setting)
            $0.precise = status.isPreciseForGood
            $0.allowedOnce = status.isForOnce
            $0.preciseForNow = status.isPrecise && !status.isPreciseForGood
            $0.provisionalAlways = status.isProvisional
            $0.restriction =
                switch status.restriction {
                case .none: .none
                case .locked: .locked
                case .forbidden: .forbidden
                }
        }
    }

    // MARK: Status

    /// The status, shortened to fit a packet.
    var status: WireControlReply {
        let whole = WireControlReply.with { $0.status = self.wholeStatus }
        guard (try? WireMessage.encode(whole)).map({ $0.count > PacketSocket.packetBytesMax }) ?? true else {
            return whole
        }
        self.bounds.count(.answersShortened)
        var short = whole
        for index in short.status.apps.indices {
            short.status.apps[index].sessions = []
            short.status.apps[index].activities = []
            short.status.apps[index].entitlements = []
            short.status.apps[index].conditions = []
        }
        short.status.indicators = []
        return short
    }

    private var wholeStatus: WireDeviceStatus {
        .with {
            $0.logFault = self.storage.flushLog() ?? ""
            let state = Diagnosis.state(self.stateFacts)
            if state.severity == .trouble { $0.stateFault = state.words }
            $0.programReplaced = Self.isReplaced
            let shown = self.shownSource
            $0.source = self.sources.words(of: shown)
            $0.sourceState = self.sources.state(of: shown, isOn: self.isOn(shown))
            $0.receiverOn = self.core.sources?.isNeeded ?? false
            if let status = self.sources.receiverStatus(of: shown, in: self.engine) { $0.receiver = status }
            $0.otherSources = self.configuration.sources.indices.filter { $0 != shown }.map { number in
                .with {
                    $0.source = self.sources.words(of: number)
                    $0.sourceState = self.sources.state(of: number, isOn: self.isOn(number))
                }
            }
            if let feed = self.sources.beaconFeedStatus { $0.beaconFeed = feed }
            if let nmea = self.nmea { $0.nmeaSocket = nmea.status(self.engine.status(of: NMEAReaders.bundle)) }
            if let polkit = self.polkit.status { $0.polkit = polkit }
            $0.gateway = self.configuration.gateway?.words ?? ""
            $0.gatewayState = self.gatewayState.words
            if let deadline = self.core.nextDeadline { $0.nextWake = .init(deadline, now: Clocks.now().monotonic) }
            $0.locationServices = self.engine.areServicesOn
            $0.agents = UInt32(self.agents.greetedCount)
            if let prompt = self.engine.currentPrompt {
                $0.prompt = .with {
                    $0.id = prompt.id.rawValue
                    $0.bundle = prompt.bundle.rawValue
                    $0.question = prompt.question.words
                }
            }
            $0.indicators = self.engine.indicators.map { indicator in
                .with {
                    $0.bundle = indicator.bundle.rawValue
                    switch indicator.kind {
                    case .liveActivity(let title): $0.title = title
                    case .sharingStopped: $0.sharingStopped = true
                    case .locationInBackground: break
                    }
                }
            }
            $0.apps = self.bundles.apps.sorted { $0.key < $1.key }.map { self.appStatus($0.key, $0.value) }
            $0.broken = self.bundles.broken.sorted { $0.key < $1.key }.map { bundle, reason in
                .with {
                    $0.bundle = bundle.rawValue
                    $0.reason = reason.description.cut(toBytes: Self.reasonBytesMax)
                }
            }
            let bounds = self.bounds.counts + self.core.bounds
            $0.bounds = Bound.allCases.map { bound in
                .with {
                    $0.bound = bound.rawValue
                    $0.count = bounds[bound]
                }
            }
        }
    }

    /// The number of the source shown first: the one in use, otherwise the first choice.
    var shownSource: Int { self.core.sources?.chosen ?? 0 }

    private func isOn(_ source: Int) -> Bool { self.core.sources?.runs(source) == true }

    /// The maximum number of sessions and of live activities that the status lists for an app.
    private static let listedMax = 16
    /// The longest reason why an app is not served, in bytes: two lines on a terminal.
    private static let reasonBytesMax = 300

    private static func listed(_ words: [String]) -> [String] {
        words.count <= self.listedMax
            ? words : words.prefix(self.listedMax) + ["and \(words.count - self.listedMax) more"]
    }

    private func appStatus(
        _ id: BundleID,
        _ installed: BundleStore.Installed
    ) -> WireAppStatus {
        .with {
            $0.bundle = id.rawValue
            $0.name = installed.bundle.name
            $0.container = self.folders.container(of: id)
            $0.entitlements = installed.approved.sorted()
            $0.pid = self.processes.pid(of: id) ?? 0
            guard let status = self.engine.status(of: id) else { return }
            $0.authorization = .init(status.authorization)
            $0.reducedAccuracy = !status.isPrecise
            if let prompt = self.engine.currentPrompt, prompt.bundle == id { $0.prompt = prompt.question.words }
            $0.process = status.process.words
            $0.sessions = Self.listed(status.sessions.map(\.words))
            $0.streams = UInt32(status.streams)
            $0.activities =
                (status.hasBackgroundSession ? ["background session"] : [])
                + Self.listed(status.liveActivities.map { "live activity \"\($0)\"" })
            $0.conditions = status.conditions.map { condition in
                .with {
                    $0.monitor = condition.monitor ?? ""
                    $0.identifier = condition.identifier
                    $0.state = .init(condition.state)
                    $0.hasEvent_p = condition.hasEvent
                    $0.reasons = condition.reasons.words
                }
            }
            $0.monitorsPushes = status.monitorsPushes
            $0.extensionRunning = status.extensionRuns
        }
    }
}

extension WireNextWake {
    fileprivate init(_ deadline: Deadline<DeviceCore.DeadlineReason>, now: EngineInstant) {
        self.init()
        self.seconds = max(.zero, now.duration(to: deadline.at)) / .seconds(1)
        self.reason = "\(deadline.reason)"
    }
}

extension AppStatus.Process {
    fileprivate var words: String {
        switch self {
        case .notRunning: "not running"
        case .foreground: "foreground"
        case .headless: "in use (headless)"
        case .background: "background"
        case .suspended: "suspended"
        }
    }
}

extension Declaration.Session.Requirement {
    fileprivate var words: String {
        switch self {
        case .none: "none"
        case .whenInUse: "when in use"
        case .always: "always"
        }
    }
}

extension Prompt.Question {
    fileprivate var words: String {
        switch self {
        case .whenInUse: "when in use?"
        case .always: "always?"
        case .confirmAlways: "still always?"
        case .fullAccuracy(let purpose): "precise, for \(purpose)?"
        }
    }
}

extension WireAppSettings.Location {
    init(_ setting: Authorization.Setting) {
        self =
            switch setting {
            case .never: .never
            case .askNextTime: .askNextTime
            case .whileUsing: .whileUsing
            case .always: .always
            }
    }

    /// The engine's value; nil for a number that this version does not know.
    var setting: Authorization.Setting? {
        switch self {
        case .never: .never
        case .askNextTime: .askNextTime
        case .whileUsing: .whileUsing
        case .always: .always
        case .UNRECOGNIZED: nil
        }
    }
}
