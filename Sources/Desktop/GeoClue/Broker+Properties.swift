/// The properties of GeoClue's objects; each program reads and sets only those of its own objects.
extension Broker {
    var availableLevel: UInt32 { (self.isLocationdThere ? self.agents.cap : .none).rawValue }

    var isInUse: Bool { self.clients.contains { $0.machine.isActive } }

    /// The properties that a program may read of an object, and their interface; nil: none.
    private func properties(_ path: ObjectPath, for name: String) -> (interface: String, [BusAnswer.Entry])? {
        switch path {
        case .manager:
            return (
                GeoClueInterface.manager,
                [
                    .init(name: "InUse", value: .flag(self.isInUse)),
                    .init(name: "AvailableAccuracyLevel", value: .number(self.availableLevel)),
                ]
            )
        case .client:
            guard let place = self.place(path, of: name) else { return nil }
            let client = self.clients[place]
            return (
                GeoClueInterface.client,
                [
                    .init(name: "Location", value: .path(client.locationPath)),
                    .init(name: "DistanceThreshold", value: .number(client.wishes.distance)),
                    .init(name: "TimeThreshold", value: .number(client.wishes.time)),
                    .init(name: "DesktopId", value: .text(client.wishes.desktopID)),
                    .init(name: "RequestedAccuracyLevel", value: .number(client.wishes.level)),
                    .init(name: "Active", value: .flag(client.machine.isActive)),
                ]
            )
        case .location(let number, let location):
            guard let place = self.place(.client(number), of: name),
                let found = self.clients[place].locations.first(where: { $0.number == location })
            else { return nil }
            return (
                GeoClueInterface.location,
                found.position.properties.map { BusAnswer.Entry(name: $0.name, value: $0.value) }
            )
        }
    }

    func value(_ path: ObjectPath, _ interface: String, _ property: String, for name: String) -> BusAnswer {
        guard let (own, all) = self.properties(path, for: name) else { return .refused(.unknownObject) }
        guard interface == own || interface.isEmpty, let found = all.first(where: { $0.name == property }) else {
            return .refused(.unknownProperty)
        }
        return .value(found.value)
    }

    func values(_ path: ObjectPath, _ interface: String, for name: String) -> BusAnswer {
        guard let (own, all) = self.properties(path, for: name) else { return .refused(.unknownObject) }
        return .values(interface == own || interface.isEmpty ? all : [])
    }

    mutating func set(
        _ path: ObjectPath,
        _ interface: String,
        _ property: String,
        _ value: BusValue?,
        _ call: BusCall
    ) -> [Effect] {
        guard let (own, all) = self.properties(path, for: call.peer.name) else {
            return [.answer(call.id, .refused(.unknownObject))]
        }
        guard interface == own || interface.isEmpty, all.contains(where: { $0.name == property }) else {
            return [.answer(call.id, .refused(.unknownProperty))]
        }
        guard let place = self.place(path, of: call.peer.name) else { return [.answer(call.id, .refused(.readOnly))] }
        var wishes = self.clients[place].wishes
        switch (property, value) {
        case ("DistanceThreshold", .number(let metres)): wishes.distance = metres
        case ("TimeThreshold", .number(let seconds)): wishes.time = seconds
        case ("RequestedAccuracyLevel", .number(let level)):
            guard level <= AccuracyLevel.exact.rawValue else {
                let words =
                    "RequestedAccuracyLevel is 0 (none), 1 (country), 4 (city), 5 (neighborhood), 6 (street) or 8 (exact)"
                return [.answer(call.id, .refused(.invalidArguments(words)))]
            }
            wishes.level = level
        case ("DesktopId", .text(let id)):
            guard id.isEmpty || Asker.isDesktopID(id) else {
                let words = "DesktopId is the name of a .desktop file without its ending, of letters, digits and ._+-"
                return [.answer(call.id, .refused(.invalidArguments(words)))]
            }
            wishes.desktopID = id
        case ("Location", _), ("Active", _): return [.answer(call.id, .refused(.readOnly))]
        default: return [.answer(call.id, .refused(.invalidArguments("\(property) has another type")))]
        }
        guard wishes != self.clients[place].wishes else { return [.answer(call.id, .done)] }
        let effects = self.apply(place) { client in
            client.wishes = wishes
            return client.machine.wishesChanged(wishes)
        }
        let entry = value.map { BusAnswer.Entry(name: property, value: $0) }
        return [
            .answer(call.id, .done),
            .changed(to: call.peer.name, path: call.path, interface: own, entry.map { [$0] } ?? []),
        ] + effects
    }
}
