// SPDX-License-Identifier: Apache-2.0

public import FanlightCore

/// Every key of config.yaml that the gateway itself reads, described once.
public enum ConfigurationFields {
    /// Keys of the file itself.
    public static let file = Section(
        "",
        [
            FieldSpec("server", .shaped(.keys(server)), "How clients reach the gateway"),
            FieldSpec("image", .shaped(.keys(image)), "How pictures are prepared; a service may have its own values"),
            FieldSpec(
                "geotag",
                .shaped(.keys(GeotagConfiguration.section)),
                "What is taken as a picture's place, and what services are told of it"
            ),
            FieldSpec("journal", .shaped(.keys(JournalConfiguration.section)), "How the record of uploads is kept"),
            FieldSpec(
                "services",
                .shaped(.identified(.defined("service"))),
                "Where pictures go, by name; the report has this order"
            ),
            FieldSpec(
                "notify",
                .shaped(.keys(NotifyConfiguration.section)),
                "A webhook that is told about finished uploads; absent = none"
            ),
            FieldSpec("routes", .shaped(.identified(routeShape)), "Named sets of services"),
            FieldSpec(
                "adapters",
                .shaped(.identified(.defined("adapter"))),
                "Adapters that are added to the catalogue or override its entries"
            ),
            FieldSpec(
                "adapter_files",
                .someText,
                "Folder with one YAML file an adapter; a relative path counts from where the gateway is started"
            ),
        ]
    )

    /// Keys under `server`.
    public static let server = Section(
        "server",
        [
            FieldSpec("listen", .address, default: "127.0.0.1:8080", "Address and port"),
            FieldSpec("public_url", .baseURL, "What links to the gateway's own pictures begin with"),
            FieldSpec(
                "state",
                .someText,
                default: "./state",
                "Folder for uploads under way and for the history; a relative path counts from where the gateway is started"
            ),
            FieldSpec(
                "state_key",
                .secret,
                "Seals the secrets in the history; absent = a key that is made in the state folder"
            ),
            FieldSpec(
                "max_body",
                .someBytes,
                default: "32MB",
                "Largest request that is read; more is answered with 413"
            ),
            FieldSpec(
                "min_free",
                .byteSize,
                default: "200MB",
                "Space that the state folder's disk must have left for the gateway to call itself ready; 0 = no bound"
            ),
            FieldSpec("answer_within", .duration, default: "60s", "Longest that a client waits for the report"),
            FieldSpec(
                "trace",
                .choice(TracePolicy.allCases.map(\.rawValue)),
                default: "pass",
                "A client's traceparent: off (services are not told), pass (told), start (and made where there is none)"
            ),
            FieldSpec("drain", .duration, default: "30s", "Time that uploads under way get after a stop signal"),
            FieldSpec(
                "client_timeout",
                .duration,
                default: "60s",
                "Time in which a client's request must arrive; a body that keeps to min_rate gets more"
            ),
            FieldSpec(
                "min_rate",
                .byteSize,
                default: "8KB",
                "Slowest client: each of so many bytes gives a body another second; 0 = no more time"
            ),
            FieldSpec(
                "max_connections",
                .integer(1...100_000),
                default: "1000",
                "Connections at the same time; for more, the longest silent one makes room, else 503"
            ),
            FieldSpec(
                "max_connections_per_address",
                .integer(0...100_000),
                default: "0",
                "Connections of one address, more are answered with 429; 0 = no bound"
            ),
            FieldSpec(
                "trusted_proxies",
                .texts,
                "Addresses and networks, such as 10.0.0.0/8, of proxies that stand for many clients"
            ),
            FieldSpec(
                "client_address",
                .choice(ForwardedField.allCases.map(\.rawValue)),
                default: "x-forwarded-for",
                "Header in which a trusted proxy tells its client's address; the proxy must set it, whatever the client sends"
            ),
            FieldSpec(
                "address_rate",
                .rate,
                "Requests to upload, retry or delete of one address without a key, and wrong keys of one address, such as 60/min; more are answered 429; absent = no bound"
            ),
            FieldSpec(
                "max_spool",
                .byteSize,
                default: "2GB",
                "Bytes of bodies that are being received and of pictures that are not yet delivered; more are answered 503, and the last tenth is kept for small requests; 0 = no bound"
            ),
            FieldSpec(
                "cors",
                .texts,
                "Origins of web pages that may use the gateway, such as https://app.example; '*' = all; absent = none"
            ),
            FieldSpec(
                "strict_files",
                .boolean,
                default: "false",
                "Files with secrets that everybody on the machine can read are refused instead of warned of"
            ),
            FieldSpec(
                "client_keys",
                .shaped(ClientKeyConfiguration.shape),
                "Keys that clients must send as a bearer token; none = everybody may upload"
            ),
        ]
    )

    /// Keys under `image`.
    public static let image = Section(
        "image",
        [
            FieldSpec(
                "max_edge",
                .integer(0...65_535),
                default: "2048",
                "Longer side in pixels; 0 = no bound; never enlarged"
            ),
            FieldSpec(
                "metadata",
                .choice(MetadataPolicy.allCases.map(\.rawValue)),
                default: "strip",
                "What stays in the file: nothing, the copyright notice, all but the position, everything"
            ),
            FieldSpec(
                "quality",
                .integer(1...100),
                default: "85",
                "JPEG and WebP quality of pictures that are encoded again"
            ),
            FieldSpec(
                "format",
                .choice(["jpeg", "png", "webp", "gif"]),
                "The one format to make; absent = the picture's own where the service takes it"
            ),
            FieldSpec(
                "rotate",
                .choice(RotationPolicy.allCases.map(\.rawValue)),
                default: "lossless",
                "How a sideways JPEG becomes upright: without loss where that is exact, with cut edges, encoded again"
            ),
            FieldSpec(
                "color",
                .choice(ColourPolicy.allCases.map(\.rawValue)),
                default: "keep",
                "Colours beyond sRGB: kept with their profile, or converted to sRGB"
            ),
            FieldSpec(
                "background",
                .colour,
                default: "white",
                "What shows through transparency where the format has none"
            ),
            FieldSpec(
                "sha256",
                .boolean,
                default: "true",
                "Reports give the hash of the picture as it came; false spares half a millisecond of processor time a megabyte"
            ),
            FieldSpec("max_pixels", .pixelCount, default: "100MP", "Pixels of one picture that comes in"),
            FieldSpec(
                "max_frames",
                .integer(1...100_000),
                default: "1000",
                "Frames or pages of a picture that comes in"
            ),
            FieldSpec(
                "max_total_pixels",
                .pixelCount,
                default: "2000MP",
                "Pixels over all frames of a picture that comes in"
            ),
            FieldSpec(
                "helpers",
                .integer(0...256),
                default: "0",
                "Processes that decode pictures; 0 = one for each processor that the gateway may use"
            ),
            FieldSpec("cpu", .duration, default: "10s", "Processor time for one rendition, in whole seconds"),
            FieldSpec("memory", .byteSize, default: "1GB", "Memory that one decoding process may use, from 128MB on"),
        ]
    )

    /// Keys of one route.
    public static let route = Section(
        "routes.NAME",
        [
            FieldSpec("services", .texts, "Services in order; absent = all"),
            FieldSpec("policy", .shaped(policy), "When the client is answered; absent = all"),
            FieldSpec("optional", .texts, "Those of its services whose failure does not make an upload partial"),
            FieldSpec("shadow", .texts, "Those of its services that are only measured and are in no answer"),
        ]
    )

    /// A mapping, or its services alone.
    private static let routeShape = Shape.either([.keys(route), .one(.texts)])
    /// A word, a mapping, or both in one text.
    private static let policy = Shape.either([
        .one(.choice(["all", "any", "first"])), .keys(quorum),
        .one(.formed(pattern: "[: ]*(all|any|first|quorum[: ]+0*[1-9][0-9]*)[: ]*", least: nil)),
    ])

    /// The policy that has a number.
    static let quorum = Section(
        "quorum",
        [FieldSpec("quorum", .integer(1...Int.max), required: true, "So many services must have delivered")]
    )

    /// The sections with fields of their own.
    public static let sections = [
        server, image, GeotagConfiguration.section, JournalConfiguration.section, NotifyConfiguration.section,
    ]

    /// The reference of these keys in Markdown, one table a section.
    public static func reference() -> String {
        ReferenceWriter.tables([file] + sections + [ClientKeyConfiguration.section, route, quorum])
    }

    /// JSON Schema of config.yaml.
    ///
    /// - Parameters:
    ///   - writer: Knows the shapes of the adapter language; `service` and `adapter` must be defined in it.
    public static func schema(_ writer: inout SchemaWriter) -> JSONValue {
        let body = writer.object(file).object ?? []
        let head: [JSONValue.Member] = [
            .init("$schema", .string(SchemaWriter.dialect)), .init("title", "config.yaml of Fanlight"),
        ]
        return .object(head + body + [.init("$defs", writer.definitionsObject())])
    }
}
