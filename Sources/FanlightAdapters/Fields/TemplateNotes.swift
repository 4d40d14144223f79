// SPDX-License-Identifier: Apache-2.0

/// What the reference says of each filter and variable; the compiler sees to it that none is forgotten.
enum TemplateNotes {
    /// The filters as a table.
    static var filters: String {
        "| filter | gives |\n|---|---|\n"
            + Filter.Kind.allCases.map { "| `\($0.rawValue)\(arguments($0))` | \(note($0)) |\n" }.joined()
    }

    /// The variables as a table.
    static var variables: String {
        "| name | is |\n|---|---|\n"
            + Variable.Plain.allCases.map { "| `\($0.rawValue)` | \(note($0)) |\n" }.joined()
            + Variable.File.allCases.map { "| `file.\($0.rawValue)` | \(note($0)) |\n" }.joined()
                + """
                | `setting.NAME`, `option.NAME` | a declared setting or option |
                | `field.NAME` | whatever else the client sent under that name |
                | `NAME` | a value that `save` kept; its own name wins over those above |
                | `STEP.status` | status of the reply that a step got |
                | `session.NAME` | a value of the session |

                """
    }

    private static func arguments(_ kind: Filter.Kind) -> String {
        switch kind {
        case .default: ":VALUE"
        case .truncate: ":N,UNIT"
        case .replace: ":OLD,NEW"
        case .join, .split: ":TEXT"
        case .fixed: ":N"
        case .date: ":FORMAT"
        case .match: ":PATTERN"
        case .md5, .sha1, .sha256: ":base64"
        case .hmacSHA1, .hmacSHA256: ":KEY,base64"
        case .dms, .iso6709: ":DIGITS"
        default: ""
        }
    }

    private static func note(_ kind: Filter.Kind) -> String {
        switch kind {
        case .default:
            "the value, or where it is absent a variable (a bare word), or text in quotes, which may be empty"
        case .truncate: "at most N characters, or N `graphemes`, `utf16`, `bytes`"
        case .trim: "no blanks at the ends"
        case .lower: "small letters"
        case .upper: "capital letters"
        case .replace: "every OLD replaced"
        case .join: "one text of a list, with TEXT (a comma) between"
        case .split: "a list of the pieces between TEXT (a comma)"
        case .fixed: "a number with N digits after the point"
        case .int: "a whole number; of truth values 1 and 0"
        case .bool: "true or false"
        case .urlencode: "percent-encoded for a query"
        case .urlpath: "percent-encoded for a path; slashes stay. A client's `.` and `..` are refused in every path"
        case .basename: "what follows the last slash of a path or address"
        case .ascii: "every other character as `_`"
        case .json: "JSON text"
        case .jsonASCII: "JSON text of ASCII characters alone"
        case .base64: "base64"
        case .base64Decode: "the text in base64"
        case .base58: "a number in base 58, as short addresses have it"
        case .hex: "hexadecimal digits of the bytes"
        case .xml: "escaped for XML"
        case .md5, .sha1, .sha256: "the hash as hexadecimal digits, or as base64"
        case .hmacSHA1, .hmacSHA256: "the keyed hash as hexadecimal digits, or as base64"
        case .quoteSpaces: "in double quotes where it has a blank"
        case .hashtags: "each tag as a hashtag"
        case .first: "the first item of a list"
        case .last: "the last item of a list"
        case .iso: "a moment as `2018-07-25T14:34:23Z`"
        case .unix: "a moment in seconds since 1970"
        case .unixMS: "a moment in milliseconds since 1970"
        case .date: "a moment by `yyyy MM dd HH mm ss`"
        case .match: "the first group of the pattern, or the whole match; absent without one"
        case .dms: "a coordinate as degrees, minutes and seconds"
        case .iso6709: "a position by ISO 6709"
        }
    }

    private static func note(_ variable: Variable.Plain) -> String {
        switch variable {
        case .title, .description, .message: "what the client sent under that name"
        case .alt: "text for people who cannot see the picture"
        case .tags: "list of tags"
        case .lat: "latitude in degrees, north positive"
        case .lon: "longitude in degrees, east positive"
        case .altitude: "metres above the sea"
        case .geotag: "the whole position, for `iso6709`"
        case .takenAt: "when the picture was taken"
        case .now: "this moment"
        case .uuid: "an identifier of this delivery"
        case .random: "32 hexadecimal digits, the same in the whole delivery"
        case .service: "the service's name in `config.yaml`"
        case .idempotencyKey: "the same for every attempt of a delivery, and no other's"
        case .uploadID: "the upload's identifier"
        case .publicURL: "address of the gateway itself"
        case .networkError: "why no complete reply came; for `retry_when` and `restart`"
        case .recovered: "the word under `as` of the rule that made a failure a success"
        }
    }

    private static func note(_ fact: Variable.File) -> String {
        switch fact {
        case .name: "made-up name of the file with its ending"
        case .stem: "that name without its ending"
        case .ext: "ending by the format, such as `jpg`"
        case .mime: "type, such as `image/jpeg`"
        case .size: "bytes"
        case .width, .height: "pixels"
        case .sha256, .md5, .sha1: "hash in hexadecimal digits"
        case .base64: "the picture itself in base64; `${file\\|base64}` is the same"
        }
    }
}
