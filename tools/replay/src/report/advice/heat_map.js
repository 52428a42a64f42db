// Blocks by the power of two of their size and of their lifetime: the stronger a cell, the more of them.
const HeatMap = (() => {
  function label(log2) {
    return log2 < 10 ? String(2 ** log2) : Units.bytes(2 ** log2).replace("iB", "").replace(" ", "");
  }

  function make(data) {
    const total = data.heat.flat().reduce((sum, count) => sum + count, 0);
    if (total === 0) return h("p", { class: "note" }, "No block of this recording was freed.");
    const most = Math.max(...data.heat.flat());
    const lastOf = (list, used) => list.reduce((last, one, i) => (used(one) ? i : last), 0);
    const sizes = lastOf(data.heat, (row) => row.some((count) => count > 0)) + 1;
    const lives = Math.max(...data.heat.map((row) => lastOf(row, (count) => count > 0))) + 1;
    const range = [...Array(lives).keys()];
    const cell = (size, life) => {
      const count = data.heat[size][life];
      const share = count === 0 ? 0 : 0.12 + 0.88 * (Math.log1p(count) / Math.log1p(most));
      const text = `${Units.count(count)} blocks of ${Histogram.label(size)} that lived ${Units.events(2 ** life)} to ${Units.events(2 ** (life + 1))} events (${Units.percent(count / total)})`;
      return h("td", { title: text, style: `background:color-mix(in srgb, var(--heap) ${Math.round(share * 100)}%, var(--card))` }, count / total >= 0.01 ? h("span", { class: share > 0.6 ? "on" : "" }, Math.round((count / total) * 100)) : "");
    };
    const rows = [...Array(sizes).keys()].reverse().map((size) => h("tr", {}, h("th", { scope: "row" }, label(size)), range.map((life) => cell(size, life))));
    const foot = h("tr", {}, h("th", {}, ""), range.map((life) => h("th", { scope: "col" }, life % 4 === 0 ? Units.events(2 ** life).replace(" ", "") : "")));
    return h("div", { class: "scroll" }, h("table", { class: "heat" }, h("tbody", {}, rows), h("tfoot", {}, foot)));
  }

  return { make };
})();
