internal import Foundation
internal import NIOEmbedded
internal import WhereaboutsAPNS
public import WhereaboutsLocationTesting
public import WhereaboutsSharing
internal import WhereaboutsSharingServer

/// The real sharing server in the time of a virtual device, without sockets; it sends its pushes to the device and its companions.
///
/// ```swift
/// let alice = VirtualDevice()
/// let bob = alice.makeCompanion()
/// let server = try VirtualSharingServer(for: alice)
/// let sharer = try Sharer(profile: profile, transport: server.makeTransport())
/// ```
/// The apps of the device and its companions reach it, each through its own transport; so does code that runs elsewhere. The server
/// stores its data in a temporary file, which is removed with this object.
public final class VirtualSharingServer: Sendable {
    /// The server's address, as apps receive it.
    public let settings: ServerSettings

    private let server: SocketlessServer
    private let file: URL

    /// Starts a server.
    ///
    /// - Parameter device: the device whose time the server uses.
    /// - Throws: an error when no temporary file can be created.
    public init(for device: VirtualDevice) throws {
        self.settings = try ServerSettings(server: "https://sharing.example")
        self.file = FileManager.default.temporaryDirectory.appending(path: "sharing-\(UUID().uuidString).sqlite")
        let store = try SQLiteStore(path: self.file.path(percentEncoded: false), policy: SharingPolicy())
        guard let server = device.elsewhere({ SocketlessServer(store: store, push: DevicePushes()) }).value else {
            preconditionFailure("elsewhere(_:) did not create the server")
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
    /// - Returns: the transport.
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
    func send(_ push: any DevicePush, payload: [UInt8]) async throws(PushRejection) {
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
