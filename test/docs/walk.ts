import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { withIncludedFiles } from '../../scripts/included-files.mjs'
import { selfSigned } from '../self-signed.ts'

/** A command block of a page, and the lines that the page shows as its output. */
export interface Step {
  readonly commands: string
  readonly shows: readonly string[]
}

interface Block {
  readonly language: string
  readonly code: string
}

export const blocksOf = (page: string): readonly Block[] =>
  [...withIncludedFiles(page).matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```/gm)].map(
    ([, language = '', code = '']) => ({ language, code }),
  )

/** The `sh` blocks of a page in order, each with the `text` block behind it. */
export function stepsOf(page: string): readonly Step[] {
  const blocks = blocksOf(page)
  return blocks.flatMap(({ language, code }, at) => {
    if (language !== 'sh') return []
    const next = blocks[at + 1]
    const shows = next?.language === 'text' ? next.code.trimEnd().split('\n') : []
    return [{ commands: code, shows }]
  })
}

/** A line that a page shows, as a pattern: `…` is what differs each time. */
export const patternOf = (line: string): RegExp =>
  new RegExp(
    line
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^\\n]*'),
  )

/** Speaks TLS in front of a server, as the proxies that the pages advise do. */
export async function tlsProxy(folder: string) {
  const tls = selfSigned()
  const certificate = join(folder, 'cert.pem')
  writeFileSync(certificate, tls.cert)
  let target = ''
  const server = createServer(tls, (incoming, answer) => {
    const { method, headers } = incoming
    const onward = request(`${target}${incoming.url}`, { method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers)
      from.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    incoming.pipe(onward)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    certificate,
    /** What it passes requests on to. */
    to: (url: string) => {
      target = url
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A shell that remembers variables from one block to the next, with `plinth` on its path. */
export function shellIn(folder: string, variables: Readonly<Record<string, string>>) {
  const program = join(folder, 'plinth')
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${process.env['PLINTH_CLI']}" "$@"\n`)
  chmodSync(program, 0o755)
  const remembered = join(folder, 'variables.sh')
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, LANG: 'C.UTF-8', ...variables }
  return async (commands: string): Promise<{ readonly code: number; readonly output: string }> => {
    const before = existsSync(remembered) ? `. ${remembered}\n` : ''
    const script = `set -eo pipefail\n${before}${commands}\nexport -p > ${remembered}`
    const child = spawn('bash', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ])
    return { code, output: stdout + stderr }
  }
}
