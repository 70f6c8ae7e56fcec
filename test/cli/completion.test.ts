import { execFileSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { folder, removeFolders, run } from './server.ts'

afterAll(removeFolders)

const proposed = async (...words: readonly string[]) =>
  (await run(['__complete', '--', ...words])).stdout.split('\n').flatMap((line) => line.split('\t')[0] || [])

describe('completion', () => {
  it('proposes commands, flags and the values that a flag takes', async () => {
    expect(await proposed('ser')).toEqual(['serve'])
    expect(await proposed('help', 'kv', 'g')).toEqual(['get'])
    expect(await proposed('kv', '')).toEqual(expect.arrayContaining(['get', 'put', 'list', 'delete']))
    expect(await proposed('kv', 'get', 'secret/app', '--fi')).toEqual(['--field'])
    expect(await proposed('kv', 'get', '-fi')).toEqual(['-field'])
    expect(await proposed('read', 'x', '-format=j')).toEqual(['-format=json'])
    expect(await proposed('read', 'x', '--format', '')).toEqual(['table', 'json', 'yaml'])
  })

  it('leaves everything else to the shell, and never fails', async () => {
    expect(await proposed('serve', '--load', './rec')).toEqual([])
    expect(await proposed('dance', 'x')).toEqual([])
    expect(await proposed()).toContain('serve')
  })

  it('works in bash, after an = too', async () => {
    const here = folder()
    const program = join(here, 'plinth')
    const cli = process.env['PLINTH_CLI']
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`)
    chmodSync(program, 0o755)
    const complete = (line: string) =>
      execFileSync(
        'bash',
        [
          '-c',
          `source <(plinth completion bash); COMP_LINE=$1; COMP_POINT=\${#1}; _plinth; printf '%s\\n' "\${COMPREPLY[@]}"`,
          'bash',
          line,
        ],
        { env: { ...process.env, PATH: `${here}:${process.env['PATH']}` }, encoding: 'utf8' },
      ).split('\n')
    expect(complete('plinth kv p')).toContain('put')
    expect(complete('plinth read x -format=y')).toContain('yaml')
    expect(complete('plinth ')).toContain('backup')
  })

  it('knows three shells', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(await run(['completion', shell])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('__complete'),
      })
    expect(await run(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('name bash, zsh or fish'),
    })
  })
})
