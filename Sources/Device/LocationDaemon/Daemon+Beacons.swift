internal import Dispatch
internal import Logging
internal import NIOCore
internal import SwiftProtobuf
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages

/// The feed of beacon advertisements, which serves as the device's scanner.
extension Daemon {
    /// Creates the feed, switched off, and reports to the core that the device has a scanner.
    ///
    /// Does nothing if no feed is configured.
    func makeBeaconFeed(group: any EventLoopGroup) {
        guard let path = self.configuration.beaconFeed else { return }
        let queue = self.executor.queue
        self.beaconFeed = BeaconFeed(path: path, group: group) { [weak self] report in
            queue.async { [weak self] in self?.assumeIsolated { $0.feed(.sensed(report)) } }
        } health: { [weak self] health in
            queue.async { [weak self] in self?.assumeIsolated { $0.received(health) } }
        }
        self.feed(.sensed(.ready(.scanner)))
    }

    private func received(_ health: BeaconFeedHealth) {
        let before = self.beaconFeedHealth.words
        self.beaconFeedHealth = health
        guard health.words != before else { return }
        let level: Logger.Level =
            switch health.socket {
            case .failed: .warning
            case .closed, .open: .info
            }
        self.logger.log(level: level, "beacons", metadata: ["state": "\(health.words)"])
    }

    /// The state of the feed, for people; nil: there is no feed.
    var beaconFeedStatus: WireBeaconFeedStatus? {
        self.beaconFeed.map { feed in
            let health = self.beaconFeedHealth
            return .with {
                $0.path = feed.path
                $0.state = health.words
                $0.scanners = UInt32(clamping: health.scanners)
                $0.advertisements = UInt64(clamping: health.advertisements)
                $0.dropped = UInt64(clamping: health.dropped)
                $0.fault = health.fault ?? ""
            }
        }
    }
}
