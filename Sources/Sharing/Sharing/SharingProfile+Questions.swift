internal import Foundation
internal import WhereaboutsDurableStorage
internal import WhereaboutsVocabulary

/// Questions that the extension asks and the app shows to the person, exchanged through shared files.
extension SharingProfile {
    /// How often the extension looks for the person's answer.
    ///
    /// Source: our choice; a fifth of a second after a tap is not noticeable, and a question lasts at most 20 s.
    private static let look: Duration = .milliseconds(200)

    private var directory: String { self.path + "/questions" }

    /// The file of a question, named after the digest of its request: a requester can sign two requests with one ID.
    private func file(of request: RequestDigest) -> String { "\(self.directory)/\(request.fileName)" }
    private func fileOfWord(on request: RequestDigest) -> String { self.file(of: request) + ".said" }

    /// The questions that the person may answer now, the most urgent first.
    ///
    /// An app reads them when it is opened, and every half second while it is on the screen.
    public func questions() -> [Question] { self.questions(now: .now) }

    func questions(now: WallTime) -> [Question] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        let all = names.compactMap { name -> Question? in
            guard let request = RequestDigest(fileName: name),
                let bytes = FileManager.default.contents(atPath: self.file(of: request))
            else { return nil }
            return try? Question(request, bytes: [UInt8](bytes))
        }
        return all.filter { question in
            guard question.until <= now else {
                let isAnswered = self.said(on: question) != nil
                // Hide a question under a revoked grant: the request is refused even if the person approves.
                return !isAnswered && !self.isRevoked(question.grant)
            }
            // The process that asked was killed before it could delete the question.
            self.withdrawQuestion(question.digest)
            return false
        }
        .sorted { ($0.until, $0.digest.fileName) < ($1.until, $1.digest.fileName) }
    }

    /// Records the person's answer.
    ///
    /// - Throws: ``SharingError`` when no process waits for the answer any more, or the answer cannot be stored.
    public func answer(_ question: Question, isAllowed: Bool) throws {
        guard question.until > .now, FileManager.default.fileExists(atPath: self.file(of: question.digest)) else {
            throw SharingError(.badText, "this answer comes too late: the requester was refused")
        }
        let word = [isAllowed ? 1 : 0] + question.bytes
        try ProfileFile.replace(self.fileOfWord(on: question.digest), word, .process)
    }

    /// Returns the person's answer to exactly this question.
    ///
    /// An answer to an earlier question about the same request, whose process was killed, does not count.
    private func said(on question: Question) -> Bool? {
        guard let word = FileManager.default.contents(atPath: self.fileOfWord(on: question.digest)),
            word.dropFirst().elementsEqual(question.bytes)
        else { return nil }
        return word.first == 1
    }

    /// Asks the person, and waits.
    ///
    /// - Returns: the person's answer; nil if none arrives in time, the question is withdrawn, or it cannot be stored.
    package func word(
        on question: Question,
        within time: Duration,
        _ prompt: @Sendable (Question) -> Void
    ) async -> Bool? {
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: time)
        defer { self.withdrawQuestion(question.digest) }
        do {
            try ProfileFile.makeDirectory(self.directory)
            try ProfileFile.replace(self.file(of: question.digest), question.bytes, .process)
            prompt(question)
            while clock.now < end {
                if let isAllowed = self.said(on: question) { return isAllowed }
                // Withdrawn meanwhile.
                guard FileManager.default.fileExists(atPath: self.file(of: question.digest)) else { return nil }
                try await clock.sleep(for: Self.look)
            }
            return nil
        } catch {
            return nil
        }
    }

    /// Withdraws the question about a request, for instance because its requester no longer waits.
    package func withdrawQuestion(_ request: RequestDigest) {
        // Delete the answer first: a remaining one would answer a repeated question.
        try? FileManager.default.removeItem(atPath: self.fileOfWord(on: request))
        try? FileManager.default.removeItem(atPath: self.file(of: request))
    }
}
