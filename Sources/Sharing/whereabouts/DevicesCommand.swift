internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts devices`: shows which devices answer for a person, chooses one, and removes one.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List your devices; let this device answer, name it, or remove a device.",
        discussion: """
            You can share with several devices; requests go to the device that you chose last. To add a device, restore a backup on it and open \
            its app there. It answers until you choose another one.
              whereabouts devices                    lists them
              whereabouts devices --answer-here      makes this one answer from now on
              whereabouts devices --name "Phone"     names this one; the server cannot read the name
              whereabouts devices --remove Phone     removes one, by its name or ID
            A removed device gets no requests, and its followers get no more updates. Within 15 minutes it learns that, and \
            refuses everything; --answer-here on it adds it again. To remove the last device, add --last: then nobody can ask.
            A removed device still has your key. If it is lost, replace the key: whereabouts identity replace.

            Exit codes:
              0  shown, or done
              1  there is no such device, it is the last one, no app has run here yet, or the server was not reached
            """
    )

    @OptionGroup var profile: ProfileOption
    @Flag(help: "Make this device answer from now on.")
    var answerHere = false
    @Option(help: ArgumentHelp("Name this device.", valueName: "name"))
    var name: String?
    @Option(help: ArgumentHelp("Remove the device with this name or ID.", valueName: "name|id"))
    var remove: String?
    @Flag(help: "Let --remove remove your last device. Afterwards nobody can ask where you are.")
    var last = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if self.remove != nil, self.answerHere || self.name != nil {
            throw ValidationError("--remove cannot be combined with --answer-here or --name.")
        }
        if self.last, self.remove == nil {
            throw ValidationError("--last needs --remove.")
        }
    }

    func run() async throws {
        let sharer = try Sharer(profile: self.profile.open())
        try await Waiting.said {
            // Do this first, because it adds a removed device again.
            if self.answerHere { try await sharer.answerHere() }
            if let name { try await sharer.nameThisDevice(name) }
            if let remove { try await sharer.remove(self.meant(remove, sharer.devices()), evenLast: self.last) }
            try self.show(await sharer.devices())
        }
    }

    private func meant(_ which: String, _ devices: [SharerDevice]) throws -> DeviceID {
        // A name may also be another device's ID.
        if let id = devices.map(\.id).first(where: { "\($0)" == which.lowercased() }) { return id }
        let meant = devices.compactMap { device in
            device.name.map { GivenName.matches(which, $0) } == true ? device.id : nil
        }
        guard let device = meant.first, meant.count == 1, !which.isEmpty else {
            let words = meant.count > 1 ? "\(meant.count) devices are" : "no device is"
            throw SharingError(
                .badText,
                "\(words) called '\(PlainText.of(which))'; `whereabouts devices` lists them. Give the ID of one."
            )
        }
        return device
    }

    private func show(_ devices: [SharerDevice]) throws {
        let rows = devices.map(Row.init)
        guard !self.json else { return try rows.forEach { try printJSON($0) } }
        guard !rows.isEmpty else {
            return try printLine(
                "You have no registered device, so nobody can ask for your location. Open the app, or run `whereabouts devices "
                    + "--answer-here` on this device."
            )
        }
        let titles = ["DEVICE", "NAME", "ANSWERS", "CHOSEN", "REGISTERED", "STATE"]
        for line in Table.lines(titles, rows.map(\.cells)) { try printLine(line) }
    }

    private struct Row: Encodable {
        enum State: String, Encodable {
            /// The device receives pushes.
            case shares
            /// The device is registered, and receives no pushes.
            case paused
        }

        let device: String
        /// Absent if the name was not sealed with the person's key.
        let name: String?
        let isThis: Bool
        let answers: Bool
        let chosen: Moment
        let registered: Moment
        let state: State

        init(_ device: SharerDevice) {
            self.device = "\(device.id)"
            self.name = device.name
            (self.isThis, self.answers) = (device.isThis, device.answers)
            (self.chosen, self.registered) = (Moment(device.chosen), Moment(device.registered))
            self.state = device.isPaused ? .paused : .shares
        }

        var cells: [String] {
            let name = self.name.map { $0.isEmpty ? "-" : $0 } ?? "not of your key"
            return [
                self.device, self.isThis ? "\(name) (this one)" : name, self.answers ? "yes" : "no",
                self.chosen.local, self.registered.local, self.state.rawValue,
            ]
        }
    }
}
