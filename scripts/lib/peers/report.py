"""Medians and ratios of what was measured, as JSON and as a table."""

from statistics import median


def summarise(samples):
    """One row for each combination, with the median, least and most of its rounds."""
    rows = {}
    for sample in samples:
        key = (sample["streams"], sample["client"], sample["server"])
        rows.setdefault(key, []).append(sample)
    return [summary(key, group) for key, group in rows.items()]


def summary(key, group):
    """The row of one combination."""

    def of(name):
        values = [sample[name] for sample in group]
        return {"median": median(values), "min": min(values), "max": max(values)}

    streams, client, server = key
    return {
        "streams": streams,
        "client": client,
        "server": server,
        "rounds": len(group),
        "clientMicroseconds": of("clientMicroseconds"),
        "serverMicroseconds": of("serverMicroseconds"),
        "pushesPerSecond": of("pushesPerSecond"),
    }


def ratios(rows):
    """What the rows come to: each side of ours over its counterpart, for each stream count."""

    def value(streams, client, server, name):
        for row in rows:
            if (row["streams"], row["client"], row["server"]) == (streams, client, server):
                return row[name]["median"]
        return None

    found = []

    def add(streams, what, top, bottom):
        if top is not None and bottom:
            found.append({"streams": streams, "what": what, "ratio": top / bottom})

    clients = [row["client"] for row in rows if row["client"].startswith("pushbench")]
    for streams in dict.fromkeys(row["streams"] for row in rows):
        for client in dict.fromkeys(clients):
            ours = value(streams, client, "nghttpd", "clientMicroseconds")
            for peer in ("h2load", "h2load +auth"):
                theirs = value(streams, peer, "nghttpd", "clientMicroseconds")
                add(streams, f"client CPU, {client} / {peer}, to nghttpd", ours, theirs)
            rate = value(streams, client, "pushbench mock", "pushesPerSecond")
            peer_rate = value(streams, "h2load", "nghttpd", "pushesPerSecond")
            what = f"pushes/s, {client} to the mock / h2load to nghttpd"
            add(streams, what, rate, peer_rate)
        for peer in ("h2load", "h2load +auth"):
            ours = value(streams, peer, "pushbench mock", "serverMicroseconds")
            theirs = value(streams, peer, "nghttpd", "serverMicroseconds")
            add(streams, f"server CPU, mock / nghttpd, under {peer}", ours, theirs)
    return found


def table(rows, found, notes):
    """The whole report as text."""
    lines = [
        f"{'streams':>7}  {'client':<22} {'server':<15} {'client µs':>16} {'server µs':>16}"
        f" {'pushes/s':>10}"
    ]
    for row in rows:
        lines.append(
            f"{row['streams']:>7}  {row['client']:<22} {row['server']:<15}"
            f" {spread(row['clientMicroseconds']):>16} {spread(row['serverMicroseconds']):>16}"
            f" {row['pushesPerSecond']['median']:>10,.0f}"
        )
    lines += ["", "µs: CPU of a push, the whole process with its start, median ± half the spread", ""]
    lines += [f"{item['ratio']:>7.2f}  {item['what']}, {item['streams']} streams" for item in found]
    lines += [f"note: {note}" for note in notes]
    return "\n".join(lines)


def spread(values):
    """A median with half the distance between the least and the most."""
    return f"{values['median']:.2f} ±{(values['max'] - values['min']) / 2:.2f}"
