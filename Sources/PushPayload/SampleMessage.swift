extension Dialect {
    /// A message of this dialect for a run without a message file, as the bytes of such a file.
    ///
    /// It has five languages, and in each a body of 300 to 340 bytes.
    public var sampleMessage: [UInt8] {
        switch self {
        case .apns: Array(Self.apnsSample.utf8)
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
}
