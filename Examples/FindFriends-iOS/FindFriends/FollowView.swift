import MapKit
import SwiftUI
import WhereaboutsSharing

/// The map on which a friend is followed; following ends when it closes.
struct FollowView: View {
    let model: FriendsModel
    let friend: FriendsModel.Friend

    var body: some View {
        FixMap(fixes: self.model.track)
            .navigationTitle(self.friend.name)
            .overlay(alignment: .top) {
                if self.model.track.isEmpty { Text("Waiting for \(self.friend.name)").padding() }
            }
            .onDisappear { self.model.stopFollowing() }
    }
}

/// A map with a track, and the accuracy of its last position.
struct FixMap: View {
    let fixes: [SharedFix]

    private var places: [CLLocationCoordinate2D] {
        self.fixes.map { CLLocationCoordinate2D(latitude: $0.latitude, longitude: $0.longitude) }
    }

    var body: some View {
        Map {
            MapPolyline(coordinates: self.places).stroke(.blue, lineWidth: 3)
            if let last = self.fixes.last, let place = self.places.last {
                MapCircle(center: place, radius: last.horizontalAccuracy).foregroundStyle(.blue.opacity(0.2))
                Marker("", coordinate: place)
            }
        }
    }
}
