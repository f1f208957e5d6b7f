internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationWireMessages

/// A client of a Nominatim-compatible server.
struct GeocodingServer: Sendable {
    /// The longest accepted body: more than ten places with all their names in every script.
    static var answerBytesMax: Int { 1024 * 1024 }

    private let url: String
    private let http: HTTPClient
    private let patience: TimeAmount

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - address: the address, as in ``DaemonConfiguration/geocoder``.
    ///   - group: the event loops of the connections.
    ///   - patience: the time limit of a question.
    /// - Throws: ``DaemonError``.
    init(_ address: String, group: any EventLoopGroup, patience: TimeAmount = .seconds(10)) throws(DaemonError) {
        self.patience = patience
        self.url = try Self.check(address)
        // A redirect would send a position to a server that the owner did not choose.
        let configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        self.http = HTTPClient(eventLoopGroup: group, configuration: configuration)
    }

    func stop() { self.http.shutdown { _ in } }

    /// Checks a server's address: questions contain positions, so they must use TLS or stay on this machine.
    ///
    /// - Returns: the address without a trailing slash.
    /// - Throws: ``DaemonError`` that says what is expected.
    static func check(_ address: String) throws(DaemonError) -> String {
        let due = "the geocoder must be https://host/path, or http:// on this machine; got '\(address)'"
        guard let parts = URLComponents(string: address), let host = parts.host, !host.isEmpty, parts.query == nil,
            parts.fragment == nil, parts.user == nil
        else { throw DaemonError(due) }
        switch parts.scheme {
        case "https": break
        case "http" where self.isLoopback(host): break
        case "http":
            throw DaemonError("\(due): each request contains a position, and http would send it unencrypted")
        default: throw DaemonError(due)
        }
        return address.hasSuffix("/") ? String(address.dropLast()) : address
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" || host == "::1" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// Sends a question; a failure is an answer, too.
    func ask(_ question: GeocodeQuestion) async -> GeocodeAnswer {
        var request = HTTPClientRequest(url: self.url + question.path)
        // Nominatim's usage policy requires a User-Agent (operations.osmfoundation.org/policies/nominatim).
        request.headers.add(name: "user-agent", value: "Whereabouts locationd")
        if !question.languages.isEmpty { request.headers.add(name: "accept-language", value: question.languages) }
        let status: UInt
        let body: ByteBuffer
        do {
            let deadline = NIODeadline.now() + self.patience
            let response = try await self.http.execute(request, deadline: deadline)
            status = response.status.code
            body = try await response.body.collect(upTo: Self.answerBytesMax)
        } catch {
            return .unreachable("the geocoding server cannot be reached, or its answer is too slow or too long")
        }
        switch status {
        case 200: return NominatimAnswer.places(in: Data(body.readableBytesView))
        case 404: return .noResult
        case 429: return .unreachable("the geocoding server accepts no more requests now (status 429)")
        default: return .unreachable("the geocoding server answered with status \(status)")
        }
    }
}
