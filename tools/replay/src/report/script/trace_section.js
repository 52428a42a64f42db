// All the pictures of one trace.
const TraceSection = (() => {
  function facts(trace) {
    const ops = trace.operations;
    const parts = [
      trace.events === 1 ? "1 event" : `${Units.count(trace.events)} events`,
      `${Units.events(ops.allocate + ops.zeroed)} allocations, ${Units.events(ops.free)} frees, ${Units.events(ops.reallocate)} reallocations`,
      trace.threads === 1 ? "1 thread" : `${trace.threads} threads`,
      `at most ${Units.bytes(trace.peak_live_bytes)} live`,
      trace.peak_live_blocks === 1 ? "at most 1 block" : `at most ${Units.count(trace.peak_live_blocks)} blocks`,
    ];
    return parts.join(" · ");
  }

  const card = (title, note, ...content) => h("div", { class: "card" }, h("h3", {}, title), h("p", { class: "note" }, note), content);

  function peakEvent(trace) {
    return trace.at[trace.live_bytes.indexOf(Math.max(...trace.live_bytes))];
  }

  function reserved(trace) {
    return LineChart.make({
      title: "Live and reserved bytes over the events of " + trace.name,
      events: trace.events,
      start: peakEvent(trace),
      format: Units.bytes,
      series: [
        { key: "live", name: "live", at: trace.at, values: trace.live_bytes, area: true },
        ...trace.allocators.map((each) => ({ key: each.name, name: each.name, at: trace.at, values: each.reserved })),
      ],
    });
  }

  /** Share of the reserved bytes that no live byte uses; nothing where nothing is reserved. */
  function unused(trace) {
    return LineChart.make({
      title: "Unused share of the reserved bytes",
      events: trace.events,
      start: peakEvent(trace),
      share: true,
      format: Units.percent,
      series: trace.allocators.map((each) => ({
        key: each.name,
        name: each.name,
        at: trace.at,
        values: each.reserved.map((bytes, i) => (bytes > 0 ? Math.max(0, 1 - each.live[i] / bytes) : null)),
      })),
    });
  }

  function scattered(trace) {
    return LineChart.make({
      title: "Scattered share of the free bytes",
      events: trace.events,
      start: peakEvent(trace),
      share: true,
      format: Units.percent,
      series: trace.allocators.map((each) => ({
        key: each.name,
        name: each.name,
        at: each.walked_at,
        values: each.free.map((bytes, i) => (bytes > 0 ? 1 - each.largest_free[i] / bytes : null)),
      })),
    });
  }

  function setUp() {
    return h(
      "details",
      { class: "note" },
      h("summary", {}, "How the three are set up"),
      h("p", {}, "The heap takes regions that double from the system, beginning with 1 MiB here so that its growth shows; by default it takes the addresses of 64 MiB at once, which cost nothing until they are touched. The slab passes requests over 496 bytes on to a buddy allocator beneath it, and reserved is what it holds from that. The buddy has one region for good. Those regions are 1.25, 1.5, 2, 3 or 4 times the peak, whichever is the first to refuse nothing."),
    );
  }

  function refusals(trace) {
    const lines = trace.allocators.filter((each) => each.refused > 0);
    if (lines.length === 0) return null;
    const list = lines.map((each) => `${each.name} refused ${Units.count(each.refused)} requests`).join(", ");
    return h("p", { class: "note" }, `In the run drawn here ${list}; the lines go on without those blocks.`);
  }

  function table(trace, best) {
    return h(
      "div",
      { class: "card wide" },
      h("h3", {}, "All allocators"),
      h("p", { class: "note" }, "Sorted by time; click a head to sort by another column. A torn bar goes on far beyond its cell. The thin lines span the quickest and the slowest round; bars of memory show what goes beyond the live bytes."),
      RowTable.make(trace, best),
      Kinds.legend(),
    );
  }

  function overTime(trace) {
    return h(
      "div",
      { class: "column" },
      card("Live and reserved bytes", "Live: what the program has asked for and not freed. Reserved: what an allocator of ours holds to serve it.", reserved(trace), refusals(trace), setUp()),
      card(
        "Fragmentation",
        "Two measures. Unused: the part of the reserved bytes that is not live (1 − live ÷ reserved). Scattered: the part of the free bytes that lies outside the longest free run (1 − longest gap ÷ all gaps between live blocks, rounding and bookkeeping included); at 0 % all that is free is one run.",
        h("h4", { class: "subhead" }, "Unused"),
        unused(trace),
        h("h4", { class: "subhead" }, "Scattered"),
        scattered(trace),
      ),
    );
  }

  function sizesAndPlaces(trace) {
    return h(
      "div",
      { class: "column" },
      card("Sizes", "Every size asked for, in buckets that double. Left: how many requests; right: how many bytes they add up to.", Histogram.make(trace)),
      card("Memory map", "The memory an allocator holds, in address order from left to right, at quarters of the trace and at its peak; the fuller a cell with live blocks, the stronger its colour. The strips share one scale, so a longer strip is more memory.", MemoryMap.make(trace)),
    );
  }

  /** The section of a trace; one without events, or without results, shows what it has. */
  function make(trace, index, best) {
    const id = Dom.anchor(index);
    return h(
      "section",
      { class: "block", id, "aria-labelledby": id + "-name" },
      h("header", {}, h("h2", { id: id + "-name" }, trace.name), h("p", { class: "facts" }, facts(trace))),
      h(
        "div",
        { class: "cards" },
        trace.rows.length > 0 ? table(trace, best) : null,
        trace.events > 0 ? [overTime(trace), sizesAndPlaces(trace)] : null,
      ),
    );
  }

  return { make };
})();
