internal import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// The outcome of `whereabouts push`, for people and for programs.
struct SendingReport: Encodable {
    /// `accepted`, `rejected`, `failed`, `checked` or `not sent`.
    private(set) var outcome: String
    /// The outcome in words, with the next step.
    private(set) var message: String
    private(set) var apnsID: String?
    private(set) var uniqueID: String?
    private(set) var reason: String?
    private(set) var statusCode: Int?
    /// The message of a relay that answered; see ``APNS/RelayWord``.
    private(set) var relay: String?
    /// Milliseconds since 1970.
    private(set) var timestamp: Int64?
    private(set) var mayHaveBeenAccepted: Bool?
    /// The request's headers, without the provider token.
    private(set) var headers: [String: String]?
    private(set) var payload: String?
    /// The parts of the push, as ``PushExamination`` sees them before it is sent.
    private(set) var findings: [PushExamination.Finding]?
    /// The facts that the outcome does not prove.
    private(set) var unproven: [String]?
    /// The exit status of the command.
    private(set) var status: Int32

    /// The exit status of a check with a suspicious finding, although the server accepts the push.
    private static let oddStatus: Int32 = 2

    private enum CodingKeys: String, CodingKey {
        case outcome, message, apnsID, uniqueID, reason, statusCode, relay, timestamp, mayHaveBeenAccepted, headers,
            payload, findings, unproven
    }

    /// Reports the result of a push.
    init(_ result: PushResult) {
        switch result {
        case .accepted(let accepted):
            self.init(outcome: "accepted", message: "the server will try to deliver it", status: 0)
            self.apnsID = accepted.apnsID
            self.uniqueID = accepted.uniqueID
        case .rejected(let rejected): self.init(rejected)
        case .failed(let error):
            let message = error.message.replacing("trustRoots", with: "--trust-roots")
            let isMistake = error.code == .malformedPush
            let isFixed = isMistake || error.code == .cannotConnect && error.remedy == .changeConfiguration
            self.init(
                outcome: isMistake ? "rejected" : "failed",
                message: message,
                status: isFixed ? 3 : error.mayHaveBeenAccepted ? 6 : 5
            )
            self.reason = error.reason?.rawValue
            self.mayHaveBeenAccepted = error.mayHaveBeenAccepted
        }
    }

    /// The report about a push that was rejected, permanently or temporarily.
    private init(_ rejected: PushResult.Rejected) {
        let message = Self.words(rejected)
        switch rejected.remedy {
        case .changePush, .changeConfiguration, .forgetToken, .nothing:
            self.init(outcome: "rejected", message: message, status: 3)
        case .sendAgain:
            self.init(outcome: "failed", message: message, status: 5)
            self.mayHaveBeenAccepted = false
        case .decide:
            self.init(outcome: "failed", message: message, status: 6)
            self.mayHaveBeenAccepted = true
        }
        self.reason = rejected.reason.rawValue
        self.statusCode = rejected.reason.status
        self.relay = rejected.relay?.rawValue
        self.timestamp = rejected.timestamp
    }

    /// The rejection in words; behind a relay, "this server" would name the wrong server.
    private static func words(_ rejected: PushResult.Rejected) -> String {
        guard rejected.relay == .apple, rejected.reason == .badDeviceToken else { return rejected.advice }
        return
            "Apple does not know the device token; are the relay and the app in the same environment (App Store and TestFlight, or Xcode)?"
    }

    /// The report about a push to a device token that does not exist: its rejection for that token shows that
    /// everything else works.
    ///
    /// A relay that would send nothing rejects such a token without asking Apple; its reason distinguishes the two cases.
    init(check result: PushResult, _ push: Push, to endpoint: Endpoint) {
        let (server, app) = ("\(endpoint.host):\(endpoint.port)", push.bundleIdentifier)
        let takes = "\(server) can be reached, and accepts pushes of this key for \(app)"
        guard let (reason, relay) = Self.answer(result) else {
            self.init(result)
            return
        }
        switch (reason, relay) {
        case (nil, _): self.init(checked: takes, relay)
        case (.badDeviceToken?, nil), (.deviceTokenNotForTopic?, nil), (.unregistered?, nil), (.expiredToken?, nil):
            let isPlain = endpoint.environment != nil || !Self.isSealed(push.payload)
            self.init(checked: takes, relay)
            guard !isPlain else { break }
            (self.outcome, self.status) = ("rejected", 3)
            self.message +=
                " to its own devices. It is not a relay to Apple, or runs without --relay: ask its "
                + "operator; if you mean only its own devices, check without --payload"
            self.reason = reason?.rawValue
            self.statusCode = reason?.status
        case (.badDeviceToken?, .apple?), (.deviceTokenNotForTopic?, .apple?), (.unregistered?, .apple?),
            (.expiredToken?, .apple?):
            let words = "\(server) can be reached, relays pushes of this key for \(app), and Apple accepts them"
            self.init(checked: words, relay)
        // The payload is not for a relay, so the rejection comes from the gateway itself, for its own devices.
        case (_, .noSender?) where !Self.isSealed(push.payload):
            self.init(checked: "\(takes), to its own devices; it relays no pushes of this key to Apple", relay)
        case (_, .notSealed?):
            self.init(result)
            self.message += #"; check with --payload '{"aps":{},"whereabouts":{"sealed":"AAAA"}}'"#
        case (.some, _): self.init(result)
        }
    }

    /// The reason and the relay's message of an answer, both nil for an accepted push; nil if there was no answer.
    private static func answer(_ result: PushResult) -> (reason: Reason?, relay: RelayWord?)? {
        switch result {
        case .accepted: (nil, nil)
        case .rejected(let rejected): (rejected.reason, rejected.relay)
        case .failed: nil
        }
    }

    /// Whether a payload is meant for a relay: it has the sealed format that only relays accept.
    private static func isSealed(_ payload: PushPayload) -> Bool {
        payload.bytes.starts(with: #"{"aps":{},"whereabouts":{"sealed":""#.utf8)
    }

    private init(checked message: String, _ relay: RelayWord?) {
        self.init(outcome: "checked", message: message, status: 0)
        self.relay = relay?.rawValue
    }

    /// Names the proxy in the report, because the proxy may be the unreachable part.
    mutating func name(_ proxy: Proxy) {
        let words = "cannot be reached"
        self.message = self.message.replacing(words, with: "\(words) through the proxy \(proxy.host):\(proxy.port)")
    }

    /// Explains a check: the parts of the push, and the limits of the outcome.
    mutating func explain(_ examination: PushExamination) {
        self.findings = examination.findings
        let odd = examination.findings.filter { !$0.isGood }.map(\.part)
        if self.status == 0 {
            self.unproven = examination.unproven
            if !odd.isEmpty {
                self.message += ". The following looks wrong all the same: \(odd.joined(separator: ", "))"
                self.status = Self.oddStatus
            }
        }
        guard self.reason == Reason.badDeviceToken.rawValue, !examination.isForNobody else { return }
        self.message +=
            ". Tokens of the other environment, of another app, and those for alerts look like this; compare the environment, and take "
            + "the token from startMonitoringLocationPushes"
    }

    /// A push that is not sent.
    init(dryRun push: Push, to endpoint: Endpoint) {
        let mistake = push.mistake
        let words = mistake.map { "it would be rejected (\($0.rawValue)): \($0.advice)" }
        self.init(
            outcome: "not sent",
            message: words ?? "to \(endpoint.host):\(endpoint.port); nothing is wrong with it",
            status: mistake == nil ? 0 : 3
        )
        self.reason = mistake?.rawValue
        self.headers = Dictionary(push.headers(host: endpoint.host)) { first, _ in first }
        self.payload = String(decoding: push.payload.bytes, as: UTF8.self)
    }

    private init(outcome: String, message: String, status: Int32) {
        self.outcome = outcome
        self.message = message
        self.status = status
    }

    var text: String {
        var lines = ["\(self.outcome): \(self.message)"]
        if let reason, let statusCode { lines.append("reason     \(statusCode) \(reason)") }
        if let relay { lines.append("relay      \(relay)") }
        if let timestamp {
            let date = Date(timeIntervalSince1970: Double(timestamp) / 1000)
            lines.append("since      \(Moment(date).local)")
        }
        if let apnsID { lines.append("apns-id    \(apnsID)") }
        if let uniqueID { lines.append("unique-id  \(uniqueID)") }
        for (name, value) in (self.headers ?? [:]).sorted(by: { $0.key < $1.key }) { lines.append("\(name): \(value)") }
        if let payload { lines += ["", payload] }
        let width = 12
        for finding in self.findings ?? [] {
            let name = finding.part.padding(toLength: width, withPad: " ", startingAt: 0)
            lines.append("\(finding.isGood ? "ok  " : "look") \(name) \(finding.words)")
        }
        for fact in self.unproven ?? [] { lines.append("not proven: \(fact)") }
        return lines.joined(separator: "\n")
    }
}
