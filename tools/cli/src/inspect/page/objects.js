// How many objects there are: of the game, and of its scripts when that is asked for.
const Objects = (() => {
  const counts = (list) => list.map(([name, count]) => h("div", {}, h("dt", {}, name), h("dd", {}, Units.count(count))));
  const words = (name) => name.replaceAll("_", " ");

  Connection.on("objects", (value) => {
    const list = Object.entries(value).map(([name, count]) => [words(name), count]);
    document.getElementById("object-counts").replaceChildren(...counts(list));
  });
  document.getElementById("objects-script").addEventListener("click", () => {
    const shown = document.getElementById("script-counts");
    Connection.request("script_objects").then(
      (list) => shown.replaceChildren(...counts(list.slice(0, 24))),
      (error) => shown.replaceChildren(h("p", { class: "hint" }, error.message)),
    ).then(() => { shown.hidden = false; });
  });
  return {};
})();
