internal import Foundation
internal import WhereaboutsJSONReading
public import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The devices with a person's identity on which an app registered.
extension Sharer {
    /// Lists the person's devices, as the server has them.
    ///
    /// A device is added by restoring the person's backup on it, and opening its app there.
    ///
    /// - Returns: the devices, ordered by identifier; none before the first registration.
    /// - Throws: ``SharingError`` when the server cannot be reached or refuses.
    public func devices() async throws -> [SharerDevice] {
        let permit = try self.profile.identity.sign(DevicesPermit(sharer: self.profile.identity.publicIdentity))
        let authorization = "Whereabouts \(Base64URL.text(of: permit.bytes))"
        var response = try await self.server.fetch("/v1/devices", authorization: authorization)
        if await self.messages.remind() {
            response = try await self.server.fetch("/v1/devices", authorization: authorization)
        }
        if response.status == 404 { return [] }
        // A busy server has a list; treating it as empty would register this device after the others.
        guard response.status < 500 else {
            throw SharingError(.network, self.server.rejected(response).message)
        }
        guard response.status == 200 else { throw self.server.rejected(response) }
        let own = try self.profile.deviceFile.device()?.standing.id
        return try JSONReader().decode(Wire.Devices.self, from: Data(response.body)).devices.map { device in
            guard let id = DeviceID(device.id) else {
                throw SharingError(
                    .network,
                    "The server lists a device without an ID. Ask its operator which version it runs."
                )
            }
            return SharerDevice(
                id: id,
                name: Base64URL.bytes(of: device.name).flatMap {
                    DeviceName.open($0, of: id, by: self.profile.identity)
                },
                isThis: id == own,
                answers: device.answers,
                isPaused: device.isPaused,
                chosen: WallTime(milliseconds: device.chosen),
                registered: WallTime(milliseconds: device.issued)
            )
        }
    }

    /// Lists the person's devices before this one registers; empty if the server shows no list, because a device can
    /// register without it.
    func devicesBefore() async throws -> [SharerDevice] {
        do {
            return try await self.devices()
        } catch let error as SharingError where error.code == .refused {
            return []
        }
    }

    /// Chooses the device of this profile to answer for its person, until they choose another one.
    ///
    /// A device that was removed is added again, under another identifier and with another key.
    ///
    /// - Throws: ``SharingError`` when no app has registered here, or the server cannot be reached or refuses.
    public func answerHere() async throws {
        let others = try await self.devices().filter { !$0.isThis }.map(\.chosen)
        var response = try await self.messages.register(self.chosen(after: others))
        if response.status == 410 { response = try await self.messages.register(self.chosen(after: others)) }
        try self.server.accepted(response)
    }

    /// Records that the device of this profile was chosen, under a new identifier if it was removed.
    private func chosen(after others: [WallTime]) throws -> ProfileDevice {
        try self.profile.deviceFile.changeRegistered { device in
            guard case .makeAnother(let chosen) = device.standing.chosen(after: others, now: .now) else { return }
            var new = try ProfileDevice(topic: device.topic, token: device.token, self.sealing, now: chosen)
            new.name = device.name
            device = new
        }
    }

    /// Gives the device of this profile a name, which the person's own devices alone can read.
    ///
    /// - Parameter name: at most 62 bytes of UTF-8 with a visible character, without control characters for terminals or for the
    ///   direction of the text; empty for none.
    /// - Throws: ``SharingError`` when the name is invalid or too long, no app has registered, or the server is unreachable or refuses.
    public func nameThisDevice(_ name: String) async throws {
        let name = try DeviceName.checked(name)
        var before = ""
        let device = try self.profile.deviceFile.changeRegistered { device in
            before = device.name
            device.name = name
        }
        do {
            try self.server.accepted(await self.messages.register(device))
        } catch {
            // Undo the change; otherwise the app's next registration would send a name that was reported as refused.
            _ = try? self.profile.deviceFile.changeRegistered { if $0.name == name { $0.name = before } }
            throw error
        }
    }

    /// Removes one of the person's devices: the server drops its token, and refuses its registrations.
    ///
    /// Of the other devices, the last chosen one answers from now on. A removed device still has the person's key; if the device is
    /// lost, create another key (``hand(over:)``). Pending requests that the device may know of end at once, and so do its live
    /// shares. The device is notified of ended live shares in the reply to its next update, and of its removal when its app
    /// registers, within 15 minutes.
    ///
    /// - Parameters:
    ///   - device: the device.
    ///   - evenLast: whether to remove the device even if it is the last, after which requests to the person fail.
    /// - Throws: ``SharingError`` when there is no such device, or the server cannot be reached or refuses; with the code
    ///   `lastDevice` if it is the last one and `evenLast` is false.
    public func remove(_ device: DeviceID, evenLast: Bool = false) async throws {
        if !evenLast, DeviceRemoval.leavesNone(device, of: try await self.devices().map(\.id)) {
            throw SharingError(
                .lastDevice,
                "this is your last device: without it, every request about you is refused until one of your apps "
                    + "registers again; to remove it anyway, run `whereabouts devices --remove … --last`"
            )
        }
        try await self.messages.post(
            "/v1/devices/removals",
            DeviceRemoval(device: device, sharer: self.profile.identity.publicIdentity)
        )
    }

    /// Registers the device under another push key if it has used its key for a day (ADR 0080).
    ///
    /// The app does this with its regular registrations. The extension does it after its answers, because the app may not run
    /// for weeks. After an error the device keeps both keys, and the next answer tries again.
    ///
    /// - Parameter start: the start of the answer. More than 15 s after it nothing is done: with the 10 s that the server may take
    ///   (``Attempts/patience``), an extension stays within its 30 s.
    func renewPushKey(since start: ContinuousClock.Instant) async {
        do {
            guard ContinuousClock.now - start < .seconds(15),
                try self.profile.deviceFile.renewPushKey(self.sealing, now: .now)
            else { return }
            // Read the time before the device, as `register` does.
            let issued = try self.profile.deviceFile.nextRegistrationTime(now: .now)
            if let device = try self.profile.deviceFile.device() {
                _ = try await self.messages.register(device, issued: issued)
            }
        } catch {
            return
        }
    }
}
