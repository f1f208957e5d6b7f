internal import WhereaboutsVocabulary

/// The device that the profile is on, when it last registered, and the server's database that has the registration.
struct DeviceFile: Sendable {
    static let removed = SharingError(
        .refused,
        "this device was removed by its owner and answers no requests; `whereabouts devices --answer-here` on it adds it again"
    )

    let folder: ProfileFolder

    /// Returns the device; nil before its first registration, as in a profile that was restored.
    ///
    /// - Throws: ``SharingError`` when its file is damaged.
    func device() throws -> ProfileDevice? { try self.change { ($0, nil) } }

    /// Returns the device for an app's pushes, and creates it if needed, chosen after the person's others.
    ///
    /// - Throws: ``SharingError`` when its file is damaged, or cannot be written.
    func device(
        for topic: String,
        token: [UInt8],
        _ sealing: any Sealing,
        after others: [WallTime] = [],
        now: WallTime
    ) throws -> ProfileDevice {
        try self.change { known in
            var device = try known ?? ProfileDevice(topic: topic, token: token, sealing, after: others, now: now)
            (device.topic, device.token) = (topic, token)
            guard device.standing.registrationDue() == .tell else { throw Self.removed }
            try device.keys.renew(now: now) { try sealing.makeKey(suite: SealedPush.suite) }
            return (device, device == known ? nil : device)
        }
    }

    /// Replaces the push key if the device has used it for a day.
    ///
    /// - Returns: whether the server has not confirmed the newest key.
    /// - Throws: ``SharingError`` when the device's file is damaged, or cannot be written.
    func renewPushKey(_ sealing: any Sealing, now: WallTime) throws -> Bool {
        try self.change { known in
            guard var device = known, device.standing.registrationDue() == .tell else { return (false, nil) }
            try device.keys.renew(now: now) { try sealing.makeKey(suite: SealedPush.suite) }
            return (!device.keys.isConfirmed, device == known ? nil : device)
        }
    }

    /// Whether the server reported the device's removal.
    var isRemoved: Bool { (try? self.device())?.standing.isRemoved ?? false }

    /// Records that the person removed this device from another device; this device answers nothing from now on.
    ///
    /// - Throws: ``SharingError`` when the file cannot be written.
    func removed(_ device: DeviceID) throws {
        try self.change { known in
            guard var known, known.standing.id == device else { return ((), nil) }
            known.standing.removed()
            return ((), known)
        }
    }

    /// Records that the server has a registration of a device.
    ///
    /// - Throws: ``SharingError`` when the file cannot be written.
    func registered(_ device: ProfileDevice, now: WallTime) throws {
        try self.change { known in
            guard var changed = known, changed.standing.id == device.standing.id else { return ((), nil) }
            changed.keys.registered(device.keys.newest.publicKey, now: now)
            return ((), changed == known ? nil : changed)
        }
    }

    /// Changes the device that an app registered.
    func changeRegistered(_ body: (inout ProfileDevice) throws -> Void) throws -> ProfileDevice {
        try self.change { known in
            guard var device = known else {
                throw SharingError(
                    .badProfile,
                    "no app on this device has registered with the server; open the app, allow location access Always, and run this "
                        + "command again"
                )
            }
            try body(&device)
            return (device, device)
        }
    }

    /// Calls `decide` with the device, and replaces its file if the device changed, under a lock between processes.
    func change<Action>(
        _ decide: (ProfileDevice?) throws -> (action: Action, changed: ProfileDevice?)
    ) throws -> Action {
        try self.folder.change(
            "device.json",
            ProfileDevice.init(json:),
            "the server does not recognize this device or its push key; delete the file, and open the app"
        ) { device in
            let (action, changed) = try decide(device)
            return (action, try changed?.json)
        }
    }

    // MARK: Pushes

    /// Reads the request out of a push.
    ///
    /// - Throws: ``SharingError`` when there is none, or it was not sealed to this device.
    func request(in pushPayload: [String: Any], _ sealing: any Sealing, now: WallTime) throws -> Signed<Request> {
        let sealed = try PushPayload.sealed(in: pushPayload)
        guard let device = try self.device() else {
            throw SharingError(
                .badPush,
                "This device has no key for pushes yet, so the push is for another device. Open the app, which registers this one."
            )
        }
        var failure: (any Error)?
        for key in device.keys.opening(now: now) {
            do {
                return try SealedPush.open(sealed, with: key, topic: device.topic, sealing)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? SharingError(.badPush, "This device has no key for pushes. Open the app, which registers it.")
    }

    /// Reads the notice to a volunteer out of a push, with the key that opened it; nil if the push carries a request.
    ///
    /// - Throws: ``SharingError`` when there is neither in the push.
    func notice(
        in pushPayload: [String: Any],
        isVolunteer: Bool,
        _ sealing: any Sealing,
        now: WallTime
    ) throws -> (ResponderNotice, RequestKey)? {
        let sealed = try PushPayload.sealed(in: pushPayload)
        // The server alerts only people who enrolled.
        guard isVolunteer, let device = try self.device() else { return nil }
        for key in device.keys.opening(now: now) {
            guard let notice = try? SealedPush.openNotice(sealed, with: key, topic: device.topic, sealing) else {
                continue
            }
            return (notice, key)
        }
        return nil
    }

    // MARK: Registrations

    /// Chooses the time of the next registration: later than all earlier ones, and than `others`.
    func nextRegistrationTime(after others: [WallTime] = [], now: WallTime) throws -> WallTime {
        let last = self.folder.text(of: "registered").flatMap { Int64($0) }
        let latest = (others + (last.map { [WallTime(milliseconds: $0)] } ?? [])).max()
        let time = Registration.time(after: latest, now: now)
        try self.folder.replace("registered", Array("\(time.milliseconds)".utf8))
        return time
    }

    /// The server's database that has everything of this profile.
    var databaseMemory: DatabaseMemory {
        DatabaseMemory(known: self.folder.text(of: "database").flatMap { DatabaseID($0) })
    }

    func keep(_ memory: DatabaseMemory) throws {
        guard let known = memory.known else { return }
        try self.folder.replace("database", Array(known.description.utf8))
    }
}
