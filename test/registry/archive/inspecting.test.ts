import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { archiveLimits } from '../../../src/registry/archive/entry.ts'
import { inspectModule } from '../../../src/registry/archive/inspect-module.ts'
import { formatOf } from '../../../src/registry/archive/read-archive.ts'
import { type Made, pax, sourceOf, tarEntry, tarGz, zip } from './archives.ts'

const main = { path: 'main.tf', text: 'variable "a" {}\n' }

async function inspect(bytes: Uint8Array, { chunk = 64 * 1024, limits = archiveLimits } = {}) {
  const source = sourceOf(bytes, chunk)
  const format = formatOf(bytes)
  if (format === undefined) throw new Error('neither form')
  return inspectModule(source, format, limits)
}

/** The code and the message of what is refused, or `ok`. */
async function refusalOf(bytes: Uint8Array, options: Parameters<typeof inspect>[1] = {}): Promise<string> {
  const found = await inspect(bytes, options)
  return found.ok ? 'ok' : `${found.refusal.code}: ${found.refusal.message}`
}

/** The field in which some programs put a name that is not ASCII. */
const otherName = (name: string): Buffer => {
  const field = Buffer.concat([Buffer.alloc(9), Buffer.from(name)])
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(field.length - 4, 2)
  return field
}

const both = [
  ['tar.gz', tarGz],
  ['zip', zip],
] as const

describe.each(both)('a module in a %s', (_, make: (...entries: Made[]) => Buffer) => {
  it('is read with its README and submodules', async () => {
    const found = await inspect(
      make(
        main,
        { path: 'README.md', text: '# It' },
        { path: 'modules/nat/main.tf', text: 'output "id" { value = 1 }' },
        { path: 'modules/nat/examples/x/main.tf', text: '' },
        { path: 'examples/all/main.tf', text: 'variable "no" {}' },
      ),
    )
    expect(found).toMatchObject({
      ok: true,
      value: {
        folder: '',
        root: { path: '', readme: '# It', inputs: [{ name: 'a', required: true }] },
        submodules: [{ path: 'modules/nat', outputs: [{ name: 'id' }] }],
        warnings: [],
      },
    })
    expect(found.ok && found.value.submodules).toHaveLength(1)
  })

  it('may lie in one outer folder, which is taken off', async () => {
    const found = await inspect(
      make({ ...main, path: 'vpc-1.0.0/main.tf' }, { path: 'vpc-1.0.0/modules/x/a.tf' }),
    )
    expect(found).toMatchObject({
      ok: true,
      value: { folder: 'vpc-1.0.0/', root: { inputs: [{ name: 'a' }] }, submodules: [{ path: 'modules/x' }] },
    })
  })

  it('may consist of submodules alone', async () => {
    expect(await inspect(make({ path: 'modules/x/a.tf' }))).toMatchObject({
      ok: true,
      value: { folder: '', root: { empty: true }, submodules: [{ path: 'modules/x', empty: false }] },
    })
  })

  it.each([
    ['in two outer folders', [{ path: 'a/b/main.tf' }]],
    ['among two folders', [{ path: 'a/main.tf' }, { path: 'b/main.tf' }]],
    ['of hidden files and backups', [{ path: '.main.tf' }, { path: 'main.tf~' }, { path: '#main.tf' }]],
    ['without configuration', [{ path: 'README.md', text: 'hello' }]],
  ])('is not one %s', async (_, entries) => {
    expect(await refusalOf(make(...entries))).toMatch(/^not_a_module: /)
  })

  it.each([
    ['..', '../main.tf'],
    ['.. inside', 'a/../main.tf'],
    ['an absolute path', '/etc/main.tf'],
    ['a drive', 'C:/main.tf'],
    ['a backslash', '..\\main.tf'],
    ['a control character', 'a\u0001.tf'],
    ['a control character of eight bits', 'a\u009b31m.tf'],
    ['a control character for the direction of text', 'a\u202egnp.tf'],
  ])('has no path with %s', async (_, path) => {
    expect(await refusalOf(make(main, { path }))).toMatch(/^invalid_archive: .*(path|control|backslash)/)
  })

  it('has each file once, and no file that is a folder too', async () => {
    expect(await refusalOf(make(main, main))).toContain('"main.tf" is in the archive twice')
    expect(await refusalOf(make(main, { path: './main.tf' }))).toContain('twice')
    expect(await refusalOf(make(main, { path: 'a' }, { path: 'a/b' }))).toContain('both a folder')
    expect(await refusalOf(make(main, { path: 'a/b' }, { path: 'a' }))).toContain('both a folder')
  })

  it.each([
    ['case', 'MAIN.tf', 'main.tf'],
    ['the case of a folder', 'modules/A/a.tf', 'modules/a/b.tf'],
    ['the case of a folder and a file', 'Docs/a.md', 'docs'],
    ['case beyond ASCII', 'ΛΟΓΟΣ.md', 'λογος.md'],
    ['the encoding of accents', 'caf\u00e9.md', 'cafe\u0301.md'],
  ])('has no two names that differ only in %s', async (_, one, other) => {
    const text = await refusalOf(make({ path: 'a.tf' }, { path: one }, { path: other }))
    expect(text).toMatch(/^invalid_archive: .* differ only in case or in the encoding of accents/)
    expect(await refusalOf(make({ path: 'a.tf' }, { path: `1/${one}` }, { path: `2/${other}` }))).toBe('ok')
  })

  it.each([
    ['out of it', 'x', '../etc/passwd'],
    ['to an absolute path', 'x', '/etc/passwd'],
    ['out of it, from a folder', 'a/b/x', '../../../y'],
    ['to nothing', 'x', ''],
  ])('has no link %s', async (_, path, target) => {
    expect(await refusalOf(make(main, { path, target, type: '2' }))).toMatch(/^invalid_archive: the link/)
  })

  it('has no links that leave it together, or go in circles', async () => {
    const link = (path: string, target: string) => ({ path, target, type: '2' })
    expect(await refusalOf(make(main, link('a/b/up', '../..'), link('x', 'a/b/up/../y')))).toContain(
      'outside',
    )
    expect(await refusalOf(make(main, link('x', 'y'), link('y', 'x')))).toContain('leads to itself')
    expect(await refusalOf(make(main, link('x', '.'), { path: 'x/y' }))).toContain('both a folder')
    expect(await refusalOf(make({ path: 'm/main.tf' }, link('m/x', '../')))).toContain('outside the module')
  })

  it('may have links within, which are read as what they lead to', async () => {
    const entries = [
      { path: 'm/shared/versions.tf', text: 'variable "v" {}' },
      { path: 'm/versions.tf', target: 'shared/versions.tf', type: '2' },
      { path: 'm/modules/a/versions.tf', target: '../../versions.tf', type: '2' },
    ]
    expect(await inspect(make(...entries))).toMatchObject({
      ok: true,
      value: { root: { inputs: [{ name: 'v' }] }, submodules: [{ inputs: [{ name: 'v' }] }] },
    })
  })

  it('is refused where it is cut off or damaged, wherever that is', async () => {
    const whole = make(main, { path: 'data', text: randomBytes(3000) })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 4, max: whole.length - 1 }), async (length) => {
        expect(await refusalOf(whole.subarray(0, length))).toMatch(/^invalid_archive/)
      }),
      { numRuns: 60 },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 12, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, flip) => {
          const damaged = Buffer.from(whole)
          damaged[at] = (damaged[at] ?? 0) ^ flip
          // Times and the like may change without harm; nothing else happens.
          expect(await refusalOf(damaged)).toMatch(/^(?:ok|invalid_archive|archive_too_large|not_a_module)/)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('is refused beyond so many entries and unpacked bytes', async () => {
    const limits = { ...archiveLimits, entries: 3, expandedBytes: 100_000 }
    const some = (count: number) => Array.from({ length: count }, (_, index) => ({ path: `${index}` }))
    expect(await refusalOf(make(main, ...some(2)), { limits })).toBe('ok')
    expect(await refusalOf(make(main, ...some(3)), { limits })).toMatch(/^archive_too_large: .* 3 files/)
    const big = { path: 'big', text: Buffer.alloc(200_000) }
    expect(await refusalOf(make(main, big), { limits })).toMatch(/^archive_too_large: .*100000 bytes/)
  })

  it('reads the same in pieces of any size', async () => {
    const bytes = make(
      main,
      { path: 'modules/a/b.tf', text: 'variable "b" {}' },
      { path: 'c', text: randomBytes(2000) },
    )
    const whole = await inspect(bytes)
    for (const chunk of [1, 7, 511, 513]) expect(await inspect(bytes, { chunk })).toEqual(whole)
  })
})

describe('a tar archive', () => {
  it('may have long names in the pax and GNU forms', async () => {
    const path = `modules/${'n'.repeat(120)}/main.tf`
    const plain = { path: 'short', text: main.text }
    for (const long of [
      pax({ path, mtime: '1.5' }),
      tarEntry({ path: '././@LongLink', type: 'L', text: `${path}\0` }),
    ])
      expect(await inspect(tarGz(pax({ comment: 'abc' }, 'g'), main, long, plain))).toMatchObject({
        ok: true,
        value: { submodules: [{ path: path.slice(0, -'/main.tf'.length), inputs: [{ name: 'a' }] }] },
      })
  })

  it('may name a folder, itself among them, as often as it likes', async () => {
    const folder = { path: './', type: '5' }
    expect(await refusalOf(tarGz(folder, folder, { path: 'a/', type: '5' }, main))).toBe('ok')
  })

  it.each([
    ['a device', { type: '3' }],
    ['a block device', { type: '4' }],
    ['a pipe', { type: '6' }],
    ['a sparse file', { type: 'S' }],
    ['a part of another volume', { type: 'M' }],
    ['a folder with bytes', { type: '5', text: 'x' }],
    ['a hard link to what is not there', { type: '1', target: 'nothing' }],
    ['a hard link out of it', { type: '1', target: '../main.tf' }],
  ])('has no %s', async (_, entry) => {
    expect(await refusalOf(tarGz(main, { path: 'it', ...entry }))).toMatch(/^invalid_archive/)
  })

  it('has no hard link to a symbolic one, or through a pax header', async () => {
    const link = { path: 'x', type: '2', target: 'main.tf' }
    expect(await refusalOf(tarGz(main, link, { path: 'y', type: '1', target: 'x' }))).toMatch(/not a file/)
    const away = pax({ linkpath: '../../x' })
    expect(await refusalOf(tarGz(main, away, { path: 'x', type: '2', target: 'main.tf' }))).toMatch(/outside/)
    expect(await refusalOf(tarGz(main, pax({ path: '../../x' }), { path: 'x' }))).toMatch(/\.\./)
  })

  it('has no header that other programs read in another way', async () => {
    const long = tarEntry({ path: '././@LongLink', type: 'L', text: '../../x\0' })
    for (const headers of [
      [long, pax({ path: 'x' })],
      [pax({ path: 'x' }), long],
      [pax({ size: '1' }), pax({ size: '2' })],
    ])
      expect(await refusalOf(tarGz(main, ...headers, { path: 'x' }))).toContain('two headers')
    expect(await refusalOf(tarGz(pax({ path: '../../x' }, 'g'), main))).toContain('a header for all files')
    const links = [pax({ path: 'x' }), tarEntry({ path: '././@LongLink', type: 'K', text: 'main.tf\0' })]
    expect(await refusalOf(tarGz(main, ...links, { path: 'y', type: '2' }))).toBe('ok')
  })

  it('holds nothing after its end', async () => {
    const end = Buffer.alloc(512)
    expect(await refusalOf(tarGz(main, end, end, { path: '../x' }))).toContain('goes on after its end')
    expect(await refusalOf(tarGz(main, end, { path: 'x' }))).toContain('goes on after its end')
    expect(await refusalOf(tarGz(main, Buffer.alloc(300_000)))).toBe('ok')
  })

  it('is not one that is packed twice, is empty, or is something else', async () => {
    expect(await refusalOf(gzipSync(tarGz(main)))).toMatch(/^invalid_archive/)
    expect(await refusalOf(gzipSync(Buffer.from('hello '.repeat(200))))).toMatch(/^invalid_archive/)
    expect(await refusalOf(tarGz())).toBe('invalid_archive: the archive is empty')
    expect(await refusalOf(gzipSync(zip(main)))).toMatch(/^invalid_archive/)
  })

  it('that unpacks to far more than it weighs is given up at the limit, and others are served meanwhile', async () => {
    const zeros = Buffer.alloc(80 * 1024 * 1024)
    const packed = gzipSync(Buffer.concat([tarEntry({ path: 'big', size: 8 ** 11 - 1 }), zeros]))
    expect(packed.length).toBeLessThan(100_000)
    let turns = 0
    const tick = setInterval(() => {
      turns += 1
    }, 1)
    const limits = { ...archiveLimits, expandedBytes: 64 * 1024 * 1024 }
    expect(await refusalOf(packed, { limits })).toMatch(/^archive_too_large: .* 67108864 bytes, unpacked/)
    clearInterval(tick)
    expect(turns).toBeGreaterThan(10)
  })

  it('with more entries than a module may have is given up at the limit', async () => {
    const many = Array.from({ length: 20_100 }, (_, index) => ({ path: String(index) }))
    expect(await refusalOf(tarGz(...many))).toMatch(/^archive_too_large: .*20000 files/)
  })
})

describe('a zip archive', () => {
  it.each([
    ['encrypted', { flags: 1 }],
    ['encrypted in another way', { method: 99 }],
    ['packed by what clients cannot unpack', { method: 12 }],
    ['a device', { mode: 0o020644 }],
    ['a folder with content', { path: 'it/' }],
    ['named differently in an extra field', { extra: otherName('../it') }],
    ['named differently in its own header', { localName: 'other' }],
    ['damaged', { crc: 1 }],
    ['longer than the list says', { size: 1 }],
    ['shorter than the list says', { size: 99 }],
  ])('has no file that is %s', async (_, entry) => {
    expect(await refusalOf(zip(main, { path: 'it', text: 'some text', ...entry }))).toMatch(
      /^invalid_archive/,
    )
  })

  it('may repeat a name in an extra field', async () => {
    expect(await refusalOf(zip(main, { path: 'é', extra: otherName('é') }))).toBe('ok')
  })

  it('has no files that share bytes', async () => {
    const bytes = zip(main, { path: 'b.tf', text: main.text })
    const directory = bytes.indexOf('PK\u0001\u0002')
    const second = bytes.indexOf('PK\u0001\u0002', directory + 1)
    bytes.writeUInt32LE(0, second + 42)
    expect(await refusalOf(bytes)).toMatch(/shares its bytes|not what the list/)
  })

  it('that lists 65,535 files is given up before any is read', async () => {
    const bytes = zip(main)
    bytes.writeUInt16LE(0xffff, bytes.length - 12)
    expect(await refusalOf(bytes)).toMatch(/^archive_too_large/)
  })

  it('that unpacks to more than it says is given up', async () => {
    const packed = zip({ path: 'big', text: Buffer.alloc(2_000_000), size: 10 }, main)
    expect(await refusalOf(packed)).toMatch(/^invalid_archive/)
  })
})
