// The picture of the game, made smaller by the game, some times a second.
const Screen = (() => {
  const picture = document.getElementById("screen-picture");
  const hint = document.getElementById("screen-hint");
  const size = document.getElementById("screen-size");
  const button = document.getElementById("screen-switch");

  function say(text) {
    picture.hidden = true;
    hint.hidden = false;
    hint.textContent = text;
    size.textContent = "";
  }

  Connection.on("screen", (value) => {
    if (value.width === 0) return say("The back end of this run draws no pictures.");
    picture.src = "data:image/png;base64," + value.png;
    picture.hidden = false;
    hint.hidden = true;
    size.textContent = `${value.of_width} × ${value.of_height}`;
    return undefined;
  });
  Connection.on("refused", (topic, why) => {
    if (topic === "screen") say(why);
  });
  button.addEventListener("click", () => {
    const isOn = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(isOn));
    button.textContent = isOn ? "On" : "Off";
    if (isOn) Connection.subscribe(["screen"]);
    else Connection.unsubscribe(["screen"]).then(() => say("Switched off."));
  });
  return {};
})();
