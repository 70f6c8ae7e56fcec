import { describe, expect, it } from 'vitest'
import { guardTerminal } from '../../src/cli/terminal.ts'

/** A stream that keeps what it is given. */
function stream(isTTY: boolean) {
  const written: unknown[] = []
  const write = (chunk: unknown) => {
    written.push(chunk)
    return true
  }
  const made = { isTTY, write }
  guardTerminal(made)
  return { written, write: (text: string | Uint8Array) => made.write(text) }
}

describe('a terminal', () => {
  it('receives no control characters in strings but tabs and newlines', () => {
    const { written, write } = stream(true)
    write('\u001b]0;title\u0007\u001b[2Jbox\t1.0\n\r\u009b31mred\u202egnp.exe')
    expect(written).toEqual(['\\u001b]0;title\\u0007\\u001b[2Jbox\t1.0\n\\u000d\\u009b31mred\\u202egnp.exe'])
  })

  it('is controlled by bytes, and a file receives everything', () => {
    const bytes = new TextEncoder().encode('\u001b[K')
    const [terminal, file] = [stream(true), stream(false)]
    terminal.write(bytes)
    file.write('\u001b[K')
    expect([terminal.written, file.written]).toEqual([[bytes], ['\u001b[K']])
  })
})
