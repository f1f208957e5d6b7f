internal import NIOCore
internal import WhereaboutsPushEngine

/// A provider's connection as the host sees it, for as long as it is there.
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
