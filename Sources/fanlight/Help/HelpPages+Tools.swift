// SPDX-License-Identifier: Apache-2.0

extension HelpPages {
    static let key = CommandPage(
        name: "key",
        line: "make a client's key and its line for config.yaml",
        usage: ["key [--name NAME] [--hash]"],
        text: [
            "Prints a random key for a client, and the entry with its hash for server.client_keys. The key itself need stand nowhere but at the client.",
            "Owners see their own uploads only. Uploads and usage belong to the name: give a new key the old name and it sees what the old one saw.",
        ],
        options: [
            Row("--name NAME", "owner of the key; otherwise app"),
            Row("--hash", "read a key that exists from standard input, and print its entry only"),
        ],
        examples: [
            Row("fanlight key --name shop", "a new key"),
            Row("fanlight key --name shop --hash < shop.key", "the entry of a key that exists"),
        ],
        statuses: [Row("0", "printed"), Row("1", "standard input is empty")]
    )

    static let test = CommandPage(
        name: "test",
        line: "run the tests inside adapter files",
        usage: ["test [--format text|json] [FILE...]"],
        text: [
            "An adapter file says under tests: which request an upload makes, and what a reply means. This runs them and prints a table. Nothing is sent.",
            "Without FILE: the whole built-in catalogue. FILE is an adapter file, a folder of them, or a config.yaml, whose adapters and services with tests of their own are run.",
        ],
        options: [Row("--format text|json", "json: one object on standard output")],
        examples: [
            Row("fanlight test", "the catalogue"), Row("fanlight test my-host.yaml", "your own adapter"),
            Row("fanlight test config.yaml", "those of a configuration"),
        ],
        statuses: [Row("0", "every test passed"), Row("1", "a test failed, or a file has mistakes or no tests")]
    )

    static let explain = CommandPage(
        name: "explain",
        line: "show what would be sent for a picture",
        usage: ["explain --service NAME [--config FILE] [CAPTION...] FILE"],
        text: [
            "Prepares the picture as an upload would and prints the exact requests of one service, with secrets masked. Nothing is sent. What only a reply can tell stands as ${name}."
        ],
        options: [
            Row("--service NAME", "a service of the configuration"), config,
            Row("--title, --description, --message, --alt TEXT", "the caption"), Row("--tags LIST", "tags with commas"),
            Row("--latitude, --longitude, --altitude NUMBER", "the place, instead of the picture's own"),
            Row("--option NAME=VALUE", "an option of the service; may be repeated"),
            Row("--field NAME=VALUE", "any other field of an upload; may be repeated"),
            Row("--format text|json", "json: one object on standard output"),
        ],
        examples: [
            Row("fanlight explain --service album photo.jpg", "which rendition, and where it goes"),
            Row("fanlight explain --service myhost --title 'At sea' --option album=3 photo.jpg", "with a caption"),
        ],
        statuses: [
            Row("0", "explained"),
            Row("1", "no such service, a picture that is not taken, or an upload that the service could not take"),
        ]
    )

    static let `import` = CommandPage(
        name: "import",
        line: "make an adapter of a ShareX or PicGo description",
        usage: ["import [--name NAME] [--output FILE] FILE"],
        text: [
            "Reads a custom uploader of ShareX (.sxcu, any version) or the settings of PicGo's web uploader, and writes an adapter file with a test to fill in. FILE may be - for standard input. The kind is told by the content, not by the name.",
            "What could not be carried over is said on standard error and in comments of the adapter.",
        ],
        options: [
            Row("--name NAME", "name of the adapter; otherwise made from the description's name or host"),
            Row("--output FILE", "where the adapter is written; otherwise standard output"),
        ],
        examples: [
            Row("fanlight import host.sxcu --output adapters/host.yaml", "then name the folder in adapter_files:"),
            Row("fanlight test adapters/host.yaml", "its test"),
        ],
        statuses: [Row("0", "written, perhaps with remarks"), Row("1", "the file is no description that can be used")]
    )

    static let schema = CommandPage(
        name: "schema",
        line: "print the JSON Schema of config.yaml or of adapter files",
        usage: ["schema [config|adapter]"],
        text: [
            "JSON Schema 2020-12. Editors complete and check with it: put # yaml-language-server: $schema=FILE on the first line of the YAML file."
        ],
        examples: [
            Row("fanlight schema > config.schema.json", "for config.yaml"),
            Row("fanlight schema adapter > adapter.schema.json", "for adapter files"),
        ]
    )

    static let docs = CommandPage(
        name: "docs",
        line: "write the reference pages",
        usage: ["docs --output FOLDER"],
        text: ["Writes config.md, adapters.md, services.md and cli.md from what the program itself reads."],
        options: [Row("--output FOLDER", "an existing folder; files in it are replaced")],
        examples: [Row("fanlight docs --output docs/reference", "what scripts/docs does")],
        statuses: [Row("0", "written"), Row("1", "the folder cannot be written")]
    )
}
