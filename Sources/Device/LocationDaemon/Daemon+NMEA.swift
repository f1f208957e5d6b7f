internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

/// Programs that read NMEA 0183, such as GeoClue: together they are one app, and people are asked about it as about any other (ADR 0079).
///
/// The app counts as in use while at least one program reads; without readers it has no connection.
extension Daemon {
    /// The app's identifier.
    static let nmeaBundle = BundleID("locationd.nmea")
    /// The readers' socket, and their connection to the core.
    struct NMEAReaders {
        let port: NMEAPort
        /// The connection of the app while there are readers; nil: there are no readers.
        var client: ClientID?
        /// The identifier of the app's one stream.
        var stream: UInt64 = 0
        /// Whether only new readers receive the current fix.
        var isGreeting = false
    }

    /// Opens the socket, if one is configured.
    func makeNMEAPort() throws(DaemonError) {
        guard let path = self.configuration.nmeaSocket else { return }
        let others = self.configuration.nmeaReaders
        let port = try NMEAPort(
            path: path,
            mode: others.isEmpty ? 0o600 : 0o666,
            queue: self.executor.queue,
            admits: { [weak self] pid, user in self?.assumeIsolated { $0.mayReadNMEA(pid, user) } ?? false },
            event: { [weak self] event in self?.assumeIsolated { $0.received(event) } }
        )
        self.nmea = NMEAReaders(port: port)
        port.activate { [weak self] in
            self?.assumeIsolated { daemon in
                daemon.nmea?.port.accept(at: Clocks.wall()) { [weak daemon] reader in
                    daemon?.assumeIsolated { $0.nmea?.port.remove(reader) }
                }
            }
        }
    }

    /// Whether a process may read: locationd's own user, root, and the users that the owner named may, but not apps and
    /// their descendants, which would receive positions granted to other programs.
    private func mayReadNMEA(_ pid: Int32, _ user: uid_t) -> Bool {
        guard [0, geteuid()].contains(user) || self.configuration.nmeaReaders.contains(user), !self.isAppsUser(user)
        else { return false }
        // Only root sees another user's executable. Without root, apps run as locationd's own user, so other users are not apps.
        return geteuid() != 0 && user != geteuid() || !self.isOfApp(pid)
    }

    private func received(_ event: NMEAPort.Event) {
        switch event {
        case .refused(let pid, let user):
            self.bounds.warn(
                .nmeaReadersRefused,
                "refused a process that connected to --nmea-socket",
                Self.metadata(ofProcess: pid, user)
            )
        case .cutOff: self.bounds.warn(.readersCutOff, "a reader of --nmea-socket does not read and was cut off")
        // Later on the queue, because the core may be handling an event.
        case .readersChanged:
            self.executor.queue.async { [weak self] in self?.assumeIsolated { $0.followReaders() } }
        }
    }

    /// Connects the app when its first reader arrives, and disconnects it after the last.
    private func followReaders() {
        guard let nmea = self.nmea, !self.isStopping else { return }
        if nmea.port.readersCount > 0, nmea.client == nil {
            do throws(DaemonError) {
                try self.installNMEA()
                self.connectNMEA()
            } catch {
                self.logger.error("connections of --nmea-socket's readers are closed", metadata: ["reason": "\(error)"])
                nmea.port.removeReaders()
            }
        } else if nmea.port.readersCount == 0, let client = nmea.client {
            self.nmea?.client = nil
            // Declare that the app holds nothing. Otherwise locationd assumes that the app crashed and may return.
            self.feed(.messageReceived(.declaration(Declaration()), from: client))
            self.feed(.connectionClosed(client))
        } else if let client = nmea.client, nmea.port.hasNewcomers {
            self.nmea?.isGreeting = true
            self.declareNMEA(client)
            self.nmea?.isGreeting = false
        }
    }

    private func connectNMEA() {
        let client = self.takeClientID()
        self.nmea?.client = client
        self.feed(
            .connectionOpened(
                client,
                Principal(bundle: Self.nmeaBundle, role: .app),
                // Count as foreground, like a broker's app: locationd cannot see the windows of the reading program.
                Caller(user: geteuid(), isLaunched: false, phase: .foreground)
            )
        )
        self.declareNMEA(client)
        self.feed(.messageReceived(.authorizationRequest(.whenInUse), from: client))
    }

    /// Starts the app's stream again, so that it receives the current position at once, at the accuracy granted to the app.
    ///
    /// Otherwise a new reader would wait for the next approximate position, of which there are four an hour.
    private func declareNMEA(_ client: ClientID) {
        let id = (self.nmea?.stream ?? 0) + 1
        self.nmea?.stream = id
        let stream = Declaration.Stream(id: id, service: .standard(StandardOptions(pausesAutomatically: false)))
        self.feed(.messageReceived(.declaration(Declaration(streams: [stream])), from: client))
    }

    /// Sends the readers a message for their app; false if the client is another app.
    func tellNMEA(_ client: ClientID, _ message: Engine.Message) -> Bool {
        guard let nmea = self.nmea, nmea.client == client else { return false }
        guard case .update(let update, _) = message else { return true }
        if let fix = update.fix {
            nmea.port.tell(NMEAReport.sentences(of: SourceFix(fix)), onlyNewcomers: nmea.isGreeting)
        } else if update.diagnostics.contains(.locationUnavailable) {
            let words = NMEAReport.nowhere(at: Clocks.now().wall.timeIntervalSince1970)
            nmea.port.tell(words, onlyNewcomers: nmea.isGreeting)
        }
        return true
    }

    /// Disconnects the readers after their app was removed; the next reader installs it again, and the person is asked;
    /// false if the client is another app.
    func disconnectNMEA(_ client: ClientID) -> Bool {
        guard let nmea = self.nmea, nmea.client == client else { return false }
        self.nmea?.client = nil
        nmea.port.removeReaders()
        return true
    }

    // MARK: The app

    /// Installs the app, unless it is installed with the right files.
    private func installNMEA() throws(DaemonError) {
        if let installed = self.bundles.apps[Self.nmeaBundle], installed.isIntact,
            Self.nmeaFiles.allSatisfy({ file in
                let path = "\(installed.bundle.path)/\(file.name)"
                return FileManager.default.contents(atPath: path).map { Array($0) } == Array(file.text.utf8)
            })
        {
            return
        }
        self.nextInstallation += 1
        let staging = self.bundles.staging(self.nextInstallation)
        let original = staging + ".new"
        defer {
            for path in [staging, original] { try? FileManager.default.removeItem(atPath: path) }
        }
        let app = original + "/NMEA.app"
        do {
            try FileManager.default.createDirectory(
                atPath: app,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            for file in Self.nmeaFiles {
                try Data(file.text.utf8).write(to: URL(fileURLWithPath: "\(app)/\(file.name)"))
                try FileManager.default.setAttributes(
                    [.posixPermissions: file.mode],
                    ofItemAtPath: "\(app)/\(file.name)"
                )
            }
        } catch {
            throw DaemonError("cannot write \(app): \(error.localizedDescription)")
        }
        let copy = try BundleStore.copy(app, to: staging, approving: [], capabilities: [], seal: self.seal)
        let installed = try self.bundles.install(copy)
        try self.openFiles(of: Self.nmeaBundle)
        self.feed(.appInstalled(Self.nmeaBundle, installed.bundle.manifest(approved: installed.approved)))
    }

    private static let nmeaFiles: [(name: String, text: String, mode: Int)] = [
        (
            "Info.plist",
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>CFBundleIdentifier</key><string>\(Daemon.nmeaBundle)</string>
            <key>CFBundleExecutable</key><string>reads-nmea</string>
            <key>CFBundleName</key><string>Programs that read NMEA 0183</string>
            <key>NSLocationWhenInUseUsageDescription</key><string>Programs that connect to the socket of \
            --nmea-socket, such as GeoClue, receive where this device is, and may tell it to others.</string>
            </dict></plist>

            """,
            0o600
        ),
        (
            "reads-nmea",
            """
            #!/bin/sh
            echo "these are the programs that connect to the socket of locationd --nmea-socket" >&2
            exit 1

            """,
            0o755
        ),
    ]
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
