internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing

/// The person's name for themselves, for the commands whose output shows it to other people.
struct OwnNameOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Your name, as shown to the other person (default: your last one, or ask at a terminal).",
            valueName: "name"
        )
    )
    var ownName: String?

    /// Returns the name to show: the given name, otherwise the profile's, otherwise the name that the person types.
    ///
    /// The account's name is never used unasked: it may be "root", or more than the person wants to tell.
    ///
    /// - Parameters:
    ///   - given: the value of `option`.
    ///   - profile: the profile; nil if there is none yet.
    ///   - option: the option to name if nobody can be asked.
    /// - Returns: the name, which has been checked.
    /// - Throws: ``SharingError`` when there is no name.
    static func name(given: String?, in profile: SharingProfile?, option: String = "--own-name") throws -> String {
        if let name = given ?? profile.flatMap({ $0.name(of: $0.identity.publicIdentity) }) {
            return try GivenName.checked(name, bytesMax: Invitation.nameBytesMax)
        }
        guard let name = self.typed() else {
            throw SharingError(.badText, "You have no name yet. Give the name that other people see: \(option) NAME")
        }
        return name
    }

    /// Asks the person at the terminal for their name.
    ///
    /// - Returns: the name, or nil if there is no terminal, or nothing was typed.
    static func typed() -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        printTrouble("Your name, as other people see it:")
        while let line = readLine()?.trimmingCharacters(in: .whitespaces), !line.isEmpty {
            do {
                return try GivenName.checked(line, bytesMax: Invitation.nameBytesMax)
            } catch {
                printTrouble("\(error)\nYour name:")
            }
        }
        return nil
    }
}

extension SharingProfile {
    /// Returns ``OwnNameOption/name(given:in:option:)``, and stores it.
    func ownName(given: String?, option: String = "--own-name") throws -> String {
        let name = try OwnNameOption.name(given: given, in: self, option: option)
        try self.call(self.identity.publicIdentity, name)
        return name
    }
}
