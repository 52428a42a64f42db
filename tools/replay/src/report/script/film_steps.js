// Cuts each call of a film into the small steps in which a buddy allocator does it.
//
// A film holds the state after each call, as the allocator showed it. What happened in between (a
// block taken off its list, split, its halves put on lists, buddies merged) follows from the state
// before and after, and each call ends in the recorded state whatever was derived on the way.
const FilmSteps = (() => {
  const ABSENT = ".";
  const FREE = "f";
  const SPLIT = "s";
  const ALLOCATED = "a";

  const levelOf = (block) => 31 - Math.clz32(block + 1);
  const parentOf = (block) => (block - 1) >> 1;
  const buddyOf = (block) => (block % 2 ? block + 1 : block - 1);
  const same = (a, b) => a.states === b.states.join("") && a.lists.every((list, i) => list.join() === b.lists[i].join());

  /** A working copy that records a step each time `step` is called. */
  function workshop(before, steps, call) {
    const now = { states: [...before.states], lists: before.lists.map((list) => [...list]) };
    const asked = new Map(before.asked);
    const lines = [];
    const step = (doing, ...touched) => {
      steps.push({ states: now.states.join(""), lists: now.lists.map((list) => [...list]), asked: new Map(asked), doing, touched, call, lines: [...lines] });
    };
    const take = (block) => {
      const list = now.lists[levelOf(block)];
      const i = list.indexOf(block);
      if (i >= 0) list.splice(i, 1);
    };
    /** Puts a block where the list that was recorded after the call has it. */
    const put = (block, after) => {
      const level = levelOf(block);
      const order = after.lists[level];
      const place = order.indexOf(block);
      const list = now.lists[level];
      const i = place < 0 ? 0 : list.filter((other) => order.indexOf(other) >= 0 && order.indexOf(other) < place).length;
      list.splice(i, 0, block);
    };
    return { now, asked, lines, step, take, put };
  }

  function splitDown(shop, from, to, after, last) {
    let block = from;
    while (block !== to) {
      const [left, right] = [block * 2 + 1, block * 2 + 2];
      let next = to;
      while (parentOf(next) !== block) next = parentOf(next);
      shop.now.states[block] = SPLIT;
      shop.now.states[left] = FREE;
      shop.now.states[right] = FREE;
      shop.now.states[next] = last;
      shop.step(`split block ${block} of level ${levelOf(block)} in two`, block, left, right);
      shop.put(buddyOf(next), after);
      shop.step(`put the other half on the free list of level ${levelOf(next)}`, buddyOf(next));
      block = next;
    }
  }

  function allocate(shop, before, call, film) {
    shop.lines.push({ text: `> allocate(${Units.bytes(call.bytes)})`, kind: "call" });
    if (call.block === null) {
      shop.lines.push({ text: "# no free block is large enough: refused", kind: "refused" });
      shop.step("refused: no free block is large enough");
      return;
    }
    let from = call.block;
    while (from > 0 && before.states[from] !== FREE) from = parentOf(from);
    shop.take(from);
    shop.step(`take block ${from} off the free list of level ${levelOf(from)}`, from);
    splitDown(shop, from, call.block, call, FREE);
    shop.now.states[call.block] = ALLOCATED;
    shop.asked.set(call.block, call.bytes);
    shop.lines.push({ text: `= block ${call.block}, ${Units.bytes(film.region_bytes >> levelOf(call.block))}`, kind: "" });
    shop.step(`block ${call.block} is allocated`, call.block);
  }

  function free(shop, call) {
    shop.lines.push({ text: `> free(block ${call.block})`, kind: "call" });
    shop.now.states[call.block] = FREE;
    shop.asked.delete(call.block);
    shop.step(`block ${call.block} is free`, call.block);
    let block = call.block;
    while (block > 0 && call.states[block] === ABSENT) {
      const [buddy, parent] = [buddyOf(block), parentOf(block)];
      shop.take(buddy);
      shop.step(`its buddy, block ${buddy}, is free too: off its list`, block, buddy);
      shop.now.states[block] = ABSENT;
      shop.now.states[buddy] = ABSENT;
      shop.now.states[parent] = FREE;
      shop.step(`both merge into block ${parent} of level ${levelOf(parent)}`, parent);
      block = parent;
    }
    shop.put(block, call);
    shop.lines.push({ text: "ok", kind: "" });
    shop.step(`put block ${block} on the free list of level ${levelOf(block)}`, block);
  }

  function resize(shop, call) {
    shop.lines.push({ text: `> resize in place(block ${call.block}, ${Units.bytes(call.bytes)})`, kind: "call" });
    if (call.to === null) {
      shop.lines.push({ text: "# cannot stay where it lies: a new block, a copy, a free", kind: "refused" });
      shop.step("the block cannot take this size where it lies", call.block);
      return;
    }
    shop.asked.delete(call.block);
    if (call.to < call.block) {
      for (let block = call.block; block !== call.to; block = parentOf(block)) {
        shop.take(buddyOf(block));
        shop.now.states[block] = ABSENT;
        shop.now.states[buddyOf(block)] = ABSENT;
        shop.now.states[parentOf(block)] = ALLOCATED;
        shop.step(`grow into the free buddy, block ${buddyOf(block)}`, parentOf(block));
      }
    } else {
      splitDown(shop, call.block, call.to, call, ALLOCATED);
    }
    shop.asked.set(call.to, call.bytes);
    shop.lines.push({ text: `= block ${call.to}`, kind: "" });
    shop.step(`block ${call.to} holds ${Units.bytes(call.bytes)}`, call.to);
  }

  function opening(film) {
    const live = film.opening.length;
    const text = live === 0 ? "empty" : live === 1 ? "1 block alive" : `${live} blocks alive`;
    return { text: `a region of ${Units.bytes(film.region_bytes)}, ${text}`, kind: "" };
  }

  /** All steps of a film, in order; each knows its call and the log lines of that call so far. */
  function expand(film) {
    const steps = [];
    let before = null;
    film.calls.forEach((call, i) => {
      if (before === null) {
        steps.push({ states: call.states, lists: call.lists, asked: new Map(film.opening), doing: "as the film opens", touched: [], call: 0, lines: [opening(film)] });
      } else {
        const shop = workshop(before, steps, i);
        if (call.call === "allocate") allocate(shop, before, call, film);
        else if (call.call === "free") free(shop, call);
        else resize(shop, call);
        if (!same(call, shop.now)) {
          steps.push({ ...steps[steps.length - 1], states: call.states, lists: call.lists, doing: "settled", touched: [] });
        }
      }
      before = { states: call.states, lists: call.lists, asked: steps[steps.length - 1].asked };
    });
    return steps;
  }

  return { expand, levelOf };
})();
