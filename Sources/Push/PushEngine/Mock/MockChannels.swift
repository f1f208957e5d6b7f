public import WhereaboutsAPNS
internal import WhereaboutsVocabulary

/// The broadcast channels of a mock of APNs: decides about requests that create, read, list or delete channels, and about
/// broadcasts.
///
/// Sources: Apple, "Sending channel management requests to APNs", "Sending broadcast push notification requests to APNs".
/// Apple does not document the order of its checks.
public struct MockChannels: Sendable, Hashable {
    /// The members of the request that creates a channel.
    public struct Terms: Sendable, Hashable {
        /// `message-storage-policy`; nil if it is missing or not a number.
        let storage: Int?
        /// `push-type`; nil if it is missing.
        let pushType: String?
        /// Whether the request has other members.
        let hasOthers: Bool

        /// Creates the terms.
        public init(storage: Int?, pushType: String?, hasOthers: Bool) {
            (self.storage, self.pushType, self.hasOthers) = (storage, pushType, hasOthers)
        }
    }

    /// The answer to an accepted request.
    public enum Answer: Sendable, Hashable {
        /// The channel was created.
        case created(ChannelID)
        /// The channel stores this many pushes: 0 or 1.
        case channel(storage: Int)
        /// The channels of the app, in the order of their creation.
        case all([ChannelID])
        /// The channel was deleted.
        case deleted
        /// The broadcast was accepted.
        case sent

        /// The HTTP status.
        public var status: Int {
            switch self {
            case .channel, .all, .sent: 200
            case .created: 201
            case .deleted: 204
            }
        }
    }

    private struct Channel: Sendable, Hashable {
        let app: String
        let id: ChannelID
        let storage: Int
    }

    /// The maximum number of channels of an app, as at Apple.
    public static let channelsMax = 10_000

    private var channels: [Channel] = []

    /// Creates a mock's channels: none.
    public init() {}

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - request: the request; ``PushRequest/isAboutChannels``.
    ///   - terms: the members of its body; nil if the body is not a JSON object.
    ///   - scope: the apps of the provider token.
    ///   - id: the ID of a new channel.
    /// - Returns: the answer.
    /// - Throws: the rejection to answer with.
    public mutating func requested(
        _ request: PushRequest,
        _ terms: Terms?,
        for scope: TopicScope,
        newID id: ChannelID
    ) throws(Rejection) -> Answer {
        let (resource, app) = try request.channelResource()
        guard scope.contains(app) else { throw Rejection(.topicMismatch) }
        guard !request.repeatsHeader else { throw Rejection(.duplicateHeaders) }
        if let id = request.requestID, MessageID(id) == nil { throw Rejection(.badMessageID) }
        switch (resource, request.method) {
        case (.channels, "POST"): return .created(try self.create(id, of: app, terms))
        case (.channels, "GET"): return .channel(storage: try self.find(request, of: app).storage)
        case (.channels, "DELETE"):
            let channel = try self.find(request, of: app)
            self.channels.removeAll { $0 == channel }
            return .deleted
        case (.allChannels, "GET"): return .all(self.channels.filter { $0.app == app }.map(\.id))
        case (.broadcasts, "POST"):
            try self.checkBroadcast(request, of: app)
            return .sent
        case (.channels, _), (.allChannels, _), (.broadcasts, _): throw Rejection(.methodNotAllowed)
        }
    }

    private mutating func create(_ id: ChannelID, of app: String, _ terms: Terms?) throws(Rejection) -> ChannelID {
        guard let terms else { throw Rejection(.badRequestPayload) }
        guard !terms.hasOthers, let storage = terms.storage, (0...1).contains(storage) else {
            throw Rejection(.badRequestParams)
        }
        guard let type = terms.pushType else { throw Rejection(.missingPushType) }
        guard type.lowercased() == PushType.liveactivity.rawValue else { throw Rejection(.invalidPushType) }
        guard self.channels.count(where: { $0.app == app }) < Self.channelsMax else {
            throw Rejection(.cannotCreateChannelConfig)
        }
        self.channels.append(Channel(app: app, id: id, storage: storage))
        return id
    }

    private func find(_ request: PushRequest, of app: String) throws(Rejection) -> Channel {
        guard let text = request.channelID else { throw Rejection(.missingChannelID) }
        guard let id = ChannelID(text) else { throw Rejection(.badChannelID) }
        guard let channel = self.channels.first(where: { $0.app == app && $0.id == id }) else {
            throw Rejection(.channelNotRegistered)
        }
        return channel
    }

    private func checkBroadcast(_ request: PushRequest, of app: String) throws(Rejection) {
        guard let type = request.pushType else { throw Rejection(.missingPushType) }
        guard type == PushType.liveactivity.rawValue else { throw Rejection(.invalidPushType) }
        // Apple requires both headers here.
        guard let priority = request.priority, Priority.allCases.contains(where: { "\($0.rawValue)" == priority })
        else { throw Rejection(.badPriority) }
        guard let expiration = request.expiration.flatMap({ Int64($0) }), expiration >= 0 else {
            throw Rejection(.badExpirationDate)
        }
        switch request.body {
        case .overLimit: throw Rejection(.payloadTooLarge)
        case .bytes(let bytes): guard JSONObject.isObject(bytes) else { throw Rejection(.payloadEmpty) }
        }
        guard try self.find(request, of: app).storage > 0 || expiration == 0 else {
            throw Rejection(.badExpirationDate)
        }
    }
}

extension PushRequest {
    /// The resources of broadcasts.
    fileprivate enum ChannelResource {
        /// `/1/apps/APP/channels`.
        case channels
        /// `/1/apps/APP/all-channels`.
        case allChannels
        /// `/4/broadcasts/apps/APP`.
        case broadcasts
    }

    /// Whether the request is a broadcast, or about channels.
    public var isAboutChannels: Bool { self.path.hasPrefix("/1/apps/") || self.isBroadcast }

    /// Whether the request is a broadcast.
    public var isBroadcast: Bool { self.path.hasPrefix("/4/broadcasts/") }

    /// The app in the path of a request about channels; nil in other paths.
    public var channelApp: String? { (try? self.channelResource())?.app }

    fileprivate func channelResource() throws(Rejection) -> (ChannelResource, app: String) {
        let parts = self.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
        let found: (ChannelResource, app: String)? =
            switch parts.count {
            case 4 where parts[0] == "1" && parts[3] == "channels": (.channels, parts[2])
            case 4 where parts[0] == "1" && parts[3] == "all-channels": (.allChannels, parts[2])
            case 4 where parts[0] == "4" && parts[2] == "apps": (.broadcasts, parts[3])
            default: nil
            }
        guard let found, Topic.isBundleIdentifier(found.app) else { throw Rejection(.badPath) }
        return found
    }
}
