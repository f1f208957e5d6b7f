internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine

extension DeviceHost {
    /// The true path of the device, and the positions that each process received.
    var lines: (truth: Timeline.Picture.Line, told: [Timeline.Picture.Line]) {
        let now = self.time.clock.now
        // As many points as a screen shows.
        let truth = (0...600).map { step in
            let place = self.world.truth(at: now / 600 * Int64(step)).position
            return (place.latitude, place.longitude)
        }
        let told = self.processes.all.filter { $0.positions.count > 0 }.map { process in
            let points = process.positions.points.map { (Double($0.latitude) / 1e7, Double($0.longitude) / 1e7) }
            return Timeline.Picture.Line(name: "\(process.name), launch \(process.number)", points: points)
        }
        return (Timeline.Picture.Line(name: "the device", points: truth), told)
    }
}
