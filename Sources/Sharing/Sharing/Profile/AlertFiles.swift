internal import Foundation
internal import WhereaboutsVocabulary

/// The alerts of a volunteer, which the extension receives and the app answers.
struct AlertFiles: Sendable {
    /// The maximum number of alerts that are stored.
    ///
    /// Source: our choice; an honest server wakes a volunteer three times a day, and an alert is kept for an hour.
    static let countMax = 16

    private let folder: ProfileFolder

    init(profile: ProfileFolder) { self.folder = profile.folder("alerts") }

    /// The alerts of the last hour, the newest first; an older one is deleted.
    func all(now: WallTime) -> [EmergencyAlert] {
        let all = self.folder.names.compactMap { name -> EmergencyAlert? in
            guard AlertID(name) != nil,
                let alert = self.folder.bytes(of: name).flatMap({ try? EmergencyAlert(bytes: $0) })
            else { return nil }
            guard now < alert.expires else {
                self.folder.remove(name, "\(name).lock")
                return nil
            }
            return alert
        }
        return all.sorted { ($0.expires, "\($0.id)") > ($1.expires, "\($1.id)") }
    }

    /// Stores an alert that arrived.
    ///
    /// - Returns: false if the alert is known.
    /// - Throws: ``SharingError`` when there are too many alerts, or the file cannot be written.
    func record(_ alert: EmergencyAlert, now: WallTime) throws -> Bool {
        guard self.all(now: now).count < Self.countMax else {
            throw SharingError(
                .refused,
                "\(Self.countMax) alerts came within an hour, which is the maximum; `whereabouts volunteer --leave` ends them"
            )
        }
        try ProfileFile.makeDirectory(self.folder.path)
        return try self.changeFile(alert.id) { known in (known == nil, known == nil ? alert : nil) }
    }

    /// Changes a stored alert, under a lock between processes.
    ///
    /// - Returns: the changed alert.
    /// - Throws: ``SharingError`` when there is no such alert, the file cannot be written, or what `body` throws.
    @discardableResult
    func change(_ id: AlertID, _ body: (inout EmergencyAlert) throws -> Void) throws -> EmergencyAlert {
        // Make no lock for an alert that the server made up.
        guard self.folder.has("\(id)") else { throw Self.noAlert(id) }
        return try self.changeFile(id) { known in
            guard var alert = known else { throw Self.noAlert(id) }
            try body(&alert)
            return (alert, alert == known ? nil : alert)
        }
    }

    private func changeFile<Action>(
        _ id: AlertID,
        _ decide: (EmergencyAlert?) throws -> (action: Action, changed: EmergencyAlert?)
    ) throws -> Action {
        try self.folder.change("\(id)", EmergencyAlert.init(bytes:), "the alert cannot be answered; delete it") {
            known in
            let (action, changed) = try decide(known)
            return (action, changed?.bytes)
        }
    }

    private static func noAlert(_ id: AlertID) -> SharingError {
        SharingError(.unknownName, "there is no alert \(id); `whereabouts alerts` lists those of the last hour")
    }
}
