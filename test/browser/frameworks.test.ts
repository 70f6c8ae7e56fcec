import { readFileSync } from 'node:fs'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { compile as compileSvelte } from 'svelte/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { describeFields } from '../../src/filter/index.ts'
import { chromium, needing } from '../programs.ts'
import { servePage } from './serve-page.ts'
import { visit } from './visit.ts'

const fields = JSON.stringify(
  describeFields(z.object({ Status: z.enum(['running', 'dead']), Priority: z.int() })),
)

/** The same application in each framework: it shows the text of the box, which it also holds itself. */
const apps: Readonly<
  Record<string, { readonly code: string; readonly files?: Readonly<Record<string, string>> }>
> = {
  'plain DOM': {
    code: `import 'element'
      const root = document.getElementById('root')
      root.innerHTML = '<label for="box">Filter</label><plinth-filter id="box"></plinth-filter><p role="note"></p><button id="set">Set</button>'
      const box = document.getElementById('box')
      box.fields = ${fields}
      box.addEventListener('change', ({ detail }) => {
        root.querySelector('p').textContent = detail.error ? detail.error.message : detail.text
      })
      document.getElementById('set').onclick = () => { box.value = 'Priority > 5' }`,
  },
  React: {
    code: `import 'element'
      import { createElement as h, useState } from 'react'
      import { createRoot } from 'react-dom/client'
      const fields = ${fields}
      function App() {
        const [text, setText] = useState('')
        const [note, setNote] = useState('')
        return h('div', null,
          h('label', { htmlFor: 'box' }, 'Filter'),
          h('plinth-filter', { id: 'box', fields, value: text, onChange: ({ nativeEvent: { detail } }) => {
            setText(detail.text)
            setNote(detail.error ? detail.error.message : detail.text)
          } }),
          h('p', { role: 'note' }, note),
          h('button', { onClick: () => setText('Priority > 5') }, 'Set'))
      }
      createRoot(document.getElementById('root')).render(h(App))`,
  },
  Vue: {
    code: `import 'element'
      import { createApp } from 'vue/dist/vue.esm-bundler.js'
      const app = createApp({
        data: () => ({ text: '', note: '', fields: ${fields} }),
        methods: {
          change({ detail }) {
            this.text = detail.text
            this.note = detail.error ? detail.error.message : detail.text
          },
        },
        template: \`<label for="box">Filter</label>
          <plinth-filter id="box" :fields="fields" :value="text" @change="change" />
          <p role="note">{{ note }}</p><button @click="text = 'Priority > 5'">Set</button>\`,
      })
      app.config.compilerOptions.isCustomElement = (tag) => tag.startsWith('plinth-')
      app.mount('#root')`,
  },
  Svelte: {
    code: `import { mount } from 'svelte'
      import App from './App.svelte'
      mount(App, { target: document.getElementById('root') })`,
    files: {
      './App.svelte': `<script>
        import 'element'
        const fields = ${fields}
        let text = $state('')
        let note = $state('')
        const change = ({ detail }) => {
          text = detail.text
          note = detail.error ? detail.error.message : detail.text
        }
      </script>
      <label for="box">Filter</label>
      <plinth-filter id="box" {fields} value={text} onchange={change}></plinth-filter>
      <p role="note">{note}</p><button onclick={() => { text = 'Priority > 5' }}>Set</button>`,
    },
  },
}

/** Resolves the element to its source, and compiles components of Svelte. */
const sources = (files: Readonly<Record<string, string>>): Plugin => ({
  name: 'sources',
  setup(building) {
    building.onResolve({ filter: /^element$/ }, () => ({
      path: `${process.cwd()}/src/filter/element/index.ts`,
      sideEffects: true,
    }))
    building.onResolve({ filter: /\.svelte$/ }, ({ path }) => ({ path, namespace: 'svelte' }))
    building.onLoad({ filter: /./, namespace: 'svelte' }, ({ path }) => ({
      contents: compileSvelte(files[path] ?? readFileSync(path, 'utf8'), { generate: 'client' }).js.code,
      resolveDir: process.cwd(),
    }))
  },
})

const bundled = async (name: string): Promise<string> => {
  const { code, files = {} } = apps[name] ?? { code: '' }
  const options: BuildOptions = {
    stdin: { contents: code, resolveDir: process.cwd(), loader: 'js' },
    bundle: true,
    format: 'iife',
    platform: 'browser',
    conditions: ['browser', 'svelte'],
    target: 'es2022',
    write: false,
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
    plugins: [sources(files)],
  }
  const { outputFiles } = await build(options)
  return outputFiles?.[0]?.text ?? ''
}

const [title, options] = needing('the filter element in a framework', chromium)

describe(title, options, () => {
  const site = visit(() =>
    servePage(async () => '<!doctype html><html lang="en"><title>App</title><div id="root"></div></html>'),
  )
  const scripts = new Map<string, string>()
  beforeAll(async () => {
    for (const name of Object.keys(apps)) scripts.set(name, await bundled(name))
  })

  it.each(Object.keys(apps))('takes fields and a text, and reports what is typed: %s', async (name) => {
    const { page, faults } = await site.open()
    await page.goto(site.url)
    await page.addScriptTag({ content: scripts.get(name) ?? '' })
    const box = page.getByRole('combobox', { name: 'Filter' })
    const note = (text: string) => page.getByRole('note').filter({ hasText: text }).waitFor()
    await box.click()
    await page.keyboard.type('Sta')
    await page.keyboard.press('Enter')
    await page.keyboard.type('== "runing"')
    await note('did you mean "running"?')
    await page.keyboard.press('Alt+Enter')
    await note('Status == "running"')
    // What the framework holds is what the box holds: the cursor stays where it was while it is typed.
    await page.keyboard.press('Home')
    await page.keyboard.type('Priority > 1 and ')
    await note('Priority > 1 and Status == "running"')
    expect(await box.inputValue()).toBe('Priority > 1 and Status == "running"')
    await page.getByRole('button', { name: 'Set' }).click()
    await expect.poll(() => box.inputValue()).toBe('Priority > 5')
    expect(faults).toEqual([])
    await page.close()
  })
})
