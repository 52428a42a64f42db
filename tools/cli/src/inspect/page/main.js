// Begins: the theme, the connection, and what is subscribed to from the start.
(() => {
  const state = document.getElementById("state");
  const pause = document.getElementById("pause");
  let isPaused = false;
  const quiet = () => Connection.setQuiet(isPaused || document.hidden);

  Theme.start();
  Connection.open((kind, text) => {
    state.dataset.state = kind;
    state.textContent = text;
    if (kind === "open") {
      Log.start();
      Console.start();
    }
  });
  Connection.subscribe(["frames", "scopes", "log", "memory", "objects", "subsystems", "screen"]);
  pause.addEventListener("click", () => {
    isPaused = !isPaused;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.textContent = isPaused ? "Go on" : "Pause";
    quiet();
  });
  // A page that nobody sees costs the game nothing.
  document.addEventListener("visibilitychange", quiet);
})();
