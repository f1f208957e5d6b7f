internal import WhereaboutsLocationEngine
internal import WhereaboutsSharingEngine

/// The names of everything in a simulated world, made from indices in the scenario.
enum Names {
    private static let prefix = "sim.app"

    static func bundle(_ app: Int) -> BundleID { BundleID("\(self.prefix)\(app)") }

    static func index(of bundle: BundleID) -> Int { Int(bundle.rawValue.dropFirst(self.prefix.count)) ?? 0 }

    static func sharer(device: Int, app: Int) -> PublicIdentity { self.identity(2, device, app) }

    static func requester(_ index: Int) -> PublicIdentity { self.identity(3, index, 0) }

    /// 32 bytes that are unique in the world.
    static func key(_ kind: UInt8, _ first: Int, _ second: Int) -> [UInt8] {
        var hash = ModelHash()
        hash.add([kind])
        hash.add(Array("\(first) \(second)".utf8))
        return hash.bytes(PublicIdentity.byteCount)
    }

    private static func identity(_ kind: UInt8, _ first: Int, _ second: Int) -> PublicIdentity {
        guard let identity = PublicIdentity(bytes: self.key(kind, first, second)) else {
            preconditionFailure("an identity has \(PublicIdentity.byteCount) bytes")
        }
        return identity
    }
}

extension Scenario.AppPlan {
    /// Whether the device launches the app for crossings and findings, which need no background mode.
    private var isLaunchedUnseen: Bool { self.kind == .places || self.kind == .travels || self.kind == .doors }

    /// The app's manifest for the engine: its Info.plist and entitlements.
    var manifest: AppManifest {
        AppManifest(
            explainsWhenInUse: true,
            explainsAlways: self.kind == .friends || self.isLaunchedUnseen,
            requiresExplicitSessions: self.isExplicit,
            purposes: self.kind == .workout || self.kind == .weather ? [SimulatedProcess.purpose] : [],
            defaultsToReducedAccuracy: self.isReduced,
            mayRunInBackground: self.kind != .weather && self.kind != .guide && !self.isLaunchedUnseen,
            mayReceiveLocationPushes: self.kind == .friends,
            hasPushEnvironment: self.kind == .friends,
            hasPushExtension: self.kind == .friends
        )
    }
}

extension Note {
    /// The note's case without its payload; a refusal keeps its reason.
    var name: String {
        let whole = "\(self)"
        guard case .pushRefused(_, _, let reason) = self else { return String(whole.prefix { $0 != "(" }) }
        return "pushRefused: " + "\(reason)".prefix { $0 != "(" }
    }
}
