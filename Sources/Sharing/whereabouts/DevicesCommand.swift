internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts devices`: shows which devices answer for a person, chooses one, and removes one.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Show your devices and which one is asked; choose this one, name it, or remove one.",
        discussion: """
            A person may share with several devices; whoever asks, asks the one that was chosen last. A new device is added by restoring a \
            backup on it and opening its app there; it answers from then on, until you choose another one.
              whereabouts devices                    lists them
              whereabouts devices --answer-here      has this one answer from now on
              whereabouts devices --name "Phone"     names this one; the server cannot read it
              whereabouts devices --remove Phone     removes one, by its name or id: the server forgets where it is reached
            Without any device nobody can ask about you: your last one is removed with --last alone. Whoever follows a device sees no more of \
            it from its removal on. It learns of that within the hour, when its app speaks with the server, and answers nothing from then on; \
            --answer-here on it adds it again.
            A device that was removed still has your key, and may sign what you may. For one that is lost, make another key: \
            whereabouts identity replace.

            Exit codes:
              0  shown, or done
              1  there is no such device, it is the last one and --last was not said, no app has run here yet, or the server was not reached
            """
    )

    @OptionGroup var home: HomeOption
    @Flag(help: "Have this device answer, in the place of the others.")
    var answerHere = false
    @Option(help: ArgumentHelp("Name this device.", valueName: "name"))
    var name: String?
    @Option(help: ArgumentHelp("Remove this device.", valueName: "name|id"))
    var remove: String?
    @Flag(help: "Remove it although it is your last one, and nobody can ask about you any more.")
    var last = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if self.remove != nil, self.answerHere || self.name != nil {
            throw ValidationError("--remove stands alone: say --answer-here and --name in a command of their own")
        }
        if self.last, self.remove == nil {
            throw ValidationError("--last says which device --remove may take away; give that, too")
        }
    }

    func run() async throws {
        let sharer = try Sharer(home: self.home.open())
        try await Waiting.said {
            // First, since it adds a device again that was removed.
            if self.answerHere { try await sharer.answerHere() }
            if let name { try await sharer.nameThisDevice(name) }
            if let remove { try await sharer.remove(self.meant(remove, sharer.devices()), evenLast: self.last) }
            try self.show(await sharer.devices())
        }
    }

    private func meant(_ which: String, _ devices: [SharerDevice]) throws -> DeviceID {
        // A name may be another device's id.
        if let id = devices.map(\.id).first(where: { "\($0)" == which.lowercased() }) { return id }
        let meant = devices.compactMap { device in
            device.name.map { GivenName.matches(which, $0) } == true ? device.id : nil
        }
        guard let device = meant.first, meant.count == 1, !which.isEmpty else {
            let words = meant.count > 1 ? "\(meant.count) devices are" : "no device is"
            throw SharingError(
                .badText,
                "\(words) called '\(PlainText.of(which))'; `whereabouts devices` lists them with their ids, and one id is due"
            )
        }
        return device
    }

    private func show(_ devices: [SharerDevice]) throws {
        let rows = devices.map(Row.init)
        guard !self.json else { return try rows.forEach { try printJSON($0) } }
        guard !rows.isEmpty else {
            return try printLine(
                "None of your devices is registered, so nobody can ask for your location. Open the app, or run `whereabouts devices "
                    + "--answer-here` on this device."
            )
        }
        let titles = ["DEVICE", "NAME", "ANSWERS", "CHOSEN", "REGISTERED", "STATE"]
        for line in Table.lines(titles, rows.map(\.cells)) { try printLine(line) }
    }

    private struct Row: Encodable {
        enum State: String, Encodable {
            /// It takes pushes.
            case shares
            /// It is registered, and takes none.
            case paused
        }

        let device: String
        /// Absent for one that the person's key did not name.
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
