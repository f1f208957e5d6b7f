internal import Foundation
internal import NIOEmbedded
internal import WhereaboutsAPNS
public import WhereaboutsLocationTesting
public import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer

/// The sharing server itself in the time of a virtual device: no socket, and the push services of the device and its companions behind it.
///
/// ```swift
/// let alice = VirtualDevice()
/// let bob = alice.makeCompanion()
/// let server = try VirtualSharingServer(for: alice)
/// let sharer = try Sharer(profile: profile, transport: server.makeTransport())
/// ```
/// The apps of all devices of one time reach it, each through a transport of its own, and so does code that runs elsewhere. It keeps what it
/// stores in a temporary file until it is released.
public final class VirtualSharingServer: Sendable {
    /// The server's address, as apps receive it.
    public let settings: ServerSettings

    private let server: SocketlessServer
    private let file: URL

    /// Starts a server.
    ///
    /// - Parameter device: the device in whose time it lives.
    /// - Throws: an error when no temporary file can be created.
    public init(for device: VirtualDevice) throws {
        self.settings = try ServerSettings(server: "https://sharing.example")
        self.file = FileManager.default.temporaryDirectory.appending(path: "sharing-\(UUID().uuidString).sqlite")
        let store = try SQLiteStore(path: self.file.path(percentEncoded: false), policy: SharingPolicy())
        guard let server = device.elsewhere({ SocketlessServer(store: store, push: DevicePushes()) }).value else {
            preconditionFailure("a server is made at once")
        }
        self.server = server
        device.elsewhere { try await server.run() }
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: self.file.path(percentEncoded: false) + suffix)
        }
    }

    /// Makes a transport to the server for an app, or for code outside devices.
    ///
    /// - Returns: the way.
    public func makeTransport() -> VirtualSharingTransport { VirtualSharingTransport(to: self) }

    /// Replies to a request, in pieces.
    func reply(
        to request: ServerRequest,
        _ send: @escaping @Sendable (SocketlessServer.Piece) throws -> Void
    ) async throws {
        let path = String(request.url.dropFirst(self.settings.server.count))
        try await self.server.reply(to: request, path: path, on: EmbeddedChannel(), send)
    }
}

/// Sends the server's pushes to the virtual devices.
private struct DevicePushes: PushSender {
    func send(_ push: RequestPush, payload: [UInt8]) async throws(PushRejection) {
        guard case .until(let seconds) = push.expiration else { throw .permanent("a request's push expires") }
        let outcome: PushOutcome
        do {
            outcome = try VirtualNetwork.push(
                Data(payload),
                to: Data(push.token.bytes),
                priority: push.priority == .immediate ? .immediate : .considerate,
                expires: Date(timeIntervalSince1970: Double(seconds))
            )
        } catch {
            throw .permanent("\(error)")
        }
        if outcome == .unregistered { throw .unregistered }
    }
}
