import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, run } from '../server.ts'

afterAll(cleanUp)

const files = () => {
  const home = folder()
  const rows = join(home, 'rows.json')
  const hand = join(home, 'hand.mjs')
  writeFileSync(rows, JSON.stringify(Array.from({ length: 300 }, (_, n) => ({ n, On: n % 2 === 0 }))))
  writeFileSync(hand, 'export default (row) => row.On && row.n > 9\n')
  return { rows, hand }
}

describe('plinth filter --bench', () => {
  it('gives the time of every way to run an expression, and the ratio to a predicate', async () => {
    const { rows, hand } = files()
    const { code, stdout } = await run([
      'filter',
      '--bench',
      '--json',
      '--against',
      hand,
      'On and n > 9',
      rows,
    ])
    const report: unknown = JSON.parse(stdout)
    const ways = [
      'hand-written',
      'closures',
      'generated code',
      'select',
      'over, first question',
      'over, again',
    ]
    expect(code).toBe(0)
    expect(report).toMatchObject({
      rows: 300,
      passed: 145,
      compileNanoseconds: expect.any(Number),
      nanosecondsPerRow: Object.fromEntries(ways.map((way) => [way, expect.any(Number)])),
      timesHandWritten: {
        ...Object.fromEntries(ways.map((way) => [way, expect.any(Number)])),
        'hand-written': 1,
      },
    })
    const table = await run(['filter', '--bench', 'On and n > 9', rows])
    expect(table.stdout).toMatch(/^145 of 300 rows pass; compiled in [\d.]+ µs\n/)
  })

  it('refuses a predicate that asks something else, and flags that go with --bench alone', async () => {
    const { rows, hand } = files()
    expect(await run(['filter', '--bench', '--against', hand, 'n > 9', rows])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('they are not equivalent'),
    })
    expect(await run(['filter', '--json', 'n > 9', rows])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--json goes with --bench'),
    })
    expect(await run(['filter', '--bench', 'n > 9'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--bench takes rows from a file'),
    })
    expect(await run(['filter', '--bench', 'Gone == 1', rows])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('with --lenient rows may lack fields'),
    })
  })
})
