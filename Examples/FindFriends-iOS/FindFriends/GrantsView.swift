import SwiftUI

/// The grants that this person gave.
struct GrantsView: View {
    let model: FriendsModel

    var body: some View {
        NavigationStack {
            List(self.model.permissions) { permission in
                VStack(alignment: .leading) {
                    Text(permission.name)
                    Text("until \(permission.until.formatted())").font(.footnote)
                    if permission.isApproximate { Text("approximate positions only").font(.footnote) }
                    if permission.isRevoked {
                        Text("revoked").foregroundStyle(.secondary)
                    } else {
                        Button("Revoke", role: .destructive) { Task { await self.model.revoke(permission) } }
                    }
                }
            }
            .navigationTitle("Grants")
        }
    }
}
