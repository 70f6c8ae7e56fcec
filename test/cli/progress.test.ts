import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { progress } from '../../src/cli/progress.ts'

const shown = (isTTY: boolean, quiet = false) => {
  const stream = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY })
  const { report, end } = progress('records', { quiet, stream })
  for (const done of [0, 3, 10, 25, 25, 99, 100]) report(done, 100)
  end()
  return String(stream.read() ?? '')
}

describe('progress', () => {
  it('is a bar on a terminal, which ends its line', () => {
    const text = shown(true)
    expect(text).toContain('\rrecords [###...........................] 10%')
    expect(text).toMatch(/\rrecords \[#{30}\] 100%\n$/)
  })

  it('is a line for every ten percent otherwise', () => {
    expect(shown(false)).toBe('records: 0%\nrecords: 10%\nrecords: 20%\nrecords: 90%\nrecords: 100%\n')
  })

  it('is nothing where it must be quiet', () => {
    expect(shown(true, true)).toBe('')
  })

  it('is done where there is nothing to do', () => {
    const stream = Object.assign(new PassThrough().setEncoding('utf8'), { isTTY: false })
    progress('uploads', { stream }).report(0, 0)
    expect(stream.read()).toBe('uploads: 100%\n')
  })
})
