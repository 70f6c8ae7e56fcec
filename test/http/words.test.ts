import { describe, expect, it } from 'vitest'
import { words } from '../../src/http/index.ts'

describe('product words in header names', () => {
  const product = words(['Secrets', 'Acme', 'Secrets'])

  it('reads the canonical word first, then the aliases', () => {
    const sent = (headers: Record<string, string>) => ({ header: (name: string) => headers[name] })
    expect(product.read(sent({ 'x-acme-token': 'old', 'x-secrets-token': 'new' }), 'Token')).toBe('new')
    expect(product.read(sent({ 'x-acme-token': 'old' }), 'Token')).toBe('old')
    expect(product.read(sent({}), 'Token')).toBeUndefined()
  })

  it('emits a header under every word, once', () => {
    expect(product.emit({ Index: '7', NextToken: undefined })).toEqual({
      'X-Secrets-Index': '7',
      'X-Acme-Index': '7',
    })
  })

  it('takes at least one', () => {
    expect(() => words([] as unknown as [string])).toThrow('words is empty: pass at least one')
  })

  it('refuses a word that no header name can hold', () => {
    expect(() => words(['two words'])).toThrow('cannot be a header word')
  })
})
