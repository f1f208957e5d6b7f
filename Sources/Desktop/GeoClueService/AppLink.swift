internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsGeoClue
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The connection of one client's app to locationd.
///
/// The link first installs the app if necessary. Then the broker's socket assigns the connection to the app, and the
/// link speaks the app protocol on it.
final class AppLink {
    /// An event of the link.
    enum News {
        case installed
        /// The permission of the app.
        case permission(Permission)
        case position(Position)
        /// locationd has no position.
        case nowhere
        case lost(String)
        /// locationd refused to assign the connection to the app, for this reason.
        case refused(String)
    }

    private struct Refused: Error {
        let reason: String
    }

    private enum Step {
        /// The link has ordered the installation of the app from this folder, which it removes afterwards.
        case installing(PacketSocket, folder: String)
        /// The link has sent the app's identifier on the broker's socket.
        case introducing(PacketSocket)
        /// The connection belongs to the app.
        case serving(PacketSocket)
        /// There is no connection: it was not started, or has ended.
        case over
    }

    /// How long locationd may take for each step; copying the bundle to a slow memory card takes longest.
    private static let patience: Duration = .seconds(15)

    private let runtime: String
    /// The app's bundle, and its identifier.
    let bundle: AskerBundle
    let identifier: String
    private var step: Step = .over
    /// When to give up a silent locationd; nil: no reply is expected.
    private(set) var deadline: EngineInstant?
    private var stream: UInt64 = 0

    /// Creates a link; ``start(isInstalled:now:)`` starts it.
    init(runtime: String, asker: Asker, bundle: AskerBundle) {
        self.runtime = runtime
        self.identifier = asker.bundle
        self.bundle = bundle
    }

    deinit { self.removeFolder() }

    var descriptor: Int32 {
        switch self.step {
        case .installing(let socket, _), .introducing(let socket), .serving(let socket): socket.descriptor
        case .over: -1
        }
    }

    /// Starts the connection; installs the app first unless it is installed.
    func start(isInstalled: Bool, now: EngineInstant) -> [News] {
        do {
            if isInstalled { try self.introduce(now) } else { try self.install(now) }
            return []
        } catch {
            return self.end("\(error)")
        }
    }

    private func install(_ now: EngineInstant) throws {
        let socket = try PacketSocket.connect(to: SocketPaths.control(in: self.runtime))
        socket.setNonblocking()
        let folder = FileManager.default.temporaryDirectory.path + "/locationd-geoclue-\(UUID().uuidString)"
        // Set the step before writing anything, so that the folder is removed whatever happens.
        self.step = .installing(socket, folder: folder)
        let place = "\(folder)/\(self.bundle.name)"
        for file in self.bundle.files {
            let path = "\(place)/\(file.path)"
            try FileManager.default.createDirectory(
                atPath: (path as NSString).deletingLastPathComponent,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            try Data(file.text.utf8).write(to: URL(fileURLWithPath: path))
            if file.isProgram {
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
        }
        try self.send(WireControlRequest.with { $0.install = .with { ($0.path, $0.ofBroker) = (place, true) } })
        self.deadline = now.advanced(by: Self.patience)
    }

    private func introduce(_ now: EngineInstant) throws {
        let socket = try PacketSocket.connect(to: SocketPaths.broker(in: self.runtime))
        socket.setNonblocking()
        self.step = .introducing(socket)
        try self.send(WireRunRequest.with { $0.bundle = self.identifier })
        self.deadline = now.advanced(by: Self.patience)
    }

    private func removeFolder() {
        if case .installing(_, let folder) = self.step { try? FileManager.default.removeItem(atPath: folder) }
    }

    private func end(_ reason: String) -> [News] {
        self.removeFolder()
        (self.step, self.deadline) = (.over, nil)
        return [.lost(reason)]
    }

    private func send(_ message: some Message) throws {
        switch self.step {
        case .installing(let socket, _), .introducing(let socket), .serving(let socket):
            guard try socket.send(try WireMessage.encode(message)) == .sent else {
                throw WireError(malformed: "locationd does not read")
            }
        case .over: break
        }
    }

    // MARK: The app's words

    func ask() { try? self.send(WireClientMessage.with { $0.authorizationRequest = .init() }) }

    /// Sends a declaration with the app's wishes, which replaces the previous one.
    func declare(_ service: Wishes.Service) {
        // Use a new identifier: a stream identifier must not be reused on a connection.
        self.stream += 1
        try? self.send(
            WireClientMessage.with {
                $0.declaration.streams = [
                    .with {
                        $0.id = self.stream
                        $0.standard.desiredAccuracy = service.needsFullAccuracy ? -1000 : .max
                        $0.standard.distanceFilter = service.distanceFilter
                    }
                ]
            }
        )
    }

    /// Reports to locationd that the app needs no positions now.
    func withdraw() {
        guard case .serving = self.step else { return }
        self.stream += 1
        try? self.send(WireClientMessage.with { $0.declaration = .init() })
    }

    // MARK: locationd's words

    /// Records that the host's timer fired.
    func deadlineReached(_ now: EngineInstant) -> [News] {
        guard let deadline = self.deadline, now >= deadline else { return [] }
        return self.end("locationd does not answer")
    }

    /// Reads at most 32 packets, so that other clients do not wait.
    func receive(_ now: EngineInstant) -> [News] {
        var news: [News] = []
        for _ in 0..<32 {
            do {
                switch self.step {
                case .installing(let socket, _):
                    guard let packet = try Self.packet(from: socket) else { return news }
                    news += try self.installed(packet, now)
                case .introducing(let socket):
                    guard let packet = try Self.packet(from: socket) else { return news }
                    try self.introduced(packet, socket, now)
                case .serving(let socket):
                    guard let packet = try Self.packet(from: socket) else { return news }
                    news += self.told(try WireMessage.decode(WireDaemonMessage.self, from: packet))
                case .over: return news
                }
            } catch let refused as Refused {
                _ = self.end(refused.reason)
                return news + [.refused(refused.reason)]
            } catch {
                return news + self.end("\(error)")
            }
        }
        return news
    }

    private static func packet(from socket: PacketSocket) throws -> [UInt8]? {
        switch try socket.receive() {
        case .packet(let packet, _): return packet
        case .empty: return nil
        case .closed: throw WireError(malformed: "locationd closed the connection")
        }
    }

    private func installed(_ packet: [UInt8], _ now: EngineInstant) throws -> [News] {
        let reply = try WireMessage.decode(WireControlReply.self, from: packet)
        if case .failure(let failure) = reply.body { throw WireError(malformed: failure.message) }
        self.removeFolder()
        try self.introduce(now)
        return [.installed]
    }

    private func introduced(_ packet: [UInt8], _ socket: PacketSocket, _ now: EngineInstant) throws {
        let message = try WireMessage.decode(WireDaemonMessage.self, from: packet)
        switch message.body {
        case .ready:
            self.step = .serving(socket)
            self.deadline = now.advanced(by: Self.patience)
            // locationd answers the first message of a connection with the app's permission.
            try self.send(WireClientMessage.with { $0.declaration = .init() })
        case .refusal(let refusal): throw Refused(reason: refusal.message)
        default: break
        }
    }

    private func told(_ message: WireDaemonMessage) -> [News] {
        switch message.body {
        case .state(let state):
            self.deadline = nil
            return [.permission(Permission(state))]
        case .update(let update) where update.stream == self.stream:
            if case .fix(let fix) = update.element { return [.position(Position(fix))] }
            return update.diagnostics & UInt32(WireBits.Update.locationUnavailable) != 0 ? [.nowhere] : []
        default: return []
        }
    }
}

extension Permission {
    fileprivate init(_ state: WireState) {
        if state.servicesDisabled {
            self = .off
            return
        }
        switch state.authorization {
        case .notDetermined: self = .undecided
        case .whenInUse, .always: self = .granted
        case .denied, .restricted, .UNRECOGNIZED: self = .denied
        }
    }
}

extension Position {
    fileprivate init(_ fix: WireFix) {
        self.init(
            latitude: Double(fix.latitude) / 1e7,
            longitude: Double(fix.longitude) / 1e7,
            accuracy: Double(fix.horizontalAccuracy) / 1000,
            altitude: fix.hasAltitude ? Double(fix.altitude) / 1000 : nil,
            speed: fix.hasSpeed ? Double(fix.speed) / 1000 : nil,
            heading: fix.hasCourse ? Double(fix.course) / 100 : nil,
            time: fix.time
        )
    }
}
