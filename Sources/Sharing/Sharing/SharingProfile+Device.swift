internal import WhereaboutsVocabulary

/// The device that the profile is on.
extension SharingProfile {
    /// Returns the device; nil before its first registration, as in a profile that was restored.
    ///
    /// - Throws: ``SharingError`` when its file is damaged.
    func device() throws -> ProfileDevice? {
        try self.changeDevice { ($0, nil) }
    }

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
        try self.changeDevice { known in
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
        try self.changeDevice { known in
            guard var device = known, device.standing.registrationDue() == .tell else { return (false, nil) }
            try device.keys.renew(now: now) { try sealing.makeKey(suite: SealedPush.suite) }
            return (!device.keys.isConfirmed, device == known ? nil : device)
        }
    }

    /// Whether the server reported the device's removal.
    package var isRemoved: Bool { (try? self.device())?.standing.isRemoved ?? false }

    /// Records that the person removed this device from another device; this device answers nothing from now on.
    ///
    /// - Throws: ``SharingError`` when the file cannot be written.
    func removed(_ device: DeviceID) throws {
        try self.changeDevice { known in
            guard var known, known.standing.id == device else { return ((), nil) }
            known.standing.removed()
            return ((), known)
        }
    }

    /// Records that the server has a registration of a device.
    ///
    /// - Throws: ``SharingError`` when the file cannot be written.
    func registered(_ device: ProfileDevice, now: WallTime) throws {
        try self.changeDevice { known in
            guard var changed = known, changed.standing.id == device.standing.id else { return ((), nil) }
            changed.keys.registered(device.keys.newest.publicKey, now: now)
            return ((), changed == known ? nil : changed)
        }
    }

    static let removed = SharingError(
        .refused,
        "this device was removed by its owner and answers no requests; `whereabouts devices --answer-here` on it adds it again"
    )

    /// Calls `decide` with the device, and replaces its file if the device changed, under a lock between processes.
    func changeDevice<Action>(
        _ decide: (ProfileDevice?) throws -> (action: Action, changed: ProfileDevice?)
    ) throws -> Action {
        try self.change(
            "device.json",
            ProfileDevice.init(json:),
            "the server does not recognize this device or its push key; delete the file, and open the app"
        ) { device in
            let (action, changed) = try decide(device)
            return (action, try changed?.json)
        }
    }

    /// Reads the request out of a push.
    ///
    /// - Throws: ``SharingError`` when there is none, or it was not sealed to this device.
    func request(in pushPayload: [String: Any], _ sealing: any Sealing) throws -> Signed<Request> {
        let sealed = try PushPayload.sealed(in: pushPayload)
        guard let device = try self.device() else {
            throw SharingError(
                .badPush,
                "This device has no key for pushes yet, so the push is for another device. Open the app, which registers this one."
            )
        }
        var failure: (any Error)?
        for key in device.keys.opening(now: .now) {
            do {
                return try SealedPush.open(sealed, with: key, topic: device.topic, sealing)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? SharingError(.badPush, "This device has no key for pushes. Open the app, which registers it.")
    }
}
