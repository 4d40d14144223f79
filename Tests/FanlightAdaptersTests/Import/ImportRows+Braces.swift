// SPDX-License-Identifier: Apache-2.0

import FanlightCore

extension ImportRow {
    /// The syntax of ShareX 14 and later.
    static let braces: [ImportRow] = [
        ImportRow(
            name: "multipart form, JSON reply with four links",
            text: #"""
                {"Version": "15.0.0", "Name": "Example", "DestinationType": "ImageUploader, FileUploader",
                 "RequestMethod": "POST", "RequestURL": "https://img.example.org/api/upload", "Body": "MultipartFormData",
                 "Arguments": {"album": "7", "note": "", "title": "{filename}"}, "FileFormName": "image",
                 "URL": "{json:data.url}", "ThumbnailURL": "{json:data.thumbs[0].url}",
                 "DeletionURL": "https://img.example.org/delete/{json:data.id}?h={json:data['hash']}",
                 "ErrorMessage": "{json:error.message}"}
                """#,
            request: [
                "POST https://img.example.org/api/upload", "field album=7", "field note=", "field title=picture.jpg",
                "file image: picture.jpg",
            ],
            reply:
                #"{"data":{"url":"https://i.example.org/a.jpg","id":"a1","hash":"ff","thumbs":[{"url":"https://i.example.org/t.jpg"}]}}"#,
            result: [
                "link https://i.example.org/a.jpg", "thumbnail https://i.example.org/t.jpg",
                "delete https://img.example.org/delete/a1?h=ff",
            ]
        ),
        ImportRow(
            name: "the service's words in a failure",
            text: #"""
                {"Version": "14.1.0", "RequestURL": "https://img.example.org/u", "Body": "MultipartFormData",
                 "FileFormName": "f", "URL": "{json:url}", "ErrorMessage": "Refused: {json:message}"}
                """#,
            request: ["POST https://img.example.org/u", "file f: picture.jpg"],
            status: 403,
            reply: #"{"message":"no space left"}"#,
            result: ["failure Refused: no space left"]
        ),
        ImportRow(
            name: "PUT of the bytes, bearer token, name of the file in the address",
            text: #"""
                {"Version": "16.1.0", "RequestMethod": "PUT", "RequestURL": "https://dav.example.org/pics/{filename}",
                 "Headers": {"Authorization": "Bearer abc.def", "X-Client": "ShareX"}, "Body": "Binary",
                 "URL": "https://dav.example.org/pics/{filename}"}
                """#,
            request: [
                "PUT https://dav.example.org/pics/picture.jpg", "X-Client: ShareX", "Authorization: Bearer abc.def",
                "Content-Type: image/jpeg", "the picture",
            ],
            status: 201,
            reply: "",
            result: ["link https://dav.example.org/pics/picture.jpg"],
            secrets: ["token"]
        ),
        ImportRow(
            name: "Basic credentials, header of the reply",
            text: #"""
                {"Version": "14.0.1", "RequestMethod": "POST", "RequestURL": "img.example.org/up",
                 "Headers": {"authorization": "Basic {base64:ada:love:lace}"}, "Body": "Binary", "URL": "{header:X-Link}"}
                """#,
            request: [
                "POST https://img.example.org/up", "Authorization: Basic YWRhOmxvdmU6bGFjZQ==",
                "Content-Type: image/jpeg", "the picture",
            ],
            replyHeaders: [HTTPField("x-link", "https://img.example.org/1.jpg")],
            reply: "ok",
            result: ["link https://img.example.org/1.jpg"],
            secrets: ["password"]
        ),
        ImportRow(
            name: "PATCH with a JSON body and the picture in base64",
            text: #"""
                {"Version": "14.1.0", "RequestMethod": "PATCH", "RequestURL": "https://api.example.org/v2/files",
                 "Body": "JSON", "Headers": {"X-Api-Key": "k-123456"},
                 "Data": "{\"name\": \"{filename}\", \"content\": \"{input}\", \"public\": true, \"tags\": [\"a\", \"b\"], \"size\": 3}",
                 "URL": "{json:links.self.href}"}
                """#,
            request: [
                "PATCH https://api.example.org/v2/files", "X-Api-Key: k-123456", "Content-Type: application/json",
                #"body {"name":"picture.jpg","content":"cGljdHVyZQ==","public":true,"tags":["a","b"],"size":3}"#,
            ],
            reply: #"{"links":{"self":{"href":"https://api.example.org/f/1"}}}"#,
            result: ["link https://api.example.org/f/1"],
            remarks: ["content: {input} is the text that ShareX uploads"],
            secrets: ["x_api_key"]
        ),
        ImportRow(
            name: "XML reply, parameters beside those of the address, a key among them",
            text: #"""
                {"Version": "14.0.0", "RequestURL": "https://old.example.org/up.php?fmt=xml&key=from-url", "RequestMethod": "POST",
                 "Parameters": {"key": "s3cret-1", "v": "a b"}, "Body": "MultipartFormData", "FileFormName": "media",
                 "URL": "{xml:/rsp/mediaurl}", "ThumbnailURL": "{xml:{response}|//thumb[@size='s']}"}
                """#,
            request: [
                "POST https://old.example.org/up.php?key=s3cret-1&v=a%20b&fmt=xml", "file media: picture.jpg",
            ],
            reply:
                "<rsp><mediaurl>https://old.example.org/7</mediaurl><thumb size=\"l\">l</thumb><thumb size=\"s\">https://old.example.org/7s</thumb></rsp>",
            result: ["link https://old.example.org/7", "thumbnail https://old.example.org/7s"],
            secrets: ["key"]
        ),
        ImportRow(
            name: "patterns: a whole match with groups, a numbered and a named group",
            text: #"""
                {"Version": "15.0.0", "RequestURL": "https://t.example.org/", "Body": "MultipartFormData", "FileFormName": "file",
                 "URL": "{regex:https\\://t\\\\.example\\\\.org/(\\\\w+)\\\\.(png\\|jpg)}",
                 "ThumbnailURL": "https://t.example.org/s/{regex:id=(\\\\d+);name=(\\\\w+)|2}",
                 "DeletionURL": "https://t.example.org/d/{regex:{response}|(a)?del=(?<secret>\\\\w+)|secret}"}
                """#,
            request: ["POST https://t.example.org/", "file file: picture.jpg"],
            reply: "See https://t.example.org/abc.png id=42;name=moon del=zz9",
            result: [
                "link https://t.example.org/abc.png", "thumbnail https://t.example.org/s/moon",
                "delete https://t.example.org/d/zz9",
            ]
        ),
        ImportRow(
            name: "a pattern over a value of the reply",
            text: #"""
                {"Version": "15.0.0", "RequestURL": "https://t.example.org/", "Body": "MultipartFormData", "FileFormName": "file",
                 "URL": "https://cdn.example.org/{regex:{json:path}|[^/]+$|0}"}
                """#,
            request: ["POST https://t.example.org/", "file file: picture.jpg"],
            reply: #"{"path":"/srv/www/9.jpg"}"#,
            result: ["link https://cdn.example.org/9.jpg"]
        ),
        ImportRow(
            name: "where a redirect leads",
            text: #"""
                {"Version": "14.1.0", "RequestURL": "https://r.example.org/new", "Body": "MultipartFormData", "FileFormName": "f",
                 "URL": "{responseurl}"}
                """#,
            request: ["POST https://r.example.org/new", "file f: picture.jpg"],
            status: 302,
            replyHeaders: [HTTPField("Location", "https://r.example.org/view/5")],
            reply: "",
            result: ["link https://r.example.org/view/5"]
        ),
        ImportRow(
            name: "choices become options: random, select, prompt",
            text: #"""
                {"Version": "15.0.0", "RequestURL": "https://c.example.org/u", "Body": "MultipartFormData", "FileFormName": "f",
                 "Arguments": {"folder": "{prompt:Which folder?|inbox}", "kind": "{select:photo|drawing}"},
                 "URL": "https://{random:one|two}.example.org/{response}"}
                """#,
            options: ["choice": "drawing", "choice_2": "two"],
            request: [
                "POST https://c.example.org/u", "field folder=inbox", "field kind=drawing", "file f: picture.jpg",
            ],
            reply: "x.jpg",
            result: ["link https://two.example.org/x.jpg"],
            remarks: ["URL: ShareX takes one of 2 values by chance"]
        ),
        ImportRow(
            name: "a choice in the address becomes a setting",
            text: #"""
                {"Version": "15.0.0", "RequestURL": "https://{inputbox:Server|eu}.example.org/u", "Body": "MultipartFormData",
                 "FileFormName": "f", "URL": "{response}"}
                """#,
            settings: ["server": "us"],
            request: ["POST https://us.example.org/u", "file f: picture.jpg"],
            reply: "https://us.example.org/1\n",
            result: ["link https://us.example.org/1"]
        ),
        ImportRow(
            name: "backslashes make braces plain; a bare bar ends the text",
            text: #"""
                {"Version": "15.0.0", "RequestURL": "https://b.example.org/u", "Body": "MultipartFormData", "FileFormName": "f",
                 "Arguments": {"a": "\\{filename\\} \\\\ $\\{x\\}", "b": "left|right"}, "URL": "https://b.example.org/\\{{json:id}\\}"}
                """#,
            request: [
                "POST https://b.example.org/u", #"field a={filename} \ ${x}"#, "field b=left", "file f: picture.jpg",
            ],
            reply: #"{"id":12345678901234567890}"#,
            result: ["link https://b.example.org/%7B12345678901234567890%7D"],
            remarks: ["b: ShareX ignores what follows a bare '|'"]
        ),
        ImportRow(
            name: "codes of dates and sizes in values",
            text: #"""
                {"Version": "15.0.0", "RequestURL": "https://d.example.org/%y", "Body": "MultipartFormData", "FileFormName": "f",
                 "Arguments": {"day": "%y-%mo-%d %h:%mi:%s", "size": "%widthx%height", "unix": "%unix", "who": "%un"}, "URL": "{response}"}
                """#,
            request: [
                "POST https://d.example.org/%y", "field day=2023-11-14 22:13:20", "field size=640x480",
                "field unix=1700000000", "field who=%un", "file f: picture.jpg",
            ],
            reply: "https://d.example.org/1",
            result: ["link https://d.example.org/1"],
            remarks: ["who: the code %un is not carried over"]
        ),
        ImportRow(
            name: "no URL: the whole reply is the link; UTF-8 mark, comments, commas too many",
            text: #"""
                {
                  // exported by hand
                  "Version": "14.1.0", /* any */
                  "RequestURL": "https://n.example.org/u",
                  "Body": "MultipartFormData",
                  "FileFormName": "upload", // a form field
                  "Arguments": {"q": "1", },
                }
                """#,
            mark: [0xEF, 0xBB, 0xBF],
            request: ["POST https://n.example.org/u", "field q=1", "file upload: picture.jpg"],
            reply: "https://n.example.org/%C3%A9.jpg\r\n",
            result: ["link https://n.example.org/%C3%A9.jpg"]
        ),
        ImportRow(
            name: "a form body without a file",
            text: #"""
                {"Version": "14.1.0", "RequestURL": "https://f.example.org/paste", "Body": "FormURLEncoded",
                 "Arguments": {"data": "{input}", "name": "{filename}", "mode": "a&b"}, "URL": "{json:$.result[0]}"}
                """#,
            request: [
                "POST https://f.example.org/paste", "Content-Type: application/x-www-form-urlencoded",
                "body data=cGljdHVyZQ%3D%3D&name=picture.jpg&mode=a%26b",
            ],
            reply: #"{"result":["https://f.example.org/p/1"]}"#,
            result: ["link https://f.example.org/p/1"],
            remarks: ["data: {input} is the text that ShareX uploads"]
        ),
    ]
}
