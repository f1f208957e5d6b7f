internal import WhereaboutsVocabulary

/// A group as a profile stores it.
extension SharingGroup {
    private enum Form: UInt8 { case waiting, member, removed }

    /// The terms, then the state, then each other member, then each former one.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        self.offer.write(to: &writer)
        switch self.state {
        case .waiting: writer.integer(Form.waiting.rawValue)
        case .removed: writer.integer(Form.removed.rawValue)
        case .member(let number, let seed):
            writer.integer(Form.member.rawValue)
            writer.integer(number)
            writer.fixed(seed)
        }
        for (peer, isFormer) in self.peers.map({ ($0, false) }) + self.former.map({ ($0, true) }) {
            writer.integer(UInt8(isFormer ? 1 : 0))
            peer.member.write(to: &writer)
            writer.counted(peer.mailbox)
            writer.counted(peer.grant?.bytes ?? [])
            writer.integer(UInt8((peer.isTold ? 1 : 0) | (peer.isForgotten ? 2 : 0)))
            for end in [peer.grantPostedUntil, peer.rosterPostedUntil] { writer.integer(end?.milliseconds ?? 0) }
        }
        return writer.bytes
    }

    /// Reads ``bytes``.
    init(bytes: [UInt8], of own: PublicIdentity) throws {
        var reader = ByteReader(bytes, name: "the group")
        let offer = try GroupOffer(from: &reader)
        let state: State =
            switch try reader.enumeration(Form.self) {
            case .waiting: .waiting
            case .removed: .removed
            case .member:
                .member(number: try reader.integer(), seed: try reader.fixed(GroupOffer.secretByteCount))
            }
        var (peers, former): ([Peer], [Peer]) = ([], [])
        while !reader.isAtEnd {
            let isFormer = try reader.integer(UInt8.self) == 1
            var peer = Peer(try GroupRoster.Member(from: &reader))
            peer.mailbox = try reader.counted()
            peer.grant = GrantID(bytes: try reader.counted())
            let flags = try reader.integer(UInt8.self)
            (peer.isTold, peer.isForgotten) = (flags & 1 != 0, flags & 2 != 0)
            peer.grantPostedUntil = try Self.end(from: &reader)
            peer.rosterPostedUntil = try Self.end(from: &reader)
            if isFormer { former.append(peer) } else { peers.append(peer) }
        }
        self.init(offer, of: own, state: state, peers: peers, former: former)
    }

    private static func end(from reader: inout ByteReader) throws -> WallTime? {
        let end = try reader.time()
        return end.milliseconds == 0 ? nil : end
    }
}
