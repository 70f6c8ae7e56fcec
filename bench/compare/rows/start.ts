import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Row } from '../row.ts'

const run = promisify(execFile)

const importing = (subpath: string): Row => ({
  name: `start: a process that imports ${subpath.replace('.', 'plinth')}`,
  clock: 'wall',
  operations: 1,
  prepare: async ({ fileOf }) => {
    const url = JSON.stringify(pathToFileURL(fileOf(subpath)).href)
    return () => run(process.execPath, ['--input-type=module', '--eval', `await import(${url})`])
  },
})

const serving: Row = {
  name: 'start: plinth serve, until it is ready',
  clock: 'wall',
  operations: 1,
  prepare: async ({ folder }) => {
    const ports = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry'].map((name) => `--${name}-port=0`)
    const start = async () => {
      const server = spawn(
        process.execPath,
        [join(folder, 'dist/cli/main.js'), 'serve', '--json', ...ports],
        {
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      )
      const ended = once(server, 'exit')
      const first = await Promise.race([once(server.stdout, 'data'), ended])
      if (!String(first[0]).startsWith('{"ready":true')) throw new Error(`serve printed ${first[0]}`)
      server.kill('SIGKILL')
      await ended
    }
    await start()
    return start
  },
}

export const start: readonly Row[] = [...['./filter', './secrets', './scheduler'].map(importing), serving]
