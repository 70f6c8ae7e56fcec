import { entry } from './generated/assets.ts'

/** The one HTML page; the script in it shows the view of the path. `about` is JSON: what `/services.json` answers. */
export function page(basePath: string, about: string): string {
  const base = escaped(basePath)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="plinth-base" content="${base}">
<meta name="plinth-services" content="${escaped(about)}">
<title>Plinth</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/assets/${entry.style}">
<script type="module" src="${base}/assets/${entry.script}"></script>
</head>
<body>
<div id="app"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => escapes[letter] ?? letter)
