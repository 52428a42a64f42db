// What sounds: how loud each bus is, and which waves play, heard or not.
const Sounds = (() => {
  /** What is quieter has no bar, in decibels. */
  const LOW = -60;
  const part = document.getElementById("sound");
  const figures = document.getElementById("sound-figures");
  const buses = document.getElementById("sound-buses");
  const voices = document.getElementById("sound-voices");
  const share = (level) => Math.max(0, Math.min(1, 1 - level / LOW)) * 100 + "%";
  const level = (of) => (of === null || of <= -144 ? "–" : of.toFixed(1));
  const figure = (term, text) => h("div", {}, h("dt", {}, term), h("dd", {}, text));

  function bus(of) {
    const [peak, loudness] = [h("i", { class: "held" }), h("i", { class: "used" })];
    peak.style.width = share(of.peak);
    loudness.style.width = share(of.loudness);
    return h("tr", {}, h("th", { scope: "row" }, of.name), h("td", { class: "bar" }, h("span", { class: "bar-track" }, peak, loudness)),
      h("td", { class: of.peak > 0 ? "over" : "" }, level(of.peak)), h("td", {}, level(of.loudness)), h("td", {}, level(of.volume)));
  }

  function voice(of) {
    const place = of.place === null ? "in the middle" : of.place.map((number) => number.toFixed(1)).join(" ");
    const state = of.is_paused ? "paused" : of.has_voice ? "real" : "virtual";
    return h("tr", {}, h("th", { scope: "row" }, of.name), h("td", {}, of.wave), h("td", {}, String(of.sound)),
      h("td", {}, of.entity === null ? "–" : String(of.entity)), h("td", {}, of.bus), h("td", {}, place),
      h("td", {}, of.seconds.toFixed(1)), h("td", {}, level(of.volume)), h("td", {}, level(of.loudness)), h("td", {}, state));
  }

  Connection.on("subsystems", (value) => {
    const sound = value.sound;
    part.hidden = !sound;
    if (!sound) return;
    const [totals] = sound.totals;
    figures.replaceChildren(...["sounds", "voices", "waiting"].map((key) => figure(key, Units.count(totals[key]))),
      figure("device", totals.device === null ? "none" : totals.device + " Hz, " + Units.count(totals.late) + " frames late"));
    buses.replaceChildren(...sound.buses.map(bus));
    voices.replaceChildren(...sound.voices.map(voice));
  });
  return {};
})();
