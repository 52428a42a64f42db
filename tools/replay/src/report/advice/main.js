// Puts the page of an advice together.
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  Theme.start();

  const card = (title, note, ...content) => h("div", { class: "card" }, h("h3", {}, title), h("p", { class: "note" }, note), content);
  const wide = (title, note, ...content) => h("div", { class: "card wide" }, h("h3", {}, title), h("p", { class: "note" }, note), content);
  const jump = document.getElementById("jump");
  const section = (id, title, facts, ...cards) => {
    jump.append(h("a", { href: "#" + id }, title));
    document.getElementById(id).append(h("header", {}, h("h2", {}, title), h("p", { class: "facts" }, facts)), h("div", { class: "cards" }, cards));
  };

  section(
    "front",
    "Time against memory",
    `Judged on the ${Units.count(data.events - data.held_back_from)} events that the search has not seen, whose live bytes peak at ${Units.bytes(data.peak_live_bytes)}.`,
    wide("The front", "Down and left is better. Diamonds: finalists on the held-back part; small dots: all candidates on the searched part, those far off left out. The stairs join what no other beats in both.", Pareto.make(data)),
    wide("Finalists", "Time is above the empty replay loop; bytes are the peak above the peak of the live ones. Front: no other is better in time, bytes and worst call at once. Every row that is named was verified: each block kept its contents.", Judged.make(data)),
  );
  section(
    "program",
    "What the program does",
    `All of the recording: ${Units.percent(data.order.brief)} of its blocks die within 64 events, ${Units.percent(data.order.last_in)} of the frees take the youngest block.`,
    card("Size by lifetime", "Freed blocks by size, upwards, and by how many events they lived, to the right. Numbers are hundredths of all; the tint is logarithmic, so that rare ones show.", HeatMap.make(data)),
    h(
      "div",
      { class: "column" },
      card("Phases", "Live bytes; a phase begins where the mix of sizes changes by a third, or the live bytes by half of their peak.", Phases.make(data)),
      card("Sizes that cost most", "Rounded up to 16 bytes or their alignment. Brief: died within 64 events.", Costs.sizes(data)),
    ),
    wide("Call sites that cost most", "Those that make most blocks.", Costs.sites(data)),
  );
  section(
    "memory",
    "Memory before and after",
    "The same recording over the heap and over the choices.",
    wide("Memory map", "Memory in address order from left to right, as far as it was used so far, at quarters of the recording and at its peak; the fuller a cell with live blocks, the stronger its colour. All strips share one scale, so a longer strip is more memory.", MemoryMap.make({ allocators: data.maps })),
  );
  document.getElementById("foot").append(
    h("dl", {}, h("dt", {}, "Live"), h("dd", {}, "Bytes that the program asked for and has not freed."), h("dt", {}, "Bytes above"), h("dd", {}, "Peak of anonymous memory in a process of its own, every page of every block touched, less the peak of live bytes."), h("dt", {}, "Worst call"), h("dd", {}, "Each call timed alone in several rounds; for each event the least, and of those the greatest.")),
  );
})();
