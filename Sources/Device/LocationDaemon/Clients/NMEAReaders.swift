internal import Foundation
internal import Glibc
internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// Programs that read NMEA 0183, such as GeoClue: together they are one app, and people are asked about it as about any other (ADR 0079).
///
/// The app counts as in use while at least one program reads; without readers it has no connection. Used only on the daemon's queue.
final class NMEAReaders {
    /// The app's identifier.
    static let bundle = BundleID("locationd.nmea")

    private let port: NMEAPort
    /// The users who may read, besides root and locationd's own.
    private let others: Set<uid_t>
    private let reach: Reach<NMEAReaders>
    private let logger: Logger
    /// The connection of the app while there are readers; nil: there are no readers.
    private var client: ClientID?
    /// The identifier of the app's one stream.
    private var stream: UInt64 = 0
    /// Whether only new readers receive the current fix.
    private var isGreeting = false

    /// Opens the socket.
    ///
    /// - Parameters:
    ///   - path: the path of the socket.
    ///   - others: the users who may read, besides root and locationd's own.
    ///   - bounds: counts refused readers and disconnected ones.
    ///   - logger: receives failed installations of the app.
    ///   - reach: finds this object for its event handlers.
    ///   - isOfApp: returns whether an app runs as a user, or a process belongs to an app.
    ///   - readersChanged: called when a reader came or went; the daemon then calls ``followReaders(install:takeClient:)``.
    /// - Throws: ``DaemonError`` when the socket cannot be opened.
    init(
        path: String,
        others: Set<uid_t>,
        bounds: BoundLog,
        logger: Logger,
        reach: Reach<NMEAReaders>,
        isOfApp: @escaping @Sendable (_ pid: Int32?, _ user: uid_t) -> Bool,
        readersChanged: @escaping @Sendable () -> Void
    ) throws(DaemonError) {
        self.others = others
        self.reach = reach
        self.logger = logger
        let queue = reach.daemon.queue
        self.port = try NMEAPort(
            path: path,
            mode: others.isEmpty ? 0o600 : 0o666,
            queue: queue,
            // Locationd's own user, root, and the users that the owner named may read, but not apps and their descendants, which
            // would receive positions granted to other programs.
            admits: { pid, user in
                guard [0, geteuid()].contains(user) || others.contains(user), !isOfApp(nil, user) else { return false }
                // Only root sees another user's executable. Without root, apps run as locationd's own user, so other users are not apps.
                return geteuid() != 0 && user != geteuid() || !isOfApp(pid, user)
            },
            event: { event in
                switch event {
                case .refused(let pid, let user):
                    bounds.warn(
                        .nmeaReadersRefused,
                        "refused a process that connected to --nmea-socket",
                        ProcessTree.metadata(of: pid, user)
                    )
                case .cutOff:
                    bounds.warn(.readersCutOff, "a reader of --nmea-socket does not read and was disconnected")
                // Later on the queue, because the core may be handling an event.
                case .readersChanged: queue.async { readersChanged() }
                }
            }
        )
    }

    /// Starts to accept readers.
    func activate() {
        self.port.activate { [reach] in
            reach { $0.port.accept(at: Clocks.wall()) { reader in reach { $0.port.remove(reader) } } }
        }
    }

    func close() { self.port.close() }

    /// Connects the app when its first reader arrives, and disconnects it after the last.
    ///
    /// - Parameters:
    ///   - install: installs the app, unless it is installed.
    ///   - takeClient: returns the number of a new connection.
    func followReaders(install: () throws(DaemonError) -> Void, takeClient: () -> ClientID) {
        if self.port.readersCount > 0, self.client == nil {
            do throws(DaemonError) {
                try install()
                self.connect(takeClient())
            } catch {
                self.logger.error("connections of --nmea-socket's readers are closed", metadata: ["reason": "\(error)"])
                self.port.removeReaders()
            }
        } else if self.port.readersCount == 0, let client = self.client {
            self.client = nil
            // Declare that the app holds nothing. Otherwise locationd assumes that the app crashed and may return.
            self.feed(.messageReceived(.declaration(Declaration()), from: client))
            self.feed(.connectionClosed(client))
        } else if let client = self.client, self.port.hasNewcomers {
            self.isGreeting = true
            self.declare(client)
            self.isGreeting = false
        }
    }

    private func feed(_ event: DeviceCore.Event) { self.reach.daemon.feed(event) }

    private func connect(_ client: ClientID) {
        self.client = client
        self.feed(
            .connectionOpened(
                client,
                Principal(bundle: Self.bundle, role: .app),
                // Count as foreground, like a broker's app: locationd cannot see the windows of the reading program.
                Caller(user: geteuid(), isLaunched: false, phase: .foreground)
            )
        )
        self.declare(client)
        self.feed(.messageReceived(.authorizationRequest(.whenInUse), from: client))
    }

    /// Starts the app's stream again, so that it receives the current position at once, at the accuracy granted to the app.
    ///
    /// Otherwise a new reader would wait for the next approximate position; there are only four an hour.
    private func declare(_ client: ClientID) {
        self.stream += 1
        let service = Declaration.Stream(
            id: self.stream,
            service: .standard(StandardOptions(pausesAutomatically: false))
        )
        self.feed(.messageReceived(.declaration(Declaration(streams: [service])), from: client))
    }

    /// Sends the readers a message for their app; false if the client is another app.
    func tell(_ client: ClientID, _ message: Engine.Message) -> Bool {
        guard self.client == client else { return false }
        guard case .update(let update, _) = message else { return true }
        if let fix = update.fix {
            self.port.tell(NMEAReport.sentences(of: SourceFix(fix)), onlyNewcomers: self.isGreeting)
        } else if update.diagnostics.contains(.locationUnavailable) {
            let words = NMEAReport.nowhere(at: Clocks.now().wall.timeIntervalSince1970)
            self.port.tell(words, onlyNewcomers: self.isGreeting)
        }
        return true
    }

    /// Disconnects the readers after their app was removed; the next reader installs it again, and the person is asked;
    /// false if the client is another app.
    func disconnect(_ client: ClientID) -> Bool {
        guard self.client == client else { return false }
        self.client = nil
        self.port.removeReaders()
        return true
    }

    // MARK: For people

    /// The state of the socket.
    ///
    /// - Parameter status: the app's state; nil: the app is not installed.
    /// - Returns: the state on the wire.
    func status(_ status: AppStatus?) -> WireNMEASocketStatus {
        let port = self.port
        return .with {
            $0.path = port.path
            $0.mode = port.mode ?? 0
            $0.fault = port.fault ?? ""
            $0.readers = port.readers.map { reader in
                .with {
                    $0.pid = reader.pid
                    $0.program = ProcessTree.program(of: reader.pid)
                    $0.user = Self.name(of: reader.user)
                    $0.since = reader.since.microseconds
                }
            }
            $0.readersMax = UInt32(NMEAPort.readersMax)
            $0.authorization = status.map { .init($0.authorization) } ?? .notDetermined
            $0.reducedAccuracy = status.map { !$0.isPrecise } ?? false
            $0.others = self.others.sorted().map(Self.name)
        }
    }

    /// The socket's state for the doctor.
    func facts(_ status: AppStatus?) -> DeviceFacts.NMEASocket {
        DeviceFacts.NMEASocket(
            path: self.port.path,
            fault: self.port.fault,
            readers: self.port.readersCount,
            isDenied: status.map { $0.authorization == .denied || $0.authorization == .restricted } ?? false,
            isPrecise: status?.isPrecise ?? true
        )
    }

    /// The name of a user, or the number if there is no name.
    private static func name(of user: uid_t) -> String {
        unsafe getpwuid(user).flatMap { unsafe $0.pointee.pw_name }.map { unsafe String(cString: $0) } ?? "\(user)"
    }
}

extension SourceFix {
    /// Converts a fix into the form that the NMEA encoder needs.
    fileprivate init(_ fix: Fix) {
        self.init(
            latitude: Double(fix.latitude) / 1e7,
            longitude: Double(fix.longitude) / 1e7,
            horizontalAccuracy: fix.horizontalAccuracy.map { Double($0) / 1000 } ?? -1,
            time: fix.time.timeIntervalSince1970
        )
        self.altitude = fix.altitude.map { Double($0) / 1000 }
        self.ellipsoidalAltitude = fix.ellipsoidalAltitude.map { Double($0) / 1000 }
        self.verticalAccuracy = fix.verticalAccuracy.map { Double($0) / 1000 }
        self.course = fix.course.map { Double($0) / 100 }
        self.speed = fix.speed.map { Double($0) / 1000 }
    }
}
