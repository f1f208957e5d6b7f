internal import NIOCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationSources

/// A source that reports a fixed position once a second while it is on.
final class FixedSource: FixSource {
    private let position: FixedPosition
    private let number: UInt8
    private let loop: any EventLoop
    private let timer: NIOLoopBoundBox<RepeatedTask?>
    private let events: @Sendable (FixSourceEvent) -> Void

    init(
        _ position: FixedPosition,
        number: UInt8,
        group: any EventLoopGroup,
        events: @escaping @Sendable (FixSourceEvent) -> Void
    ) {
        self.position = position
        self.number = number
        self.loop = group.next()
        self.timer = .makeBoxSendingValue(nil, eventLoop: self.loop)
        self.events = events
    }

    func start() {
        self.loop.execute {
            guard self.timer.value == nil else { return }
            self.events(.ready)
            self.timer.value = self.loop.scheduleRepeatedTask(initialDelay: .zero, delay: .seconds(1)) { _ in
                self.events(.fix(Fix(self.position.fix, receiver: self.number)))
            }
        }
    }

    func stop() {
        self.loop.execute {
            self.timer.value?.cancel()
            self.timer.value = nil
        }
    }
}
