import { mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lineFile } from '../../../src/http/node/index.ts'

describe('a file of lines', () => {
  let folder = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lines-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('has all lines in their order, and what it had before', async () => {
    const path = join(folder, 'log')
    for (let round = 0; round < 2; round += 1) {
      const file = await lineFile(path)
      await Promise.all(Array.from({ length: 1000 }, (_, at) => file.write(`${round} ${at}\n`)))
      await file.close()
    }
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
    expect(lines).toEqual(
      [0, 1].flatMap((round) => Array.from({ length: 1000 }, (_, at) => `${round} ${at}`)),
    )
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })
  it('is a new file after it was moved and reopened; no line is lost in between', async () => {
    const path = join(folder, 'log')
    const file = await lineFile(path)
    await file.write('before\n')
    await rename(path, `${path}.1`)
    const meanwhile = file.write('meanwhile\n')
    await file.reopen()
    await file.write('after\n')
    await meanwhile
    await file.close()
    const [old, fresh] = await Promise.all([readFile(`${path}.1`, 'utf8'), readFile(path, 'utf8')])
    expect(old + fresh).toBe('before\nmeanwhile\nafter\n')
    expect(fresh).toMatch(/after\n$/)
  })
  it('is reopened while lines keep coming', async () => {
    const path = join(folder, 'log')
    const file = await lineFile(path)
    let written = 0
    let goesOn = true
    const keepWriting = (): void => {
      if (!goesOn) return
      written += 1
      void file.write(`${written}\n`)
      setImmediate(keepWriting)
    }
    keepWriting()
    await file.write('before\n')
    await rename(path, `${path}.1`)
    await file.reopen()
    goesOn = false
    await file.close()
    const lines = (await readFile(`${path}.1`, 'utf8')) + (await readFile(path, 'utf8'))
    expect(lines.match(/\d+/g)?.map(Number)).toEqual(Array.from({ length: written }, (_, at) => at + 1))
  })
  it('rejects every line of a write that failed', async () => {
    const file = await lineFile('/dev/full')
    const settled = await Promise.allSettled(['a\n', 'b\n', 'c\n'].map((line) => file.write(line)))
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    await file.close()
  })
  it('rejects what does not fit on the disk, and continues once it does', async () => {
    const file = await lineFile('/dev/full')
    await expect(file.write('x\n')).rejects.toThrow(/ENOSPC/)
    await file.close()
  })
  it('is no directory, and in none that is missing', async () => {
    await expect(lineFile(folder)).rejects.toThrow(/EISDIR/)
    await expect(lineFile(join(folder, 'a/b'))).rejects.toThrow(/ENOENT/)
  })
  it('keeps the old file if the path cannot be reopened', async () => {
    const path = join(folder, 'log')
    const file = await lineFile(path)
    await rename(folder, `${folder}-moved`)
    await expect(file.reopen()).rejects.toThrow(/ENOENT/)
    await file.write('still\n')
    await file.close()
    await rename(`${folder}-moved`, folder)
    expect(await readFile(path, 'utf8')).toBe('still\n')
  })
})
