internal import Sharing
internal import SharingEngine

/// What a sharing app keeps on its device's disk: who it is, what it took back, what it has seen (`SharingHome`).
struct Home {
    let identity: PublicIdentity
    var revoked: Set<GrantID> = []
    var seen: Set<RequestID> = []
    var registered: WallTime?
}
