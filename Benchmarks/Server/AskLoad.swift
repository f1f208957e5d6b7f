internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import Rig
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Requesters who ask, each one request after the other, and the devices that answer.
struct AskLoad: Sendable {
    /// The result of one run.
    struct Run: Sendable {
        /// Answers a second.
        let rate: Double
        /// The milliseconds from each post to the opened answer.
        let times: [Double]
    }

    /// The requesters who ask at a time.
    static let askers = 16
    /// The requests under one grant, of which the server accepts 30 in a row.
    private static let requestsPerGrant = 25
    /// As long as the payload of a push with a sealed request.
    private static let push = [UInt8](repeating: 0x20, count: 2833)

    let server: String
    let audience: Audience
    let sharers: [SimulatedSharer]
    /// Whether the server sends pushes; otherwise the load posts them.
    let isPushed: Bool

    /// Asks, and returns once all answers are open.
    func run(_ requests: Int) async throws -> Run {
        let begin = ContinuousClock.now
        let times: [Double] = try await withThrowingTaskGroup(of: [Double].self) { group in
            for asker in 0..<Self.askers {
                // No other task asks these sharers, so each push is for one request.
                let sharers = stride(from: asker, to: self.sharers.count, by: Self.askers).map { self.sharers[$0] }
                group.addTask { try await self.ask(sharers, count: requests / Self.askers) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return Run(rate: Double(times.count) / ((ContinuousClock.now - begin) / .seconds(1)), times: times)
    }

    private func ask(_ sharers: [SimulatedSharer], count: Int) async throws -> [Double] {
        let requester = try Identity()
        var grants: [Signed<Grant>] = []
        var times: [Double] = []
        for number in 0..<count {
            if number % (sharers.count * Self.requestsPerGrant) == 0 {
                grants = try sharers.map { try $0.grant(to: requester.publicIdentity) }
            }
            let index = number % sharers.count
            let question = try SimulatedQuestion(under: grants[index], by: requester)
            times.append(try await self.ask(question, of: sharers[index]))
        }
        return times
    }

    private func ask(_ question: SimulatedQuestion, of sharer: SimulatedSharer) async throws -> Double {
        let begin = ContinuousClock.now
        let address = self.address(of: question.request)
        let body = question.request.postedBytes
        try await self.audience.post(body, to: self.isPushed ? "\(self.server)/v1/requests" : address)
        async let posted: Void = self.postPush(of: question, to: sharer)
        let answer = try await self.answer(to: question)
        try await posted
        try question.open(answer)
        return (ContinuousClock.now - begin) / .milliseconds(1)
    }

    private func postPush(of question: SimulatedQuestion, to sharer: SimulatedSharer) async throws {
        guard !self.isPushed else { return }
        try await self.audience.post(Self.push, to: self.address(of: question.request) + "/push")
        try await self.post(sharer.answer(to: question.request), to: question.request)
    }

    private func post(_ answer: [UInt8], to request: Signed<Request>) async throws {
        try await self.audience.post(answer, to: self.address(of: request) + "/answer")
    }

    private func address(of request: Signed<Request>) -> String { "\(self.server)/v1/requests/\(request.value.id)" }

    /// Waits for an answer on the stream of a request's states, which ends with the last state.
    private func answer(to question: SimulatedQuestion) async throws -> [UInt8] {
        struct Event: Decodable { let answer: String? }
        var request = HTTPClientRequest(url: self.address(of: question.request) + "/events")
        request.headers.add(name: "authorization", value: question.authorization)
        let response = try await self.audience.http.execute(request, timeout: .seconds(60))
        let text = String(buffer: try await response.body.collect(upTo: 65_536))
        let event = text.split(separator: "\n").last { $0.hasPrefix("data: ") }?.dropFirst("data: ".count) ?? "{}"
        let answer = try JSONDecoder().decode(Event.self, from: Data(event.utf8)).answer
        guard response.status == .ok, let answer, let bytes = Base64URL.bytes(of: answer) else {
            throw RigError("a request", "it ended without an answer, with status \(response.status.code): \(text)")
        }
        return bytes
    }

    /// Has the devices answer what is pushed while `body` runs.
    func answering<Value: Sendable>(
        _ pushes: AsyncStream<SimulatedPushService.Push>,
        while body: () async throws -> Value
    ) async throws -> Value {
        let devices = Dictionary(uniqueKeysWithValues: self.sharers.map { (Hex.text(of: $0.token), $0) })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                await withDiscardingTaskGroup { answers in
                    for await push in pushes {
                        answers.addTask { await self.answer(push, devices[push.token]) }
                    }
                }
            }
            return try await body()
        }
    }

    private func answer(_ push: SimulatedPushService.Push, _ device: SimulatedSharer?) async {
        do {
            guard let device else { throw RigError("a push", "no device has the token \(push.token)") }
            let request = try device.request(in: push.payload)
            try await self.post(device.answer(to: request), to: request)
        } catch {
            // The requester's own error says only that no answer came.
            FileHandle.standardError.write(Data("bench: a device: \(error)\n".utf8))
        }
    }
}
