// SPDX-License-Identifier: Apache-2.0

/// The pages of all commands, in the order of the list.
enum HelpPages {
    typealias Row = CommandPage.Row

    static let all = [
        serve, check, send, services, health, key, sandbox, test, explain, `import`, schema, docs, version, help,
    ]

    static let config = Row("--config FILE", "the configuration; otherwise FANLIGHT_CONFIG, otherwise ./config.yaml")
    static let mistakes = Row("1", "the configuration has mistakes; they are on standard error")

    static let serve = CommandPage(
        name: "serve",
        line: "run the gateway",
        usage: ["serve [--config FILE] [--listen HOST:PORT]"],
        text: [
            "Runs until SIGTERM or SIGINT. Uploads under way then get server.drain to finish; a second signal ends at once.",
            "Prints one line when it is ready: fanlight ready URL. Streams that take nothing stop nothing.",
            "Logs JSON lines to standard error, warnings of the configuration among them. What keeps it from starting is plain text.",
        ],
        options: [config, Row("--listen HOST:PORT", "instead of server.listen; port 0 lets the system choose")],
        examples: [
            Row("fanlight serve", "with ./config.yaml"),
            Row(
                "fanlight serve --config /etc/fanlight/config.yaml --listen 0.0.0.0:8080",
                "for clients of other machines"
            ),
        ],
        statuses: [
            Row("0", "stopped by a signal"),
            Row(
                "1",
                "the configuration has mistakes, or the address or the state folder cannot be used, or too few files may be open"
            ),
        ],
        isServer: true
    )

    static let check = CommandPage(
        name: "check",
        line: "check config.yaml and the adapters that it names",
        usage: ["check [--config FILE] [--format text|json]"],
        text: [
            "Prints every mistake as file:line:column with what would be right, all in one run. Sends nothing."
        ],
        options: [config, Row("--format text|json", "json: one object on standard output with every finding")],
        examples: [
            Row("fanlight check", "before a reload"),
            Row("fanlight check --format json | jq '.findings[]'", "for editors and scripts"),
        ],
        statuses: [Row("0", "no errors; warnings may be there"), mistakes]
    )

    static let send = CommandPage(
        name: "send",
        line: "upload pictures to a running gateway",
        usage: ["send [--to URL] [--config FILE] [--services NAMES] FILE..."],
        text: ["Prints the links, one a line. On a terminal a bar shows how much has left."],
        options: [
            Row("--to URL", "the gateway; otherwise the address of the configuration"), config,
            Row("--services NAMES", "names of services and routes with commas; otherwise the default route"),
        ],
        examples: [
            Row("fanlight send photo.jpg", "to every service"),
            Row("fanlight send --services album,backup *.jpg", "to some of them"),
        ],
        statuses: [Row("0", "every picture was delivered everywhere"), Row("1", "something was not delivered")]
    )

    static let services = CommandPage(
        name: "services",
        line: "list the configured services",
        usage: ["services [--config FILE]"],
        text: ["Says of each service which adapter it has, whether it is on, and why not."],
        options: [config],
        examples: [Row("fanlight services", "one line a service")],
        statuses: [Row("0", "listed"), mistakes]
    )

    static let health = CommandPage(
        name: "health",
        line: "ask a running gateway whether it is ready",
        usage: ["health [--to URL] [--config FILE]"],
        text: [
            "Asks /readyz and waits at most four seconds. For health checks of containers, and for scripts.",
            "Of the configuration only server.state and server.listen are read, whatever else stands in it by now: a running gateway notes its address in the state folder, and among the user's temporary files for a configuration that is broken or gone; server.listen counts where no such note is there.",
        ],
        options: [Row("--to URL", "the gateway; otherwise the one of the configuration"), config],
        examples: [Row("fanlight health --to http://127.0.0.1:8080", "without reading a configuration")],
        statuses: [Row("0", "ready"), Row("1", "not ready, or no answer")]
    )

    static let sandbox = CommandPage(
        name: "sandbox",
        line: "run loopback services to try with",
        usage: ["sandbox [--listen HOST:PORT]", "sandbox --make-photo FILE", "sandbox --inspect FILE"],
        text: SandboxPage.text,
        options: [
            Row("--listen HOST:PORT", "where it listens; otherwise 127.0.0.1:8090"),
            Row("--make-photo FILE", "writes a geotagged JPEG that a camera held sideways would store"),
            Row("--inspect FILE", "prints type, size, orientation and position of a picture"),
        ],
        examples: [
            Row(
                "fanlight sandbox --listen 127.0.0.1:9000",
                "then name http://127.0.0.1:9000/upload.json in config.yaml"
            ),
            Row("fanlight sandbox --inspect photo.jpg", "what the gateway reads from it"),
        ],
        statuses: [Row("0", "done, or stopped by a signal"), Row("1", "the address or the file cannot be used")]
    )

    static let version = CommandPage(
        name: "version",
        line: "print the version",
        usage: ["version"],
        text: ["Prints fanlight and its version."],
        examples: [Row("fanlight version", "")]
    )

    static let help = CommandPage(
        name: "help",
        line: "this list, or one command's page",
        usage: ["help [COMMAND]"],
        text: ["Without a command: the list of all."],
        examples: [Row("fanlight help import", "one page")]
    )
}

/// The sandbox's page names dialects by the paths that they have.
enum SandboxPage {
    static let text = [
        "Answers as well-known services do: /uploadapiwithkey.php takes the form of the oldest picture hosts and answers XML, /3/image answers JSON in an envelope, /upload.php in words, /upload.json with a url. What was taken is served back.",
        "?fail=503 in the URL fails with that status, ?fail=30% three times in ten, ?fail=drop takes the picture and hangs up, ?delay=2000 waits so many milliseconds. GET /received lists what was accepted, GET /requests every complete request, one JSON object a line.",
    ]
}
