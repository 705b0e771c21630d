// Folding, filtering and walking through the table. Without it everything is shown.
(() => {
  "use strict";
  const table = document.getElementById("cells");
  const given = document.getElementById("trees");
  if (!table || !given) return;
  const { trees, words } = JSON.parse(given.textContent);
  const axes = trees.length - 1;
  const tools = document.querySelector(".tools");
  const told = document.getElementById("told");
  const number = (text) => (text === "" ? [] : text.split(",").map(Number));
  const scroll = table.parentElement;
  const rows = [...table.tBodies[0].rows].map((tr) => ({ tr, at: number(tr.dataset.k) }));
  const heads = [...table.tHead.rows[0].cells];
  const columns = heads.map((th) => (th.dataset.k === undefined ? -1 : Number(th.dataset.k)));
  const closed = trees.map(() => new Set());
  const buttons = new Map();
  for (const button of table.querySelectorAll(".fold")) {
    const key = `${button.dataset.d}:${button.dataset.c}`;
    if (!buttons.has(key)) buttons.set(key, []);
    buttons.get(key).push(button);
  }
  const sheet = document.head.appendChild(document.createElement("style"));
  let only = "", sought = "", live = [], open = [-1, -1], height = 0;
  const gaps = ["afterbegin", "beforeend"].map((where) => {
    table.tBodies[0].insertAdjacentHTML(
      where, '<tr class="gap" aria-hidden="true"><td colspan="1"></td></tr>');
    return where === "afterbegin"
      ? table.tBodies[0].firstElementChild : table.tBodies[0].lastElementChild;
  });

  const depths = trees.map((tree) => {
    const depth = new Array(tree.parents.length).fill(-1);
    const of = (c) => (depth[c] >= 0 ? depth[c]
      : (depth[c] = tree.parents[c] < 0 ? 0 : of(tree.parents[c]) + 1));
    tree.parents.forEach((_, c) => of(c));
    return depth;
  });

  function folded(d) {
    const known = new Array(trees[d].parents.length);
    const within = (c) => {
      if (known[c] !== undefined) return known[c];
      const parent = trees[d].parents[c];
      return (known[c] = parent >= 0 && (closed[d].has(parent) || within(parent)));
    };
    return within;
  }

  function shown(row, within) {
    if (only && !row.tr.querySelector(`td.${only}`)) return false;
    if (sought) {
      return [...row.tr.querySelectorAll("th")].some(
        (th) => th.textContent.toLowerCase().includes(sought));
    }
    return only ? true : !row.at.some((c, d) => within[d](c));
  }

  function lay() {
    const within = trees.map((_, d) => folded(d));
    live = rows.filter((row) => shown(row, within)).map((row) => row.tr);
    open = [-1, -1];
    place();
    const hide = columns
      .map((c, n) => (c >= 0 && within[axes](c) ? n + 1 : 0))
      .filter(Boolean);
    sheet.textContent = hide
      .map((n) => `#cells tr>:nth-child(${n}),#cells col:nth-child(${n}){display:none}`)
      .join("");
    for (const [key, list] of buttons) {
      const [d, c] = key.split(":").map(Number);
      for (const one of list) one.setAttribute("aria-expanded", String(!closed[d].has(c)));
    }
  }

  // Of a long table only the rows near the view are laid out; two gaps stand for the rest.
  function place(all = false) {
    const many = live.length > 400 && !all;
    if (!height) height = (rows[0] && rows[0].tr.offsetHeight) || 24;
    const from = many ? Math.max(0, Math.floor(scroll.scrollTop / height) - 60) : 0;
    const to = many
      ? Math.min(live.length, from + 120 + Math.ceil(scroll.clientHeight / height))
      : live.length;
    if (many && open[0] >= 0 && Math.abs(from - open[0]) < 30 && to < live.length
      && open[1] < live.length) return;
    if (open[0] === from && open[1] === to) return;
    if (open[0] < 0) for (const row of rows) row.tr.hidden = true;
    else for (let n = open[0]; n < open[1]; n += 1) live[n].hidden = n < from || n >= to;
    for (let n = from; n < to; n += 1) live[n].hidden = false;
    open = [from, to];
    gaps[0].firstChild.style.height = `${from * height}px`;
    gaps[1].firstChild.style.height = `${(live.length - to) * height}px`;
  }

  function toggle(button) {
    const set = closed[Number(button.dataset.d)];
    const code = Number(button.dataset.c);
    if (!set.delete(code)) set.add(code);
    lay();
  }

  function foldTo(d, level) {
    closed[d].clear();
    depths[d].forEach((depth, c) => { if (depth >= level) closed[d].add(c); });
  }

  function begin() {
    const deepest = Math.max(...depths.slice(0, axes).flat(), 0);
    let level = deepest;
    const visible = () => rows.filter((r) => r.at.every((c, d) => depths[d][c] <= level));
    if (rows.length > 300) while (level > 1 && visible().length > 300) level -= 1;
    for (let d = 0; d < axes; d += 1) foldTo(d, level);
    foldTo(axes, heads.length > 40 ? 1 : Infinity);
    for (const select of document.querySelectorAll("[data-levels]")) {
      const d = Number(select.dataset.levels);
      const top = Math.max(...depths[d], 0);
      select.value = String(Math.min(d === axes ? (heads.length > 40 ? 1 : top) : level, top));
    }
    lay();
  }

  function stick() {
    let left = 0;
    heads.forEach((th, n) => {
      if (!th.classList.contains("k")) return;
      const offset = `${left}px`;
      left += th.getBoundingClientRect().width;
      stuck.textContent += `#cells .k:nth-child(${n + 1}){left:${offset}}`;
    });
  }
  const stuck = document.head.appendChild(document.createElement("style"));

  const label = (cell) => cell.dataset.name || cell.textContent.trim();
  function tell(cell) {
    if (cell.tagName !== "TD") { told.textContent = ""; return; }
    const where = [...cell.parentElement.querySelectorAll("th")]
      .map((th, n) => `${heads[n].textContent.trim()} ${label(th)}`);
    const head = heads[cell.cellIndex];
    if (head.dataset.k !== undefined) where.push(label(head));
    const kinds = [...cell.classList].map((name) => words[name]).filter(Boolean);
    const more = cell.title ? [cell.title] : kinds;
    told.textContent = `${where.join(", ")}: ${[cell.textContent.trim(), ...more].join(", ")}`;
  }

  function walk(cell, key) {
    const seen = (one) => one && one.getClientRects().length > 0;
    const next = (one, way) => {
      let found = one[way];
      while (found && !seen(found)) found = found[way];
      return found;
    };
    const row = cell.parentElement;
    if (key === "ArrowRight") return next(cell, "nextElementSibling");
    if (key === "ArrowLeft") return next(cell, "previousElementSibling");
    if (key === "Home") return row.querySelector("td");
    if (key === "End") return seen(row.lastElementChild)
      ? row.lastElementChild : next(row.lastElementChild, "previousElementSibling");
    const way = key === "ArrowDown" ? "nextElementSibling" : "previousElementSibling";
    const line = next(row, way);
    return line && !line.matches(".gap") && line.cells[cell.cellIndex];
  }

  function go(cell) {
    table.querySelectorAll("[tabindex='0']").forEach((one) => { one.tabIndex = -1; });
    cell.tabIndex = 0;
    cell.focus({ preventScroll: false });
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    tell(cell);
  }

  table.addEventListener("click", (event) => {
    const button = event.target.closest(".fold");
    if (button) { toggle(button); return; }
    const cell = event.target.closest("tbody td, tbody th");
    if (cell) go(cell);
  });
  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest("tbody td, tbody th");
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      const button = cell.querySelector(".fold");
      if (button) { event.preventDefault(); toggle(button); }
      return;
    }
    if (!/^(Arrow|Home$|End$)/.test(event.key)) return;
    event.preventDefault();
    const next = walk(cell, event.key);
    if (next) go(next);
  });
  tools.addEventListener("change", (event) => {
    const target = event.target;
    if (target.name === "only") {
      only = target.value;
      if (only) table.dataset.only = only; else delete table.dataset.only;
    } else if (target.dataset.levels !== undefined) {
      foldTo(Number(target.dataset.levels), Number(target.value));
    }
    lay();
  });
  tools.addEventListener("input", (event) => {
    if (event.target.type !== "search") return;
    sought = event.target.value.trim().toLowerCase();
    lay();
  });

  let waiting = false;
  scroll.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; place(); });
  }, { passive: true });
  addEventListener("beforeprint", () => {
    place(true);
    // A page of paper across is about 1,030 pixels wide, and letters are smaller there.
    const fit = 1030 / (table.offsetWidth * 0.72);
    table.style.setProperty("--fit", String(Math.max(0.4, Math.min(1, fit))));
  });
  addEventListener("afterprint", () => place());

  tools.hidden = false;
  table.setAttribute("aria-rowcount", String(rows.length + 1));
  begin();
  stick();
  addEventListener("resize", () => { stuck.textContent = ""; stick(); });
  const first = rows[0] && rows[0].tr.querySelector("td");
  if (first) first.tabIndex = 0;
})();
