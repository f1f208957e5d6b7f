internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Truncates an app's texts when they arrive.
extension ClientMessage {
    /// The longest title of a live activity, in bytes: two lines on a small screen.
    static let titleBytesMax = 100
    /// The longest key of a purpose, in bytes; bundles with longer ones are not installed, so that no two keys become
    /// equal when cut.
    static let purposeBytesMax = 100

    /// Returns the message with its texts within their bounds, and how many were cut.
    func bounded() -> (message: ClientMessage, cuts: Int) {
        switch self {
        case .declaration(var declaration):
            let cuts = declaration.cutTexts()
            return (.declaration(declaration), cuts)
        case .fullAccuracyRequest(let purpose, let request):
            guard purpose.utf8.count > Self.purposeBytesMax else { return (self, 0) }
            return (.fullAccuracyRequest(purpose: purpose.cut(toBytes: Self.purposeBytesMax), request: request), 1)
        // The engine refuses too long names of monitors and conditions instead of cutting them: two cut names could be equal.
        case .monitorChange, .authorizationRequest, .pushTokenRequest, .stopMonitoringPushes, .pushCompleted,
            .phaseReport,
            .geocodeRequest:
            return (self, 0)
        }
    }
}

extension Declaration {
    fileprivate mutating func cutTexts() -> Int {
        var cuts = 0
        for index in self.sessions.indices {
            guard let purpose = self.sessions[index].fullAccuracyPurpose,
                purpose.utf8.count > ClientMessage.purposeBytesMax
            else { continue }
            self.sessions[index].fullAccuracyPurpose = purpose.cut(toBytes: ClientMessage.purposeBytesMax)
            cuts += 1
        }
        for index in self.activities.indices {
            guard case .liveActivity(let title) = self.activities[index].kind else { continue }
            let shown = title.shown(bytesMax: ClientMessage.titleBytesMax)
            if shown == title { continue }
            self.activities[index].kind = .liveActivity(title: shown)
            cuts += 1
        }
        return cuts
    }
}
