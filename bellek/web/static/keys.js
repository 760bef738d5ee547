// Keys for the inbox: each does what a link or a button of the page does. Without this file everything works as well.
"use strict";
(() => {
  let left = false; // one act a page: a key held down must not decide about the row that comes next

  const follow = (rel) => {
    const link = document.querySelector(`a[rel=${rel}]`);
    if (link) { left = true; location.assign(link.href); }
  };

  const act = (key) => {
    const form = document.querySelector(`form[data-key=${key}]`);
    if (!form) return;
    const wanted = form.querySelector("input[required]");
    if (wanted && !wanted.value) { wanted.focus(); return; }
    left = true;
    form.requestSubmit();
  };

  document.addEventListener("keydown", (event) => {
    if (left || event.repeat || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("input, textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (event.key === "j") follow("next");
    else if (event.key === "k") follow("prev");
    else if (["p", "r", "q", "u"].includes(event.key)) act(event.key);
    else return;
    event.preventDefault();
  });

  addEventListener("pageshow", () => { left = false; });
})();
