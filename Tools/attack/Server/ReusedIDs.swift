internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Requests that repeat an ID after its time: under a grant for one use, each was answered without being counted.
enum ReusedIDs: Attack {
    typealias Scene = ServerScene

    static let name = "reused-ids"
    static let row = "to ask outside the grant's hours, or beyond its uses"
    static let attempt =
        "ask under a grant for one use again and again with one ID, during the request's time and after it"

    static func strike(_ scene: ServerScene, _ bounds: Bounds) async throws -> String {
        let client = try await StrangerClient.open(port: scene.port, from: StrangerLink.address(0))
        defer { client.close() }
        let identity = scene.insider.requester.profile.identity
        var generator = SystemRandomNumberGenerator()
        let id = RequestID(using: &generator)
        var (sent, statuses): (Int, [UInt: Int]) = (0, [:])
        var earlier: [[UInt8]] = []
        while !bounds.isOver, sent < bounds.messagesMax {
            let now = WallTime.now
            let request = try identity.sign(
                Request(
                    id: id,
                    grant: scene.once.grant,
                    precision: .full,
                    suite: .x25519,
                    publicKey: HPKESealing().makeKey(suite: .x25519).publicKey,
                    issued: now,
                    expires: now.advanced(by: .seconds(1))
                )
            )
            earlier = earlier.suffix(3) + [request.bytes]
            for bytes in earlier {
                sent += 1
                guard let status = await client.post("/v1/requests", bytes) else { break }
                statuses[status, default: 0] += 1
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        let positions = try scene.once.sharer.profile.journal().lines.count { line in
            guard line.entry.grant == scene.once.grant.value.id,
                case .answered(.fix, to: _, asked: _) = line.entry.event
            else { return false }
            return true
        }
        guard positions <= 1 else { throw ChannelFailure(words: "a grant for one use gave \(positions) positions") }
        let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.value) times \($0.key)" }
        return "\(sent) requests (\(counts.joined(separator: ", "))), \(positions) position"
    }
}
