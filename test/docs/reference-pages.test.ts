import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inReaderOrder } from '../../scripts/reader-order.mjs'
import { openApiDocuments } from '../../scripts/reference/documents.ts'
import { type Examples, exampleOf } from '../../scripts/reference/endpoint-page.ts'
import { referencePages, refusals } from '../../scripts/reference/pages.ts'
import { isGroup } from '../../src/cli/command/declaration.ts'
import { plinth } from '../../src/cli/commands/index.ts'
import { archiveLimits } from '../../src/registry/archive/entry.ts'
import { limits } from '../../src/store/index.ts'

const documents = await openApiDocuments()
const pages = await referencePages()
const linesOf = (path: string): readonly string[] => pages[path]?.split('\n') ?? []

describe('the generated reference', () => {
  it.each(Object.entries(documents))('lists every endpoint of %s', (name, { paths }) => {
    const headings = linesOf(`reference/endpoints/${name}.md`).filter((line) => line.startsWith('### `'))
    const endpoints = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(endpoints.length).toBeGreaterThan(0)
    expect(headings.map((line) => /^### `([^`]+)`/.exec(line)?.[1]).toSorted()).toEqual(endpoints.toSorted())
  })

  it.each(Object.entries(documents))('gives a command line for every endpoint of %s', (name, { paths }) => {
    const sections = (pages[`reference/endpoints/${name}.md`] ?? '').split('\n### `').slice(1)
    const endpoints = Object.values(paths).flatMap((item) => Object.keys(item))
    const lines = sections.filter((section) => /\n```sh\ncurl (?:-X [A-Z]+ )?"/.test(section))
    expect(lines).toHaveLength(endpoints.length)
  })

  it('shows the answers that tests have had', () => {
    const page = pages['reference/endpoints/secrets.md'] ?? ''
    const [, section = ''] = page.split('### `GET /v1/sys/seal-status`')
    expect(section).toContain('curl "$SECRETS_ADDR/v1/sys/seal-status"')
    expect(section.slice(0, section.indexOf('### `'))).toContain('"sealed": false')
  })

  it('shows an answer for at least 95 % of all endpoints', () => {
    const examples: Examples = JSON.parse(readFileSync('site/data/endpoint-answers.json', 'utf8'))
    const endpoints = Object.values(documents).flatMap(({ paths }) =>
      Object.entries(paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => ({
          title: `${method.toUpperCase()} ${path}`,
          isShown: exampleOf(method, item, examples) !== undefined,
        })),
      ),
    )
    const missing = endpoints.filter(({ isShown }) => !isShown).map(({ title }) => title)
    expect(missing.length / endpoints.length, missing.join(', ')).toBeLessThanOrEqual(0.05)
  })

  it('puts what an index names first, then functions before types', () => {
    const page =
      '# plinth/x\n\n## Interfaces\n\n### A\n\na\n\n***\n\n### B\n\nb\n\n## Functions\n\n### f()\n\nf\n\n***\n\n### main()\n\nm\n'
    const index =
      "// Start here\n\nexport { type B, main } from './m.ts'\n\n// The rest, by kind\n\nexport { f } from './f.ts'\n"
    const headings = [...inReaderOrder(page, index).matchAll(/^#+ .+/gm)].map(([line]) => line)
    expect(headings).toEqual([
      '# plinth/x',
      '## Start here',
      '### main()',
      '### B',
      '## Functions',
      '### f()',
      '## Interfaces',
      '### A',
    ])
  })

  it('names every refusal code that a document names', () => {
    for (const [name, { paths }] of Object.entries(documents)) {
      const page = pages[`reference/endpoints/${name}.md`] ?? ''
      const reported = Object.values(paths)
        .flatMap((item) => Object.values(item))
        .flatMap(({ responses }) => Object.values(responses))
        .flatMap(({ description }) => [...description.matchAll(/refused: ([\w, ]+)/g)])
        .flatMap(([, codes = '']) => codes.split(', '))
      expect(
        [...new Set(reported)].filter((code) => !page.includes(`\`${code}\``)),
        name,
      ).toEqual([])
    }
  })

  it.each(Object.entries(refusals))(
    'explains every refusal of %s, with the status that it has',
    (name, codes) => {
      const reported = Object.values(documents[name]?.paths ?? {})
        .flatMap((item) => Object.values(item))
        .flatMap(({ responses }) => Object.entries(responses))
        .flatMap(([status, { description }]) =>
          [...description.matchAll(/refused: ([\w, ]+)/g)].flatMap(([, listed = '']) =>
            listed.split(', ').map((code) => `${code} ${status}`),
          ),
        )
      const explained = codes.map(({ code, status }) => `${code} ${status}`)
      expect([...new Set(reported)].filter((each) => !explained.includes(each))).toEqual([])
      expect(new Set(explained).size).toBe(codes.length)
      const page = pages['reference/refusals.md'] ?? ''
      for (const { code, status, meaning, remedy } of codes) {
        expect(page).toContain(`| \`${code}\` | ${status} |`)
        expect(`${meaning} ${remedy}`, code).toMatch(/^[A-Z`].*\. [A-Z`].*\.$/)
      }
    },
  )

  it('lists every option of what takes options, with what it does', () => {
    const page = pages['reference/settings.md'] ?? ''
    for (const name of [
      'SecretsOptions',
      'SchedulerOptions',
      'ServeOptions',
      'CompileOptions',
      'SqliteOptions',
    ])
      expect(page).toContain(`### ${name} {#`)
    for (const setting of ['listener.max_request_size', 'audit "file".path', 'scheduler.collect'])
      expect(page).toContain(`| \`${setting}\` | `)
    expect(page.split('\n').filter((line) => /^\| .*\| +\|$/.test(line))).toEqual([])
  })

  it('lists the limits with their values', () => {
    const page = pages['reference/limits.md'] ?? ''
    expect(page).toContain(`| \`keysPerCommit\` | ${limits.keysPerCommit} | `)
    expect(page).toContain('| Keys of custom metadata | 64 |')
    expect(page).toContain(`${archiveLimits.entries.toLocaleString('en-US')} by default`)
  })

  it('lists every command with its flags', () => {
    const page = pages['reference/commands.md'] ?? ''
    const missing = (group: typeof plinth, above: string): readonly string[] =>
      Object.entries(group.commands).flatMap(([word, node]) => {
        const name = `${above} ${word}`
        if (isGroup(node)) return missing(node, name)
        const section = page.split(/^## /m).find((part) => part.startsWith(`\`${name}\` `)) ?? ''
        const wanted = [...Object.keys(node.flags).map((flag) => `--${flag}`), node.examples[0].run]
        return wanted.filter((text) => !section.includes(text)).map((text) => `${name}: ${text}`)
      })
    expect(missing(plinth, 'plinth')).toEqual([])
  })

  it.each(Object.keys(pages))('%s says that it is generated, and has no anchor twice', (path) => {
    const lines = linesOf(path)
    expect(lines[0]).toBe('<!-- Generated by scripts/reference-pages.mjs. Do not edit. -->')
    const anchors = lines.flatMap((line) => /^#.* \{#([\w-]+)\}$/.exec(line)?.[1] ?? [])
    expect(anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)).toEqual([])
  })
})
