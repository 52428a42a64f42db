// Which calls of scripts make garbage, of the last second.
const Garbage = (() => {
  const rows = document.getElementById("garbage-rows");
  const sum = document.getElementById("garbage-sum");
  const button = document.getElementById("garbage-switch");
  /** The calls, the innermost first; functions of the engine and of Lua have no lines. */
  const path = (calls) => calls.filter(([, line]) => line > 0).map(([file, line]) => file + ":" + line).join(" ← ");

  Connection.on("garbage", (value) => {
    sum.textContent = Units.bytes(value.bytes) + " a second from " + Units.count(value.all_places) + " places";
    rows.replaceChildren(...value.places.map(({ bytes, count, calls }) => h("tr", {},
      h("th", { scope: "row" }, path(calls) || "outside of scripts"),
      h("td", {}, Units.bytes(bytes)), h("td", {}, Units.count(count)))));
  });
  Connection.on("refused", (topic, why) => {
    if (topic === "garbage") sum.textContent = why;
  });
  button.addEventListener("click", () => {
    const isOn = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isOn));
    button.textContent = isOn ? "Stop" : "Record";
    sum.textContent = isOn ? "recording .." : "";
    if (isOn) Connection.subscribe(["garbage"]);
    else Connection.unsubscribe(["garbage"]);
  });
  return {};
})();
