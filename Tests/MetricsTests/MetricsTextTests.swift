import Testing

@testable import Metrics

@Suite struct MetricsTextTests {
    @Test func aMetricHasHelpTypeAndSamples() {
        var text = MetricsText()
        text.add("pushbench_pushes_sent_total", .counter, "Pushes sent.", 200_000)
        #expect(
            text.text == """
                # HELP pushbench_pushes_sent_total Pushes sent.
                # TYPE pushbench_pushes_sent_total counter
                pushbench_pushes_sent_total 200000

                """
        )
    }

    /// Reasons come from the target: none may forge a sample.
    @Test(arguments: [
        ("BadDeviceToken", "BadDeviceToken"),
        (#"a"b"#, #"a\"b"#),
        (#"a\b"#, #"a\\b"#),
        ("a\nb 1", #"a\nb 1"#),
        ("ğ🚚", "ğ🚚"),
    ])
    func labelValuesAreEscaped(value: String, expected: String) {
        var text = MetricsText()
        text.sample("x_total", labels: [("reason", value)], 1)
        #expect(text.text == "x_total{reason=\"\(expected)\"} 1\n")
    }

    @Test func helpIsEscapedButForQuotes() {
        var text = MetricsText()
        text.begin("x", .gauge, "a \"b\" \\ c\nd")
        #expect(text.text == "# HELP x a \"b\" \\\\ c\\nd\n# TYPE x gauge\n")
    }

    @Test(arguments: [
        (0.0, "0"), (0.25, "0.25"), (1e14, "100000000000000"), (1.5e300, "1.5e+300"), (-3, "-3"),
        (Double.infinity, "+Inf"), (-Double.infinity, "-Inf"), (Double.nan, "NaN"),
    ])
    func numbersAreAsPrometheusReadsThem(value: Double, expected: String) {
        var text = MetricsText()
        text.sample("x", value)
        #expect(text.text == "x \(expected)\n")
    }

    @Test func aHistogramEndsInAnInfiniteBucketSumAndCount() {
        var text = MetricsText()
        text.histogram(
            "t_seconds",
            "Times.",
            buckets: [(0.0001, 3), (0.0025, 5)],
            sum: 0.75,
            count: 6
        )
        #expect(
            text.text == """
                # HELP t_seconds Times.
                # TYPE t_seconds histogram
                t_seconds_bucket{le="0.0001"} 3
                t_seconds_bucket{le="0.0025"} 5
                t_seconds_bucket{le="+Inf"} 6
                t_seconds_sum 0.75
                t_seconds_count 6

                """
        )
    }
}
