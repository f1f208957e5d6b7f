internal import NIOCore
internal import Synchronization

/// A queue of items for an event loop, which is woken only once for all items that arrive before it runs.
final class Mailbox<Item: Sendable>: Sendable {
    private let items = Mutex<[Item]>([])
    private let eventLoop: any EventLoop
    private let deliver: @Sendable ([Item]) -> Void

    /// - Parameters:
    ///   - eventLoop: the event loop that receives the items.
    ///   - deliver: called there with the items, in order.
    init(_ eventLoop: any EventLoop, deliver: @escaping @Sendable ([Item]) -> Void) {
        self.eventLoop = eventLoop
        self.deliver = deliver
    }

    func add(_ item: Item) {
        let isFirst = self.items.withLock { items in
            items.append(item)
            return items.count == 1
        }
        if isFirst { self.eventLoop.execute { self.deliver(self.takeAll()) } }
    }

    private func takeAll() -> [Item] {
        self.items.withLock { items in
            let all = items
            items = []
            return all
        }
    }
}
