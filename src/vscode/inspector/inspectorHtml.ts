export interface InspectorHtmlOptions {
  /** The only allowed source of styles and fonts. */
  readonly cspSource: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** Unique per document. */
  readonly nonce: string;
  /** BCP 47. */
  readonly language: string;
}

/**
 * The inspector's HTML document. Its policy allows only our script, style and font: no inline script or style, and no
 * requests. All content arrives by messages and is rendered as text nodes.
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
