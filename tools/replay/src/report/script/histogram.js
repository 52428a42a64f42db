// Sizes asked for, in buckets of powers of two: how many requests, and how many bytes they are.
const Histogram = (() => {
  function label(log2) {
    const low = 2 ** log2;
    if (low === 1) return "1 B";
    if (low < 1024) return `${low} – ${2 * low - 1} B`;
    const [number, unit] = Units.bytes(low).split(" ");
    return Number(number) < 512 ? `${number} – ${2 * number} ${unit}` : `${number} ${unit} – ${Units.bytes(2 * low)}`;
  }

  function bar(kind, value, total, greatest, format) {
    const share = value / total;
    return h(
      "td",
      { class: "bar " + kind, title: format(value) },
      h("div", {}, h("i", { style: `width:${((value / greatest) * 58).toFixed(1)}%` }), h("span", {}, share === 0 ? "" : share < 0.001 ? "< 0.1 %" : Units.percent(share))),
    );
  }

  function make(trace) {
    const buckets = trace.histogram;
    const sum = (key) => buckets.reduce((total, bucket) => total + bucket[key], 0);
    const max = (key) => buckets.reduce((most, bucket) => Math.max(most, bucket[key]), 1);
    const counts = sum("count") || 1;
    const bytes = sum("bytes") || 1;
    return h(
      "table",
      { class: "sizes" },
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col" }, "Size"), h("th", { scope: "col", class: "count" }, `Requests (of ${Units.events(counts)})`), h("th", { scope: "col", class: "bytes" }, `Bytes (of ${Units.bytes(bytes)})`)),
      ),
      h(
        "tbody",
        {},
        buckets.map((bucket) =>
          h("tr", {}, h("th", { scope: "row" }, label(bucket.log2)), bar("count", bucket.count, counts, max("count"), Units.count), bar("bytes", bucket.bytes, bytes, max("bytes"), Units.bytes)),
        ),
      ),
    );
  }

  return { label, make };
})();
