"use strict";

// Applies the patches of the session's events, and sends forms without leaving the page.
const source = new EventSource(`events?version=${document.body.dataset.version}`);

source.addEventListener("title", event => { document.title = event.data; });

source.addEventListener("patch", event => {
    const { id, html } = JSON.parse(event.data);
    const old = document.getElementById(id);
    const field = old.contains(document.activeElement) && document.activeElement.matches("input")
        ? document.activeElement : null;
    old.outerHTML = html;
    if (!field) return;
    // A field that is being typed into keeps its text and the focus.
    const again = document.getElementById(id).querySelector(`input[name="${field.name}"]`);
    if (!again) return;
    again.value = field.value;
    again.focus();
});

// The service answers with an error when the session has ended. Failed connections are tried again by the browser.
source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) location.replace("/board");
});

document.addEventListener("submit", async event => {
    event.preventDefault();
    const message = document.getElementById("message");
    try {
        const response = await fetch(event.target.getAttribute("action"), {
            method: "POST",
            body: new URLSearchParams(new FormData(event.target, event.submitter)),
            redirect: "manual",
        });
        if (response.status === 410) return location.replace("/board");
        // The redirection is for pages without a script: here the changes come as patches.
        message.textContent =
            response.type === "opaqueredirect" ? "" : (await response.json()).error.message;
    } catch {
        message.textContent = "The service does not answer.";
    }
});

// A browser may keep a page that was left, with its connections, in case somebody comes back to it.
addEventListener("pagehide", () => source.close());
addEventListener("pageshow", event => { if (event.persisted) location.replace("/board"); });
