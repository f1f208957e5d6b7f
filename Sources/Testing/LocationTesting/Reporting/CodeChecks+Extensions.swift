internal import Foundation
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The record of one extension process, from which its mistakes are found.
struct PushAccount {
    /// The pushes that the process has not completed, and when it got them.
    var handed: [PushID: Int64] = [:]
    /// When the process got its first push.
    var began: Int64?
    /// The values of the payloads, which must not appear in a log.
    var values: Set<String> = []
    /// The number of requests under way on the virtual network.
    var requests = 0
    /// Whether the present push has the keys of another server.
    var isMisspelled = false
    /// The mistakes, each once, in the order of their discovery.
    var mistakes: [PushMistake] = []
}

/// Mistakes of extensions (``PushMistake``).
extension CodeChecks {
    /// The age beyond which a position counts as old.
    ///
    /// Source: Home Assistant's companion app for iOS accepts positions that are at most 30 s old.
    private static let freshAge = Duration.seconds(30)
    /// Shorter values of a payload could be ordinary words.
    private static let valueLengthMin = 8
    /// Parts of keys that name a secret or an address.
    private static let clearKeys = [
        "secret", "bearer", "token", "password", "apikey", "api_key", "authorization", "url", "endpoint",
    ]

    func note(_ mistake: PushMistake, of process: VirtualProcess) {
        guard process.role != .app, !process.account.mistakes.contains(mistake) else { return }
        process.account.mistakes.append(mistake)
        self.timeline.add(.problem, process.name, "\(mistake)")
        self.trial?.broke(mistake.rule, "\(process.name) \(mistake)")
    }

    // MARK: Pushes

    /// A push was handed to an extension.
    func handed(_ sent: VirtualGateway.Sent) {
        guard let process = self.processes.pushExtension(of: sent.push.bundle) else { return }
        process.account.handed[sent.push.id] = self.time.clock.now
        process.account.began = process.account.began ?? self.time.clock.now
        if sent.isMisspelled { process.account.isMisspelled = true }
        self.trial?.reached(Rule.ofExtensions)
        guard let payload = try? JSONSerialization.jsonObject(with: Data(sent.push.payload)) else { return }
        self.read(payload, key: "", of: process)
    }

    private func read(_ value: Any, key: String, of process: VirtualProcess) {
        switch value {
        case let text as String:
            if text.count >= Self.valueLengthMin { process.account.values.insert(text) }
            self.readClear(text, under: key, of: process)
        case let object as [String: Any]: for (key, value) in object { self.read(value, key: key, of: process) }
        case let list as [Any]: for value in list { self.read(value, key: key, of: process) }
        default: break
        }
    }

    private func readClear(_ text: String, under key: String, of process: VirtualProcess) {
        let isAddress = text.hasPrefix("https://") || text.hasPrefix("http://")
        let name = key.lowercased()
        if isAddress || Self.clearKeys.contains(where: { name.contains($0) }) {
            self.note(.trustsClearValue(key: key), of: process)
        }
    }

    /// The code that runs read a value of the app's defaults.
    func readDefaults(_ key: String, _ value: Any?) {
        guard let process = self.processes.current, let text = value as? String else { return }
        self.readClear(text, under: key, of: process)
    }

    func pushCompleted(_ id: PushID, by process: VirtualProcess) {
        process.account.handed[id] = nil
        guard process.account.handed.isEmpty else { return }
        process.account.isMisspelled = false
        if process.account.requests > 0 {
            self.note(.completedBeforeReply(requests: process.account.requests), of: process)
        }
    }

    func completedAgain(by number: Int) {
        if let process = self.processes[number] { self.note(.completedTwice, of: process) }
    }

    /// An extension used up its time.
    func ranOutOfTime(_ process: VirtualProcess) {
        guard !process.account.handed.isEmpty else { return }
        // A request that takes too long was already recorded when it began.
        if process.account.requests > 0 { return }
        self.note(process.streams.isEmpty ? .neverCompleted : .noTimerForPosition, of: process)
    }

    // MARK: Requests

    func requestBegan(by number: Int, within timeout: Duration?) {
        guard let process = self.processes[number], process.role != .app else { return }
        process.account.requests += 1
        guard let began = process.account.began else { return }
        let left = self.service.policy.extensionAllowance - .nanoseconds(self.time.clock.now - began)
        if let timeout, timeout > left { self.note(.timeoutBeyondTime(timeout: timeout, left: left), of: process) }
    }

    func requestEnded(by number: Int) {
        guard let process = self.processes[number], process.role != .app else { return }
        process.account.requests -= 1
    }

    // MARK: Positions

    /// A process declared its streams again, which were these before.
    func declared(_ before: [VirtualProcess.Stream], by process: VirtualProcess) {
        guard process.role != .app else { return }
        for stream in before where !process.streams.contains(where: { $0.id == stream.id }) {
            self.ended(stream, of: process)
        }
        if process.streams.count > before.count, process.account.isMisspelled {
            self.note(.guessesPayload, of: process)
        }
    }

    private func ended(_ stream: VirtualProcess.Stream, of process: VirtualProcess) {
        let recent = stream.fixes.filter {
            $0.given.duration(to: self.time.now.monotonic) <= VirtualProcess.Stream.satisfaction
        }
        guard !recent.isEmpty else { return }
        // Several positions may come at once, and the process may have used any of them: assume the best one.
        let ages = recent.filter { $0.fix.horizontalAccuracy != nil }.map {
            $0.fix.time.duration(to: self.time.now.wall)
        }
        guard let age = ages.min() else { return self.note(.tookInvalidPosition, of: process) }
        if age > Self.freshAge, !stream.isApproximate { self.note(.tookOldPosition(age: age), of: process) }
    }

    // MARK: Logs

    func logged(_ line: String, by process: VirtualProcess) {
        guard process.role != .app || self.trial != nil else { return }
        let fix = process.positions.newest
        let places = [fix?.latitude, fix?.longitude].compactMap(\.self).map { Self.digits($0) }
        if places.contains(where: { line.contains($0) })
            || process.account.values.contains(where: { line.contains($0) })
        {
            self.note(.loggedPrivateValue, of: process)
            guard process.role == .app else { return }
            self.broke(.loggedPrivateValue, process, "wrote its position to a log, which others can read")
        }
    }

    /// A coordinate to a thousandth of a degree, about 100 m: the common beginning of all longer forms.
    private static func digits(_ coordinate: Int32) -> String {
        let thousandths = abs(Int(coordinate)) / 10_000
        let fraction = String(thousandths % 1000)
        return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
