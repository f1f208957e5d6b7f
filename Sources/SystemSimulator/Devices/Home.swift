internal import LocationEngine
internal import Sharing
internal import SharingEngine
internal import Vocabulary

/// A sharing app's files on its device's disk: identity, revocations, seen requests, uses of grants (`SharingHome`).
struct Home {
    let identity: PublicIdentity
    var revoked: Set<GrantID> = []
    var seen = SeenRequests()
    var uses = GrantUses()
    var registered: WallTime?

    /// The home of an app as its machines read and write it.
    struct Records: SharerRecords {
        unowned let device: DeviceNode
        let bundle: BundleID

        func isRevoked(_ grant: GrantID) -> Bool { self.device.home(of: self.bundle).revoked.contains(grant) }

        func remember(
            _ id: RequestID,
            policy: SharingPolicy,
            now: WallTime
        ) throws -> SeenRequests.OnReceived {
            var seen = self.device.home(of: self.bundle).seen
            let action = seen.received(id, policy: policy, now: now)
            switch action {
            case .remember: try self.device.save(seen, of: self.bundle)
            case .replayed, .full: break
            }
            return action
        }

        func use(_ grant: Grant, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed {
            var uses = self.device.home(of: self.bundle).uses
            let action = uses.used(grant, policy: policy, now: now)
            switch action {
            case .record: try self.device.save(uses, of: self.bundle)
            case .answer, .tooSoon, .full: break
            }
            return action
        }
    }
}
