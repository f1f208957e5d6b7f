internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Answers the requests to a mock's HTTP API: received pushes, and the script.
enum MockRequests {
    private typealias Answer = JSONRequestHandler.Answer

    /// The longest time that a request waits for pushes.
    ///
    /// Source: our choice; a test that waits longer has failed.
    private static let waitSecondsMax = 60

    static func answer(
        _ request: JSONRequestHandler.Request,
        _ mock: MockHost,
        certificatePEM: String?
    ) async throws -> JSONRequestHandler.Answer {
        do {
            return try await Self.result(of: request, mock, certificatePEM)
        } catch let failure as MockScript.Failure {
            return try Answer(.badRequest, ["reason": failure.description])
        }
    }

    private static func result(
        of request: JSONRequestHandler.Request,
        _ mock: MockHost,
        _ certificatePEM: String?
    ) async throws -> Answer {
        switch (request.method, request.path) {
        case (.GET, ["mock", "pushes"]):
            return Answer(.ok, body: Self.json(try await Self.pushes(request, mock)))
        case (.DELETE, ["mock", "pushes"]): mock.forgetPushes()
        case (.GET, ["mock", "script"]): return Answer(.ok, body: try mock.script.json)
        case (.PUT, ["mock", "script"]): mock.script = try MockScript(json: request.body)
        case (.POST, ["mock", "script"]):
            let more = try MockScript(json: request.body)
            mock.changeScript { script in
                script.append(more.rules)
                if let tokens = more.tokens { script.tokens = (script.tokens ?? [:]).merging(tokens) { $1 } }
            }
        case (.DELETE, ["mock", "script"]): mock.script = MockScript()
        case (.DELETE, ["mock"]): mock.reset()
        case (.GET, ["mock", "certificate"]):
            guard let certificatePEM else {
                return try Answer(.notFound, ["reason": "The mock speaks cleartext and has no certificate."])
            }
            return Answer(.ok, body: Data(certificatePEM.utf8), contentType: "application/x-pem-file")
        default:
            let words =
                "Use GET or DELETE /mock/pushes, GET, PUT, POST or DELETE /mock/script, DELETE "
                + "/mock, or GET /mock/certificate. Pushes need HTTP/2."
            return try Answer(.notFound, ["reason": words])
        }
        return Answer(.ok, body: try mock.script.json)
    }

    private static func pushes(_ request: JSONRequestHandler.Request, _ mock: MockHost) async throws -> [MockPush] {
        func value(_ name: String) -> String? { request.query.first { $0.name == name }?.value }
        func number(_ name: String, else usual: Int, _ range: ClosedRange<Int>) throws -> Int {
            guard let text = value(name) else { return usual }
            guard let number = Int(text), range.contains(number) else {
                throw MockScript.Failure(
                    description: "\(name)=\(text): use a number from \(range.lowerBound) to \(range.upperBound)."
                )
            }
            return number
        }
        let after = try number("after", else: 0, 0...Int(Int32.max))
        let count = try number("count", else: 1, 1...MockHost.pushesMax)
        let wait = try value("wait").map(Self.wait) ?? .zero
        return try await mock.pushes(after: after, count: count, within: wait, on: request.eventLoop).get()
    }

    /// Reads a number of seconds, such as 5, 5s or 0.3s.
    private static func wait(_ text: String) throws -> TimeAmount {
        let digits = text.hasSuffix("s") ? text.dropLast() : text[...]
        guard let seconds = Double(digits), (0...Double(Self.waitSecondsMax)).contains(seconds) else {
            throw MockScript.Failure(
                description: "wait=\(text): use a number of seconds from 0 to \(Self.waitSecondsMax), for example 0.5s."
            )
        }
        return .nanoseconds(Int64(seconds * 1e9))
    }

    // MARK: JSON

    private struct PushJSON: Encodable {
        struct Provider: Encodable {
            let team: String
            let key: String
            let issuedAt: String
        }

        let number: Int
        let receivedAt: String
        let connection: Int
        let id: String
        let token: String
        let topic: String?
        let headers: [String: String]
        let provider: Provider?
        let end: String
        let status: Int?
        let reason: String?
        let timestamp: Int64?
        let scripted: Bool
        let explanation: String?
        let findings: [String]

        init(_ push: MockPush) {
            self.number = push.number
            self.receivedAt = Self.text(push.receivedAt)
            self.connection = push.connection
            self.id = push.id
            self.token = push.token
            self.topic = push.topic
            self.headers = push.headers
            self.provider = push.provider.map { claims in
                Provider(team: claims.teamID, key: claims.keyID, issuedAt: Self.text(claims.issuedAt))
            }
            let (name, reason) = push.end.json
            (self.end, self.reason, self.status) = (name, reason?.rawValue, push.answer?.status)
            if case .reject(_, let timestamp) = push.end {
                self.timestamp = timestamp?.milliseconds
            } else {
                self.timestamp = nil
            }
            self.scripted = push.isScripted
            self.explanation = push.explanation
            self.findings = push.findings.map { "\($0.name): \($0.words)" }
        }

        private static func text(_ time: WallTime) -> String {
            let date = Date(timeIntervalSince1970: time.timeIntervalSince1970)
            return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
    }

    /// Writes `{"pushes":[…]}` with each payload unchanged: an object, or the text `body` if it is not an object.
    private static func json(_ pushes: [MockPush]) -> Data {
        let objects = pushes.map { push in
            let fields = (try? JSONEncoder.ofAnswers.encode(PushJSON(push))).map { String(decoding: $0, as: UTF8.self) }
            let isObject = JSONObject.isObject(push.payload)
            let text = (try? JSONEncoder.ofAnswers.encode(push.payloadText)).map { String(decoding: $0, as: UTF8.self) }
            let payload = isObject ? #""payload":\#(push.payloadText)"# : #""body":\#(text ?? "null")"#
            return "\((fields ?? "{}").dropLast()),\(payload)}"
        }
        return Data(#"{"pushes":[\#(objects.joined(separator: ",\n"))]}"#.utf8) + Data("\n".utf8)
    }
}
