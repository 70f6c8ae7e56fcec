import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { compile, FilterError } from '../../src/filter/index.ts'

const page = readFileSync('site/reference/filter.md', 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  )

const row: unknown = JSON.parse(blocks('json')[0] ?? '')

const claims = blocks('filter')
  .flatMap((block) => block.split('\n'))
  .filter((line) => line !== '')
  .map((line) => line.split('→').map((part) => part.trim()) as [string, string])

describe('every line of the reference page is as it says', () => {
  test.each(claims)('%s → %s', (source, claim) => {
    for (const evaluator of ['closures', 'codegen'] as const) {
      let answer: string
      try {
        answer = String(compile(source, { evaluator }).test(row))
      } catch (error) {
        if (!(error instanceof FilterError)) throw error
        answer = error.kind
      }
      expect(answer).toBe(claim)
    }
  })

  test('and there are many', () => {
    expect(claims.length).toBeGreaterThan(60)
  })
})

describe('every program on the page runs', () => {
  const folder = resolve('temp/filter-page')
  mkdirSync(folder, { recursive: true })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each(blocks('ts').map((code, index) => [index, code] as const))('program %i', async (index, code) => {
    let claimed = 0
    const checked = code
      .replace("'plinth/filter'", `'${resolve('src/filter/index.ts')}'`)
      .replace(
        /^( *(?:const \w+ = |if \(.*?\) )?)(.+?) +\/\/ (.+)$/gm,
        (_, before: string, value: string, wanted: string) => {
          claimed += 1
          return `${before}__same(${value}, ${wanted})`
        },
      )
    const path = `${folder}/program-${index}.ts`
    writeFileSync(
      path,
      `import { expect } from 'vitest'\nconst __same = <T>(found: T, wanted: unknown): T => (expect(found).toEqual(wanted), found)\n${checked}\nexport const ran = true\n`,
    )
    expect(await import(path)).toHaveProperty('ran')
    expect(claimed).toBeGreaterThan(0)
  })
})
