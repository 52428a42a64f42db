// The connection to the game: requests with answers, and topics that are subscribed to.
const Connection = (() => {
  /** How long until it is tried again, in milliseconds. */
  const AGAIN = 2000;
  const listeners = new Map();
  const wanted = new Set();
  const waiting = new Map();
  let socket = null;
  let number = 0;
  let isQuiet = false;
  let onState = () => {};

  /**
   * Where the game is: `ADDRESS/TOKEN`. The command puts it after the number sign, which no server is sent; it is
   * taken out of the address bar and kept for this tab, so that a picture of the window does not show it.
   */
  function place() {
    const word = location.hash.slice(1).split("&").find((part) => part.startsWith("game="));
    if (word) {
      sessionStorage.setItem("game", word.slice("game=".length));
      history.replaceState(null, "", location.pathname + location.search);
    }
    return sessionStorage.getItem("game");
  }

  function open(states) {
    onState = states;
    const game = place();
    if (!game) return onState("closed", "this address has no game; open the one that loligo inspect prints");
    const connect = () => {
      socket = new WebSocket("ws://" + game);
      socket.addEventListener("open", () => {
        onState("open", "connected to " + game.split("/")[0]);
        if (wanted.size > 0) subscribe([...wanted]);
      });
      socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
      socket.addEventListener("close", () => {
        for (const { reject } of waiting.values()) reject(new Error("the game has closed the connection"));
        waiting.clear();
        onState("closed", "the game has ended or does not answer");
        setTimeout(connect, AGAIN);
      });
    };
    connect();
  }

  function receive(message) {
    if (message.type !== "result" && message.type !== "error") {
      for (const listener of listeners.get(message.type) || []) listener(message.value, message.left_out);
      return;
    }
    const answer = waiting.get(message.id);
    if (!answer) return;
    waiting.delete(message.id);
    if (message.type === "result") answer.resolve(message.value);
    else answer.reject(new Error(message.message));
  }

  /** Sends a request; the promise is kept when the game answers. */
  function request(type, members) {
    if (!socket || socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error("there is no connection"));
    number += 1;
    const id = number;
    socket.send(JSON.stringify({ id, type, ...members }));
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  }

  /** Subscribes to topics; those that this game does not have are passed to `refused` one by one. */
  function subscribe(topics, refused) {
    for (const topic of topics) {
      wanted.add(topic);
      if (isQuiet || !socket || socket.readyState !== WebSocket.OPEN) continue;
      request("subscribe", { topics: [topic], messages_a_second: 200 }).catch((error) => {
        wanted.delete(topic);
        for (const listener of listeners.get("refused") || []) listener(topic, error.message);
        if (refused) refused(error.message);
      });
    }
  }

  function unsubscribe(topics) {
    topics.forEach((topic) => wanted.delete(topic));
    return request("unsubscribe", { topics }).catch(() => {});
  }

  /** Ends all that comes by itself while nobody looks, and begins it again. */
  function setQuiet(quiet) {
    if (quiet === isQuiet) return;
    isQuiet = quiet;
    if (quiet) request("unsubscribe", {}).catch(() => {});
    else subscribe([...wanted]);
  }

  function on(topic, listener) {
    if (!listeners.has(topic)) listeners.set(topic, []);
    listeners.get(topic).push(listener);
  }

  return { open, request, subscribe, unsubscribe, setQuiet, on };
})();
