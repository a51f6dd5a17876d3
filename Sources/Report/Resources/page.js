"use strict";
(() => {
  // MARK: Words

  const data = JSON.parse(document.getElementById("data").textContent);

  const short = (value) => {
    const size = Math.abs(value);
    if (value === 0) return "0";
    return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
  };
  // Axes get the shortest form: 1 ms, not 1.00 ms.
  const plain = (value) => String(Number(value.toPrecision(3)));
  const scaled = (units) => (value, form = short) => {
    const unit = units.find(([, factor]) => Math.abs(value) / factor < 999.5) || units[units.length - 1];
    return `${form(value / unit[1])}${unit[0].startsWith("/") || !unit[0] ? "" : " "}${unit[0]}`;
  };
  const seconds = scaled([["ns", 1], ["µs", 1e3], ["ms", 1e6], ["s", 1e9]]);
  const duration = (value, form) => {
    if (value === 0) return "0";
    if (value < 119.5e9) return seconds(value, form);
    const whole = Math.round(value / 1e9);
    if (whole < 3600) return `${Math.floor(whole / 60)} min${whole % 60 ? ` ${whole % 60} s` : ""}`;
    return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, "0")} min`;
  };
  const rate = scaled([["/s", 1], ["k/s", 1e3], ["M/s", 1e6]]);
  const share = (value) => `${Number((value * 100).toPrecision(12))}%`;
  // x is 1 / (1 − p): the more nines, the more digits are worth telling.
  const percentile = (x) => {
    const digits = Math.max(0, Math.min(7, Math.ceil(Math.log10(x) - 1.5)));
    return `${Number((100 * (1 - 1 / x)).toFixed(digits + 1))}%`;
  };

  // MARK: Theme

  const themes = ["system", "light", "dark"];
  const theme = document.getElementById("theme");
  let chosen = "system";
  // A page opened as a file may have no storage: then the choice lasts as long as the page.
  try { chosen = localStorage.getItem("pushbench-theme") || chosen; } catch { /* none */ }
  const paint = () => {
    if (!themes.includes(chosen)) chosen = "system";
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    theme.textContent = `Theme: ${chosen}`;
  };
  theme.addEventListener("click", () => {
    chosen = themes[(themes.indexOf(chosen) + 1) % themes.length];
    try { localStorage.setItem("pushbench-theme", chosen); } catch { /* none */ }
    paint();
  });
  theme.hidden = false;
  paint();

  if (!window.d3) return;

  // MARK: Plots

  const d3 = window.d3;
  // D3 renamed its scales in version 4; Debian has packages of both kinds.
  const logScale = () => (d3.scaleLog ? d3.scaleLog() : d3.scale.log());
  const linearScale = () => (d3.scaleLinear ? d3.scaleLinear() : d3.scale.linear());
  const linePath = () => (d3.line ? d3.line() : d3.svg.line());

  const decades = (low, high) => {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
      ticks.push(10 ** power);
    }
    return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
  };
  const logTicks = (low, high, room) => {
    const spread = Math.log10(high / low);
    const steps = spread * 3 <= room ? [1, 2, 5] : [1];
    const ticks = [];
    for (const decade of decades(low / 10, high)) {
      for (const step of steps) ticks.push(decade * step);
    }
    const inside = ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
    const every = Math.max(1, Math.ceil(inside.length / room));
    return inside.filter((_, index) => index % every === 0);
  };
  // Ticks at whole units of time: D3's own would put some at 1.666 minutes.
  const timeTicks = (high, room) => {
    const rough = high / room;
    const steps = [];
    for (let power = 0; power < 10; power += 1) steps.push(...[1, 2, 5].map((step) => step * 10 ** power));
    steps.push(...[10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400].map((s) => s * 1e9));
    const step = steps.find((candidate) => candidate >= rough) || rough;
    const ticks = [];
    for (let tick = 0; tick <= high * 1.0001; tick += step) ticks.push(tick);
    return ticks;
  };

  const kinds = {
    latency: {
      what: "Time by percentile", xName: "percentile", yName: "time", x: percentile, y: duration,
      xLog: true, mayLog: true,
    },
    rate: { what: "Answered pushes per second over time", xName: "time", yName: "per second", x: duration, y: rate },
    time: {
      what: "Latency over time", xName: "time", yName: "latency", x: duration, y: duration,
      mayLog: true,
    },
    makespan: {
      what: "Share of the audience acknowledged over time", xName: "time since the first push", yName: "audience",
      x: duration, y: share, top: 1,
    },
  };

  // Near each other on their axis, values need more digits to differ.
  const fine = (value) => String(Number(value.toPrecision(5)));
  const units = { ns: duration, "1/s": rate, "%": share, B: scaled([["B", 1], ["kB", 1e3], ["MB", 1e6], ["GB", 1e9]]), 1: fine };
  const historyKind = (history) => ({
    what: `${history.metric} of the results, oldest first`, xName: "result", yName: history.meaning,
    x: (place) => history.days[place] || "", y: units[history.unit], isByPlace: true, mayLog: true,
  });

  const plot = (holder) => {
    const name = holder.dataset.plot;
    const history = data.history.find((one) => name === "history" && one.metric === holder.dataset.metric);
    const kind = history ? historyKind(history) : kinds[name];
    const source = (history ? history.lines : data[name]) || [];
    const isOfPair = data.isPair && !history;
    const names = [...new Set(source.map((line) => line.name))];
    // Of two results the colour tells which, the dashes tell what; of one the colour tells what.
    const lines = source.map((line) => ({
      ...line,
      label: isOfPair ? `${line.side} ${line.name}` : line.name,
      colour: isOfPair ? `c-${line.side.toLowerCase()}` : `c-k${(names.indexOf(line.name) % 3) + 1}`,
      dashes: `d-${(names.indexOf(line.name) % 3) + 1}`,
      isShown: true,
    }));
    if (!lines.length) return;
    const all = lines.flatMap((line) => line.points.map((point) => point[1])).filter((y) => y > 0);
    // A history is about small changes: one wild value must not flatten all others.
    const wide = kind.isByPlace ? 3 : 30;
    let isLog = Boolean(kind.mayLog) && all.length > 0 && Math.max(...all) / Math.min(...all) > wide;
    let cursor = null;

    const root = d3.select(holder);
    const legend = root.append("div").attr("class", "legend");
    const drawing = root.append("div");
    const output = root.append("output").attr("aria-live", "polite");
    lines.forEach((line) => {
      const button = legend.append("button").attr("type", "button").attr("aria-pressed", "true");
      button.append("svg").attr("viewBox", "0 0 36 12").attr("aria-hidden", "true").attr("class", line.colour)
        .append("path").attr("class", `line ${line.dashes}`).attr("d", "M0 6H36");
      button.append("span").text(line.label);
      button.node().addEventListener("click", () => {
        line.isShown = !line.isShown;
        button.attr("aria-pressed", String(line.isShown));
        draw();
      });
    });
    if (kind.mayLog) {
      const button = legend.append("button").attr("type", "button").attr("class", "scale");
      const say = () => button.text(isLog ? "Linear scale" : "Logarithmic scale");
      button.node().addEventListener("click", () => {
        isLog = !isLog;
        say();
        draw();
      });
      say();
    }

    function draw() {
      const width = Math.max(240, holder.clientWidth || 700);
      const height = Math.round(Math.min(340, Math.max(220, width * 0.42)));
      const margin = { top: 14, right: 14, bottom: 42, left: 62 };
      const shown = lines.filter((line) => line.isShown);
      const points = shown.flatMap((line) => line.points);
      drawing.html("");
      const svg = drawing.append("svg").attr("viewBox", `0 0 ${width} ${height}`)
        .attr("role", "img").attr("tabindex", "0")
        .attr("aria-label", `${kind.what}: ${shown.map((line) => line.label).join(", ") || "no line"}. `
          + "Arrow keys read values; the table after the plot has the numbers.");
      if (!points.length) return;

      const xs = points.map((point) => point[0]);
      const ys = points.map((point) => point[1]);
      const right = Math.max(...xs, kind.xLog ? 10 : 1);
      // The fastest few of a percentile plot would take half of a logarithmic axis for themselves.
      const above = points.filter((point) => point[1] > 0 && (!kind.xLog || point[0] >= 1.25))
        .map((point) => point[1]);
      const highest = kind.top || Math.max(...ys, 1);
      const lowest = isLog && above.length ? Math.min(...above) : 0;
      // A history is about small changes: its axis begins near the lowest value.
      const [least, most] = [Math.min(...ys), Math.max(...ys)];
      const gap = (most - least) * 0.1 || Math.abs(most) * 0.1 || 1;
      const near = [Math.max(0, least - gap), most + gap];
      const x = (kind.xLog ? logScale() : linearScale())
        .domain([kind.xLog ? 1 : 0, right]).range([margin.left, width - margin.right]);
      const y = (isLog ? logScale() : linearScale())
        .domain(kind.isByPlace && !(isLog && lowest > 0) ? near : isLog ? [lowest * 0.8, Math.max(highest, lowest * 2) * 1.15] : [0, highest * (kind.top ? 1.02 : 1.06)])
        .range([height - margin.bottom, margin.top]);
      const at = (value) => y(isLog ? Math.max(value, y.domain()[0]) : value);

      const yRoom = Math.max(3, Math.floor(height / 45));
      const logged = isLog ? logTicks(...y.domain(), yRoom) : [];
      const yTicks = logged.length > 1 ? logged
        : kind.y === duration && !kind.isByPlace ? timeTicks(y.domain()[1], yRoom) : y.ticks(yRoom);
      yTicks.forEach((tick) => {
        svg.append("line").attr("class", "grid").attr("x1", margin.left).attr("x2", width - margin.right)
          .attr("y1", y(tick)).attr("y2", y(tick));
        svg.append("text").attr("x", margin.left - 8).attr("y", y(tick) + 4).attr("text-anchor", "end")
          .text(kind.y(tick, kind.isByPlace ? fine : plain));
      });
      const xRoom = Math.max(2, Math.floor((width - margin.left) / 75));
      const every = Math.max(1, Math.ceil((right + 1) / xRoom));
      const xTicks = kind.isByPlace ? d3.range(0, right + 1, every)
        : kind.xLog ? decades(1, right).concat(width > 480 ? [2, 4] : [])
        : timeTicks(right, xRoom);
      let taken = -Infinity;
      xTicks.sort((left, next) => left - next).forEach((tick) => {
        svg.append("line").attr("class", "grid").attr("y1", margin.top).attr("y2", height - margin.bottom)
          .attr("x1", x(tick)).attr("x2", x(tick));
        const label = svg.append("text").attr("x", x(tick)).attr("y", height - margin.bottom + 17)
          .attr("text-anchor", "middle").text(kind.x(tick, plain));
        const half = label.node().getComputedTextLength() / 2;
        const middle = Math.max(half, Math.min(x(tick), width - half));
        label.attr("x", middle);
        // A label that would touch the one before is left out; its line stays.
        if (middle - half < taken + 8) label.remove();
        else taken = middle + half;
      });
      svg.append("line").attr("class", "axis").attr("x1", margin.left).attr("x2", width - margin.right)
        .attr("y1", height - margin.bottom).attr("y2", height - margin.bottom);
      svg.append("text").attr("x", width - margin.right).attr("y", height - 6).attr("text-anchor", "end")
        .text(kind.xName);

      const path = linePath().x((point) => x(point[0])).y((point) => at(point[1]));
      const isDotted = Math.max(...shown.map((line) => line.points.length)) <= 16;
      shown.forEach((line) => {
        const group = svg.append("g").attr("class", line.colour);
        group.append("path").attr("class", `line ${line.dashes}`).attr("d", path(line.points));
        if (!isDotted && line.points.length > 1) return;
        line.points.forEach((point) => {
          group.append("circle").attr("class", "dot").attr("cx", x(point[0])).attr("cy", at(point[1])).attr("r", 4);
        });
      });

      // Reading values: a cross hair that follows pointer, finger and arrow keys.
      const stops = [...new Set(xs)].sort((left, next) => left - next);
      const cross = svg.append("g");
      const read = () => {
        cross.html("");
        if (cursor === null) {
          output.text("");
          return;
        }
        const stop = stops[Math.min(cursor, stops.length - 1)];
        cross.append("line").attr("class", "cross").attr("x1", x(stop)).attr("x2", x(stop))
          .attr("y1", margin.top).attr("y2", height - margin.bottom);
        output.text("");
        output.append("b").text(kind.x(stop));
        shown.forEach((line) => {
          const point = valueAt(line.points, stop, name === "rate" || name === "time");
          if (!point) return;
          cross.append("g").attr("class", line.colour).append("circle").attr("class", "dot").attr("r", 4.5)
            .attr("cx", x(stop)).attr("cy", at(point[1]));
          output.append("span").text(` · ${line.label} `);
          output.append("b").text(kind.y(point[1]));
        });
      };
      const node = svg.node();
      const follow = (event) => {
        const box = node.getBoundingClientRect();
        const wanted = ((event.clientX - box.left) / box.width) * width;
        let best = 0;
        stops.forEach((stop, index) => {
          if (Math.abs(x(stop) - wanted) < Math.abs(x(stops[best]) - wanted)) best = index;
        });
        cursor = best;
        read();
      };
      node.addEventListener("pointermove", follow);
      node.addEventListener("pointerdown", follow);
      node.addEventListener("pointerleave", () => {
        cursor = null;
        read();
      });
      node.addEventListener("keydown", (event) => {
        const last = stops.length - 1;
        const leap = Math.max(1, Math.round(stops.length / 40));
        const places = {
          ArrowRight: cursor === null ? 0 : Math.min(last, cursor + leap),
          ArrowLeft: cursor === null ? last : Math.max(0, cursor - leap),
          Home: 0, End: last, Escape: null,
        };
        if (!(event.key in places)) return;
        event.preventDefault();
        cursor = places[event.key];
        read();
      });
      read();
    }

    // The y of a line at x: exactly there, or on the way between two of its points.
    function valueAt(points, stop, isExact) {
      const next = points.findIndex((point) => point[0] >= stop);
      if (next < 0) return null;
      if (points[next][0] === stop) return points.filter((point) => point[0] === stop).pop();
      if (isExact || next === 0) return null;
      const [before, after] = [points[next - 1], points[next]];
      const part = (stop - before[0]) / (after[0] - before[0]);
      return [stop, before[1] + part * (after[1] - before[1])];
    }

    draw();
    let drawnWidth = holder.clientWidth;
    new ResizeObserver(() => {
      if (holder.clientWidth === drawnWidth) return;
      drawnWidth = holder.clientWidth;
      draw();
    }).observe(holder);
  };

  document.querySelectorAll("[data-plot]").forEach(plot);
})();
