// The table of one trace: a row an allocator, sorted by time, by any column on a click.
const RowTable = (() => {
  const COLUMNS = [
    { key: "name", head: "Allocator", unit: "", value: (row) => row.name },
    { key: "time", head: "Time", unit: "ns an event, median", value: (row) => (row.ns_per_event ? row.ns_per_event.median : null) },
    { key: "range", head: "Range", unit: "ns, min – max", value: (row) => (row.ns_per_event ? row.ns_per_event.max - row.ns_per_event.min : null) },
    { key: "memory", head: "Memory", unit: "peak over peak live", value: (row) => row.memory_ratio },
    { key: "worst", head: "Worst call", unit: "least of the rounds", value: (row) => row.worst_ns },
    { key: "faults", head: "Page faults", unit: "count", value: (row) => row.faults },
    { key: "refused", head: "Refused", unit: "requests", value: (row) => row.refused },
  ];

  /** In a replay by threads, in addition; the time is then the elapsed one. */
  const COLUMNS_OF_THREADS = [
    { key: "rate", head: "Events", unit: "a second", value: (row) => (row.threads && row.threads.events_per_second ? row.threads.events_per_second.median : null), format: (value) => Units.count(Math.round(value)) },
    { key: "waits", head: "Waits", unit: "for a block", value: (row) => (row.threads ? row.threads.waits : null), format: Units.count },
    { key: "peak", head: "Peak", unit: "bytes", value: (row) => (row.threads ? row.threads.peak_bytes : null), format: Units.bytes },
  ];

  const extra = (trace) => (trace.rows.some((row) => row.threads) ? COLUMNS_OF_THREADS : []);

  function compare(column, descending) {
    return (a, b) => {
      if (a.capped !== b.capped && column.key !== "name") return a.capped ? 1 : -1;
      const x = column.value(a);
      const y = column.value(b);
      if (x === null || y === null) return (x === null) - (y === null);
      const order = typeof x === "string" ? x.localeCompare(y) : x - y;
      return descending ? -order : order;
    };
  }

  /** The full width of a bar: bars of rows far beyond the middle are cut, as their number says. */
  function barLimit(rows, value) {
    const known = rows.filter((row) => !row.capped).map(value).filter((v) => v !== null).sort((a, b) => a - b);
    if (known.length === 0) return 1;
    const middle = known[known.length >> 1];
    return Math.max(1e-9, Math.min(known[known.length - 1], middle * 3));
  }

  const excess = (row) => (row.memory_ratio === null ? null : row.memory_ratio - 1);

  function bar(text, value, limit, range) {
    if (value === null || value === undefined) return h("td", { class: "absent" }, Units.NONE);
    const width = (v) => (Math.max(0, Math.min(1, v / limit)) * 50).toFixed(1) + "%";
    const cell = h("td", { class: "numeric-bar" }, h("i", { class: value > limit ? "cut" : null, style: "width:" + width(value) }), h("span", {}, text));
    if (range && range.max <= limit) {
      cell.insertBefore(
        h("b", { class: "whisker", style: `left:calc(.35rem + ${width(range.min)});width:calc(${width(range.max)} - ${width(range.min)})` }),
        cell.lastChild,
      );
    }
    return cell;
  }

  const cell = (value, format) =>
    value === null || value === undefined ? h("td", { class: "absent" }, Units.NONE) : h("td", {}, format(value));

  function line(row, trace, limits, best) {
    const time = row.ns_per_event;
    const name = h("th", { scope: "row" }, Kinds.named(row.kind, row.name));
    if (row.name === best) name.append(h("span", { class: "tag best" }, "best"));
    if (row.capped) {
      const share = Units.percent(row.events_done / trace.events);
      name.append(h("span", { class: "tag warn", title: `Over its time cap: stopped after ${Units.count(row.events_done)} of ${Units.count(trace.events)} events` }, "capped at " + share));
    }
    if (row.note) name.append(h("span", { class: "row-note" }, row.note));
    return h(
      "tr",
      { class: [row.kind, row.capped ? "capped" : "", row.name === best ? "best" : ""].join(" ") },
      name,
      bar(time ? (row.capped ? "> " : "") + Units.ns(time.median) : "", time ? time.median : null, limits.time, time),
      h("td", { class: "range" }, time ? `${Units.ns(time.min)} – ${Units.ns(time.max)}` : Units.NONE),
      bar(row.memory_ratio === null ? "" : Units.ratio(row.memory_ratio), excess(row), limits.memory),
      cell(row.worst_ns, Units.time),
      cell(row.faults, Units.count),
      cell(row.refused, Units.count),
      extra(trace).map((column) => cell(column.value(row), column.format)),
    );
  }

  function make(trace, best) {
    const rows = trace.rows.filter((row) => row.kind !== "loop");
    const loop = trace.rows.filter((row) => row.kind === "loop");
    const limits = {
      time: barLimit(rows, (row) => (row.ns_per_event ? row.ns_per_event.median : null)),
      memory: barLimit(rows, excess),
    };
    const body = h("tbody", {});
    let sorted = { key: "time", descending: false };
    const columns = [...COLUMNS, ...extra(trace)];
    const heads = columns.map((column) =>
      h(
        "th",
        { scope: "col" },
        h("button", { class: "sort", type: "button", onclick: () => sort(column) }, column.head),
        h("span", { class: "unit" }, column.unit),
      ),
    );
    function show() {
      const column = columns.find((each) => each.key === sorted.key);
      body.replaceChildren(...[...rows].sort(compare(column, sorted.descending)).map((row) => line(row, trace, limits, best)));
      columns.forEach((each, i) => {
        if (each.key === sorted.key) heads[i].setAttribute("aria-sort", sorted.descending ? "descending" : "ascending");
        else heads[i].removeAttribute("aria-sort");
      });
    }
    function sort(column) {
      sorted = { key: column.key, descending: sorted.key === column.key && !sorted.descending };
      show();
    }
    show();
    const foot = h("tfoot", {}, loop.map((row) => line(row, trace, limits, null)));
    return h("div", { class: "scroll" }, h("table", { class: "rows" }, h("thead", {}, h("tr", {}, heads)), body, foot));
  }

  return { make };
})();
