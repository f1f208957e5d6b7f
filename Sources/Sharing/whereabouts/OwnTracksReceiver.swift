internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import WhereaboutsNetworkSupport
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A self-hosted receiver of positions in OwnTracks' HTTP format.
///
/// If the receiver refuses a position, the refusal is reported, and the position is not sent again.
///
/// Source: OwnTracks Booklet, "HTTP" and "JSON": `tst` in seconds, `acc` and `alt` in metres, `vel` in km/h, `cog` in degrees, whole numbers.
struct OwnTracksReceiver {
    /// The maximum number of positions that wait for a slow receiver; beyond this, the oldest is dropped.
    ///
    /// Source: our choice; four minutes of a live share at full pace.
    static let waitingMax = 256
    /// The timeout of one post.
    ///
    /// Source: our choice; with this timeout, only an unreachable receiver can fill ``waitingMax``.
    private static let timeout: TimeAmount = .seconds(10)

    /// One position, as the receiver reads it.
    struct Location: Encodable {
        private enum CodingKeys: String, CodingKey {
            case type = "_type"
            case topic, tid, lat, lon, acc, tst, alt, cog, vel
        }

        let type = "location"
        let topic: String
        let tid: String
        let lat: Double
        let lon: Double
        let acc: Int
        let tst: Int64
        let alt: Int?
        let cog: Int?
        let vel: Int?

        init(_ fix: SharedFix, user: String) {
            self.topic = "owntracks/\(user)/\(OwnTracksReceiver.device)"
            self.tid = String(user.prefix(2))
            (self.lat, self.lon) = (fix.latitude, fix.longitude)
            self.acc = Int(fix.horizontalAccuracy.rounded())
            self.tst = fix.time.seconds
            self.alt = fix.altitude.map { Int($0.rounded()) }
            self.cog = fix.course.map { Int($0.rounded()) % 360 }
            self.vel = fix.speed.map { Int(($0 * 3.6).rounded()) }
        }
    }

    private static let device = "whereabouts"

    private let positions: AsyncStream<SharedFix>.Continuation
    private let posting: Task<Void, Never>

    /// Prepares to post.
    ///
    /// - Throws: ``SharingError`` when the URL is not valid for a receiver.
    init(url: String, name: String) throws {
        guard var parts = URLComponents(string: url), parts.scheme == "https" || parts.scheme == "http",
            let host = parts.host, !host.isEmpty, parts.fragment == nil
        else { throw OwnTracksFailure.notURL.error(at: url) }
        let authorization = parts.user.map { user in
            "Basic \(Data("\(user):\(parts.password ?? "")".utf8).base64EncodedString())"
        }
        (parts.user, parts.password) = (nil, nil)
        guard let address = parts.string else { throw OwnTracksFailure.notURL.error(at: url) }
        let shown = OwnTracksFailure.shown(url)
        if parts.scheme == "http", !["localhost", "127.0.0.1", "[::1]", "::1"].contains(host) {
            printTrouble(
                "follow: \(host) is reached without TLS: anyone on the network path can read where your friend is"
            )
        }
        let user = Self.word(name)
        let (stream, continuation) = AsyncStream.makeStream(
            of: SharedFix.self,
            bufferingPolicy: .bufferingNewest(Self.waitingMax)
        )
        self.positions = continuation
        self.posting = Task {
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.connectionPool.retryConnectionEstablishment = false
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            var trouble: OwnTracksFailure?
            for await fix in stream {
                let failed = await Self.post(fix, to: address, user: user, authorization, client)
                // Report consecutive equal failures once, and once that the receiver works again.
                if let failed, failed != trouble {
                    printTrouble("follow: \(shown) accepted no position: \(failed.words)")
                }
                if failed == nil, trouble != nil { printTrouble("follow: \(shown) accepts positions again") }
                trouble = failed
            }
            try? await client.shutdown()
        }
    }

    /// Sends a position to the receiver, after the earlier ones.
    func send(_ fix: SharedFix) { self.positions.yield(fix) }

    /// Waits until the last position was sent, or has failed.
    func end() async {
        self.positions.finish()
        await self.posting.value
    }

    /// Posts a position.
    ///
    /// - Returns: why the receiver did not store the position; nil if it did.
    private static func post(
        _ fix: SharedFix,
        to address: String,
        user: String,
        _ authorization: String?,
        _ client: HTTPClient
    ) async -> OwnTracksFailure? {
        var request = HTTPClientRequest(url: address)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/json")
        request.headers.add(name: "x-limit-u", value: user)
        request.headers.add(name: "x-limit-d", value: Self.device)
        if let authorization { request.headers.add(name: "authorization", value: authorization) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        do {
            request.body = .bytes(Array(try encoder.encode(Location(fix, user: user))))
            let response = try await client.execute(request, timeout: Self.timeout)
            let status = Int(response.status.code)
            return (200..<300).contains(status) ? nil : .status(status)
        } catch {
            return .notReached(ConnectionFailure(request: error))
        }
    }

    /// A name as one level of an MQTT topic.
    private static func word(_ name: String) -> String {
        let letters = name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return letters.isEmpty ? "friend" : letters
    }
}
