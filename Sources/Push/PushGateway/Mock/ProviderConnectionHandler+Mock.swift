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
            return self.finish(outcome, on: id)
        }
        eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(outcome.delay)) { [weak self] in
            self?.finish(outcome, on: id)
            self?.flush()
        }
    }

    private func finish(_ outcome: MockScript.Outcome, on id: HTTP2StreamID) {
        switch outcome.end {
        case .accept: self.accept(outcome.channels, on: id)
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

    private func accept(_ answer: MockChannels.Answer?, on id: HTTP2StreamID) {
        let body = answer.flatMap(MockChannelsJSON.body)
        switch answer {
        case .created(let channel): self.answer(id, status: 201, channel: channel, json: body)
        case .channel, .all, .deleted: self.answer(id, status: answer?.status ?? 200, json: body)
        case .sent, nil: self.answer(id, nil)
        }
    }

    /// Announces the body of an answer, sends half of it, and closes the connection.
    private func cut(_ reason: Reason, on id: HTTP2StreamID) {
        guard let stream = self.streams[id] else { return }
        let body = #"{"reason":"\#(reason.rawValue)"}"#
        var headers = HPACKHeaders()
        headers.add(name: ":status", value: String(reason.status))
        headers.add(name: stream.idName, value: stream.id, indexing: .nonIndexable)
        headers.add(name: "content-type", value: "application/json")
        headers.add(name: "content-length", value: String(body.utf8.count))
        self.write(.headers(.init(headers: headers)), on: id)
        let half = ByteBuffer(string: String(body.prefix(body.utf8.count / 2)))
        self.write(.data(.init(data: .byteBuffer(half))), on: id)
        self.close()
    }
}
