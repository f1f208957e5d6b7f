internal import Logging
internal import Rig
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsVocabulary

/// A run under half the gateway's greatest load, while connections of providers, the gateway and locationd die; then a calm
/// part under the same load, in which memory is measured; then the account of every push.
struct Soak {
    /// The time of the run, without its beginning and its end.
    let duration: Duration
    /// The number of devices besides locationd's.
    let devicesCount: Int
    /// The seed of all draws; races between real processors do not depend on it.
    let seed: UInt64

    /// A part that is killed while the others continue.
    enum Death: CaseIterable {
        case providerConnections, gateway, locationd
    }

    /// How long the last pushes may take to arrive: a device waits up to half a minute before it connects again.
    private static let settling = Duration.seconds(90)

    func run() async throws -> SoakReport {
        let installed = try await Installed.start()
        do {
            let report = try await self.run(installed)
            await installed.stop()
            return report
        } catch {
            await installed.stop()
            throw error
        }
    }

    private func run(_ installed: Installed) async throws -> SoakReport {
        let workspace = installed.installation.workspace
        guard let providerPort = installed.installation.providerPort else {
            throw RigError("the gateway", "it has no port")
        }
        let way = try await Forwarder.start(to: providerPort)
        let provider = try APNSClient(
            configuration: APNSClient.Configuration(
                endpoint: Endpoint(host: "localhost", port: way.port),
                keys: [SigningKey(teamID: Workspace.teamID, keyID: Workspace.keyID, path: workspace.providerKeyPath)],
                trustRoots: .file(workspace.authorityPath)
            ),
            logger: Logger(label: "soak") { _ in SwiftLogNoOpLogHandler() }
        )
        let devices = try await self.connect(installed, provider)
        let load = Load(provider, devices, installed, seed: self.seed)
        let most = await load.saturate(for: self.duration / 20)
        let rate = min(most / 2, Double(self.devicesCount) * Load.ratePerDevice)
        let rough = self.duration * 0.7
        async let perils = self.perish(rough, way, installed, devices.map(\.device))
        await load.run(rate: rate, for: rough)
        let deaths = try await perils
        // Memory returns to normal after the last death before it is measured.
        await load.run(rate: rate, for: self.duration * 0.1)
        let before = SoakReport.Memory(installed)
        await load.run(rate: rate, for: self.duration * 0.2)
        let after = SoakReport.Memory(installed)
        await self.settle(installed, devices.map(\.device))
        await self.hear(installed, devices.map(\.device))
        var verdict = PushAccount.Verdict()
        for (device, _) in devices { verdict += device.account { $0.verdict } }
        let report = SoakReport(
            soak: self,
            rate: (rate, of: most),
            sent: load.sent,
            deaths: deaths,
            devices: verdict,
            app: installed.account { $0.verdict },
            memory: (before, after)
        )
        for (device, _) in devices { try await device.disconnect() }
        await provider.shutdown()
        try await way.stop()
        return report
    }

    /// Connects the devices, and sends each a push, so that the gateway knows them.
    private func connect(
        _ installed: Installed,
        _ provider: APNSClient
    ) async throws -> [(device: SoakedDevice, token: DeviceToken)] {
        var configuration = PushLinkClient.Configuration(
            host: "localhost",
            port: installed.installation.devicePort ?? 0,
            trustRootsPath: installed.installation.workspace.authorityPath
        )
        configuration.link.backoffMin = .milliseconds(50)
        configuration.countsSleep = false
        var devices: [(device: SoakedDevice, token: DeviceToken)] = []
        for _ in 0..<self.devicesCount {
            let device = try SoakedDevice(configuration)
            guard let token = await device.firstToken() else { throw RigError("a device", "it got no token") }
            let bundle = SoakedDevice.bundle
            _ = try await provider.send(Push(.location, token: token, bundleIdentifier: bundle, expiration: .once))
                .get()
            devices.append((device, token))
        }
        return devices
    }

    /// Kills parts, one after the other, of all kinds.
    private func perish(
        _ time: Duration,
        _ way: Forwarder,
        _ installed: Installed,
        _ devices: [SoakedDevice]
    ) async throws -> [Death] {
        var generator = SeededGenerator(seed: self.seed)
        let pause = min(max(self.duration / 40, .milliseconds(500)), .seconds(10))
        let start = ContinuousClock.now
        var (deaths, turn): ([Death], [Death]) = ([], [])
        while true {
            try await Task.sleep(for: pause * Double.random(in: 0.5...1.5, using: &generator))
            // On a slow machine, a short soak takes longer instead of testing less.
            let isOver = start.duration(to: .now) >= time
            if isOver, Death.allCases.allSatisfy(deaths.contains) { return deaths }
            if turn.isEmpty { turn = ([.providerConnections] + Death.allCases).shuffled(using: &generator) }
            let death = turn.removeLast()
            switch death {
            case .providerConnections: way.cut()
            case .gateway:
                await self.hear(installed, devices)
                try await installed.restartGateway()
            case .locationd: try await installed.restartLocationd()
            }
            deaths.append(death)
        }
    }

    /// Reads the gateway's reports on pushes that did not arrive; the gateway loses these reports when it is killed.
    private func hear(_ installed: Installed, _ devices: [SoakedDevice]) async {
        installed.readArrivals()
        for (number, id) in installed.account(\.unexplained) {
            let word = await installed.word(ofAPNSID: id)
            installed.account { $0.said(word, of: number) }
        }
        for device in devices {
            for (number, id) in device.account(\.unexplained) {
                let word = await installed.word(ofAPNSID: id)
                device.account { $0.said(word, of: number) }
            }
        }
    }

    /// Waits until all expected pushes have arrived.
    private func settle(_ installed: Installed, _ devices: [SoakedDevice]) async {
        let start = ContinuousClock.now
        while start.duration(to: .now) < Self.settling {
            installed.readArrivals()
            if installed.account(\.isSettled), devices.allSatisfy({ $0.account(\.isSettled) }) { return }
            try? await Task.sleep(for: .milliseconds(200))
        }
    }
}
