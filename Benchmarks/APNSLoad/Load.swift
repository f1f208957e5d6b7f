internal import Foundation
internal import Logging
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// Pushes of 1 KB through our client, that many at a time.
struct Load {
    private struct Misuse: Error {}

    private let client: APNSClient
    private let app: String
    private let pushes, concurrent: Int
    private let payload: PushPayload

    /// Reads `PORT AUTHORITY KEY TEAM-ID KEY-ID APP PUSHES CONCURRENT`.
    init(_ arguments: [String]) throws {
        guard let port = Int(arguments[0]), let pushes = Int(arguments[6]), let concurrent = Int(arguments[7]) else {
            throw Misuse()
        }
        self.client = try APNSClient(
            configuration: APNSClient.Configuration(
                endpoint: Endpoint(host: "localhost", port: port),
                keys: [SigningKey(teamID: arguments[3], keyID: arguments[4], path: arguments[2])],
                trustRoots: .file(arguments[1])
            ),
            logger: Logger(label: "load") { _ in SwiftLogNoOpLogHandler() }
        )
        self.app = arguments[5]
        self.pushes = pushes
        self.concurrent = concurrent
        // The only form that a relay accepts; other servers accept any payload.
        let (start, end) = (#"{"aps":{},"whereabouts":{"sealed":""#, #""}}"#)
        let sealed = String(repeating: "A", count: 1024 - start.utf8.count - end.utf8.count)
        self.payload = try PushPayload(json: Array((start + sealed + end).utf8))
    }

    /// Sends the pushes, and prints how many were accepted, and in how many seconds.
    func run() async throws {
        guard let token = DeviceToken(bytes: Array(repeating: 0xAB, count: 32)) else { throw Misuse() }
        let push = Push(.location, token: token, bundleIdentifier: self.app, payload: self.payload)
        // Open the connection before the measurement.
        _ = await self.client.send(push)
        let start = ContinuousClock.now
        let accepted = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<self.concurrent {
                let count = self.pushes / self.concurrent + (worker < self.pushes % self.concurrent ? 1 : 0)
                group.addTask {
                    var accepted = 0
                    for _ in 0..<count {
                        if case .accepted = await self.client.send(push) { accepted += 1 }
                    }
                    return accepted
                }
            }
            return await group.reduce(0, +)
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        await self.client.shutdown()
        try FileHandle.standardOutput.write(contentsOf: Data("accepted \(accepted) in \(seconds)\n".utf8))
    }
}
