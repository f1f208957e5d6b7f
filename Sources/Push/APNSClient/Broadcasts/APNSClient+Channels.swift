internal import Foundation
public import WhereaboutsAPNS
internal import WhereaboutsJSONReading
internal import WhereaboutsPushEngine

/// Broadcast channels, which Apple manages on a separate server: ``Endpoint/appleChannels(_:)``.
///
/// An app may have 10,000 channels in each environment. Source: Apple, "Sending channel management requests to APNs".
extension APNSClient {
    private struct Channel: Decodable {
        let policy: Int
        private enum CodingKeys: String, CodingKey { case policy = "message-storage-policy" }
    }

    private struct Channels: Decodable {
        let channels: [String]
    }

    /// Creates a channel for live activities.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: the app, for which broadcasts must be enabled in the developer account.
    ///   - storage: the pushes to store, which cannot be changed later.
    /// - Returns: the channel's ID, which the app needs to follow the channel.
    /// - Throws: the rejection or the failure.
    public func createChannel(of bundleIdentifier: String, storage: ChannelStorage) async throws(APNSError) -> ChannelID
    {
        let body = #"{"message-storage-policy":\#(storage.rawValue),"push-type":"LiveActivity"}"#
        let answer = try await self.manage("POST", "channels", of: bundleIdentifier, body: body, expecting: 201)
        guard let id = answer.channelID.flatMap({ ChannelID($0) }) else { throw self.unexpected(answer) }
        return id
    }

    /// Returns what a channel stores.
    ///
    /// - Throws: the rejection or the failure; `channelNotRegistered` if there is no such channel.
    public func fetchChannel(
        _ channel: ChannelID,
        of bundleIdentifier: String
    ) async throws(APNSError) -> ChannelStorage {
        let answer = try await self.manage("GET", "channels", of: bundleIdentifier, channel, expecting: 200)
        let policy = (try? JSONReader().decode(Channel.self, from: Data(answer.body)))?.policy
        guard let storage = policy.flatMap({ ChannelStorage(rawValue: $0) }) else { throw self.unexpected(answer) }
        return storage
    }

    /// Returns all channels of an app.
    ///
    /// - Throws: the rejection or the failure.
    public func fetchChannels(of bundleIdentifier: String) async throws(APNSError) -> [ChannelID] {
        let answer = try await self.manage("GET", "all-channels", of: bundleIdentifier, expecting: 200)
        guard let list = try? JSONReader().decode(Channels.self, from: Data(answer.body)).channels else {
            throw self.unexpected(answer)
        }
        let channels = list.compactMap { ChannelID($0) }
        guard channels.count == list.count else { throw self.unexpected(answer) }
        return channels
    }

    /// Deletes a channel forever; Apple may still deliver pushes that it stored.
    ///
    /// - Throws: the rejection or the failure.
    public func deleteChannel(_ channel: ChannelID, of bundleIdentifier: String) async throws(APNSError) {
        _ = try await self.manage("DELETE", "channels", of: bundleIdentifier, channel, expecting: 204)
    }

    private func manage(
        _ method: String,
        _ resource: String,
        of app: String,
        _ channel: ChannelID? = nil,
        body: String? = nil,
        expecting status: Int
    ) async throws(APNSError) -> PushVerdict.Acceptance {
        guard Topic.isBundleIdentifier(app) else {
            let words = "'\(app)' is not a bundle identifier; give that of the app, without a suffix"
            throw APNSError(.malformedPush, words, .changePush, reason: .badTopic)
        }
        let request = PreparedRequest(
            method,
            path: "/1/apps/\(app)/\(resource)",
            channel: channel,
            body: body,
            host: self.configuration.endpoint.host
        )
        let timeout = self.configuration.timeout
        let (outcome, failure) = try await self.outcome(of: request, app: app, .liveactivity, timeout: timeout)
        if case .answered(.accepted(let answer)) = outcome {
            guard answer.status == status else { throw self.unexpected(answer) }
            return answer
        }
        _ = try PushResult(outcome, failure, configuration: self.configuration, timeout: timeout).get()
        // The result above is an error.
        throw self.unexpected(.init())
    }

    private func unexpected(_ answer: PushVerdict.Acceptance) -> APNSError {
        APNSError(
            .unexpectedResponse,
            "\(self.configuration.endpoint.host) answered with status \(answer.status), but not as Apple's server of "
                + "channels does; connect to Endpoint.appleChannels",
            .changeConfiguration
        )
    }
}
