// swift-tools-version: 6.2
import PackageDescription

/// One language mode and one set of checks for every Swift target.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

#if arch(arm64)
    let multiarch = "aarch64-linux-gnu"
#else
    let multiarch = "x86_64-linux-gnu"
#endif

func swift(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, path: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name), "FanlightTestSupport"] + dependencies,
        swiftSettings: settings
    )
}

let package = Package(
    name: "fanlight",
    products: [
        .executable(name: "fanlight", targets: ["fanlight"]),
        .executable(name: "fanlight-imaging", targets: ["fanlight-imaging"]),
    ],
    targets: [
        .systemLibrary(name: "CMicrohttpd"),
        .systemLibrary(name: "CCurl"),
        .systemLibrary(name: "CYaml"),
        .systemLibrary(name: "CTurboJPEG"),
        .systemLibrary(name: "CZimg"),
        .systemLibrary(name: "CXML2", pkgConfig: "libxml-2.0"),
        .systemLibrary(name: "CPCRE2"),
        .systemLibrary(name: "CCrypto"),
        .systemLibrary(name: "CSQLite"),
        // vips' pkg-config entry carries a flag that SwiftPM warns about on every command; the two include
        // folders that its headers need are therefore named here.
        .target(
            name: "CImaging",
            cSettings: [
                .unsafeFlags([
                    "-I/usr/include/glib-2.0", "-I/usr/lib/\(multiarch)/glib-2.0/include",
                ])
            ],
            linkerSettings: [
                .linkedLibrary("vips"), .linkedLibrary("gobject-2.0"), .linkedLibrary("glib-2.0"),
                .linkedLibrary("jpeg"),
            ]
        ),

        swift("FanlightCore"),
        swift("FanlightMultipart"),
        swift("FanlightMetadata", ["FanlightCore"]),
        swift("FanlightConfiguration", ["FanlightCore", "CYaml"]),
        // The plugin embeds every file of the folder, so that a new service touches no Swift file.
        .target(
            name: "FanlightAdapters",
            dependencies: ["FanlightCore", "FanlightConfiguration", "CXML2", "CPCRE2", "CCrypto"],
            exclude: ["Catalogue"],
            swiftSettings: settings,
            plugins: ["EmbedCatalogue"]
        ),
        .plugin(name: "EmbedCatalogue", capability: .buildTool(), dependencies: ["embed-catalogue"]),
        program("embed-catalogue", path: "Sources/embed-catalogue", []),
        swift("FanlightCodecs", ["FanlightCore", "FanlightMetadata", "CTurboJPEG", "CZimg", "CImaging"]),
        swift("FanlightImaging", ["FanlightCore", "FanlightMetadata"]),
        swift("FanlightCurl", ["FanlightCore", "CCurl"]),
        swift("FanlightMicrohttpd", ["FanlightCore", "CMicrohttpd"]),
        swift("FanlightJournal", ["FanlightCore", "CSQLite", "CCrypto"]),
        swift(
            "FanlightGateway",
            ["FanlightCore", "FanlightMultipart", "FanlightMetadata", "FanlightAdapters", "FanlightConfiguration"]
        ),
        swift("FanlightTestSupport", ["FanlightCore", "FanlightGateway"]),
        program("fanlight-imaging", path: "Sources/fanlight-imaging", ["FanlightCodecs", "FanlightCore"]),
        program(
            "fanlight",
            path: "Sources/fanlight",
            [
                "FanlightCore", "FanlightConfiguration", "FanlightAdapters", "FanlightGateway", "FanlightImaging",
                "FanlightCurl", "FanlightMicrohttpd", "FanlightMetadata", "FanlightMultipart", "FanlightJournal",
            ]
        ),

        tests("FanlightCore", []),
        tests("FanlightMultipart", []),
        tests("FanlightMetadata", ["FanlightCore"]),
        tests("FanlightConfiguration", ["FanlightCore"]),
        tests("FanlightAdapters", ["FanlightCore", "FanlightConfiguration", "FanlightCurl"]),
        tests("FanlightImaging", ["FanlightCore", "FanlightMetadata", "FanlightCodecs"]),
        tests("FanlightCurl", ["FanlightCore", "FanlightMicrohttpd"]),
        tests("FanlightMicrohttpd", ["FanlightCore", "FanlightCurl"]),
        tests("FanlightJournal", ["FanlightCore", "FanlightGateway"]),
        tests("FanlightGateway", ["FanlightCore", "FanlightConfiguration", "FanlightAdapters", "FanlightMetadata"]),
        .testTarget(
            name: "CorporaTests",
            dependencies: [
                "FanlightCore", "FanlightMetadata", "FanlightMultipart", "FanlightConfiguration", "FanlightAdapters",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LiveTests",
            dependencies: [
                "FanlightCore", "FanlightConfiguration", "FanlightAdapters", "FanlightGateway", "FanlightJournal",
                "FanlightMetadata", "FanlightCurl", "FanlightCodecs", "FanlightTestSupport",
                "fanlight", "fanlight-imaging",
            ],
            swiftSettings: settings
        ),
    ]
)

// Programs that measure stay out of a plain build.
if Context.environment["FANLIGHT_BENCH"] != nil {
    package.targets += [
        program(
            "journal-bench",
            path: "Sources/journal-bench",
            ["FanlightCore", "FanlightGateway", "FanlightJournal"]
        ),
        program(
            "lane-guard",
            path: "Sources/lane-guard",
            [
                "FanlightCore", "FanlightConfiguration", "FanlightAdapters", "FanlightGateway", "FanlightImaging",
                "FanlightMetadata", "FanlightCodecs", "FanlightTestSupport",
            ]
        ),
    ]
}
