import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as filter from '../../src/filter/index.ts'
import * as kernel from '../../src/index.ts'
import { AuditDeviceError } from '../../src/secrets/index.ts'
import * as store from '../../src/store/index.ts'

const thrownBy = (work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

describe('every error of the package as data', () => {
  const made = {
    FilterError: [thrownBy(() => filter.compile('Name ='))],
    DomainError: [thrownBy(() => kernel.unwrap(kernel.refuse('sealed', 'unseal it first')))],
    AuditDeviceError: [new AuditDeviceError('the audit device file/ could not be written')],
    StoreError: [new store.StoreError('closed', 'the store was closed', new Error('a cause'))],
  }

  it('is made here, each class that is exported', () => {
    const exported = readdirSync('etc').flatMap((file) =>
      [...readFileSync(`etc/${file}`, 'utf8').matchAll(/class (\w+).* extends \w*Error\b/g)].map(
        ([, name = '']) => name,
      ),
    )
    expect(exported.sort()).toEqual(Object.keys(made).sort())
  })

  it.each(Object.entries(made))('has code and message: %s', (_name, [error]) => {
    const { code, message } = error as { code: string; message: string }
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code, message })
    expect(typeof code).toBe('string')
    expect(message).not.toBe('')
  })
})

/** The entry points of the package, and what each exports, as its API report has it. */
const reports = new Map(
  readdirSync('etc')
    .filter((file) => file.endsWith('.api.md'))
    .map((file) => [
      file.replace(/\.api\.md$/, '').replaceAll('-', '/'),
      new Set(
        [
          ...readFileSync(`etc/${file}`, 'utf8').matchAll(/^export (?:declare )?(?:abstract )?\w+ (\w+)/gm),
        ].map(([, name = '']) => name),
      ),
    ]),
)

/** Every `name of plinth/…` and `name() of plinth/…` of a text that users see. */
const namedIn = (text: string): readonly (readonly [name: string, entry: string])[] =>
  [...text.matchAll(/\b([A-Za-z]\w*)(?:\([^()\n]*\))?`? of `?(plinth\/[a-z0-9/-]*[a-z0-9])\b/g)].map(
    ([, name = '', entry = '']) => [name, entry] as const,
  )

/** A listener is what that entry makes, not its name. */
const isWrong = ([name, entry]: readonly [string, string]): boolean =>
  name !== 'listener' && reports.get(entry)?.has(name) === false

it('errors, docstrings and pages name exports that exist, where they say', () => {
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
    .map((path) => `src/${path}`)
  const pages = readdirSync('site/guide').map((path) => `site/guide/${path}`)
  const named = [...sources, ...pages, 'README.md'].flatMap((path) => namedIn(readFileSync(path, 'utf8')))
  expect(named.length).toBeGreaterThan(15)
  expect(named.filter(isWrong)).toEqual([])
})

it('a name that an entry does not export would be found', () => {
  expect(namedIn('pass memoryBlobs(nodeHashing) of plinth/node').filter(isWrong)).toEqual([
    ['memoryBlobs', 'plinth/node'],
  ])
})
