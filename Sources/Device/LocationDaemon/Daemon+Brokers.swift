internal import Dispatch
internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Brokers: programs of the owner that connect on behalf of other programs. Each of these is an app in Settings (ADR 0079).
///
/// The first packet of a connection names the app, as `locationctl run` does. locationd answers `Ready`, and then treats the connection as
/// one of that app, in the foreground unless the packet says otherwise.
extension Daemon {
    func brokerConnected(_ socket: PacketSocket) {
        guard self.isOwners(socket) else { return }
        guard self.brokers.count < Self.ownersConnectionsMax else {
            let most = Self.ownersConnectionsMax
            let reason = "\(most) connections of brokers have not named their app, which is the limit; end some"
            return self.turnAwaySurplus(socket, reason) { $0.refuse(socket, $1) }
        }
        let key = ObjectIdentifier(socket)
        self.brokers[key] = PacketConnection(
            socket,
            queue: self.executor.queue,
            // Nothing is queued before the connection belongs to an app.
            writable: {},
            event: { [weak self] event in self?.assumeIsolated { $0.brokerSaid(event, key) } }
        )
    }

    private func brokerSaid(_ event: PacketConnection.Event, _ key: ObjectIdentifier) {
        guard let connection = self.brokers.removeValue(forKey: key) else { return }
        connection.close()
        let socket = connection.socket
        guard case .packet(let packet, _) = event, let peer = socket.peer,
            let order = try? WireMessage.decode(WireRunRequest.self, from: packet)
        else { return }
        let bundle = BundleID(order.bundle)
        do throws(DaemonError) {
            _ = try self.intactApp(bundle)
        } catch {
            return self.refuse(socket, error.description.cut(toBytes: Self.wordsMax))
        }
        do throws(DeviceCore.TooManyConnections) {
            try self.core.admit(bundle, of: peer.uid)
        } catch {
            self.bounds.count(.connectionsRefused)
            return self.refuse(socket, "\(bundle) has \(error.ofApp) connections, which is the limit")
        }
        guard let ready = self.bounds.packet(WireDaemonMessage.with { $0.ready = .init() }) else { return }
        // Hand over the socket in a later item of the queue: this item may still read on it for the broker's
        // connection, and the next packets belong to the app.
        self.executor.queue.async { [weak self] in
            self?.assumeIsolated { daemon in
                guard !daemon.isStopping, (try? socket.send(ready)) == .sent else { return }
                daemon.clients.connect(
                    socket,
                    Principal(bundle: bundle, role: .app),
                    Caller(user: peer.uid, isLaunched: false, phase: order.background ? .background : .foreground),
                    process: nil
                )
            }
        }
    }
}
