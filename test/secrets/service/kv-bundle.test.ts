import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

it('plinth/kv brings no schemas, no HTTP and no store along, and is small', async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../../src/secrets/kv.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    metafile: true,
    write: false,
    external: ['immer'],
  })
  const inputs = Object.keys(metafile.inputs)
  expect(
    inputs.filter((path) => /node_modules|src\/(http|store|crypto)\/|\/(wire|routes|model)\.ts$/.test(path)),
  ).toEqual([])
  expect(inputs.some((path) => path.endsWith('kv2/write-secret.ts'))).toBe(true)
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(8 * 1024)
})
