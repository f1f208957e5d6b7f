internal import WhereaboutsDurableStorage
internal import WhereaboutsVocabulary

/// Questions that the extension asks and the app shows to the person.
///
/// A question's file is named after the digest of its request: a requester can sign two requests with one ID.
package struct QuestionFiles: Sendable {
    /// How often the extension looks for the person's answer.
    ///
    /// Source: our choice; a fifth of a second after a tap is not noticeable, and a question lasts at most 20 s.
    private static let look: Duration = .milliseconds(200)

    private let folder: ProfileFolder
    private let grants: GrantFiles

    init(profile: ProfileFolder, grants: GrantFiles) {
        self.folder = profile.folder("questions")
        self.grants = grants
    }

    private static func word(on request: RequestDigest) -> String { request.fileName + ".said" }

    func all(now: WallTime) -> [Question] {
        let all = self.folder.names.compactMap { name -> Question? in
            guard let request = RequestDigest(fileName: name), let bytes = self.folder.bytes(of: name) else {
                return nil
            }
            return try? Question(request, bytes: bytes)
        }
        return all.filter { question in
            guard question.until <= now else {
                // Hide a question under a revoked grant: the request is refused even if the person approves.
                return self.said(on: question) == nil && !self.grants.isRevoked(question.grant)
            }
            // The process that asked was killed before it could delete the question.
            self.withdraw(question.digest)
            return false
        }
        .sorted { ($0.until, $0.digest.fileName) < ($1.until, $1.digest.fileName) }
    }

    func answer(_ question: Question, isAllowed: Bool) throws {
        guard question.until > .now, self.folder.has(question.digest.fileName) else {
            throw SharingError(.badText, "this answer comes too late: the requester was refused")
        }
        try self.folder.replace(Self.word(on: question.digest), [isAllowed ? 1 : 0] + question.bytes, .process)
    }

    /// Returns the person's answer to exactly this question.
    ///
    /// An answer to an earlier question about the same request, whose process was killed, does not count.
    private func said(on question: Question) -> Bool? {
        guard let word = self.folder.bytes(of: Self.word(on: question.digest)),
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
        defer { self.withdraw(question.digest) }
        do {
            try self.folder.add(question.digest.fileName, question.bytes, .process)
            prompt(question)
            while clock.now < end {
                if let isAllowed = self.said(on: question) { return isAllowed }
                // Withdrawn meanwhile.
                guard self.folder.has(question.digest.fileName) else { return nil }
                try await clock.sleep(for: Self.look)
            }
            return nil
        } catch {
            return nil
        }
    }

    /// Withdraws the question about a request, for instance because its requester no longer waits.
    package func withdraw(_ request: RequestDigest) {
        // Delete the answer first: a remaining one would answer a repeated question.
        self.folder.remove(Self.word(on: request), request.fileName)
    }
}
