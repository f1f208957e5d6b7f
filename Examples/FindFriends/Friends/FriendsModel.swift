import Foundation
import Observation
public import WhereaboutsSharing

/// The state that the app's views show, and the acts of its person; it draws nothing.
@MainActor @Observable public final class FriendsModel {
    /// A friend who gave this person a grant.
    public struct Friend: Identifiable, Sendable, Hashable {
        /// The friend's key.
        public let id: PublicIdentity
        /// The name by which this person knows them.
        public let name: String
        /// The longest time in minutes for which they may be followed; nil if they may not.
        public let followMinutesMax: UInt16?
    }

    /// A grant that this person gave.
    public struct Permission: Identifiable, Sendable, Hashable {
        /// The grant.
        public let id: GrantID
        /// The name of the friend who has it.
        public let name: String
        /// The time at which it ends.
        public let until: Date
        /// Whether it allows approximate positions only.
        public let isApproximate: Bool
        /// Whether it was revoked.
        public let isRevoked: Bool
    }

    /// A friend who follows this person now.
    public struct Follower: Identifiable, Sendable, Hashable {
        /// The request that they began with.
        public let id: RequestID
        /// The name by which this person knows them.
        public let name: String
        /// The time at which it ends.
        public let until: Date
        /// Whether they get approximate positions only.
        public let isApproximate: Bool
    }

    /// A request of this person that is under way, or was the last to a friend.
    public struct Asked: Identifiable, Sendable, Hashable {
        /// The friend's key.
        public let id: PublicIdentity
        /// The state in words.
        public let words: String
        /// The answer, if it is a position.
        public let fix: SharedFix?
    }

    /// A line of the journal: somebody asked this device.
    public struct Entry: Identifiable, Sendable, Hashable {
        /// The number of the line.
        public let id: UInt64
        /// The time of the answer.
        public let time: Date
        /// The answer in words.
        public let words: String
    }

    /// The friends who may be asked.
    public private(set) var friends: [Friend] = []
    /// The grants that this person gave, the latest end first.
    public private(set) var permissions: [Permission] = []
    /// The last request to each friend.
    public private(set) var asked: [Asked] = []
    /// The questions that wait for this person's word.
    public private(set) var questions: [Question] = []
    /// The friends who follow this person, the one who began first at the beginning.
    public private(set) var followers: [Follower] = []
    /// The journal, the newest line first.
    public private(set) var journal: [Entry] = []
    /// The friend who is followed.
    public private(set) var followed: Friend?
    /// The positions of the friend who is followed, the oldest first.
    public private(set) var track: [SharedFix] = []
    /// The friend whose map is open.
    public var shownFriend: Friend?
    /// Whether friends can ask.
    public var status: SharingStatus = .undecided
    /// The last failure, for the person.
    public var problem: String?

    /// The longest track that is kept; older positions are dropped.
    ///
    /// Source: our choice; an hour at one position a second.
    public static let trackCountMax = 3600
    /// The longest journal that is shown.
    ///
    /// Source: our choice; a person looks at the last days.
    public static let journalCountMax = 200

    private let sharer: Sharer
    private let requester: Requester
    private var profile: SharingProfile { self.sharer.profile }
    private var watching: Task<Void, Never>?

    /// Creates the model of one person.
    ///
    /// - Parameters:
    ///   - sharer: the person, as one who shares.
    ///   - requester: the same person, as one who asks.
    public init(sharer: Sharer, requester: Requester) {
        self.sharer = sharer
        self.requester = requester
    }

    /// The number that this person and a friend compare.
    public var safetyNumber: String { self.profile.identity.publicIdentity.safetyNumber }

    /// Returns the words for a question.
    public func words(_ question: Question) -> String { question.words(in: self.profile) }

    private func name(_ friend: PublicIdentity) -> String {
        self.profile.title(of: friend) ?? "the friend with the number \(friend.safetyNumber)"
    }

    // MARK: Files

    /// Reads the files again, which the extension and other processes change.
    public func refresh() {
        self.trying {
            self.friends = try self.profile.received().map(\.value).map { grant in
                Friend(
                    id: grant.sharer,
                    name: self.name(grant.sharer),
                    followMinutesMax: grant.followMinutesMax
                )
            }
            self.permissions = try self.profile.grants().map(\.value).sorted { $0.notAfter > $1.notAfter }.map {
                grant in
                Permission(
                    id: grant.id,
                    name: self.name(grant.requester),
                    until: Date(timeIntervalSince1970: grant.notAfter.timeIntervalSince1970),
                    isApproximate: grant.precision == .reduced,
                    isRevoked: self.profile.isRevoked(grant.id)
                )
            }
            self.questions = self.profile.questions()
            self.followers = self.profile.followers().map { follower in
                Follower(
                    id: follower.request,
                    name: self.name(follower.requester),
                    until: Date(timeIntervalSince1970: follower.until.timeIntervalSince1970),
                    isApproximate: follower.precision == .reduced
                )
            }
            self.journal = try self.profile.journal().requests.suffix(Self.journalCountMax).reversed().map { request in
                Entry(
                    id: request.line,
                    time: Date(timeIntervalSince1970: request.time.timeIntervalSince1970),
                    words: Notice.answer(request).words(in: self.profile)
                )
            }
        }
    }

    private func trying(_ act: () throws -> Void) {
        do {
            try act()
        } catch {
            self.problem = "\(error)"
        }
    }

    // MARK: Grants

    /// Makes an invitation for a friend whom this person wants to ask.
    ///
    /// - Parameter name: this person's own name.
    /// - Returns: a link; nil after a failure.
    public func invite(as name: String) -> String? {
        var text: String?
        self.trying { text = try self.profile.invitation(name: name).text }
        return text
    }

    /// Reads an invitation; the person then compares the safety number and calls ``approve(_:for:precision:)``.
    ///
    /// - Parameter text: the link.
    /// - Returns: the invitation; nil after a failure.
    public func read(invitation text: String) -> Invitation? {
        var invitation: Invitation?
        self.trying {
            let read = try Signed<Invitation>(text: text).value
            guard read.group == nil else {
                throw SharingError(
                    .badText,
                    "This is an invitation to a group, which this app cannot join. Ask for an invitation for you alone."
                )
            }
            invitation = read
        }
        return invitation
    }

    /// Allows a friend to ask.
    ///
    /// - Parameters:
    ///   - invitation: the friend's invitation.
    ///   - duration: the period, from now on.
    ///   - precision: the most exact answer.
    /// - Returns: the grant as text, for the friend; nil after a failure.
    public func approve(_ invitation: Invitation, for duration: Duration, precision: Precision) -> String? {
        var text: String?
        self.trying {
            try self.profile.call(invitation.requester, invitation.name)
            let limits = GrantLimits(followMinutesMax: 60)
            text = try self.sharer.approve(
                requester: invitation.requester,
                precision: precision,
                for: duration,
                limits: limits
            ).text
        }
        self.refresh()
        return text
    }

    /// Keeps a grant that a friend gave.
    ///
    /// - Parameters:
    ///   - text: the grant.
    ///   - name: the friend's name.
    public func keep(grant text: String, from name: String) {
        self.trying { try self.profile.keep(Signed<Grant>(text: text), from: name) }
        self.refresh()
    }

    /// Takes a grant back: on this device at once, then on the server.
    public func revoke(_ permission: Permission) async {
        do {
            try await self.sharer.revoke(self.profile.grant(permission.id))
        } catch {
            self.problem = "\(error)"
        }
        self.refresh()
    }

    /// Answers a question.
    public func answer(_ question: Question, isAllowed: Bool) {
        self.trying { try self.profile.answer(question, isAllowed: isAllowed) }
        self.refresh()
    }

    /// Ends that a friend follows: on this device at once, then on the server.
    public func end(_ follower: Follower) async {
        do {
            guard let begun = self.profile.followers().first(where: { $0.request == follower.id }) else { return }
            try await self.sharer.end(begun)
        } catch {
            self.problem = "\(error)"
        }
        self.refresh()
    }

    // MARK: Requests

    private func grant(of friend: Friend) throws -> Signed<Grant>? {
        try self.profile.received().first { $0.value.sharer == friend.id }
    }

    /// Asks a friend once, and returns when the request has ended.
    public func ask(_ friend: Friend) async {
        do {
            guard let grant = try self.grant(of: friend) else { return }
            for await update in self.requester.ask(grant) { self.show(update, of: friend) }
        } catch {
            self.problem = "\(error)"
        }
    }

    private func show(_ update: RequestUpdate, of friend: Friend) {
        let asked =
            switch update.answer?.content {
            case .fix(let fix): Asked(id: friend.id, words: "\(friend.name) is here", fix: fix)
            case .refusal, .unavailable: Asked(id: friend.id, words: "\(friend.name): \(update.state.reason)", fix: nil)
            case nil: Asked(id: friend.id, words: "\(update.state.kind.rawValue): \(update.state.reason)", fix: nil)
            }
        self.asked.removeAll { $0.id == friend.id }
        self.asked.append(asked)
    }

    /// Follows a friend, in place of the friend who was followed before.
    ///
    /// - Parameters:
    ///   - friend: the friend.
    ///   - minutes: the period, at most ``Friend/followMinutesMax``.
    public func follow(_ friend: Friend, minutes: UInt16) {
        self.stopFollowing()
        self.trying {
            guard let grant = try self.grant(of: friend) else { return }
            let watch = self.requester.follow(grant, minutes: minutes)
            self.followed = friend
            self.watching = Task { [weak self] in
                for await update in watch.updates {
                    // The server is told the end when the task is cancelled, and after the last update.
                    guard !Task.isCancelled, let self else { return watch.stop() }
                    self.show(update, of: friend)
                }
            }
        }
    }

    private func show(_ update: FollowUpdate, of friend: Friend) {
        switch update {
        case .request(let request):
            self.show(request, of: friend)
            if case .fix(let fix)? = request.answer?.content { self.add(fix) }
            if request.state.kind.isFinal, request.state.kind != .answered { self.followed = nil }
        case .place(let place, at: _, missed: _): if let fix = place.fix { self.add(fix) }
        case .silent: break
        case .disturbed(let reason): self.problem = reason
        case .ended(_, let reason):
            self.followed = nil
            self.problem = reason
        }
    }

    private func add(_ fix: SharedFix) {
        self.track.append(fix)
        if self.track.count > Self.trackCountMax { self.track.removeFirst() }
    }

    /// Stops following; the friend's device ends it, too.
    public func stopFollowing() {
        self.watching?.cancel()
        self.watching = nil
        self.followed = nil
        self.track = []
    }
}
