internal import Glibc

/// The default paths of locationd's sockets.
package enum SocketPaths {
    /// The environment variable with the descriptor of the connection that locationd passes to a process it starts.
    package static let descriptorVariable = "LOCATIOND_DESCRIPTOR"
    /// The environment variable with the directory of the sockets.
    package static let directoryVariable = "LOCATIOND_RUNTIME"

    /// The directory of a locationd that serves the whole machine.
    private static let machines = "/run/locationd"

    /// The directory to create: `$LOCATIOND_RUNTIME`, or `/run/locationd` for root, or `locationd` in the user's runtime directory.
    package static var own: String { self.own(of: geteuid(), self.variable) }

    /// The directory to create for a user, given the environment's variables.
    package static func own(of user: UInt32, _ variable: (String) -> String?) -> String {
        if let directory = variable(self.directoryVariable) { return directory }
        if user == 0 { return self.machines }
        // Ignore a relative path (XDG Base Directory Specification): its meaning depends on the working directory.
        let named = variable("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (named ?? "/run/user/\(user)") + "/locationd"
    }

    /// The directory to connect in: the user's own, or the machine's if only that exists.
    package static var directory: String {
        let own = self.own
        guard variable(self.directoryVariable) == nil, unsafe access(own, F_OK) != 0 else { return own }
        return unsafe access(self.machines, F_OK) == 0 ? self.machines : own
    }

    /// The path of the socket for apps.
    package static func apps(in directory: String) -> String { directory + "/apps.socket" }

    /// The path of the socket for `locationctl`.
    package static func control(in directory: String) -> String { directory + "/control.socket" }

    /// The path of the socket for agents (docs/protocol/agent.md).
    package static func agent(in directory: String) -> String { directory + "/agent.socket" }

    /// The path of the socket for brokers, which connect for programs that do not know locationd (ADR 0079).
    package static func broker(in directory: String) -> String { directory + "/broker.socket" }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
