/** Where the webview's parts are, as addresses that it may load. */
export interface InspectorHtmlOptions {
  /** The only origin that styles and fonts may come from. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** New for every page. */
  readonly nonce: string;
  /** BCP 47. */
  readonly language: string;
}

/**
 * The inspector's document: nothing may be loaded but its own script, style and font, nothing may be sent, and no style
 * or script may stand in it. All that it shows comes by messages and is made of text nodes.
 */
export function renderInspectorHtml({ cspSource, scriptUri, styleUri, nonce, language }: InspectorHtmlOptions): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${cspSource}; font-src ${cspSource}`;
  return `<!DOCTYPE html>
<html lang="${language}">
  <head>
    <meta charset="UTF-8" />
    <meta http-equiv="Content-Security-Policy" content="${policy}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Recollect</title>
    <link rel="stylesheet" href="${styleUri}" />
  </head>
  <body>
    <div id="inspector"></div>
    <script nonce="${nonce}" src="${scriptUri}"></script>
  </body>
</html>
`;
}
