import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'

/** What a worker runtime has, and no more: no process, no Buffer, no require. */
const webApis = {
  Request,
  Response,
  Headers,
  URL,
  URLSearchParams,
  TextEncoder,
  TextDecoder,
  ReadableStream,
  WritableStream,
  TransformStream,
  CompressionStream,
  DecompressionStream,
  AbortController,
  AbortSignal,
  Blob,
  Event,
  EventTarget,
  crypto,
  performance,
  console,
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  queueMicrotask,
  structuredClone,
  MessageChannel,
  atob,
  btoa,
}

test('the bundle runs with web APIs alone', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['worker.mjs'],
    bundle: true,
    format: 'iife',
    globalName: 'worker',
    platform: 'browser',
    write: false,
    metafile: true,
  })
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports.map(({ path }) => path))
  assert.deepEqual(
    imported.filter((path) => path.startsWith('node:')),
    [],
  )

  const context = createContext({ ...webApis })
  runInContext(`${outputFiles[0].text}; globalThis.handler = worker.default`, context)
  const { handler } = context

  const call = (method, path) => handler.fetch(new Request(`https://worker.test${path}`, { method }))
  assert.deepEqual(await (await call('PUT', '/notes/one?cas=0')).json(), { version: 1 })
  assert.deepEqual(await (await call('PUT', '/notes/one?cas=1')).json(), { version: 2 })
  assert.equal((await call('PUT', '/notes/one?cas=1')).status, 409)
  await call('PUT', '/notes/two?cas=0')
  const found = await call('GET', `/notes?filter=${encodeURIComponent('version == 2')}`)
  assert.deepEqual(await found.json(), [{ name: 'one', version: 2, status: 'live' }])
  assert.equal((await call('GET', `/notes?filter=${encodeURIComponent('version =')}`)).status, 400)
})
