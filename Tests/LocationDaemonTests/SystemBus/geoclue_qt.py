#!/usr/bin/env python3
"""Qt's positioning, by its plugin for GeoClue on $DBUS_SYSTEM_BUS_ADDRESS; prints each position."""
from PyQt5.QtCore import QCoreApplication
from PyQt5.QtPositioning import QGeoPositionInfo, QGeoPositionInfoSource


def said(info):
    place = info.coordinate()
    accuracy = info.attribute(QGeoPositionInfo.HorizontalAccuracy)
    print(f"position {place.latitude():.4f} {place.longitude():.4f} {accuracy:.1f} -", flush=True)


def main():
    app = QCoreApplication(["geoclue-qt"])
    source = QGeoPositionInfoSource.createSource("geoclue2", app)
    source.setPreferredPositioningMethods(QGeoPositionInfoSource.AllPositioningMethods)
    source.positionUpdated.connect(said)
    source.startUpdates()
    app.exec_()


if __name__ == "__main__":
    main()
