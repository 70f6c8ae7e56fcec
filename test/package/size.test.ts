import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

/** Bundles `code` as an application would for production, minified and tree-shaken. */
const bundle = async (code: string) => {
  const result = await build({
    stdin: { contents: code, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const text = result.outputFiles[0]?.text ?? ''
  const inputs = Object.entries(Object.values(result.metafile.outputs)[0]?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
  return { text, gzip: gzipSync(text, { level: 9 }).byteLength, inputs }
}

/** What an application takes from a subpath of the built package. */
const from = (subpath: keyof typeof packageJson.exports, names = '*') => {
  const target = packageJson.exports[subpath]
  return `export ${names} from '${typeof target === 'string' ? target : target.default}'`
}

/** The same from the sources, where bundlers drop whole modules. */
const fromSource = (code: string) => code.replace(/'\.\/dist\/(.*)\.js'/, `'./src/$1.ts'`)

/** An application that makes its own filter compiler of some parts. */
const filterOf = (...parts: readonly string[]) =>
  `${from('./filter', `{ ${['filterCompiler', ...parts].join(', ')} }`).replace('export', 'import')}
   export const compile = filterCompiler(${parts.join(', ')})`

const compileAlone = from('./filter', '{ compile }')

/**
 * What is imported → its source, the ceiling in gzipped kB (with immer where it is used), and what must stay out.
 * Ceilings are what was measured, rounded up, and are there to be lowered.
 */
const ceilings = [
  ['kernel', from('.'), 5.5, ['zod', 'date-fns', 'sorted-btree']],
  ['filter', from('./filter'), 57.7, ['zod', 'immer', 'date-fns']],
  ['compile of filter', compileAlone, 42.7, ['zod', 'immer']],
  ['a compiler of nothing but the language', filterOf(), 22, ['zod', 'immer']],
  ['a compiler of fast closures', filterOf('fastClosures'), 24.1, ['zod', 'immer']],
  ['a compiler of patterns', filterOf('linearPatterns'), 30, ['zod', 'immer']],
  [
    'a compiler of fast closures and fast patterns',
    filterOf('fastClosures', 'linearPatterns', 'fastPatterns'),
    32.6,
    ['zod', 'immer'],
  ],
  ['parse of filter', from('./filter', '{ parse }'), 12.9, ['zod', 'immer']],
  ['paging', from('./paging'), 2.2, ['zod', 'immer', 'date-fns']],
  ['kv', from('./kv'), 8.6, ['zod']],
  ['writeSecret of kv', from('./kv', '{ writeSecret }'), 1.1, ['zod', 'immer']],
  ['tokens', from('./tokens'), 5.3, ['zod']],
  ['acl', from('./acl'), 13.6, ['zod']],
  ['idp', from('./idp'), 7.8, ['zod']],
  ['userpass', from('./userpass'), 6.3, ['zod']],
  ['approle', from('./approle'), 6.8, ['zod']],
  ['jwt', from('./jwt'), 8.8, ['zod']],
  ['transit', from('./transit'), 2.6, ['zod']],
] as const

describe('bundle size of imports', () => {
  it.each(ceilings)(
    '%s alone stays small and bundles nothing else',
    async (_name, code, kilobytes, strangers) => {
      const { gzip, inputs } = await bundle(code)
      const carried = strangers.filter((name) =>
        inputs.some((path) => path.includes(`node_modules/${name}/`)),
      )
      expect(carried).toEqual([])
      expect(gzip / 1000).toBeLessThanOrEqual(kilobytes)
    },
  )

  it.each(ceilings)('%s leaves out as much of dist as of the sources', async (_name, code) => {
    const [built, sources] = [await bundle(code), await bundle(fromSource(code))]
    expect(built.gzip).toBeLessThanOrEqual(sources.gzip * 1.1)
  })

  it('patterns and the other parts of a filter can each be left out', async () => {
    const parts = ['fastClosures', 'generatedCode', 'schemaChecks', 'declaredKinds', 'builtExpressions']
    const others = await bundle(filterOf(...parts, 'liveRows', 'advice'))
    expect(others.gzip / 1000).toBeLessThanOrEqual(34.2)
    const whole = await bundle(compileAlone)
    expect((whole.gzip - others.gzip) / 1000).toBeLessThanOrEqual(8.8)
  })

  it('the element adds little to compile', async () => {
    const element = await bundle(`import '${packageJson.exports['./filter/element'].default}'`)
    const compile = await bundle(compileAlone)
    expect((element.gzip - compile.gzip) / 1000).toBeLessThanOrEqual(12.1)
    expect(element.inputs.filter((path) => path.includes('node_modules/'))).toEqual([])
  })

  it('an import of the element alone defines it, although other modules without a use are dropped', async () => {
    const element = await bundle(`import 'plinth/filter/element'`)
    expect(element.text).toContain('customElements')
    expect(element.text).toContain('"plinth-filter"')
    const filter = await bundle(`import 'plinth/filter'`)
    expect(filter.text).toBe('')
  })

  it('only what is imported is carried', async () => {
    const { inputs } = await bundle(fromSource(compileAlone))
    const apart =
      /src\/filter\/(?:sql|explaining|completing|columns\/(?:columns|column|cell|scan)|writing\/where|checking\/describe-fields)/
    expect(inputs.filter((path) => apart.test(path))).toEqual([])
    const bare = await bundle(fromSource(filterOf()))
    const unused =
      /src\/(?:kernel\/nearest|filter\/(?:regex\/|generating|checking|advising|(?:evaluating\/(?:fast-|readers|patterns)|kinds\/(?:schema|declared-)|writing\/format)))/
    expect(bare.inputs.filter((path) => unused.test(path))).toEqual([])
  })

  it('the scheduler carries no language of zod but English', async () => {
    const { text } = await bundle(from('./scheduler', '{ createScheduler }'))
    expect(text).toContain('Invalid input: expected ')
    expect(text).not.toContain('Ungültige Eingabe')
  })
})
