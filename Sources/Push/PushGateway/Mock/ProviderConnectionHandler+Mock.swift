internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The ends that a mock's script can give a request.
extension ProviderConnectionHandler {
    /// Ends a request, after the delay of its outcome.
    func perform(_ outcome: MockScript.Outcome, on id: HTTP2StreamID) {
        guard outcome.delay > .zero, let eventLoop = self.attached?.context.eventLoop else {
            return self.perform(outcome.end, on: id)
        }
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(outcome.delay)) { [weak self] in
            self?.perform(outcome.end, on: id)
            self?.flush()
        }
    }

    private func perform(_ end: MockScript.End, on id: HTTP2StreamID) {
        switch end {
        case .accept: self.answer(id, nil)
        case .reject(let reason, let timestamp): self.answer(id, Rejection(reason, timestamp: timestamp))
        case .silence: break
        case .refuse: self.write(.rstStream(.refusedStream), on: id)
        case .goAway(let reason):
            self.answer(id, nil)
            self.end(reason)
        case .goAwayUnprocessed(let reason): self.end(before: id, reason)
        case .close: self.close()
        case .cut(let reason): self.cut(reason, on: id)
        }
    }

    /// Announces the body of an answer, sends half of it, and closes the connection.
    private func cut(_ reason: Reason, on id: HTTP2StreamID) {
        guard let stream = self.streams[id] else { return }
        let body = #"{"reason":"\#(reason.rawValue)"}"#
        var headers = HPACKHeaders()
        headers.add(name: ":status", value: String(reason.status))
        headers.add(name: HeaderName.id, value: stream.id, indexing: .nonIndexable)
        headers.add(name: "content-type", value: "application/json")
        headers.add(name: "content-length", value: String(body.utf8.count))
        self.write(.headers(.init(headers: headers)), on: id)
        let half = ByteBuffer(string: String(body.prefix(body.utf8.count / 2)))
        self.write(.data(.init(data: .byteBuffer(half))), on: id)
        self.close()
    }
}
