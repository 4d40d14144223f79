// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension ImportRow {
    /// The syntax of ShareX 12.4 to 13.7.
    static let dollars: [ImportRow] = [
        ImportRow(
            name: "dollars: JSON, header, response",
            text: #"""
                {"Version": "13.4.0", "Name": "Dollar", "DestinationType": "ImageUploader", "RequestMethod": "POST",
                 "RequestURL": "https://d.example.org/u", "Headers": {"X-Token": "t-987654"}, "Body": "MultipartFormData",
                 "Arguments": {"t": "$filename$"}, "FileFormName": "file", "URL": "$json:files[0].url$",
                 "ThumbnailURL": "$header:X-Thumb$", "DeletionURL": "https://d.example.org/del/$json:files[0].key$"}
                """#,
            request: [
                "POST https://d.example.org/u", "X-Token: t-987654", "field t=picture.jpg", "file file: picture.jpg",
            ],
            replyHeaders: [HTTPField("X-Thumb", "https://d.example.org/t")],
            reply: #"{"files":[{"url":"https://d.example.org/1","key":"kk"}]}"#,
            result: [
                "link https://d.example.org/1", "thumbnail https://d.example.org/t",
                "delete https://d.example.org/del/kk",
            ],
            secrets: ["x_token"]
        ),
        ImportRow(
            name: "dollars: RegexList with groups by number and by name",
            text: #"""
                {"Version": "13.0.1", "RequestURL": "https://d.example.org/u", "Body": "MultipartFormData", "FileFormName": "f",
                 "RegexList": ["server: (?<id>\\d+)", "filename: \"(.+)\"", "size: \\d+"],
                 "URL": "https://d.example.org/$regex:1|id$/$regex:2|1$", "ThumbnailURL": "https://d.example.org/$regex:3$"}
                """#,
            request: ["POST https://d.example.org/u", "file f: picture.jpg"],
            reply: "server: 41\nfilename: \"image.png\"\nsize: 52687\n",
            result: ["link https://d.example.org/41/image.png", "thumbnail https://d.example.org/size:%2052687"]
        ),
        ImportRow(
            name: "dollars: escaped dollars, braces are plain, functions in a JSON body",
            text: #"""
                {"Version": "13.7.0", "RequestMethod": "PUT", "RequestURL": "https://d.example.org/u", "Body": "JSON",
                 "Data": "{\"price\": \"5\\\\$\", \"who\": \"$prompt:Name|me$\", \"set\": \"{x}\", \"img\": \"$input$\"}",
                 "URL": "$json:u$"}
                """#,
            options: ["name": "you"],
            request: [
                "PUT https://d.example.org/u", "Content-Type: application/json",
                #"body {"price":"5$","who":"you","set":"{x}","img":"cGljdHVyZQ=="}"#,
            ],
            reply: #"{"u":"https://d.example.org/1"}"#,
            result: ["link https://d.example.org/1"],
            remarks: ["img: {input} is the text"]
        ),
        ImportRow(
            name: "dollars: base64 of the file's name, select, random",
            text: #"""
                {"Version": "12.4.1", "RequestMethod": "POST", "RequestURL": "https://d.example.org/u", "Body": "Binary",
                 "Headers": {"X-Name": "$base64:plain text$", "X-Kind": "$select:a|b$"},
                 "URL": "https://$random:i|j$.example.org/$response$"}
                """#,
            request: [
                "POST https://d.example.org/u", "X-Name: cGxhaW4gdGV4dA==", "X-Kind: a", "Content-Type: image/jpeg",
                "the picture",
            ],
            reply: "9",
            result: ["link https://i.example.org/9"],
            remarks: ["URL: ShareX takes one of 2"]
        ),
        ImportRow(
            name: "dollars: no version, but a body",
            text: #"""
                {"DestinationType": "ImageUploader", "RequestMethod": "POST", "RequestURL": "https://d.example.org/u",
                 "Body": "MultipartFormData", "FileFormName": "image", "URL": "$json:url$", "DeletionURL": "$json:deletion_url$"}
                """#,
            request: ["POST https://d.example.org/u", "file image: picture.jpg"],
            reply: #"{"url":"https://d.example.org/1","deletion_url":"https://d.example.org/1/x"}"#,
            result: ["link https://d.example.org/1", "delete https://d.example.org/1/x"]
        ),
        ImportRow(
            name: "braces without a version and without a body",
            text: #"""
                {"requesturl": "https://b.example.org/u", "fileformname": "pic", "url": "{json:url}"}
                """#,
            request: ["POST https://b.example.org/u", "file pic: picture.jpg"],
            reply: #"{"url":"https://b.example.org/1"}"#,
            result: ["link https://b.example.org/1"]
        ),
        ImportRow(
            name: "a version that does not fit its syntax",
            text: #"""
                {"Version": "15.0.0", "RequestURL": "https://b.example.org/u", "Body": "MultipartFormData", "FileFormName": "pic",
                 "URL": "$json:url$"}
                """#,
            request: ["POST https://b.example.org/u", "file pic: picture.jpg"],
            reply: #"{"url":"https://b.example.org/1"}"#,
            result: ["link https://b.example.org/1"],
            remarks: ["says version 15.0.0"]
        ),
    ]

    /// ShareX up to 12.3.
    static let legacy: [ImportRow] = [
        ImportRow(
            name: "legacy: implicit patterns, no body kind",
            text: #"""
                {"Name": "Old host", "RequestType": "POST", "RequestURL": "http://old.example.org/api/up", "FileFormName": "f",
                 "Arguments": {"k": "abc", "z": "poop"}, "ResponseType": "Text",
                 "RegexList": ["(?<=,)(.*)(?=,.*,)", "\"id\":(?<n>\\d+)"], "URL": "$1$", "ThumbnailURL": "http://old.example.org/t/$2,n$",
                 "DeletionURL": "http://old.example.org/d/$2,1$"}
                """#,
            request: [
                "POST http://old.example.org/api/up", "field k=abc", "field z=poop", "file f: picture.jpg",
            ],
            reply: "0,http://old.example.org/i/1.png,\"id\":77,9",
            result: [
                "link http://old.example.org/i/1.png", "thumbnail http://old.example.org/t/77",
                "delete http://old.example.org/d/77",
            ]
        ),
        ImportRow(
            name: "legacy: named patterns, comma before the group",
            text: #"""
                {"Name": "old", "RequestType": "POST", "RequestURL": "https://old.example.org/up", "FileFormName": "file",
                 "Headers": {"Cookie": "sid=123456"}, "ResponseType": "Text", "RegexList": ["(https://(.*)\\.([0-9A-Za-z]+))"],
                 "URL": "$regex:1,1$"}
                """#,
            request: ["POST https://old.example.org/up", "Cookie: sid=123456", "file file: picture.jpg"],
            reply: "saved as https://old.example.org/a/b.png",
            result: ["link https://old.example.org/a/b.png"],
            secrets: ["cookie"]
        ),
        ImportRow(
            name: "legacy: redirection as the reply",
            text: #"""
                {"Name": "old", "RequestType": "POST", "RequestURL": "https://old.example.org/up", "FileFormName": "file",
                 "ResponseType": "RedirectionURL", "ThumbnailURL": "$response$/thumb"}
                """#,
            request: ["POST https://old.example.org/up", "file file: picture.jpg"],
            status: 303,
            replyHeaders: [HTTPField("Location", "https://old.example.org/p/3")],
            reply: "",
            result: ["link https://old.example.org/p/3", "thumbnail https://old.example.org/p/3/thumb"]
        ),
        ImportRow(
            name: "legacy: the Location header as the reply, XML for the rest",
            text: #"""
                {"Name": "old", "RequestType": "POST", "RequestURL": "https://old.example.org/up", "FileFormName": "file",
                 "ResponseType": "LocationHeader", "DeletionURL": "$xml:/r/del$"}
                """#,
            request: ["POST https://old.example.org/up", "file file: picture.jpg"],
            status: 201,
            replyHeaders: [HTTPField("Location", "https://old.example.org/p/4")],
            reply: "<r><del>https://old.example.org/x</del></r>",
            result: ["link https://old.example.org/p/4", "delete https://old.example.org/x"]
        ),
    ]
}
