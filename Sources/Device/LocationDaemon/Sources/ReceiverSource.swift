internal import NIOCore
internal import NIOPosix
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

/// Measurements of a receiver; the connection exists only while the source is on.
///
/// ``ReceiverLink`` decides when to connect, to query and to give up, and ``ReceiverReader`` interprets the bytes; this
/// class has the channel and the timers.
final class ReceiverSource: FixSource {
    private struct State {
        var link: ReceiverLink
        /// Counts openings and closings, so that late events of an earlier opening are ignored.
        var generation = 0
        /// The channel whose close ends the connection, and the channel that carries data.
        ///
        /// They differ only for a listener, which has a channel for its socket and one for its newest connection.
        var channel, bytes: (any Channel)?
        var reader: ReceiverReader?
        var health = ReceiverHealth()
        var speed: SpeedSearch?
        var news = HealthNews<ReceiverHealth.Condition>()
        var timer, flush: Scheduled<Void>?
        /// Receives each piece of bytes for a recording.
        var tap: (@Sendable ([UInt8]) -> Void)?
    }

    private let way: ReceiverWay
    private let number: UInt8
    private let loop: any EventLoop
    private let state: NIOLoopBoundBox<State>
    private let events: @Sendable (FixSourceEvent) -> Void
    private let health: @Sendable (ReceiverHealth) -> Void

    /// Creates a source that is off.
    ///
    /// - Parameters:
    ///   - way: how to connect to the receiver.
    ///   - number: the source's number on this device.
    ///   - group: the event loops to run on.
    ///   - events: receives the measurements.
    ///   - health: receives each change of the receiver's state (``HealthNews``).
    init(
        _ way: ReceiverWay,
        number: UInt8 = 0,
        group: any EventLoopGroup,
        events: @escaping @Sendable (FixSourceEvent) -> Void,
        health: @escaping @Sendable (ReceiverHealth) -> Void = { _ in }
    ) {
        self.way = way
        self.number = number
        self.events = events
        self.health = health
        self.loop = group.next()
        self.state = .makeBoxSendingValue(
            State(link: ReceiverLink(way.link), speed: way.hasSpeed ? SpeedSearch() : nil),
            eventLoop: self.loop
        )
    }

    private var now: EngineInstant { Clocks.now().monotonic }

    func start() {
        self.loop.execute {
            guard case .open = self.state.value.link.started() else { return }
            self.open()
        }
    }

    func stop() {
        self.loop.execute {
            self.state.value.link.stopped()
            self.close()
            self.state.value.health.switchedOff(now: self.now)
            self.tellHealth()
        }
    }

    /// Passes all further bytes to a recording; nil: ends this.
    func tap(_ bytes: (@Sendable ([UInt8]) -> Void)?) {
        self.loop.execute { self.state.value.tap = bytes }
    }

    // MARK: The way

    private func open() {
        self.close()
        self.state.value.generation += 1
        self.state.value.health.connecting(now: self.now)
        self.tellHealth()
        let generation = self.state.value.generation
        let box = self.state
        let future = self.way.open(on: self.loop, speed: self.state.value.speed?.speed ?? 0) { channel in
            channel.eventLoop.makeCompletedFuture {
                let handler = ReceiverHandler { [self] channel in
                    if box.value.generation == generation { self.opened(channel) }
                } received: { [self] buffer in
                    if box.value.generation == generation { self.received(buffer) }
                }
                try channel.pipeline.syncOperations.addHandler(handler)
            }
        }
        future.assumeIsolated().whenComplete { result in
            guard self.state.value.generation == generation else {
                if case .success(let channel) = result { channel.close(promise: nil) }
                return
            }
            switch result {
            case .success(let channel): self.took(channel, generation)
            case .failure(let error):
                self.closed((error as? DaemonError)?.description ?? "\(self.way.name) cannot be reached")
            }
        }
    }

    /// Adopts the channel whose close ends the connection.
    private func took(_ channel: any Channel, _ generation: Int) {
        self.state.value.channel = channel
        if self.way.isListener { self.opened(nil) }
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            if self.state.value.generation == generation { self.closed("\(self.way.name) closed the connection") }
        }
    }

    /// Starts to read; a listener's newest connection replaces the previous one.
    private func opened(_ channel: (any Channel)?) {
        let now = self.now
        self.state.value.bytes.map { $0.close(promise: nil) }
        self.state.value.bytes = channel
        self.state.value.link.opened(now: now)
        self.state.value.speed?.opened(now: now)
        let reader = ReceiverReader(self.way.language, now: now)
        self.state.value.reader = reader
        self.state.value.health = reader.health
        switch self.way.language {
        case .gpsd: self.say(GPSDDecoder.watchCommand)
        case .nmea, .program: self.events(.ready)
        }
        self.tellHealth()
        self.setTimer()
    }

    private func closed(_ reason: String) {
        self.close()
        self.state.value.link.closed(now: self.now)
        self.state.value.health.failed(reason, now: self.now)
        self.events(.lost(reason))
        self.tellHealth()
        self.setTimer()
    }

    /// Closes all channels and timers; their later events are ignored.
    private func close() {
        self.state.value.generation += 1
        self.state.value.timer?.cancel()
        self.state.value.flush?.cancel()
        for channel in [self.state.value.bytes, self.state.value.channel] { channel?.close(promise: nil) }
        (self.state.value.bytes, self.state.value.channel, self.state.value.reader) = (nil, nil, nil)
    }

    private func say(_ line: String) {
        self.state.value.bytes?.writeAndFlush(ByteBuffer(string: line), promise: nil)
    }

    private func setTimer() {
        var deadline = self.state.value.link.deadline
        if self.state.value.reader != nil { deadline.lower(to: self.state.value.speed?.deadline) }
        self.state.value.timer?.cancel()
        self.state.value.timer = deadline.map { deadline in
            self.loop.assumeIsolated().scheduleTask(in: TimeAmount(self.now.duration(to: deadline))) {
                self.deadlineReached()
            }
        }
    }

    private func deadlineReached() {
        if self.state.value.reader != nil, case .setSpeed? = self.state.value.speed?.deadlineReached(now: self.now) {
            // Open the serial line again to set its new speed; bytes read at the old speed are discarded.
            self.state.value.link.stopped()
            _ = self.state.value.link.started()
            return self.open()
        }
        switch self.state.value.link.deadlineReached(now: self.now) {
        case .open: return self.open()
        case .ask: self.say(GPSDDecoder.pingCommand)
        case .close:
            self.close()
            let reason = "\(self.way.name) is silent"
            self.state.value.health.failed(reason, now: self.now)
            self.events(.lost(reason))
        case .ignore: break
        }
        self.tellHealth()
        self.setTimer()
    }

    // MARK: Bytes

    private func received(_ buffer: ByteBuffer) {
        let now = self.now
        switch self.state.value.link.bytesCame(now: now) {
        case .drop: return
        case .reopen: return self.open()
        case .read: break
        }
        if let tap = self.state.value.tap { tap(Array(buffer.readableBytesView)) }
        let events = self.state.value.reader?.feed(buffer.readableBytesView, now: now) ?? []
        self.tell(events)
        self.state.value.flush?.cancel()
        if let quiet = self.state.value.reader?.quiet {
            self.state.value.flush = self.loop.assumeIsolated().scheduleTask(in: TimeAmount(quiet)) {
                self.tell(self.state.value.reader?.flush(now: self.now) ?? [])
            }
        }
        self.setTimer()
    }

    private func tell(_ events: [ReceiverReader.Event]) {
        if let health = self.state.value.reader?.health {
            self.state.value.health = health
            if health.isUnderstood { self.state.value.speed?.sentenceCame(now: self.now) }
        }
        for event in events {
            switch event {
            case .ready: self.events(.ready)
            case .measured(let measurement): self.events(.measured(Update.Element(measurement, receiver: self.number)))
            case .lost(let reason): self.events(.lost(reason))
            }
        }
        self.tellHealth()
    }

    private func tellHealth() {
        let now = self.now
        let condition = self.state.value.health.condition(now: now).condition
        if self.state.value.news.isDue(condition, now: now) { self.health(self.state.value.health) }
    }
}
