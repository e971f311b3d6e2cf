"use strict";
/* The whole heap as one page: what `loupe heap --html` writes is asked for, and drawn by the program that
 * such pages have (page.js). Its data stays data: nothing of the answer becomes markup or runs. */
(() => {
  const say = (text) => { document.getElementById("waiting").textContent = text; };

  const add_script = (parts) => document.body.append(Object.assign(document.createElement("script"), parts));

  const draw = async () => {
    const at = sessionStorage.getItem("at");
    if (!at) {
      location.replace("/"); /* which says why */
      return;
    }
    const reply = await fetch(`${at}/ask`, {method: "POST", body: JSON.stringify({verb: "heap", page: true}),
                                            credentials: "same-origin", cache: "no-store"});
    if (!reply.ok)
      throw new Error(await reply.text());
    const answer = await reply.json();
    /* In the page, no byte of the data can end the element that it stands in. */
    const data = (answer.output || "").match(/ id="data">([^<]*)<\/script>/);
    if (!data)
      throw new Error(answer.messages || answer.output);
    document.documentElement.dataset.questions = "/#";
    add_script({type: "application/json", id: "data", textContent: data[1]});
    add_script({src: "/page.js"});
  };
  draw().catch((problem) => say(problem.message));
})();
