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
    // The field that the user is typing into keeps its text and the focus.
    const again = document.getElementById(id).querySelector(`input[name="${field.name}"]`);
    if (!again) return;
    again.value = field.value;
    again.focus();
});

// The service answers with an error when the session has ended. The browser itself retries failed connections.
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
        // The redirection is for browsers without JavaScript. This page receives the changes as patches.
        message.textContent =
            response.type === "opaqueredirect" ? "" : (await response.json()).error.message;
    } catch {
        message.textContent = "The service does not answer.";
    }
});

// A browser may keep a page and its connections after the user has left it, to show it again when the user returns.
addEventListener("pagehide", () => source.close());
addEventListener("pageshow", event => { if (event.persisted) location.replace("/board"); });
