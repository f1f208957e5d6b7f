internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// The process of the hostile app, which locationd started.
///
/// It prints the number of its attempts, a line each time, for the attacker to read.
struct HostileApp {
    enum Role: String, Sendable, ExpressibleByArgument {
        /// Hundreds of long titles, and names of thousands of accents.
        case titles
        /// Orders to locationd and answers to prompts, as if it were the owner.
        case orders
    }

    private var connection: PacketSocket
    private var count: UInt64 = 0

    /// Adopts the connection that locationd passed to this process.
    init() throws {
        let variable = ProcessInfo.processInfo.environment[SocketPaths.descriptorVariable]
        guard let descriptor = variable.flatMap({ Int32($0) }) else {
            throw WireError("locationd did not start this app", code: ENOTCONN)
        }
        self.connection = PacketSocket(owning: descriptor)
    }

    /// Attacks until it is ended.
    mutating func run(_ role: Role) throws -> Never {
        while true {
            switch role {
            case .titles: try self.declareTitles()
            case .orders: self.giveOrders()
            }
            self.count += 1
            try FileHandle.standardOutput.write(contentsOf: Data("\(self.count)\n".utf8))
        }
    }

    private mutating func declareTitles() throws {
        let round = self.count
        let declaration = WireClientMessage.with {
            $0.declaration.activities = (0..<UInt64(255)).map { number in
                .with {
                    $0.id = number + 1
                    $0.liveActivity.title = "\(round) \(number) " + String(repeating: "x", count: 480)
                }
            }
            $0.declaration.sessions = [
                .with {
                    $0.id = 1000
                    $0.requirement = .whenInUse
                }
            ]
        }
        let purpose = WireClientMessage.with {
            $0.fullAccuracyRequest.request = round
            $0.fullAccuracyRequest.purpose = "\(round)e" + String(repeating: "\u{301}", count: 60_000)
        }
        for message in [declaration, purpose] {
            guard try self.connection.send(try WireMessage.encode(message)) == .closed else { continue }
            self.connection = try PacketSocket.connectAsApp(to: SocketPaths.apps(in: SocketPaths.directory)).0
        }
        // Drop replies as fast as they come, so that locationd does not wait for this reader.
        while case .packet? = try? self.connection.waitForPacket(milliseconds: 1) {}
    }

    /// Sends orders and answers to both of the owner's sockets, from this process and from a child.
    private func giveOrders() {
        let authorize = WireControlRequest.with {
            $0.settings.bundle = DeviceScene.bundle
            $0.settings.location = .always
        }
        let answers: [AgentRequest] = [
            .with { $0.hello.version = 1 },
            .with {
                $0.answer.prompt = self.count
                $0.answer.choice = .changeToAlways
            },
        ]
        let places = [SocketPaths.control(in: SocketPaths.directory), SocketPaths.agent(in: SocketPaths.directory)]
        for (path, said) in zip(
            places,
            [[try? WireMessage.encode(authorize)], answers.map { try? WireMessage.encode($0) }]
        ) {
            guard let socket = try? PacketSocket.connect(to: path) else { continue }
            for packet in said { if let packet { _ = try? socket.send(packet) } }
            _ = try? socket.waitForPacket(milliseconds: 100)
        }
    }
}
