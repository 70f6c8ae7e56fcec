import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cleanUp, folder, plinth, run } from '../server.ts'

afterAll(cleanUp)

const filter = (input: string, ...args: readonly string[]) => run(['filter', ...args], {}, input)

describe('plinth filter', () => {
  it('prints the lines that pass as they came, digits and spaces included', async () => {
    const lines = '{"n": 1}\r\n\n{"n":2,  "id":12345678901234567890}\n{"n":3}'
    expect(await filter(lines, 'n >= 2')).toEqual({
      code: 0,
      stdout: '{"n":2,  "id":12345678901234567890}\n{"n":3}\n',
      stderr: '',
    })
    expect((await filter(lines, 'n == 1')).stdout).toBe('{"n": 1}\r\n')
  })

  it('prints the rows of an array that pass as an array', async () => {
    const array = '[\n  {"n": 1},\n  {"n": 2, "text": "],\\\\\\"{"},\n  {"n": 3, "in": [[1], {"a": 2}]}\n]\n'
    expect((await filter(array, 'n > 0')).stdout).toBe(array)
    expect((await filter(array, 'n == 2')).stdout).toBe('[\n  {"n": 2, "text": "],\\\\\\"{"}\n]\n')
    expect(await filter(array, 'n > 3')).toEqual({ code: 1, stdout: '[]\n', stderr: '' })
    expect(await filter('[]', 'n > 3')).toEqual({ code: 1, stdout: '[]\n', stderr: '' })
    expect(await filter(' [ {"n":1} ] ', 'n == 1')).toMatchObject({ code: 0, stdout: '[ {"n":1} ]\n' })
  })

  it('reads a file, or standard input for -', async () => {
    const file = join(folder(), 'rows.json')
    writeFileSync(file, '\uFEFF[{"n":1},{"n":2}]')
    expect((await run(['filter', 'n == 2', file])).stdout).toBe('[{"n":2}]\n')
    expect((await filter('{"n":2}', 'n == 2', '-')).stdout).toBe('{"n":2}\n')
  })

  it('counts', async () => {
    expect(await filter('{"n":1}\n{"n":2}\n', 'n > 0', '--count')).toMatchObject({ code: 0, stdout: '2\n' })
    expect(await filter('[{"n":1}]', '--count', 'n > 1')).toMatchObject({ code: 1, stdout: '0\n' })
    expect(await filter('', 'n > 1', '-count')).toMatchObject({ code: 1, stdout: '0\n' })
  })

  it('supports the dialect of go-bexpr, too', async () => {
    expect(await filter('{"n":1}', '"/n" == 1', '--dialect', 'bexpr')).toMatchObject({ code: 0 })
    expect(await filter('{"n":1}', 'n < 2', '--dialect', 'bexpr')).toMatchObject({ code: 2 })
    expect(await filter('{"n":1}', 'n < 2')).toMatchObject({ code: 0 })
  })

  it('accepts rows without a named field only when told to', async () => {
    expect(await filter('{"n":1}\n{"m":2}\n{"n":1}\n', 'n == 1')).toMatchObject({
      code: 2,
      stdout: '{"n":1}\n',
      stderr: expect.stringMatching(
        /^plinth: standard input: line 2: .*with --lenient rows may lack fields\n$/,
      ),
    })
    expect(await filter('{"n":1}\n{"m":2}\n{"n":1}\n', 'n == 1', '--lenient')).toMatchObject({
      code: 0,
      stdout: '{"n":1}\n{"n":1}\n',
    })
    expect(await filter('{"constructor":1}\n{"n":1}\n', 'constructor == 1', '--lenient')).toMatchObject({
      code: 0,
      stdout: '{"constructor":1}\n',
    })
  })

  it('suggests the field of the row that was probably meant', async () => {
    const row = '{"Status":"a","Meta":{"team":"x"},"Tags":["a"]}'
    expect(await filter(row, 'Stauts == a')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/did you mean Status\?\n$/),
    })
    expect((await filter(row, 'Nothing == x')).stderr).not.toContain('did you mean')
  })

  it('treats a field as a time or a duration if declared', async () => {
    const recent = JSON.stringify({ at: new Date().toISOString(), took: '2m' })
    const lines = `${recent}\n{"at":"2001-01-01T00:00:00Z","took":"90s"}\n{"took":"3h"}\n`
    expect(await filter(lines, 'at > now - 1h', '--kind', 'at=time', '--lenient')).toEqual({
      code: 0,
      stdout: `${recent}\n`,
      stderr: '',
    })
    const long = await filter(lines, 'took > "100s"', '--kind', 'took=duration')
    expect(long).toMatchObject({ code: 0, stdout: `${recent}\n{"took":"3h"}\n` })
    expect(await filter(lines, 'at > now - 1h')).toMatchObject({
      code: 2,
      stderr:
        'plinth: standard input: line 1: > does not apply to at (string): strings have no order; if it is a time, add --kind at=time\n',
    })
    for (const wrong of ['at', 'at=tim', '=time'])
      expect(await filter(lines, 'at > now', '--kind', wrong)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^plinth: --kind .*: write FIELD=KIND, where KIND is one of string, bool, /,
        ),
      })
  })

  it.each([
    ['{"n":1}\n\n{"n":', ['n == 1'], 'standard input: line 3 is not valid JSON'],
    ['[{"n":1},{"n":secret}]', ['n == 1'], 'standard input: row 2 is not valid JSON'],
    ['[{"n":1}', ['n == 1'], 'standard input begins with [ but is not a JSON array'],
    ['[{"n":1}]\n[{"n":1}]', ['n == 1'], 'begins with [ but is not a JSON array'],
    ['[{"n":1},]', ['n == 1'], 'row 2 is not valid JSON'],
    ['', ['n = 1'], 'the expression is wrong at 1:3: '],
    ['', [], 'usage: plinth filter EXPRESSION [FILE] [flags]'],
    ['', ['n == 1', '/nowhere'], 'cannot read /nowhere: there is no such file or directory'],
    ['', ['n == 1', '/'], 'cannot read /: it is a directory'],
    ['', ['n == 1', '--dialect=sql'], '--dialect takes standard or bexpr, not "sql"'],
  ])('refuses %j with %j in one line, and exits with 2', async (input, args, text) => {
    const { code, stderr } = await filter(input, ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(text)])
    expect(stderr.trimEnd()).not.toContain('\n')
    expect(stderr).not.toContain('secret')
  })

  it('prints a line before the next one comes', async () => {
    const { child, exited } = plinth(['filter', 'n == 1'])
    child.stdin.write('{"n":1}\n{"n"')
    const [chunk] = await once(child.stdout, 'data')
    expect(String(chunk)).toBe('{"n":1}\n')
    child.stdin.end(':2}')
    expect(await exited).toBe(0)
  })

  it('stops reading when its reader is gone', async () => {
    const { child, exited, output } = plinth(['filter', 'n == 1'])
    child.stdin.on('error', () => {})
    const line = '{"n":1}\n'.repeat(1000)
    const more = () => {
      while (child.stdin.writable && child.stdin.write(line));
    }
    child.stdin.on('drain', more)
    more()
    await once(child.stdout, 'data')
    child.stdout.destroy()
    expect(await exited).toBe(0)
    expect(output().stderr).toBe('')
  })

  it('handles more lines than fit into a chunk', async () => {
    const lines = Array.from({ length: 30_000 }, (_, n) => `{"n":${n},"text":"äöü"}\n`).join('')
    expect(await filter(lines, 'n >= 0')).toEqual({ code: 0, stdout: lines, stderr: '' })
  })
})
