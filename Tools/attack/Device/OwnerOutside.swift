internal import Dispatch
internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// This process's end of ``OwnerInside``, which gives orders in the namespaces of a ``SystemScene``.
final class OwnerOutside: Sendable {
    private let name: String
    private let workspace: Workspace
    private let firstPID: Int32
    private let orders: FileHandle
    private let child: Mutex<Child>
    /// Runs one order at a time, because replies do not name their orders.
    private let turn: DispatchQueue

    init(_ name: String, of workspace: Workspace, inside firstPID: Int32) throws {
        (self.name, self.workspace, self.firstPID) = (name, workspace, firstPID)
        self.turn = DispatchQueue(label: name)
        let fifo = Self.fifo(name, of: workspace)
        guard unsafe mkfifo(fifo, 0o600) == 0 else { throw RigError(name, "cannot make \(fifo)") }
        self.child = Mutex(try Self.start(name, of: workspace, inside: firstPID))
        self.orders = try FileHandle(forUpdating: URL(filePath: fifo))
    }

    private static func fifo(_ name: String, of workspace: Workspace) -> String { "\(workspace.directory)/\(name)" }

    private static func start(_ name: String, of workspace: Workspace, inside firstPID: Int32) throws -> Child {
        try Child(
            name,
            "/usr/bin/nsenter",
            [
                "-t", "\(firstPID)", "-p", "-m", Binaries().path("attack"), "--as-owner",
                "\(workspace.directory)/run",
            ],
            environment: ["ATTACK_ORDERS": self.fifo(name, of: workspace)],
            log: "\(workspace.logs)/\(name).log"
        )
    }

    private func inTurn<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            self.turn.async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Gives an order, and waits for the reply.
    func order(_ request: WireControlRequest) async throws -> WireControlReply {
        let line = Data(try WireMessage.encode(request)).base64EncodedString() + "\n"
        return try await self.inTurn {
            try self.orders.write(contentsOf: Data(line.utf8))
            let reply = try self.child.withLock(\.self).waitForLine(within: 20) { _ in true }
            guard let packet = Data(base64Encoded: reply) else { throw RigError("locationd", reply) }
            return try WireMessage.decode(WireControlReply.self, from: [UInt8](packet))
        }
    }

    /// Connects again, between two orders, after something was done.
    func reconnect(after work: @escaping @Sendable () throws -> Void) async throws {
        try await self.inTurn {
            try work()
            try self.child.withLock { child in
                child.kill()
                child = try Self.start(self.name, of: self.workspace, inside: self.firstPID)
            }
        }
    }

    func stop() {
        try? self.orders.close()
        self.child.withLock { $0.kill() }
    }
}
