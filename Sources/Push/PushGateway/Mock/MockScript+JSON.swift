package import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsJSONReading
package import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A mock's script as JSON, in a file or over HTTP.
extension MockScript {
    /// A mistake in a script, and the remedy.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The longest delay of an end.
    ///
    /// Source: our choice; no client waits that long.
    private static let delaySecondsMax = 3600

    private struct Document: Codable {
        var rules: [RuleJSON]?
        var tokens: [TokenJSON]?
    }

    private struct RuleJSON: Codable {
        var token: String?
        var topic: String?
        var nth: Whole?
        var times: Whole?
        var delay: Double?
        var end: String?
        var reason: String?
        var timestamp: Whole?
        /// The number of matching pushes; only in answers.
        var count: Int?
    }

    private struct TokenJSON: Codable {
        var token: String
        var topic: String
        var environment: String?
        var unregistered: Whole?
    }

    /// A whole number.
    ///
    /// If an `Int` is expected, Foundation reports a fraction as invalid JSON, without its place.
    private struct Whole: Codable {
        let value: Int64

        init(_ value: Int64) { self.value = value }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            guard let value = Int64(exactly: try container.decode(Double.self)) else {
                throw DecodingError.typeMismatch(
                    Int64.self,
                    DecodingError.Context(codingPath: container.codingPath, debugDescription: "not a whole number")
                )
            }
            self.value = value
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self.value)
        }
    }

    /// The allowed members of a document, a rule and a token.
    private static let names: [String: Set<String>] = [
        "": ["rules", "tokens"],
        "rules": ["token", "topic", "nth", "times", "delay", "end", "reason", "timestamp", "count"],
        "tokens": ["token", "topic", "environment", "unregistered"],
    ]

    /// Reads a script.
    ///
    /// - Throws: ``Failure`` naming the rule, the mistake and the remedy.
    package init(json: Data) throws {
        let document: Document
        do {
            document = try JSONReader().decode(Document.self, from: json)
        } catch {
            throw Failure(description: #"The script is not {"rules":[{…}],"tokens":[{…}]}: \#(Self.words(error))"#)
        }
        try Self.checkNames(json)
        let rules = document.rules ?? []
        guard rules.count + (document.tokens?.count ?? 0) <= Self.rulesMax else {
            throw Failure(description: "The script has more than \(Self.rulesMax) rules and tokens. Remove some.")
        }
        let read = try rules.enumerated().map { index, rule in try Self.rule(rule, "rules[\(index)]") }
        let tokens = try document.tokens?.enumerated().map { index, token in try Self.token(token, "tokens[\(index)]") }
        self.init(read, tokens: tokens.map { Dictionary($0) { $1 } })
    }

    /// The script as JSON, with the number of pushes that matched each rule.
    package var json: Data {
        get throws {
            let rules = zip(self.rules, self.counts).map(Self.json)
            let tokens = self.tokens?.sorted { $0.key.hex < $1.key.hex }.map { token, registration in
                TokenJSON(
                    token: token.hex,
                    topic: registration.topic,
                    environment: registration.environment?.rawValue,
                    unregistered: registration.unregisteredAt.map { Whole($0.milliseconds) }
                )
            }
            return try JSONEncoder.ofAnswers.encode(Document(rules: rules, tokens: tokens))
        }
    }

    private static func words(_ error: any Error) -> String {
        guard let error = error as? DecodingError, let context = error.context else { return "it is not JSON" }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        guard path.isEmpty else { return "\(path.drop { $0 == "." }) has the wrong type, or a member is missing" }
        if case .dataCorrupted = error { return "it is not JSON" }
        return "it is JSON, but not an object"
    }

    /// Rejects unknown members, which would silently have no effect.
    private static func checkNames(_ json: Data) throws {
        guard let document = try JSONSerialization.jsonObject(with: json) as? [String: Any] else { return }
        func check(_ object: [String: Any], _ kind: String, _ place: String) throws {
            let names = Self.names[kind] ?? []
            guard let unknown = object.keys.filter({ !names.contains($0) }).min() else { return }
            let all = names.sorted().joined(separator: ", ")
            throw Failure(description: "\(place)\(unknown): unknown member. Use \(all).")
        }
        try check(document, "", "")
        for kind in ["rules", "tokens"] {
            for (index, object) in (document[kind] as? [[String: Any]] ?? []).enumerated() {
                try check(object, kind, "\(kind)[\(index)].")
            }
        }
    }

    private static func rule(_ rule: RuleJSON, _ place: String) throws -> Rule {
        let token = try rule.token.map { try Self.deviceToken($0, place) }
        for (name, value) in [("nth", rule.nth), ("times", rule.times)] where value.map({ $0.value < 1 }) == true {
            throw Failure(description: "\(place).\(name): must be at least 1.")
        }
        let delay = rule.delay ?? 0
        guard (0...Double(Self.delaySecondsMax)).contains(delay) else {
            throw Failure(
                description: "\(place).delay: \(delay) is out of range. Use 0 to \(Self.delaySecondsMax) seconds."
            )
        }
        let reason = try rule.reason.map { text in
            guard let reason = Reason(rawValue: text) else {
                let all = Reason.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure(description: "\(place).reason: '\(text)' is not one of Apple's. Use one of \(all).")
            }
            return reason
        }
        let end = try Self.end(rule, reason, place)
        return Rule(
            token: token,
            topic: rule.topic,
            nth: rule.nth.map { Int($0.value) },
            times: rule.times.map { Int($0.value) },
            delay: .milliseconds(Int64(delay * 1000)),
            end
        )
    }

    private static func end(_ rule: RuleJSON, _ reason: Reason?, _ place: String) throws -> End {
        let timestamp = rule.timestamp.map { WallTime(milliseconds: $0.value) }
        let name = rule.end ?? (reason == nil ? "accept" : "reject")
        if reason != nil, ["accept", "silence", "refuse", "close"].contains(name) {
            throw Failure(description: "\(place).reason: the end \(name) has no reason. Remove one of the two.")
        }
        if timestamp != nil, name != "reject" {
            throw Failure(description: "\(place).timestamp: only a rejection has one. Remove it, or add a reason.")
        }
        switch name {
        case "accept": return .accept
        case "reject":
            guard let reason else { throw Failure(description: "\(place): a rejection needs a reason. Add one.") }
            return .reject(reason, timestamp: timestamp)
        case "silence": return .silence
        case "refuse": return .refuse
        case "goaway": return .goAway(reason ?? .shutdown)
        case "goaway-unprocessed": return .goAwayUnprocessed(reason ?? .shutdown)
        case "close": return .close
        case "cut": return .cut(reason ?? .serviceUnavailable)
        case let other:
            throw Failure(
                description: "\(place).end: '\(other)' is unknown. Use accept, reject, silence, refuse, goaway, "
                    + "goaway-unprocessed, close or cut."
            )
        }
    }

    private static func token(_ token: TokenJSON, _ place: String) throws -> (DeviceToken, Registration) {
        let environment = try token.environment.map { text in
            guard let environment = Environment(rawValue: text) else {
                throw Failure(description: "\(place).environment: '\(text)' is unknown. Use production or sandbox.")
            }
            return environment
        }
        let registration = Registration(
            topic: token.topic,
            environment: environment,
            unregisteredAt: token.unregistered.map { WallTime(milliseconds: $0.value) }
        )
        return (try Self.deviceToken(token.token, place), registration)
    }

    private static func deviceToken(_ hex: String, _ place: String) throws -> DeviceToken {
        guard let token = DeviceToken(hex: hex) else {
            throw Failure(
                description: "\(place).token: '\(hex)' is not a device token. Use an even number of hexadecimal "
                    + "digits, at most \(2 * Limits.deviceTokenBytesMax)."
            )
        }
        return token
    }

    private static func json(_ rule: Rule, _ count: Int) -> RuleJSON {
        let (name, reason) = rule.end.json
        var json = RuleJSON(end: name, reason: reason?.rawValue, count: count)
        (json.token, json.topic) = (rule.token?.hex, rule.topic)
        (json.nth, json.times) = (rule.nth.map { Whole(Int64($0)) }, rule.times.map { Whole(Int64($0)) })
        if rule.delay > .zero { json.delay = rule.delay / .seconds(1) }
        if case .reject(_, let timestamp) = rule.end { json.timestamp = timestamp.map { Whole($0.milliseconds) } }
        return json
    }
}

extension MockScript.End {
    /// The name of the end and its reason in JSON.
    var json: (name: String, reason: Reason?) {
        switch self {
        case .accept: ("accept", nil)
        case .reject(let reason, _): ("reject", reason)
        case .silence: ("silence", nil)
        case .refuse: ("refuse", nil)
        case .goAway(let reason): ("goaway", reason)
        case .goAwayUnprocessed(let reason): ("goaway-unprocessed", reason)
        case .close: ("close", nil)
        case .cut(let reason): ("cut", reason)
        }
    }
}

extension DecodingError {
    fileprivate var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
