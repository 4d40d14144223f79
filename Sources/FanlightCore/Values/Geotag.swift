// SPDX-License-Identifier: Apache-2.0

/// A place on earth, WGS 84.
public struct Geotag: Sendable, Equatable {
    /// Degrees, north positive, -90...90.
    public var latitude: Double
    /// Degrees, east positive, -180...180.
    public var longitude: Double
    /// Metres, negative below sea level; `nil` when unknown.
    public var altitude: Double?
    /// Where the value was found.
    public var source: Source

    /// Where a geotag was found.
    public enum Source: String, Sendable { case exif, xmp, client }

    /// Creates a geotag; `nil` when a value is not finite or out of range.
    public init?(latitude: Double, longitude: Double, altitude: Double? = nil, source: Source) {
        guard latitude.isFinite, longitude.isFinite, abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude.flatMap { $0.isFinite ? $0 : nil }
        self.source = source
    }
}

/// A remark about an upload that did not stop it.
public struct Warning: Sendable, Equatable {
    /// Stable snake_case name, for example `null_island`.
    public var code: String
    /// One sentence for people.
    public var message: String

    /// Creates a warning.
    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
