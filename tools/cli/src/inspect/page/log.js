// The log: the last lines, of which a filter leaves some.
const Log = (() => {
  const KEPT = 2000;
  const LEVELS = ["debug", "info", "warning", "error"];
  const list = document.getElementById("log-lines");
  const filter = document.getElementById("log-filter");
  const level = document.getElementById("log-level");
  const hint = document.getElementById("log-hint");
  let lines = [];
  let lost = 0;

  function add(value) {
    const next = lines.length > 0 ? lines[lines.length - 1].number + 1 : 0;
    const fresh = value.lines.filter((line) => line.number >= next);
    lost += value.lost || 0;
    lines.push(...fresh);
    if (lines.length > KEPT) lines.splice(0, lines.length - KEPT);
    const wasAtEnd = list.scrollTop + list.clientHeight > list.scrollHeight - 30;
    list.append(...fresh.filter(isShown).map(row));
    while (list.childElementCount > KEPT) list.firstElementChild.remove();
    if (wasAtEnd) list.scrollTop = list.scrollHeight;
    describe();
  }

  function isShown(line) {
    const isOfLevel = LEVELS.indexOf(line.level) >= Number(level.value);
    return isOfLevel && line.text.toLowerCase().includes(filter.value.toLowerCase());
  }

  const row = (line) => h("li", { class: line.level },
    h("time", {}, (line.ms / 1000).toFixed(2)), h("span", {}, line.text + (line.is_cut ? " .." : "")));

  function again() {
    list.replaceChildren(...lines.filter(isShown).map(row));
    list.scrollTop = list.scrollHeight;
    describe();
  }

  function describe() {
    const shown = list.childElementCount;
    const word = lines.length === 1 ? " line" : " lines";
    const all = (lines.length === shown ? "" : Units.count(shown) + " of ") + Units.count(lines.length) + word;
    hint.textContent = all + (lost > 0 ? ", and " + Units.count(lost) + " that came too fast" : "");
  }

  /** Begins with the lines that were logged before. */
  function start() {
    lines = [];
    list.replaceChildren();
    Connection.request("log").then(add, (error) => { hint.textContent = error.message; });
  }

  filter.addEventListener("input", again);
  level.addEventListener("change", again);
  Connection.on("log", add);
  return { start };
})();
