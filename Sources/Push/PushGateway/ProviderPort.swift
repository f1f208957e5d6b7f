internal import NIOCore

/// A provider's connection, for the host; answers after the end of the connection are dropped.
final class ProviderPort: AwaitsAnswers {
    private let handler: NIOLoopBound<ProviderConnectionHandler>
    private let eventLoop: any EventLoop

    init(_ handler: ProviderConnectionHandler, eventLoop: any EventLoop) {
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
        self.eventLoop = eventLoop
    }

    func take(_ answers: [PushAnswer]) {
        self.eventLoop.execute { self.handler.value.answered(answers) }
    }
}
