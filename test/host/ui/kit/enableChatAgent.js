// @ts-nocheck -- runs in the page, and this project's compiler knows Node only.
// The chat agent is a built-in extension that stays disabled until someone signs in. The page's own configuration can
// enable it, and is changed in the page, because changing it on the way there breaks the web socket.
new MutationObserver((_changes, observer) => {
  const meta = document.getElementById('vscode-workbench-web-configuration');
  const configuration = meta?.getAttribute('data-settings');
  if (!configuration) return;
  observer.disconnect();
  const enabled = { ...JSON.parse(configuration), enabledExtensions: ['GitHub.copilot-chat'] };
  meta.setAttribute('data-settings', JSON.stringify(enabled));
}).observe(document, { childList: true, subtree: true });
