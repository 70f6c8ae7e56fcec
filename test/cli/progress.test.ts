import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { progress } from '../../src/cli/progress.ts'

const streamOf = (isTTY: boolean, columns = 80) =>
  Object.assign(new PassThrough().setEncoding('utf8'), { isTTY, columns })

const shown = (isTTY: boolean, quiet = false, columns = 80) => {
  const stream = streamOf(isTTY, columns)
  const { report, end } = progress('records', { quiet, stream })
  for (const done of [0, 3, 10, 25, 25, 99, 100]) report(done, 100)
  end()
  return String(stream.read() ?? '')
}

describe('progress', () => {
  it('is a bar on a terminal, which ends its line', () => {
    const text = shown(true)
    expect(text).toContain('\r\x1b[Krecords [###...........................] 10%')
    expect(text).toMatch(/records \[#{30}\] 100%\n$/)
  })

  it('fits into a narrow terminal', () => {
    const rows = shown(true, false, 20).split(/[\r\n]/)
    expect(rows).toContain('\x1b[Krecords 10%')
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(20 + '\x1b[K'.length)
  })

  it('takes a terminal of unknown width for one of 80 columns', () => {
    expect(shown(true, false, 0)).toContain(`records [${'#'.repeat(30)}] 100%`)
  })

  it('shares the line among several, and leaves one line of each', () => {
    const stream = streamOf(true, 20)
    const [one, other] = [progress('one', { stream }), progress('other', { stream })]
    one.report(1, 2)
    other.report(1, 4)
    other.report(4, 4)
    other.end()
    one.report(2, 2)
    one.end()
    const rows = String(stream.read()).split('\n')
    // What stays of a row is what follows the last return to its beginning.
    expect(rows.map((row) => row.split('\x1b[K').at(-1))).toEqual(['other 100%', 'one 100%', ''])
  })

  it('is a line for every ten percent otherwise', () => {
    expect(shown(false)).toBe('records: 0%\nrecords: 10%\nrecords: 20%\nrecords: 90%\nrecords: 100%\n')
  })

  it('is nothing where it must be quiet', () => {
    expect(shown(true, true)).toBe('')
  })

  it('is done where there is nothing to do', () => {
    const stream = streamOf(false)
    progress('uploads', { stream }).report(0, 0)
    expect(stream.read()).toBe('uploads: 100%\n')
  })
})
