internal import Testing

@testable internal import WhereaboutsLocationEngine

extension Device {
    /// An app in the foreground that reads visits or significant changes.
    static func travelling(
        _ service: Service,
        setting: Authorization.Setting = .always,
        manifest: AppManifest = Device.manifest,
        policy: Policy = Policy()
    ) -> Device {
        var device = Device(setting, policy: policy, manifest: manifest)
        device.connect(1, isManaged: true)
        device.read(1, service)
        return device
    }

    /// Declares a client that only reads one service.
    mutating func read(_ client: UInt64, _ service: Service) {
        self.declare(client, Declaration(streams: [.init(id: client * 10, service: service)]))
    }

    /// The system ends the app's process in the background.
    mutating func terminate(_ client: UInt64 = 1) {
        self.feed(.phaseChanged(Device.app, .background))
        self.pass(6)
        self.feed(.clientVanished(ClientID(client)))
        self.feed(.appExited(Device.app, .signalled(9)))
        self.pass(20)
    }

    /// Lets seconds pass at a place, with a receiver that delivers a fix each second while it is on.
    ///
    /// - Returns: all effects, and how many seconds the receiver was on.
    @discardableResult
    mutating func live(
        north metres: Double,
        seconds: Int,
        accuracy: Int32 = 5000
    ) -> (effects: [Engine.Effect], on: Int) {
        var (all, on): ([Engine.Effect], Int) = ([], 0)
        for _ in 0..<seconds {
            all += self.pass(1)
            if self.engine.sensors[.receiver].isOff { continue }
            on += 1
            self.fix(latitude: 425_000_000 + Int32(metres / 0.011_11), accuracy: accuracy)
            all += self.effects
        }
        self.effects = all
        return (all, on)
    }

    /// The visits that the last input delivered to a client.
    func visits(to client: UInt64 = 1) -> [Visit] {
        self.updates(to: client).compactMap { if case .visit(let visit)? = $0.element { visit } else { nil } }
    }
}
