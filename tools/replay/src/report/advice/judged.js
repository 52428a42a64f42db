// The finalists and the heap on the part that was held back.
const Judged = (() => {
  function row(one) {
    const tags = one.chosen.map((what) => h("span", { class: "tag best" }, what));
    if (!one.is_sound) tags.push(h("span", { class: "tag warn" }, "refused or lost a block"));
    return h(
      "tr",
      { class: one.name === "heap" ? "ours" : "strategy" },
      h("th", { scope: "row" }, Kinds.named(one.name === "heap" ? "ours" : "strategy", one.name), tags),
      h("td", {}, one.ns === null ? Units.NONE : Units.ns(one.ns)),
      h("td", {}, one.time === null ? Units.NONE : Units.ratio(one.time)),
      h("td", {}, one.bytes === null ? Units.NONE : Units.bytes(Math.max(0, one.bytes))),
      h("td", {}, one.bytes_ratio === null ? Units.NONE : Units.ratio(one.bytes_ratio)),
      h("td", {}, one.worst_ns === null ? Units.NONE : Units.time(one.worst_ns)),
      h("td", {}, one.is_on_front ? "●" : ""),
    );
  }

  function make(data) {
    const heads = ["Strategy", "ns an event", "of heap", "Bytes above live", "of heap", "Worst call", "Front"];
    const rows = [...data.judged].sort((a, b) => (a.time ?? Infinity) - (b.time ?? Infinity)).map(row);
    return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows)));
  }

  return { make };
})();
