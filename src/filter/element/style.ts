const css = `
:host {
  --filter-border: light-dark(#767676, #8b8b8b);
  --filter-mistake: light-dark(#b3261e, #ff8a80);
  --filter-accent: light-dark(#0b57d0, #a8c7fa);
  --filter-active: light-dark(#e3ecfd, #23385c);
  display: block; position: relative; font: inherit; color: CanvasText;
}
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; font: inherit; color: inherit; }
[part=box] { display: flex; gap: .25em; }
[part=field] {
  position: relative; flex: 1; min-width: 0; overflow: hidden;
  border: 1px solid var(--filter-border); border-radius: 4px; background: Canvas;
}
[part=field]:focus-within { outline: 2px solid var(--filter-accent); outline-offset: -1px; }
[part=field]:has([aria-invalid]) { border-color: var(--filter-mistake); }
[part=input], [part=mistakes] {
  font: 1em/1.6 ui-monospace, "Cascadia Code", Menlo, Consolas, monospace;
  letter-spacing: normal; padding: .25em .5em; white-space: pre;
}
[part=input] { position: relative; display: block; width: 100%; border: 0; outline: 0; background: none; }
[part=input]::placeholder { color: light-dark(#6b6b6b, #a0a0a0); opacity: 1; }
[part=input]:disabled { color: GrayText; cursor: not-allowed; }
[part=mistakes] { position: absolute; inset: 0 auto auto 0; color: transparent; pointer-events: none; }
[part=mistakes] mark {
  background: none; color: transparent;
  text-decoration: wavy underline 1px var(--filter-mistake); text-underline-offset: 3px; text-decoration-skip-ink: none;
}
button, select, [part=row] input {
  border: 1px solid var(--filter-border); border-radius: 4px; padding: .2em .5em; background: Canvas; min-height: 1.8em; max-width: 100%;
}
button { cursor: pointer; }
button:hover { background: var(--filter-active); }
:is(button, select, input):focus-visible { outline: 2px solid var(--filter-accent); outline-offset: 1px; }
[part=input]:focus-visible { outline: 0; }
:disabled { opacity: .6; }
[part=suggestions] {
  position: absolute; z-index: 10; margin: 2px 0 0; padding: 2px; max-height: 16em; min-width: 12em; max-width: 100%;
  overflow: auto; list-style: none; background: Canvas; border: 1px solid var(--filter-border); border-radius: 4px;
  box-shadow: 0 4px 12px rgb(0 0 0 / .25);
}
[part=suggestion] { padding: .15em .5em; border-radius: 3px; cursor: pointer; white-space: nowrap; font-family: ui-monospace, Menlo, Consolas, monospace; }
[part=suggestion]:hover { background: color-mix(in srgb, var(--filter-active) 50%, transparent); }
[part=suggestion][aria-selected=true] { background: var(--filter-active); }
small { font-size: .85em; color: light-dark(#5a5a5a, #b0b0b0); }
[part=problems] { margin: 0; padding: 0; list-style: none; color: var(--filter-mistake); }
[part=problem] { margin-top: .35em; overflow-wrap: anywhere; }
[part=fix] { color: CanvasText; }
[part=builder] { border: 1px solid var(--filter-border); border-radius: 4px; margin: .5em 0 0; padding: .5em .75em; min-width: 0; }
[part=condition] { display: flex; gap: .35em; align-items: flex-start; margin: .35em 0; }
[part=condition] > :first-child { flex: 1; min-width: 0; }
[part=row] { display: flex; flex-wrap: wrap; gap: .35em; align-items: center; }
[part=row] > select:first-child { width: 12em; }
[part=row] > select:nth-child(2) { width: 13em; }
[part=row] input { flex: 1; min-width: 6em; max-width: 24em; }
[part=condition] > [part=group] { border-inline-start: 3px solid var(--filter-border); padding-inline-start: .6em; }
[part=builder] p { margin: .35em 0; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
@media (forced-colors: active) { [part=suggestion][aria-selected=true] { outline: 2px solid Highlight; } }
`

let sheet: CSSStyleSheet | undefined

/**
 * Gives a filter box the style of all, a style sheet of its own, which a strict content security policy allows. jsdom, which
 * draws nothing, has no such sheets.
 */
export function addFilterStyle(root: ShadowRoot): void {
  if (!('replaceSync' in CSSStyleSheet.prototype)) return
  if (sheet === undefined) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
  }
  root.adoptedStyleSheets = [sheet]
}
