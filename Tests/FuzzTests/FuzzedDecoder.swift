/// All decoders of bytes from other parties, and the device's state machines, whose inputs are chosen by bytes.
enum FuzzedDecoder: String, CaseIterable, FuzzTarget {
    /// A receiver's sentences, live and as a recording.
    case nmea
    /// gpsd's reports.
    case gpsd
    /// GPX files, also as recordings.
    case gpx
    /// Lines of programs that report positions.
    case programs
    /// Lines of programs that scan for beacons.
    case scanners
    /// Frames that devices send to a push gateway.
    case deviceFrames
    /// Frames that a push gateway sends to devices.
    case gatewayFrames
    /// Signed messages between sharers, requesters and the server.
    case statements
    case answers
    /// Identities, signed messages and pushes as text.
    case texts
    /// The server's JSON.
    case serverReplies
    /// Packets that apps send to locationd.
    case clientMessages
    /// Packets that locationd sends to apps.
    case daemonMessages
    /// Packets between locationctl and locationd.
    case control
    /// Packets between agents and locationd.
    case agent
    case geocoding
    /// Provider tokens at the push gateway.
    case providerTokens
    /// The engine of the device.
    case engine
    /// The core of the device.
    case deviceCore

    private var target: any FuzzTarget {
        switch self {
        case .nmea: NMEATarget()
        case .gpsd: GPSDTarget()
        case .gpx: GPXTarget()
        case .programs: ProgramTarget()
        case .scanners: ScannerTarget()
        case .deviceFrames: DeviceFrameTarget()
        case .gatewayFrames: GatewayFrameTarget()
        case .statements: StatementTarget()
        case .answers: AnswerTarget()
        case .texts: TextTarget()
        case .serverReplies: ServerReplyTarget()
        case .clientMessages: ClientMessageTarget()
        case .daemonMessages: DaemonMessageTarget()
        case .control: ControlTarget()
        case .agent: AgentTarget()
        case .geocoding: GeocodingTarget()
        case .providerTokens: ProviderTokenTarget()
        case .engine: EngineTarget()
        case .deviceCore: DeviceCoreTarget()
        }
    }

    var seeds: [[UInt8]] { self.target.seeds }
    var words: [[UInt8]] { self.target.words }
    func mended(_ input: [UInt8]) -> [UInt8] { self.target.mended(input) }
    func check(_ input: [UInt8]) throws -> Bool { try self.target.check(input) }
}

extension FuzzTarget {
    var words: [[UInt8]] { [] }
    func mended(_ input: [UInt8]) -> [UInt8] { input }
}
