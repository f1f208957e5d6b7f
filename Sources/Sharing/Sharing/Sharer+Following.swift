public import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The sharer's app during live shares.
extension Sharer {
    /// Sends followers the device's position, for as long as the app runs.
    ///
    /// An app calls this at every launch, also at one in the background; the device measures its position only while a follower exists:
    ///
    /// ```swift
    /// await sharer.beFollowed {
    ///     CLLocationUpdate.liveUpdates().compactMap { LivePlace($0) }
    /// }
    /// ```
    ///
    /// The profile is checked every second, and each grant before every update. An unreachable server ends no live share.
    ///
    /// - Parameters:
    ///   - places: starts the system's updates of the device's position.
    ///   - show: shows the person the followers, whenever they change.
    public func beFollowed<Places: AsyncSequence<LivePlace, any Error> & Sendable>(
        places: @Sendable () -> Places,
        show: @escaping @Sendable ([Follower]) -> Void = { _ in }
    ) async {
        repeat {
            if !self.profile.followers().isEmpty { await self.followerMessages.tell(places(), show: show) }
        } while (try? await Task.sleep(for: Following.look)) != nil
    }

    /// Ends a live share: on this device at once, then on the server.
    ///
    /// - Throws: ``SharingError`` when the server could not be notified; this device has ended it anyway.
    public func end(_ follower: Follower) async throws {
        let signed = self.profile.followings.followings(now: .now).first { Follower($0.value) == follower }
        guard let signed else {
            throw SharingError(.badText, "the live share of the request \(follower.request) has ended")
        }
        try await self.followerMessages.end(signed.value)
    }

    /// Ends a schedule: on this device at once, then on the server.
    ///
    /// - Throws: ``SharingError`` when the server could not be notified; this device has ended it anyway.
    public func end(_ schedule: SharedSchedule) async throws {
        let signed = self.profile.followings.schedules(now: .now).first { SharedSchedule($0.value) == schedule }
        guard let signed else {
            throw SharingError(.badText, "the schedule of the request \(schedule.request) has ended")
        }
        try await self.followerMessages.end(signed.value)
    }

    /// Sends the server the ends that it has not confirmed.
    ///
    /// - Returns: how many there were.
    /// - Throws: ``SharingError`` when the server cannot be notified now, either.
    @discardableResult public func sayEnds() async throws -> Int { try await self.followerMessages.sayEnds() }
}
