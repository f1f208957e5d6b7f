internal import Foundation
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

/// The doctor's findings: what is missing or unsafe on this device, and the remedies.
enum Diagnosis {
    /// A disk with fewer free bytes counts as full.
    ///
    /// Source: our choice; a device's state has some megabytes, and a new version is written before the old one is removed.
    static let bytesFreeMin = 64 << 20

    /// Judges everything, in the order in which a person would look.
    static func findings(_ facts: DeviceFacts) -> [Finding] {
        var findings = [self.services(facts)]
        findings += facts.sources.indices.map { self.source($0, facts) }
        findings.append(self.gateway(facts))
        findings += facts.brokenApps.map(self.broken) + facts.silentApps.compactMap(self.silent)
        findings += facts.nmeaSocket.map { [self.nmeaSocket($0)] } ?? []
        findings += [self.people(facts), self.state(facts.state)]
        findings += facts.runtimeFault.map { [.trouble("sockets", $0.words, remedy: $0.remedy)] } ?? []
        findings += self.log(facts)
        findings += [self.keys(facts.state), self.apps(facts)]
        findings += (self.polkit(facts.polkit).map { [$0] } ?? []) + [self.freezing(facts), self.supervision(facts)]
        return findings + (self.clock(facts).map { [$0] } ?? [])
    }

    // MARK: Purpose

    private static func services(_ facts: DeviceFacts) -> Finding {
        facts.areServicesOn
            ? .fine("Location Services", "on")
            : .note(
                "Location Services",
                "off: no app gets a position",
                remedy: "locationctl settings location-services on"
            )
    }

    private static func source(_ number: Int, _ facts: DeviceFacts) -> Finding {
        let source = facts.sources[number]
        let name = source.source.words
        if case .fixed = source.source { return .fine(name, "always the same") }
        let words = source.condition?.words ?? "a recording, not where this device is"
        switch source.condition {
        case .delivering: return .fine(name, words)
        case .off:
            let isSpare = facts.sources[..<number].contains { $0.condition == .delivering }
            return isSpare || !facts.areServicesOn
                ? .fine(name, "off: nobody needs it now")
                : .note(name, "off: it was not tried", remedy: "run locationctl doctor again")
        case .connecting, .searching:
            return .note(name, words, remedy: "wait, under an open sky for a satellite receiver; then run this again")
        case .unreachable, .silent, .unintelligible, .noReceiver:
            return .trouble(name, words, remedy: self.remedy(source.source, source.condition))
        case nil: return .note(name, words, remedy: "start locationd without --replay to use a receiver")
        }
    }

    private static func remedy(
        _ source: DaemonConfiguration.Source,
        _ condition: ReceiverHealth.Condition?
    ) -> String {
        switch source {
        case .gpsd, .gpsdSocket:
            condition == .noReceiver
                ? "plug the receiver in, or name its device in /etc/default/gpsd; gpsctl lists those that gpsd has"
                : """
                apt-get install gpsd, systemctl start gpsd.socket; or name another with --gpsd, a receiver with --nmea, or, if \
                this device does not move, its position with --at
                """
        case .nmea(.device):
            "plug it in; let this user read it (adduser USER dialout, then log in again); stop gpsd if it reads the line"
        case .nmea(.standardInput):
            "check that the program at the other end of the pipe runs and writes NMEA 0183; then restart locationd behind it"
        case .nmea: "check that the receiver sends NMEA 0183 to the address that --nmea names"
        case .program:
            "start the program, or find out which process uses its socket; docs/sources.md describes the protocol"
        case .fixed, .replay: "name another recording with --replay"
        }
    }

    private static func gateway(_ facts: DeviceFacts) -> Finding {
        let subject = "location pushes"
        guard let gateway = facts.gateway else {
            return facts.appsWithPushes == 0
                ? .fine(subject, "no gateway is configured, and no app accepts pushes")
                : .trouble(
                    subject,
                    "none arrive: no gateway is configured, but installed apps accept them",
                    remedy: "start locationd with --gateway HOST:PORT"
                )
        }
        let words = "\(gateway): \(facts.gatewayState.words)"
        switch facts.gatewayState {
        case .connected: return .fine(subject, words)
        case .connecting: return .note(subject, words, remedy: "wait, and run this again")
        case .away, .notConfigured:
            return .trouble(
                subject,
                words,
                remedy:
                    "check that the gateway runs and is trusted (--gateway, --gateway-trust-roots); locationd tries again"
            )
        }
    }

    private static func broken(_ app: DeviceFacts.BrokenApp) -> Finding {
        .trouble(
            app.bundle,
            "not served: \(app.reason)",
            remedy: "install it again, or locationctl uninstall \(app.bundle)"
        )
    }

    private static func silent(_ app: DeviceFacts.SilentApp) -> Finding? {
        let note: String
        switch app.check {
        case .session where app.needsOpening:
            return .trouble(app.bundle, "stopped sharing the location: it lost its session", remedy: app.remedy)
        case .steady:
            return .trouble(app.bundle, "answers no location pushes: its extension keeps failing", remedy: app.remedy)
        case .session: note = "it has no session that asks for Always"
        case .permitted: note = "the device's owner forbids it"
        case .authorized: note = "the person has not allowed Always"
        case .confirmed: note = "the person has not confirmed Always"
        // The doctor checks these conditions elsewhere, or every app that accepts pushes meets them.
        case .object, .size, .installed, .hasExtension, .hasEnvironment, .entitled, .registered, .services, .budget,
            .share, .room:
            return nil
        }
        return .note(app.bundle, "does not share the location: \(note)", remedy: app.remedy)
    }

    private static func nmeaSocket(_ socket: DeviceFacts.NMEASocket) -> Finding {
        let subject = "readers of NMEA"
        if let fault = socket.fault {
            return .trouble(
                subject,
                "\(socket.path): \(fault)",
                remedy: "restart locationd, and find out which program removes files there"
            )
        }
        let count = socket.readers == 1 ? "1 program reads" : "\(socket.readers) programs read"
        let words = "\(socket.path): \(socket.readers == 0 ? "nobody reads" : count)"
        guard socket.readers > 0, socket.isDenied else {
            let accuracy = socket.isPrecise ? "precisely" : "approximately"
            return .fine(subject, socket.readers == 0 ? words : "\(words), \(accuracy)")
        }
        return .note(
            subject,
            "\(words) and get no position: Settings, or the device's owner, deny it",
            remedy: "locationctl settings \(NMEAReaders.bundle) location while-using, to allow it"
        )
    }

    private static func people(_ facts: DeviceFacts) -> Finding {
        if facts.agents > 0 { return .fine("people", "\(facts.agents) agents show apps' prompts") }
        let remedy = "locationctl agent, in a terminal that a person looks at"
        return facts.isAsking
            ? .trouble("people", "an app's prompt waits, but no agent shows it", remedy: remedy)
            : .note("people", "no agent would show an app's prompt", remedy: remedy)
    }

    // MARK: State

    /// Judges the state directory.
    static func state(_ state: DeviceFacts.State) -> Finding {
        if let fault = state.fault { return .trouble("state", fault.words, remedy: fault.remedy) }
        if let reason = state.unsavedReason {
            return .trouble(
                "state",
                "not saved: \(reason)",
                remedy: "free space at \(state.path), and check that it is writable"
            )
        }
        if let free = state.bytesFree, free < self.bytesFreeMin {
            return .trouble(
                "state",
                "\(free >> 20) MiB are free at \(state.path)",
                remedy: "free space: at least \(self.bytesFreeMin >> 20) MiB"
            )
        }
        if state.isShortOfFiles {
            return .trouble(
                "state",
                "hardly another file can be created at \(state.path)",
                remedy: "delete files: the file system needs room for \(DiskShare.filesFreeMin) more (df --inodes)"
            )
        }
        if state.isInMemory {
            return .trouble(
                "state",
                "\(state.path) is in memory: a restart of the machine forgets every decision and app",
                remedy: "name a directory on a disk with --state"
            )
        }
        return .fine("state", state.path)
    }

    private static func log(_ facts: DeviceFacts) -> [Finding] {
        guard let fault = facts.logFault else { return [] }
        return [
            .trouble(
                "log",
                "the log of who received a position cannot be written: \(fault)",
                remedy:
                    "free space, and check that the file is writable; locationd keeps the waiting lines and tries again with each new one"
            )
        ]
    }

    private static func keys(_ state: DeviceFacts.State) -> Finding {
        state.isSealedByCredential
            ? .fine("keys", "encrypted with a credential of the service manager")
            : .note(
                "keys",
                "in files that only this user reads: anyone with access to the disk can read them",
                remedy: "encrypt the disk, or give a credential (SECURITY.md says which)"
            )
    }

    // MARK: Foundations

    private static func apps(_ facts: DeviceFacts) -> Finding {
        if let users = facts.appUsers {
            let words = "\(users.lowerBound) to \(users.upperBound)"
            if facts.appsReachGPSD == true {
                return .trouble(
                    "apps",
                    "can read positions from gpsd directly, without anyone's permission",
                    remedy: self.firewall(for: users, facts.gpsdPorts)
                )
            }
            if facts.appsReadGPSDMemory {
                return .trouble(
                    "apps",
                    "read positions from gpsd's shared memory, without locationd: no person is asked",
                    remedy: "systemctl restart gpsd.service; without the package, add PrivateIPC=yes to its unit first"
                )
            }
            if !facts.untriedWays.isEmpty {
                return .trouble(
                    "apps",
                    "could not be checked: \(facts.untriedWays.joined(separator: " and ")) could not be tried as user "
                        + "\(users.upperBound), so they may read positions without anyone's permission",
                    remedy: "run this again; if it stays, give locationd CAP_SETUID, CAP_SETGID and a larger TasksMax="
                )
            }
            return facts.appsWithoutUser > 0
                ? .trouble(
                    "apps",
                    "\(facts.appsWithoutUser) of the installed apps could not start, because no user of \(words) is free",
                    remedy: "uninstall some, or widen --app-users"
                )
                : .fine("apps", "each app has its own user, of \(words)")
        }
        return facts.isRoot
            ? .trouble(
                "apps",
                "run as root, as locationd does: each may read and change everything",
                remedy: "give each a user with --app-users 70000-70127, as the service of the machine does"
            )
            : .note(
                "apps",
                "run as this user: they are not kept from each other's files, nor from gpsd's port",
                remedy: "install only apps that you would run anyway"
            )
    }

    /// The users and the port of the firewall rule in the package.
    private static let packaged = (users: 70_000...70_127 as ClosedRange<UInt32>, port: 2947 as UInt16)

    /// The command that keeps apps away from gpsd: the package's rule, or a variant for other users and ports.
    private static func firewall(for users: ClosedRange<UInt32>, _ ports: [UInt16]) -> String {
        let rule = "/usr/lib/whereabouts/apps.nft"
        let packaged = self.packaged
        let hasUsers = packaged.users.contains(users.lowerBound) && packaged.users.contains(users.upperBound)
        guard !hasUsers || ports != [packaged.port] else { return "nft -f \(rule)" }
        let all = "\(packaged.users.lowerBound)-\(packaged.users.upperBound)"
        let own = "\(users.lowerBound)-\(users.upperBound)"
        let listed = ports.map { "\($0)" }.joined(separator: ", ")
        return "sed 's/\(all)/\(own)/; s/\(packaged.port)/{ \(listed) }/' \(rule) | nft -f -; and the same in place of "
            + "the service's own ExecStartPre="
    }

    private static func polkit(_ state: PolkitCoordinator.State) -> Finding? {
        switch state {
        case .unused: nil
        case .answers: .fine("owners", "root, the group of --owners, and people whom polkit allows")
        case .untried:
            .note("owners", "polkit has not answered yet", remedy: "run locationctl doctor again")
        case .fails(let failure):
            .trouble(
                "owners",
                "polkit has not answered since \(Self.text(of: failure.since)): \(failure.cause). Meanwhile all but root and the group of "
                    + "--owners are refused, also the person at the seat: \(failure.refused) so far",
                remedy: "\(failure.remedy); or start locationd without --polkit"
            )
        }
    }

    private static func text(of time: WallTime) -> String {
        Date(timeIntervalSince1970: time.timeIntervalSince1970).ISO8601Format()
    }

    private static func freezing(_ facts: DeviceFacts) -> Finding {
        facts.hasCgroups
            ? .fine("freezing", "by cgroups of their own")
            : .note(
                "freezing",
                "by signals: a process that removed its app's mark keeps running while the app is suspended",
                remedy: "start it as a service of systemd's with Delegate=yes, or name a cgroup (v2) with --cgroup"
            )
    }

    private static func supervision(_ facts: DeviceFacts) -> Finding {
        if facts.isReplaced {
            return .trouble(
                "service",
                "an older locationd than the installed one runs: an upgrade replaced its program file",
                remedy: "systemctl \(facts.appUsers == nil ? "--user " : "")restart locationd; apps keep running"
            )
        }
        return switch facts.supervision {
        case .system: .fine("service", "of the machine")
        case .user(_, lingers: true): .fine("service", "of this user, with or without a session")
        case .user(let name, lingers: false):
            .note("service", "ends with the user's last session", remedy: "loginctl enable-linger \(name)")
        case .none:
            .note(
                "service",
                "none: no service manager starts locationd with the machine, or again after a failure",
                remedy: "systemctl \(facts.appUsers == nil ? "--user " : "")enable --now locationd"
            )
        }
    }

    private static func clock(_ facts: DeviceFacts) -> Finding? {
        facts.isClockKept.map { isKept in
            isKept
                ? .fine("clock", "kept by a time server or a receiver")
                : .note(
                    "clock",
                    "not synchronized: requesters and gateways refuse a clock that is wrong by two minutes",
                    remedy: "timedatectl set-ntp true, or apt-get install chrony"
                )
        }
    }
}
