internal import CoreLocation
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages

/// The shell around the device's core on a virtual device: reports events to the core, and performs its actions.
///
/// It decides nothing itself; on a real device, `LocationDaemon` is the shell (ADR 0029).
///
/// Each part of the device owns its state, gets the parts that it uses, and never the host:
/// - ``DeviceContext``: the time, the timeline, the problems of the test, and the story.
/// - ``LocationService``: the core, its sensors, and the disk. A part feeds events to it, and reads the core.
/// - ``ProcessTable``: the processes, and the events that wait for them. ``AppProcesses``: the installed apps, and why a
///   process of one starts, stops and ends.
/// - ``ClientConnections``: messages from processes. ``Deliveries``: messages to them, with the device's quirks.
/// - ``CodeChecks``: the rules for apps' code.
/// - ``VirtualGateway``: pushes and their network. ``DeviceUser``: answers and settings.
///
/// The host passes each action of the core to the part that performs it. It ends and starts the location service and
/// the device, which concern all parts. Tests and stories act on the whole device, and so through the host.
final class DeviceHost {
    /// The devices that share the kernel and its time.
    let group: DeviceGroup
    let kernel: Kernel
    let context: DeviceContext
    let time: DeviceTime
    let timeline: Timeline
    let world: World
    let receiver: VirtualReceiver
    let service: LocationService
    let processes: ProcessTable
    let checks: CodeChecks
    let gateway: VirtualGateway
    let deliveries: Deliveries
    let clients: ClientConnections
    let apps: AppProcesses
    let user: DeviceUser

    init(profile: DeviceProfile, policy: Policy, home: CLLocationCoordinate2D, seed: UInt64, group: DeviceGroup) {
        let (clock, number) = group.makeClock()
        let context = DeviceContext(clock)
        (self.group, self.kernel, self.context) = (group, group.kernel, context)
        (self.time, self.timeline) = (context.time, context.timeline)
        self.world = World(home: home, accuracy: profile.accuracy, seed: seed, clock: clock)
        self.receiver = VirtualReceiver(profile: profile, world: self.world, timeline: self.timeline)
        var sensors: [any VirtualSensor] = [self.receiver]
        if profile.hasCompass { sensors.append(VirtualCompass(world: self.world)) }
        if profile.hasScanner { sensors.append(VirtualScanner(world: self.world)) }
        self.service = LocationService(context, policy: policy.on(profile.system), sensors: sensors)
        self.processes = ProcessTable(self.kernel, context, self.service)
        self.checks = CodeChecks(context, self.processes, self.service)
        self.gateway = VirtualGateway(context, self.service, number: number)
        self.deliveries = Deliveries(context, self.processes, self.service, profile.system)
        self.clients = ClientConnections(context, self.processes, self.service, self.deliveries, self.checks)
        self.apps = AppProcesses(context, self.processes, self.service, self.checks, self.gateway)
        self.user = DeviceUser(context, self.service, self.apps)
        // Unowned, not weak: one weak reference would make every use of the host several times slower.
        self.timeline.draw = { [unowned self] in self.lines }
        self.service.perform = { [unowned self] in self.perform($0) }
        self.service.begin(.init())
        group.add(self)
    }

    private func perform(_ action: DeviceCore.Action) {
        switch action {
        case .save: self.service.save()
        case .keep(let push): self.service.keep(push)
        case .acknowledge(let push): self.gateway.acknowledged(push)
        case .forget(let push): self.service.disk.pushes.removeAll { $0.id == push }
        case .tell(let client, let message): self.deliveries.tell(message, to: client)
        case .tellPlaces(let client, let request, _):
            // The answer of a device without a geocoder.
            self.processes.send(
                .with {
                    $0.geocodeResult = .with {
                        $0.request = request
                        $0.failure = .network
                    }
                },
                to: client
            )
        case .disconnect(let client): self.clients.cutOff(client)
        case .people(.presentPrompt): self.time.schedule(after: .zero) { [unowned self] in self.user.ask() }
        case .people(.withdrawPrompt): break
        case .people(.showIndicators(let indicators)): self.service.show(indicators)
        case .process(let order): self.apps.perform(order)
        case .sensor(let sensor, let isOn): self.service.power(sensor, isOn: isOn)
        case .gateway(.register(let bundle)):
            self.time.schedule(after: .zero) { [unowned self] in self.gateway.register(bundle) }
        case .gateway(.unregister(let bundle)): self.gateway.unregister(bundle)
        case .gateway(.enable(let bundles)): self.gateway.enable(bundles)
        case .note(let note): self.note(note)
        // These need no action: the kernel has the processes, a test sees the effects of its orders,
        // and each sensor has only one source.
        case .recordProcesses, .answer, .end, .source, .record: break
        case .lookUp(let lookUp, _): self.service.feed(.lookedUp(lookUp, .noResult))
        case .complain(let error): preconditionFailure("the virtual device gave its engine a wrong input: \(error)")
        }
    }

    private func note(_ note: Note) {
        self.gateway.decided(note)
        if case .pushHanded(let id, _) = note, let sent = self.gateway.sent[id] { self.checks.handed(sent) }
        self.checks.decided(note)
        let (lane, text) = note.words
        self.timeline.add(.decision, lane, text)
    }
}

// MARK: The device's own events

extension DeviceHost {
    var nextEvent: Int64 {
        let next = min(self.service.nextEvent, self.time.nextEvent, self.context.story?.next ?? .max)
        return min(next, self.clients.nextSeparate)
    }

    func eventsAreDue() {
        // Play the story first, so that a given story runs like the drawn one.
        self.context.story?.play()
        self.time.runEvents()
        self.service.eventsAreDue()
        self.jobDidRun()
    }

    func jobDidRun() {
        repeat { self.clients.takeInbox() } while self.clients.runSeparate()
    }

    func doesNotWait(_ number: Kernel.ProcessNumber) {
        let name = self.processes[number]?.name ?? "the device"
        self.context.problems.add(
            "\(name) ran a million jobs at \(Timeline.clock(.nanoseconds(self.time.clock.now))) without waiting for anything, as "
                + "a loop around Task.yield() does; it is ended, so that the test can go on"
        )
        if let process = self.processes[number] {
            self.processes.end(process, "does not wait for anything and is ended", .exited(0))
        }
    }
}
