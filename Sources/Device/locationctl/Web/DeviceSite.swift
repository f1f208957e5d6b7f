internal import Dispatch
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsConsole
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// The web page for the device's owner.
///
/// The page shows what `locationctl` prints as JSON, and gives the same orders.
struct DeviceSite: ConsoleSite {
    /// The socket of locationd that an action uses.
    private enum Action: String, CaseIterable {
        case control
        case agent
    }

    let page = ConsolePage("device.html", scripts: ["device-words.js", "device.js"])
    let actions = Set(Action.allCases.map(\.rawValue))
    private let runtime: String?

    init(daemon: DaemonOptions) {
        self.runtime = daemon.runtime
    }

    func feed(_ query: String) -> any ConsoleFeed {
        DeviceFeed(runtime: self.runtime, showsPosition: query == "position")
    }

    func act(_ action: String, _ body: String) async throws -> String {
        let runtime = self.runtime
        return try await Self.outsideThePool {
            switch Action(rawValue: action) {
            case .control: try Self.order(body, DaemonOptions(in: runtime))
            case .agent: try Self.tell(body, DaemonOptions(in: runtime))
            case nil: throw Refused("there is no action \(action)")
            }
        }
    }

    /// Runs blocking work outside Swift's thread pool, which has few threads.
    static func outsideThePool<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Carries out an order: a request of the control socket in protobuf's JSON.
    ///
    /// The page cannot send requests that read files or delete data; the command line asks for confirmation.
    private static func order(_ body: String, _ daemon: DaemonOptions) throws -> String {
        let request = try self.decoded(WireControlRequest.self, body)
        switch request.body {
        case .settings, .run, .phase, .terminate, .push: return try daemon.ask(request).json
        default: throw Refused("this order is not available on the page. Use the command line.")
        }
    }

    /// Answers a prompt or dismisses a live activity: a request of the agent protocol in protobuf's JSON.
    private static func tell(_ body: String, _ daemon: DaemonOptions) throws -> String {
        let request = try self.decoded(AgentRequest.self, body)
        let socket = try daemon.connectAgent()
        _ = try socket.send(try WireMessage.encode(request))
        while case .packet(let packet, _) = try socket.waitForPacket(milliseconds: 5000) {
            switch (try WireMessage.decode(AgentEvent.self, from: packet).body, request.body) {
            case (.refusal(let refusal), _): throw Refused(refusal.message)
            case (.withdrawal(let withdrawal), .answer(let answer)) where withdrawal.prompt == answer.prompt:
                return "{}"
            case (.indicators(let indicators), .dismissActivity(let activity)):
                let isShown = indicators.indicators.contains {
                    $0.bundle == activity.bundle && $0.title == activity.title
                }
                if !isShown { return "{}" }
            default: break
            }
        }
        throw Refused(
            "locationd did not confirm the order within 5 s. Check whether the page shows the change, then try again."
        )
    }

    private static func decoded<M: Message>(_ type: M.Type, _ body: String) throws -> M {
        do {
            return try M(jsonString: body)
        } catch {
            throw Refused("the order is not understood: \(AgentCommand.words(for: error))")
        }
    }
}

extension DaemonOptions {
    init(in runtime: String?) {
        self.init()
        self.runtime = runtime
    }

    /// Connects as an agent with the languages of the environment.
    func connectAgent() throws -> PacketSocket {
        do {
            let socket = try PacketSocket.connect(to: SocketPaths.agent(in: self.runtime ?? SocketPaths.directory))
            let hello = AgentRequest.with {
                $0.hello = .with {
                    $0.version = 1
                    $0.languages = AgentCommand.languagesOfEnvironment
                }
            }
            _ = try socket.send(try WireMessage.encode(hello))
            return socket
        } catch {
            throw Self.unreached(error)
        }
    }
}
