import { resolve } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { happyDom, jsdom, needing } from '../../programs.ts'

const page =
  '<form><label for="box">Jobs</label><plinth-filter id="box" name="filter" builder></plinth-filter></form>'
const script = `
const box = document.querySelector('plinth-filter')
const input = box.shadowRoot.querySelector('input')
const type = (text) => {
  input.focus()
  input.value = text
  input.setSelectionRange(text.length, text.length)
  input.dispatchEvent(new Event('input', { bubbles: true }))
}
box.addEventListener('change', ({ detail }) => { globalThis.change = detail })
box.fields = [{ selector: 'Status', kind: 'string', optional: false, operators: ['=='], texts: ['up', 'down'] }]
type('Sta')
const suggested = [...box.shadowRoot.querySelectorAll('[role=option]')].map((option) => option.textContent)
input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
const completed = box.value
type('Status == "up"')
const passes = change.filter.test({ Status: 'up' }) && box.checkValidity()
type('Status == "upp"')
const message = box.validationMessage
box.shadowRoot.querySelector('[part=fix]').click()
const corrected = box.value
box.shadowRoot.querySelector('[part=toggle]').click()
const rows = box.shadowRoot.querySelectorAll('[part=row]').length
box.disabled = true
globalThis.seen = {
  suggested, completed, passes, message, corrected, rows, form: box.form.tagName,
  disabled: input.disabled,
}
`

interface Host {
  readonly eval: (code: string) => unknown
  readonly seen?: unknown
}

/** A document that a test runner has in place of a browser's. */
const hosts = {
  jsdom: async (): Promise<Host> => {
    const { JSDOM } = await import(resolve('temp/loaded/node_modules/jsdom/lib/api.js'))
    return new JSDOM(page, { runScripts: 'outside-only' }).window
  },
  'happy-dom': async (): Promise<Host> => {
    const { Window } = await import(resolve('temp/loaded/node_modules/happy-dom/lib/index.js'))
    const window = new Window({
      settings: { enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true },
    })
    window.document.body.innerHTML = page
    return window
  },
}

describe.each([
  ['jsdom', jsdom],
  ['happy-dom', happyDom],
] as const)('the element in %s', (name, program) => {
  it(...needing('is typed into, completed, corrected and built as in a browser', program), async () => {
    const { outputFiles } = await build({
      entryPoints: ['src/filter/element/index.ts'],
      bundle: true,
      format: 'iife',
      write: false,
      target: 'es2022',
    })
    const window = await hosts[name]()
    window.eval(outputFiles[0]?.text ?? '')
    window.eval(`(() => {${script}})()`)
    expect(window.seen).toEqual({
      suggested: ['Status string'],
      completed: 'Status ',
      passes: true,
      message: '"upp" is not a value of this field; did you mean "up"?',
      corrected: 'Status == "up"',
      rows: 1,
      form: 'FORM',
      disabled: true,
    })
  })
})
