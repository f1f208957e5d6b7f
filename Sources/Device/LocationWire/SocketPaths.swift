internal import Glibc

/// The sockets of locationd, unless configured otherwise.
package enum SocketPaths {
    /// The variable that names the descriptor of a connection locationd handed to a process it launched.
    package static let descriptorVariable = "LOCATIOND_DESCRIPTOR"
    /// The variable that names the directory of the sockets.
    package static let directoryVariable = "LOCATIOND_RUNTIME"

    /// The directory of the machine's locationd.
    private static let machines = "/run/locationd"

    /// The directory to make: `$LOCATIOND_RUNTIME`; otherwise `/run/locationd` for root; otherwise `locationd` in the user's run-time directory.
    package static var own: String { self.own(of: geteuid(), self.variable) }

    /// The directory to make for a user, by the variables of the environment.
    package static func own(of user: UInt32, _ variable: (String) -> String?) -> String {
        if let directory = variable(self.directoryVariable) { return directory }
        if user == 0 { return self.machines }
        // A relative path is ignored (XDG Base Directory Specification): it would name another place in each working directory.
        let named = variable("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return (named ?? "/run/user/\(user)") + "/locationd"
    }

    /// The directory to connect in: the user's own, or the machine's where only that is there.
    package static var directory: String {
        let own = self.own
        guard variable(self.directoryVariable) == nil, unsafe access(own, F_OK) != 0 else { return own }
        return unsafe access(self.machines, F_OK) == 0 ? self.machines : own
    }

    /// The socket apps connect to.
    package static func apps(in directory: String) -> String { directory + "/apps.socket" }

    /// The socket locationctl connects to.
    package static func control(in directory: String) -> String { directory + "/control.socket" }

    /// The socket agents connect to (docs/protocol/agent.md).
    package static func agent(in directory: String) -> String { directory + "/agent.socket" }

    /// The socket a broker connects to, which speaks for programs that know nothing of locationd (ADR 0079).
    package static func broker(in directory: String) -> String { directory + "/broker.socket" }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
