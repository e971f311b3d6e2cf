"use strict";
/* The page of `loupe serve --http`: puts questions to the tool, and shows what it prints. An answer is
 * text, never markup; an address in it leads to the object. */
(() => {
  const VERBS = [["suspects", "Suspects"], ["heap", "Classes"], ["retained", "Owners"], ["leaks", "Leaks"],
                 ["cycles", "Cycles"], ["threads", "Threads"], ["sql", "SQL"]];
  const ROWS = 200;
  const element = (id) => document.getElementById(id);
  let last = 0;

  const make = (name, text, parent) => {
    const made = document.createElement(name);
    made.textContent = text;
    return parent.appendChild(made);
  };
  const say = (text) => { element("state").textContent = text; element("state").hidden = !text; };

  /* ---- Asking ---- */

  const post = async (path, body) => {
    const reply = await fetch(path, {method: "POST", body, credentials: "same-origin", cache: "no-store"});
    if (!reply.ok)
      throw new Error(reply.status === 403 ? "This page has no access: open the address that loupe printed."
                                           : await reply.text());
    return reply.json();
  };
  const ask = (question) => post(`${sessionStorage.getItem("at")}/ask`, JSON.stringify(question));

  /* The token is for once: it goes from the address, and from the history. The map's links name objects
   * in its place. */
  const begin = async () => {
    const token = location.hash.slice(1);
    if (/^0x[0-9a-f]{1,16}$/.test(token))
      history.replaceState({object: token}, "", "/");
    if (/^[0-9a-f]{32}$/.test(token)) {
      history.replaceState(null, "", "/");
      sessionStorage.setItem("at", (await post("/session", token)).at);
    }
    if (!sessionStorage.getItem("at"))
      throw new Error("Open the address that loupe printed, with what follows its #.");
  };

  /* ---- Showing ---- */

  const link = (text, question, parent) => {
    const button = make("button", text, parent);
    button.type = "button";
    button.addEventListener("click", () => go(question));
  };

  const put_text = (text, parent) => {
    const pre = make("pre", "", parent);
    for (const part of text.split(/(0x[0-9a-f]{2,16})/)) {
      if (/^0x/.test(part))
        link(part, {object: part}, pre);
      else
        pre.append(part);
    }
  };

  const put_classes = (answer, parent) => {
    const table = make("table", "", parent), head = make("tr", "", table);
    const columns = [["count", "objects"], ["bytes", "bytes"], ["retained", "retained"], ["class", "class"]];
    for (const [, title] of columns)
      make("th", title, head);
    for (const row of answer.classes) {
      const line = make("tr", "", table);
      for (const [key] of columns) {
        const cell = make("td", key === "class" ? "" : (row[key] ?? 0).toLocaleString(), line);
        if (key === "class")
          link(row.class, {verb: "find", operand: row.class}, cell);
      }
    }
  };

  const put_reply = (reply, question, parent) => {
    if (question.json && reply.status !== 2)
      put_classes(JSON.parse(reply.output), parent);
    else if (reply.output)
      put_text(reply.output, parent);
    if (reply.messages)
      put_text(reply.messages, parent);
  };

  /* What one thing to see is asked by: an object by what it has, what holds it, what it keeps. */
  const questions = (wanted) => {
    if (wanted.object)
      return [["What holds it", "path"], ["What it has", "show"], ["What it keeps", "retained"]].map(
        ([title, verb]) => [title, {verb, operand: wanted.object}]);
    const asked = {verb: wanted.verb};
    if (wanted.operand)
      asked.operand = wanted.operand;
    if (wanted.verb === "heap")
      asked.json = true;
    if (["heap", "find", "leaks", "cycles"].includes(wanted.verb))
      asked.limit = ROWS;
    return [["", asked]];
  };

  const show = async (wanted) => {
    const number = ++last, found = document.createDocumentFragment();
    element("query").hidden = wanted.verb !== "sql";
    for (const button of element("verbs").children)
      button.toggleAttribute("aria-current", button.dataset.verb === wanted.verb);
    say("Asking");
    try {
      for (const [title, question] of questions(wanted)) {
        if (wanted.verb === "sql" && !question.operand)
          continue;
        const reply = await ask(question);
        if (title)
          make("h2", title, found);
        put_reply(reply, question, found);
      }
      if (number === last) {
        element("answer").replaceChildren(found);
        say("");
      }
    } catch (problem) {
      if (number === last)
        say(problem.message);
    }
  };

  const go = (wanted) => {
    history.pushState(wanted, "");
    show(wanted);
  };

  /* ---- The page ---- */

  for (const [verb, title] of VERBS) {
    link(title, {verb}, element("verbs"));
    element("verbs").lastChild.dataset.verb = verb;
  }
  element("search").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = element("text").value.trim();
    go(/^0x[0-9a-f]+$/.test(text) ? {object: text} : {verb: "find", operand: text});
  });
  element("query").addEventListener("submit", (event) => {
    event.preventDefault();
    go({verb: "sql", operand: element("sql").value});
  });
  addEventListener("popstate", (event) => show(event.state ?? {verb: "suspects"}));
  begin().then(() => show(history.state ?? {verb: "suspects"}), (problem) => say(problem.message));
})();
