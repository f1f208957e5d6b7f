internal import CoreLocation
internal import LocationEngine
internal import LocationWireMessages

/// One process of an app or of its extension, from its launch to its end; never used twice.
final class VirtualProcess {
    /// What a stream of the process was given.
    struct Stream {
        let id: UInt64
        var count = 0
        var told: UpdateDiagnostics?
    }

    let number: Kernel.ProcessNumber
    let bundle: BundleID
    let role: Principal.Role
    var phase: Lifecycle.Phase
    var isSuspended = false
    var hasEnded = false
    /// Made by the process's first call of Core Location.
    var client: LocationClient?
    var transport: VirtualTransport?
    /// The app's object, if it has one.
    var root: AnyObject?
    var streams: [Stream] = []
    /// The positions it was given, for the map and for assertions.
    private(set) var positions = Track()

    init(number: Kernel.ProcessNumber, bundle: BundleID, role: Principal.Role, phase: Lifecycle.Phase) {
        self.number = number
        self.bundle = bundle
        self.role = role
        self.phase = phase
    }

    private func served(_ fix: Fix) {
        self.positions.add(fix)
    }

    /// The connection's number is the process's: a process connects once.
    var clientID: ClientID { ClientID(UInt64(self.number)) }

    /// What people call it.
    var name: String {
        switch self.role {
        case .app: self.bundle.rawValue
        case .pushExtension: "\(self.bundle.rawValue)'s extension"
        }
    }

    /// Lets go of the process without letting anything of it run, not even a `deinit`: nothing of a dead process does.
    func bury() {
        self.hasEnded = true
        if let root = self.root { _ = unsafe Unmanaged.passRetained(root) }
        self.root = nil
    }
}

extension VirtualProcess {
    var principal: Principal { Principal(bundle: self.bundle, role: self.role) }

    /// Keeps track of what the process holds, for people.
    func declared(_ declaration: Whereabouts_Locationwire_V1_Declaration, _ timeline: Timeline) {
        let ids = declaration.streams.map(\.id)
        let before = self.streams
        self.streams = ids.map { id in before.first { $0.id == id } ?? Stream(id: id) }
        let sessions = declaration.sessions.map { session in
            switch session.requirement {
            case .none, .UNRECOGNIZED: "none"
            case .whenInUse: "when in use"
            case .always: "always"
            }
        }
        let held = sessions.isEmpty ? "no session" : "sessions: " + sessions.joined(separator: ", ")
        timeline.add(.request, self.name, "holds \(held); awaits \(ids.count) stream(s) of positions")
    }

    /// Keeps track of what the process was given, for people.
    func given(_ update: Update, to id: UInt64, _ timeline: Timeline) {
        guard let index = self.streams.firstIndex(where: { $0.id == id }) else { return }
        switch update {
        case .fix(let fix):
            self.streams[index].count += 1
            self.streams[index].told = nil
            self.served(fix)
            timeline.addFix(self.name, latitude: fix.latitude, longitude: fix.longitude)
        case .unavailable(let diagnostics):
            self.streams[index].told = diagnostics
            timeline.add(.delivery, self.name, "its updates are suspended: \(diagnostics.words)")
        }
    }
}
