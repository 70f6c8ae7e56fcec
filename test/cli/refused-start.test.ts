import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run } from './server.ts'

const others = createServer()
beforeAll(() => new Promise<void>((resolve) => others.listen(0, '127.0.0.1', () => resolve())))
afterAll(() => {
  others.close()
  cleanUp()
})
const takenPort = () => String((others.address() as AddressInfo).port)

/** A file of records. */
const file = (text: string): string => {
  const path = join(folder(), 'records.json')
  writeFileSync(path, text)
  return path
}

/** Starts a server that is to be refused; answers why, and what it left where its data would have been. */
async function refused(data: string, flags: readonly string[]) {
  const home = folder()
  const services = ['secrets', 'scheduler', 'gateway', 'catalog', 'registry']
  const ports = services.flatMap((name) => (flags.includes(`--${name}-port`) ? [] : [`--${name}-port`, '0']))
  const where = data.replace('HOME', home)
  const { code, stderr } = await run(['serve', '--json', '--data', where, ...ports, ...flags])
  return { code, stderr, left: readdirSync(home) }
}

describe('a start that is refused', () => {
  it.each([
    ['a directory', 'HOME/a/data'],
    ['a SQLite file', 'sqlite:HOME/a/data.sqlite'],
  ])('leaves nothing where its data would have been: in %s', async (_, data) => {
    const wrong: readonly (readonly [why: string, flags: readonly string[]])[] = [
      ['is already in use', ['--catalog-port', takenPort()]],
      ['console: port', ['--console-port', takenPort()]],
      ['cannot read the records', ['--load', '/none.json']],
      ['is not valid JSON', ['--load', file('{')]],
      ['scheduler: --only excludes', ['--load', file('{"scheduler":{}}'), '--only', 'catalog']],
      ['--catalog-user a/b: Username', ['--catalog-user', 'a/b:password']],
    ]
    for (const [why, flags] of wrong) {
      const { code, stderr, left } = await refused(data, flags)
      expect([code === 0, stderr]).toEqual([false, expect.stringContaining(why)])
      expect([why, left]).toEqual([why, []])
    }
  })

  it('is told that its data cannot be where it says before it is told that a port is taken', async () => {
    const other = file('{}')
    for (const [data, why] of [
      [other, 'it is not a directory'],
      [`${other}/data`, `${other} is not a directory`],
      [`sqlite:${other}`, 'it is another kind of file'],
      [`sqlite:${other}/plinth.db`, `${other} is not a directory`],
      ['sqlite:HOME', 'it is a directory; name a file'],
    ] as const)
      expect(await refused(data, ['--catalog-port', takenPort()])).toMatchObject({
        stderr: expect.stringContaining(why),
        left: [],
      })
  })

  it('leaves the modes of a directory and of a file that are not its data as they were', async () => {
    const home = folder()
    const notes = file('notes')
    chmodSync(home, 0o755)
    chmodSync(notes, 0o644)
    for (const place of [home, notes]) {
      expect((await refused(`sqlite:${place}`, [])).code).toBe(1)
      expect((await run(['check', '--data', `sqlite:${place}`])).code).toBe(1)
    }
    expect([home, notes].map((place) => (statSync(place).mode & 0o777).toString(8))).toEqual(['755', '644'])
  })

  it('is told what is wrong with its files before it is told that a port is taken', async () => {
    const taken = ['--catalog-port', takenPort()]
    const wrong: readonly (readonly [why: string, flags: readonly string[]])[] = [
      ['cannot read the records', ['--load', '/none.json']],
      ['cannot read the configuration', ['--config', '/none.hcl']],
      ['users.ada.password', ['--idp-script', file('{"users":{"ada":{}}}')]],
    ]
    for (const [why, flags] of wrong)
      expect(await refused('HOME/data', [...flags, ...taken])).toMatchObject({
        stderr: expect.stringContaining(why),
        left: [],
      })
  })
})
