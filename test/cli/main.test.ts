import { once } from 'node:events'
import { afterAll, describe, expect, it } from 'vitest'
import { killAll, plinth, run } from './server.ts'

afterAll(killAll)

describe('plinth', () => {
  it('says what it can do', async () => {
    expect((await run([])).stdout).toContain('plinth serve')
    expect((await run(['serve', '--help'])).stdout).toContain('--secrets-port PORT')
    expect((await run(['version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it.each(['login', 'kv', 'read', 'write', 'list', 'delete'])('says how %s is called', async (command) => {
    const help = await run([command, '--help'])
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining(`plinth ${command} `)])
    expect(help.stdout).toContain('SECRETS_ADDR')
  })

  it('says how a command is called when asked for help with it', async () => {
    expect((await run(['help', 'serve'])).stdout).toBe((await run(['serve', '--help'])).stdout)
    expect((await run(['--help', 'restore'])).stdout).toContain('plinth restore --data WHERE FOLDER')
    expect((await run(['help', 'help'])).stdout).toBe((await run([])).stdout)
    expect(await run(['help', 'dance'])).toMatchObject({ code: 2 })
  })

  it.each([
    ['dance', 'there is no command "dance". See plinth --help.'],
    ['serv', 'there is no command "serv"; did you mean serve?'],
  ])('knows no %s', async (command, text) => {
    const wrong = await run([command])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(text)])
  })

  it('does not fall over when its reader leaves early', async () => {
    const { child, output, exited } = plinth(['--help'])
    child.stdout.destroy()
    await once(child.stdout, 'close')
    expect([await exited, output().stderr]).toEqual([0, ''])
  })
})
