internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

extension WireDeviceStatus {
    /// The state of the device, for people.
    var text: String {
        var lines =
            self.programReplaced
            ? ["version    older than the installed one; restart locationd (`locationctl doctor` has the command)"] : []
        lines += [
            "services   \(self.locationServices ? "on" : "off")",
            "fixes      \(self.source): \(self.sourceState)\(self.lastFixAge)",
        ]
        if self.hasReceiver { lines += self.receiver.lines }
        lines += self.otherSources.map { "also       \($0.source): \($0.sourceState)" }
        if self.hasBeaconFeed { lines += self.beaconFeed.lines }
        if self.hasNmeaSocket { lines += self.nmeaSocket.lines }
        if self.hasPolkit { lines += self.polkit.lines }
        lines += [
            "pushes     \(self.gateway.isEmpty ? self.gatewayState : "\(self.gateway): \(self.gatewayState)")"
        ]
        if !self.stateFault.isEmpty { lines.append("state      \(self.stateFault)") }
        if !self.logFault.isEmpty { lines.append("log        not written: \(self.logFault)") }
        if self.hasPrompt {
            let nobody = self.agents == 0 ? "  (nobody is shown it: start locationctl agent)" : ""
            lines.append("asked      \(self.prompt.bundle): \(self.prompt.question)\(nobody)")
        }
        lines += self.indicators.map { "shown      \($0.bundle): \($0.words)" }
        // These lines contain text from apps, such as titles.
        lines += self.apps.flatMap(\.lines) + self.broken.flatMap(\.lines)
        return lines.map(PlainText.of).joined(separator: "\n")
    }

    /// The age of the newest fix; empty for a receiver that delivers as usual.
    private var lastFixAge: String {
        guard self.receiver.hasLastFixAge, self.receiver.lastFixAge >= 2 else { return "" }
        return ", the last fix \(Int(min(self.receiver.lastFixAge, 1e9).rounded())) s ago"
    }
}

extension WireAppStatus {
    fileprivate var lines: [String] {
        var lines = [
            "", "\(self.name)  \(self.bundle)",
            "  authorization  \(self.authorization.words)\(self.reducedAccuracy ? ", approximate" : ", precise")",
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

    /// Combines equal words: `always, when in use (3)`.
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

extension WireConditionStatus {
    fileprivate var text: String {
        let name = self.monitor.isEmpty ? "region \(self.identifier)" : "\(self.monitor)/\(self.identifier)"
        let event = self.hasEvent_p ? ", an event waits" : ""
        let reasons = self.reasons.isEmpty ? "" : " (no events: \(self.reasons.joined(separator: ", ")))"
        return "\(name): \(self.state.words)\(event)\(reasons)"
    }
}

extension WireIndicatorStatus {
    fileprivate var words: String {
        if self.sharingStopped { return "stopped sharing the location; open it once to go on" }
        return self.title.isEmpty ? "uses the location" : self.title
    }
}

extension WireBrokenApp {
    fileprivate var lines: [String] {
        ["", self.bundle, "  not served     \(self.reason)", "  remedy         install it again, or uninstall it"]
    }
}

extension WireBeaconFeedStatus {
    fileprivate var lines: [String] {
        let heard = self.advertisements == 0 ? "" : ", \(self.advertisements) receptions"
        var lines = ["beacons    \(self.path): \(self.state)\(heard)"]
        if self.dropped > 0 { lines.append("           dropped \(self.dropped) lines; the last one: \(self.fault)") }
        return lines
    }
}

extension WireState.Authorization {
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
