internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// Connections of apps and extensions: their identities, and the messages in both directions.
extension Daemon {
    // MARK: Connections

    /// Accepts a process that connected by itself, if the kernel shows an installed app's own executable (ADR 0006).
    func appConnected(_ socket: PacketSocket) {
        guard let peer = socket.peer else { return }
        guard let process = PeerProcess(pid: peer.pid), let bundle = self.bundle(of: process, user: peer.uid) else {
            self.bounds.count(.strangersRefused)
            return self.refuse(
                socket,
                "this process is not an installed app; bundle it with `locationctl bundle`, install it with "
                    + "`locationctl install`, and start it with `locationctl run`"
            )
        }
        do throws(DeviceCore.TooManyConnections) {
            try self.core.admit(bundle, of: peer.uid)
        } catch {
            self.bounds.count(.connectionsRefused)
            return self.refuse(
                socket,
                "\(bundle) has \(error.ofApp) connections to locationd, its user \(error.ofUser); an app may have "
                    + "\(error.ofAppMax), a user \(error.ofUserMax)"
            )
        }
        socket.passCredentials()
        // Drop packets that another program may have sent on this socket before it started the app.
        guard self.dropsQueue(of: socket),
            let ready = self.bounds.packet(WireDaemonMessage.with { $0.ready = .init() }),
            (try? socket.send(ready)) == .sent
        else { return }
        // The process identifies an app that locationd launched, even if it did not use the connection it inherited.
        let isLaunched = self.processes.pid(of: bundle) == peer.pid
        self.clients.connect(
            socket,
            Principal(bundle: bundle, role: .app),
            Caller(user: peer.uid, isLaunched: isLaunched),
            process: process
        )
    }

    /// Discards packets that were sent before the connection was checked; false when too many arrive, or the peer is gone.
    @discardableResult
    func dropsQueue(of socket: PacketSocket) -> Bool {
        for _ in 0..<PacketConnection.queuedMax {
            switch try? socket.receive() {
            case .packet: continue
            case .empty: return true
            case .closed, nil: return false
            }
        }
        return false
    }

    func refuse(_ socket: PacketSocket, _ message: String) {
        let refusal = WireDaemonMessage.with {
            $0.refusal = .with { $0.message = message }
        }
        if let packet = self.bounds.packet(refusal) { _ = try? socket.send(packet) }
    }

    private func bundle(of process: PeerProcess, user: uid_t) -> BundleID? {
        guard let bundle = self.bundles.apps.first(where: { $0.value.executable == process.executable })?.key,
            // If apps have users, accept only the app's own user, even if another user runs the same program.
            self.folders.users == nil || self.folders.user(of: bundle) == user
        else { return nil }
        return (try? self.intactApp(bundle)) == nil ? nil : bundle
    }
}
