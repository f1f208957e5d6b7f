internal import APNS
internal import APNSClient
internal import Foundation

/// The outcome of `whereabouts push`, for people and for programs.
struct PushReport: Encodable {
    /// `accepted`, `rejected`, `failed`, `checked` or `not sent`.
    let outcome: String
    /// The outcome in words, with the next step.
    let message: String
    private(set) var apnsID: String?
    private(set) var uniqueID: String?
    private(set) var reason: String?
    private(set) var statusCode: Int?
    /// Milliseconds since 1970.
    private(set) var timestamp: Int64?
    private(set) var mayHaveBeenAccepted: Bool?
    /// The request's headers, without the provider token.
    private(set) var headers: [String: String]?
    private(set) var payload: String?
    /// The exit status of the command.
    let status: Int32

    private enum CodingKeys: String, CodingKey {
        case outcome, message, apnsID, uniqueID, reason, statusCode, timestamp, mayHaveBeenAccepted, headers, payload
    }

    /// The end of a push.
    init(_ result: PushResult) {
        switch result {
        case .accepted(let accepted):
            self.init(outcome: "accepted", message: "the server will try to deliver it", status: 0)
            self.apnsID = accepted.apnsID
            self.uniqueID = accepted.uniqueID
        case .rejected(let rejected):
            self.init(outcome: "rejected", message: rejected.reason.advice, status: 3)
            self.reason = rejected.reason.rawValue
            self.statusCode = rejected.reason.status
            self.timestamp = rejected.timestamp
        case .failed(let error):
            let message = error.message.replacing("trustRootsPath", with: "--trust-roots")
            let isMistake = error.code == .malformedPush
            self.init(
                outcome: isMistake ? "rejected" : "failed",
                message: message,
                status: isMistake ? 3 : error.mayHaveBeenAccepted ? 6 : 5
            )
            self.reason = error.reason?.rawValue
            self.mayHaveBeenAccepted = error.mayHaveBeenAccepted
        }
    }

    /// The end of a push to a device token that nobody has: its rejection for that token shows that all else is well.
    init(check result: PushResult, app: String, to endpoint: Endpoint) {
        let reason: Reason?
        switch result {
        case .accepted: reason = nil
        case .rejected(let rejected): reason = rejected.reason
        case .failed:
            self.init(result)
            return
        }
        switch reason {
        case nil, .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken:
            self.init(
                outcome: "checked",
                message: "\(endpoint.host):\(endpoint.port) is reached, and takes pushes of this key for \(app)",
                status: 0
            )
        case .some: self.init(result)
        }
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

    /// The report for people.
    var text: String {
        var lines = ["\(self.outcome): \(self.message)"]
        if let reason, let statusCode { lines.append("reason     \(statusCode) \(reason)") }
        if let timestamp {
            let date = Date(timeIntervalSince1970: Double(timestamp) / 1000)
            lines.append("since      \(date.formatted(.iso8601))")
        }
        if let apnsID { lines.append("apns-id    \(apnsID)") }
        if let uniqueID { lines.append("unique-id  \(uniqueID)") }
        for (name, value) in (self.headers ?? [:]).sorted(by: { $0.key < $1.key }) { lines.append("\(name): \(value)") }
        if let payload { lines += ["", payload] }
        return lines.joined(separator: "\n")
    }
}
