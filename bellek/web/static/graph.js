// Drag to move the graph, wheel or + and - to look closer: only the picture's frame changes. Without this file it scrolls.
"use strict";
(() => {
  const svg = document.getElementById("net");
  if (!svg) return;
  const box = svg.viewBox.baseVal;
  let from = null;
  let moved = false;

  const zoom = (by, x, y) => {
    box.x += (x - box.x) * (1 - by);
    box.y += (y - box.y) * (1 - by);
    box.width *= by;
    box.height *= by;
  };
  const at = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());

  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.shiftKey) return; // the page scrolls as everywhere
    event.preventDefault();
    const point = at(event);
    zoom(event.deltaY > 0 ? 1.15 : 0.87, point.x, point.y);
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => { from = at(event); moved = false; });
  svg.addEventListener("pointermove", (event) => {
    if (!from || !event.buttons) return;
    const point = at(event);
    if (Math.hypot(point.x - from.x, point.y - from.y) > 4) moved = true;
    box.x -= point.x - from.x;
    box.y -= point.y - from.y;
  });
  svg.addEventListener("click", (event) => { if (moved) event.preventDefault(); });
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey) return;
    const by = { "+": 0.8, "=": 0.8, "-": 1.25 }[event.key];
    if (by) zoom(by, box.x + box.width / 2, box.y + box.height / 2);
  });
})();
