internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

extension Device {
    static let other = BundleID("com.example.Other")

    /// A push with a unique number, and the priority that the test gives.
    @discardableResult
    mutating func push(
        _ number: UInt64,
        _ priority: Push.Priority,
        of bundle: BundleID = Device.app,
        collapse: String? = nil,
        lasting seconds: Double? = 86_400,
        payload: [UInt8] = Array("{}".utf8),
        isObject: Bool = true
    ) -> Push {
        let push = Push(
            id: PushID(high: 8, low: number),
            bundle: bundle,
            payload: payload,
            isObject: isObject,
            priority: priority,
            collapseID: collapse,
            expiration: seconds.map { WallTime(timeIntervalSince1970: self.now.wall.timeIntervalSince1970 + $0) },
            received: self.now.monotonic
        )
        self.feed(.pushReceived(push))
        return push
    }

    /// The launched extension fails before it has completed a push.
    mutating func fail(_ launch: LaunchID?, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let launch else {
            Issue.record("no extension was started", sourceLocation: sourceLocation)
            return
        }
        self.feed(.extensionExited(Device.app, launch, .signalled(11)))
    }

    /// The launched extension connects, completes the pushes it receives, and ends.
    mutating func answer(_ pushes: [Push], client: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
        guard let launch = self.launched else {
            Issue.record("no extension was started", sourceLocation: sourceLocation)
            return
        }
        self.connectExtension(client, launch: launch)
        for push in pushes {
            #expect(self.effects.contains(.tell(ClientID(client), .push(push))), sourceLocation: sourceLocation)
        }
        for push in pushes { self.feed(.pushCompleted(ClientID(client), push.id)) }
        self.feed(.clientVanished(ClientID(client)))
        self.feed(.extensionExited(Device.app, launch, .exited(0)))
    }
}
