// Across the traces: a matrix of times, and time against memory.
const Overview = (() => {
  const usable = (row) => row && !row.capped && row.ns_per_event && row.ns_per_event.median > 0;
  const geometric = (list) => Math.exp(list.reduce((sum, value) => sum + Math.log(value), 0) / list.length);

  /** One entry a row name: its row in each trace, mean time over the system's, mean memory. */
  function collect(traces) {
    const names = new Map();
    traces.forEach((trace, t) => {
      for (const row of trace.rows) {
        if (row.kind === "loop") continue;
        if (!names.has(row.name)) names.set(row.name, { name: row.name, kind: row.kind, rows: traces.map(() => null) });
        names.get(row.name).rows[t] = row;
      }
    });
    const system = names.get("system");
    const based = system !== undefined && system.rows.every(usable);
    for (const entry of names.values()) {
      const complete = entry.rows.every(usable);
      entry.time = complete ? geometric(entry.rows.map((row, t) => row.ns_per_event.median / (based ? system.rows[t].ns_per_event.median : 1))) : null;
      entry.memory = complete && entry.rows.every((row) => row.memory_ratio !== null) ? geometric(entry.rows.map((row) => row.memory_ratio)) : null;
    }
    const worst = (entry) => (entry.time === null ? Infinity : entry.time);
    return { based, entries: [...names.values()].sort((a, b) => worst(a) - worst(b)) };
  }

  function shaded(row, quickest) {
    if (!row || !row.ns_per_event) return h("td", { class: "absent" }, Units.NONE);
    const median = row.ns_per_event.median;
    const share = Math.max(0, Math.min(1, Math.log(median / quickest) / Math.log(4)));
    const text = (row.capped ? "> " : "") + Units.ns(median);
    return h(
      "td",
      { title: row.capped ? "capped: stopped before the end" : (median / quickest).toFixed(2) + " times the quickest" },
      h("span", { class: median === quickest && !row.capped ? "first" : "", style: `background:color-mix(in srgb, var(--bar) ${Math.round((1 - share) * 90)}%, transparent)` }, text),
    );
  }

  function matrix(traces, found) {
    const quickest = traces.map((trace, t) => Math.min(...found.entries.filter((entry) => usable(entry.rows[t])).map((entry) => entry.rows[t].ns_per_event.median)));
    const head = h(
      "tr",
      {},
      h("th", { scope: "col" }, "Allocator", h("span", { class: "unit" }, "ns an event")),
      traces.map((trace, t) => h("th", { scope: "col" }, h("a", { href: "#" + Dom.anchor(t) }, trace.name))),
      h("th", { scope: "col", class: "mean" }, "Mean", h("span", { class: "unit" }, found.based ? "system = 1" : "ns")),
    );
    const body = found.entries.map((entry) =>
      h(
        "tr",
        { class: entry.kind },
        h("th", { scope: "row" }, Kinds.named(entry.kind, entry.name)),
        entry.rows.map((row, t) => shaded(row, quickest[t])),
        h("td", { class: "mean" }, entry.time === null ? Units.NONE : Units.ratio(entry.time)),
      ),
    );
    return h("div", { class: "scroll" }, h("table", { class: "matrix" }, h("thead", {}, head), h("tbody", {}, body)));
  }

  function mark(entry, x, y) {
    const title = s("title", {}, `${entry.name}: time ${Units.ratio(entry.time)}, memory ${Units.ratio(entry.memory)}`);
    if (entry.kind === "strategy") return s("path", { class: "mark strategy", d: `M${x} ${y - 6}l6 6-6 6-6-6z` }, title);
    return s("circle", { class: "mark " + entry.kind, cx: x, cy: y, r: 5 }, title);
  }

  /** Gives each mark a place for its label where it hits neither a mark nor another label. */
  function labels(points, width, floor) {
    const taken = points.map((point) => ({ left: point.x - 7, right: point.x + 7, top: point.y - 7, bottom: point.y + 7 }));
    const inside = (box) => box.left >= 0 && box.right <= width && box.bottom <= floor;
    const apart = (box) => !taken.some((other) => box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top);
    return [...points].sort((a, b) => a.y - b.y).map((point) => {
      const long = point.entry.name.length * 6.6 + 2;
      const places = [];
      for (const down of [0, -11, 11, -20, 20, -32, 32, -45, 45, -58, -72]) {
        places.push({ x: point.x + 11, y: point.y + down, anchor: "start" }, { x: point.x - 11, y: point.y + down, anchor: "end" });
        if (Math.abs(down) >= 20) places.push({ x: Math.min(width - long / 2, Math.max(long / 2, point.x)), y: point.y + down, anchor: "middle" });
      }
      const boxOf = (place) => {
        const left = place.x - { start: 0, middle: long / 2, end: long }[place.anchor];
        return { left, right: left + long, top: place.y - 6, bottom: place.y + 7 };
      };
      const possible = places.filter((each) => inside(boxOf(each)));
      const place = possible.find((each) => apart(boxOf(each))) || possible[0] || places[0];
      taken.push(boxOf(place));
      return { ...place, from: point, text: point.entry.name };
    });
  }

  function scatter(found) {
    const all = found.entries.filter((entry) => entry.time !== null && entry.memory !== null);
    const box = h("div", { class: "scatter" });
    if (all.length < 2) {
      box.append(h("p", { class: "note" }, "Fewer than two rows have a time and a memory figure on every trace."));
      return box;
    }
    const low = Math.min(...all.map((entry) => entry.time)) / 1.25;
    const high = Math.max(...all.map((entry) => entry.time)) * 1.3;
    const most = Math.max(...all.map((entry) => entry.memory));
    const least = Math.min(...all.map((entry) => entry.memory));
    Dom.onWidth(box, (width) => {
      const height = Math.max(330, Math.min(640, width * 1.25));
      const [left, right, top, bottom] = [40, width - 10, 14, height - 44];
      const x = (time) => left + ((Math.log(time) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (right - left);
      const floor = Math.min(1, Math.floor(least * 20) / 20);
      const ceiling = floor + (most - floor) * 1.08 + 0.02;
      const y = (memory) => bottom - ((memory - floor) / (ceiling - floor)) * (bottom - top);
      const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": "Time against memory, a mark an allocator" });
      const step = Units.ticks(ceiling - floor, 4)[1];
      for (let tick = Math.ceil(floor / step - 1e-9) * step; tick <= ceiling; tick += step) {
        const one = Math.abs(tick - 1) < step / 100;
        svg.append(s("line", { class: one ? "axis" : "grid", x1: left, x2: right, y1: y(tick), y2: y(tick) }), s("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, tick.toFixed(step < 0.1 ? 2 : 1)));
      }
      for (const tick of [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 20, 50, 100, 1000].filter((t) => t > low && t < high)) {
        svg.append(s("line", { class: "grid", x1: x(tick), x2: x(tick), y1: top, y2: bottom }), s("text", { x: x(tick), y: bottom + 18, "text-anchor": "middle" }, String(tick)));
      }
      svg.append(s("text", { x: right, y: height - 8, "text-anchor": "end" }, found.based ? "time, system = 1 (log scale) →" : "ns an event (log scale) →"), s("text", { x: left - 32, y: 4 }, "↑ peak memory over peak live bytes"));
      const points = all.map((entry) => ({ entry, x: x(entry.time), y: y(entry.memory) }));
      const placed = labels(points, width, bottom);
      for (const label of placed) {
        if (Math.abs(label.y - label.from.y) > 15) svg.append(s("line", { class: "leader", x1: label.from.x, y1: label.from.y, x2: label.x, y2: label.y }));
      }
      for (const point of points) svg.append(mark(point.entry, point.x, point.y));
      for (const label of placed) svg.append(s("text", { class: "name", x: label.x, y: label.y + 4, "text-anchor": label.anchor }, label.text));
      box.replaceChildren(svg);
    });
    return box;
  }

  function make(section, data) {
    const found = collect(data.traces);
    const drawn = scatter(found);
    section.append(
      h("header", {}, h("h2", {}, "Overview"), h("p", { class: "facts" }, "Each allocator replayed each recorded program in turn, in one process, on one thread; the first byte of each block was written.")),
      h(
        "div",
        // Side by side there is room for the columns of a few traces.
        { class: data.traces.length > 5 ? "cards stacked" : "cards uneven" },
        h("div", { class: "card" }, h("h3", {}, "Time an event"), h("p", { class: "note" }, "Nanoseconds of processor time for one allocate, free or reallocate; the median of the rounds. The stronger the tint, the quicker; the quickest of a trace is framed. The mean is geometric, over traces run to their end."), matrix(data.traces, found), Kinds.legend()),
        h("div", { class: "card" }, h("h3", {}, "Time against memory"), h("p", { class: "note" }, "Geometric means over all traces. Down and left is better: less time, and less memory held for the same live bytes. Rows that were capped or hold no memory figure are left out."), drawn),
      ),
    );
  }

  return { make };
})();
