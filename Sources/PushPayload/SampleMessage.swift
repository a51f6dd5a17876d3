extension Dialect {
    /// A message of this dialect for a run without a message file, as the bytes of such a file.
    ///
    /// It has five languages, and in each a body of 300 to 340 bytes; salesforce's ids and
    /// encryption make it longer.
    public var sampleMessage: [UInt8] {
        switch self {
        case .apns: Array(Self.apnsSample.utf8)
        case .mapp: Array(Self.mappSample.utf8)
        case .salesforce: Array(Self.salesforceSample.utf8)
        case .xulo: Array(Self.xuloSample.utf8)
        }
    }

    /// The languages of ``sampleMessage``, the default first.
    public static let sampleLanguages = ["en", "tr", "de", "zh-Hant", "ar"]

    private static let titles = """
        {
            "en": "Out for delivery 🚚",
            "tr": "Siparişin yola çıktı 🚚",
            "de": "Heute bei dir 🚚",
            "zh-Hant": "訂單配送中 🚚",
            "ar": "طلبك في الطريق 🚚"
          }
        """

    private static let bodies = """
        {
            "en": "Your order from Nordlys arrives today between 14:00 and 16:00. \
        You can follow the courier on the map.",
            "tr": "Nordlys siparişin bugün 14.00 ile 16.00 arasında kapında. \
        Kuryeyi haritadan izleyebilirsin.",
            "de": "Deine Bestellung von Nordlys kommt heute zwischen 14 und 16 Uhr. \
        Auf der Karte siehst du, wo der Kurier ist.",
            "zh-Hant": "您在 Nordlys 的訂單今天下午兩點到四點送達，點開地圖即可查看外送員的位置。",
            "ar": "يصل طلبك من نورديس اليوم بين 14:00 و16:00. تابع المندوب على الخريطة."
          }
        """

    private static let xuloSample = """
        {
          "dialect": "xulo",
          "contents": \(bodies),
          "headings": \(titles),
          "url": "exampleapp://orders/48213",
          "data": {"screen": "order"},
          "draft_id": 4211
        }
        """

    private static let apnsSample = """
        {
          "dialect": "apns",
          "aps": {
            "alert": {"title": \(titles), "body": \(bodies)},
            "sound": "default",
            "thread-id": "orders",
            "category": "order",
            "interruption-level": "time-sensitive",
            "relevance-score": 0.8
          },
          "custom": {"order": "48213", "screen": "order"}
        }
        """

    private static let mappSample = """
        {
          "dialect": "mapp",
          "title": \(titles),
          "body": \(bodies),
          "sound": "default",
          "category": "apx_read_open",
          "uniqueID": 48213,
          "action": {"deepLink": "exampleapp://orders/48213"},
          "extraFields": {"screen": "order"}
        }
        """

    private static let salesforceSample = """
        {
          "dialect": "salesforce",
          "title": \(titles),
          "body": \(bodies),
          "oid": "00DAA0000001234AAA",
          "nid": "3f0e9a7c5d2b41868a90c1e2f3a4b5c6",
          "sid": "003AA0000005678AAA",
          "notifType": "0MLAA0000004211",
          "fullContent": true
        }
        """
}
