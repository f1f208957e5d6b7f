internal import Crypto
internal import Dispatch
internal import Logging
internal import NIOCore
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The link to the push gateway, its state, and whether the device reads from it.
///
/// Used only on the daemon's queue.
final class GatewayConnection {
    private(set) var state = GatewayState.notConfigured
    /// The link; nil: no gateway is configured.
    var link: (any PushLinkPort)?
    private var isReading = true
    private let logger: Logger
    private let reach: Reach<GatewayConnection>

    init(logger: Logger, reach: Reach<GatewayConnection>) {
        self.logger = logger
        self.reach = reach
    }

    /// Begins to connect; the link connects again whenever the connection is lost.
    func open(
        _ gateway: DaemonConfiguration.GatewayAddress,
        key: Curve25519.Signing.PrivateKey,
        group: any EventLoopGroup
    ) throws {
        let (queue, reach) = (self.reach.daemon.queue, self.reach)
        self.state = .connecting
        self.link = try GatewayLink(gateway, key: key, group: group, logger: self.logger) { event in
            queue.async { reach { $0.received(event) } }
        }
    }

    func received(_ event: PushLinkEvent) {
        let daemon = self.reach.daemon
        switch event {
        case .connected:
            self.state = .connected
            // Pause the new connection, too.
            if !self.isReading { self.link?.read(false) }
            self.logger.info("connected to the push gateway")
        case .disconnected(let reason):
            self.state = .away(reason)
            self.logger.warning("not connected to the push gateway", metadata: ["reason": "\(reason)"])
        case .registered(let bundle, let token): daemon.feed(.happened(.pushTokenReceived(bundle, token)))
        case .unregistered(let bundle): daemon.feed(.happened(.topicUnregistered(bundle)))
        case .push(let push): daemon.feed(.pushArrived(push))
        }
    }

    /// Stops or resumes reading, as the core decides.
    func read(_ isOn: Bool) {
        guard self.isReading != isOn else { return }
        self.isReading = isOn
        self.link?.read(isOn)
    }

    func register(_ bundle: BundleID) {
        guard let link = self.link else {
            return self.reach.daemon.feed(.happened(.pushRegistrationFailed(bundle)))
        }
        link.register(bundle)
    }
}
