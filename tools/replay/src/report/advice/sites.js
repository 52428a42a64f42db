// What costs most: call sites where the recording has them, and sizes.
const Costs = (() => {
  const brief = (count, of) => Units.percent(of > 0 ? Math.min(1, count / of) : 0);

  function table(heads, rows) {
    return h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows)));
  }

  function sites(data) {
    if (data.sites.length === 0) return h("p", { class: "note" }, "This recording has no call sites; loligo record writes recordings that do.");
    const rows = data.sites.map((site) =>
      h("tr", {}, h("th", { scope: "row", class: "site", title: site.name }, `${site.site} ${site.name}`), h("td", {}, Units.count(site.blocks)), h("td", {}, Units.bytes(site.bytes)), h("td", {}, Units.bytes(site.peak_live_bytes)), h("td", {}, brief(site.brief, site.blocks))),
    );
    return table(["Call site", "Blocks", "Bytes", "Most live", "Brief"], rows);
  }

  function sizes(data) {
    const rows = data.sizes.map((size) =>
      h("tr", {}, h("th", { scope: "row" }, `up to ${Units.bytes(size.bytes)}`), h("td", {}, Units.count(size.operations)), h("td", {}, Units.bytes(size.peak_live * size.bytes)), h("td", {}, brief(size.brief, size.operations / 2))),
    );
    return table([`Size (${data.sizes.length} of ${data.all_sizes})`, "Calls", "Most live", "Brief"], rows);
  }

  return { sites, sizes };
})();
