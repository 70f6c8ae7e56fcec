import { describe, expect, it } from 'vitest'
import { foldName, foldText, termsOf, wordsOf } from '../../src/search/index.ts'

describe('the words of a search', () => {
  it('are runs of letters and digits, of any script, with their marks', () => {
    expect(wordsOf(foldText('Ubuntu-22.04 (LTS)'))).toEqual(['ubuntu', '22', '04', 'lts'])
    expect(wordsOf(foldText('Größe, हिन्दी'))).toEqual(['größe', 'हिन्दी'])
    expect(wordsOf(foldText('-/.'))).toEqual([])
  })

  it('are the same in capitals, and however a letter with a mark is composed', () => {
    expect(foldText('CAFE\u0301')).toBe(foldText('café'))
  })

  it('make terms: what stands between blanks, each once, sixteen at most', () => {
    expect(termsOf(' Net-Work  a\tNET-WORK\n')).toEqual(['net-work', 'a'])
    expect(termsOf(Array.from({ length: 40 }, (_, at) => `t${at}`).join(' '))).toHaveLength(16)
    expect(termsOf('   ')).toEqual([])
  })
})

describe('names', () => {
  it('are equal regardless of the case of ASCII letters only', () => {
    expect(foldName('Alice/TINY-1')).toBe('alice/tiny-1')
    expect(foldName('ÄÉ')).toBe('ÄÉ')
  })
})

describe('folding', () => {
  it('finds a name by its beginning, although a sigma at the end of it looks otherwise', () => {
    expect(foldText('ΟΔΟΣΗΜΟΣ')).toContain(foldText('ΟΔΟΣ'))
  })
  it('makes one of letters and marks that only small letters have together', () => {
    expect(foldText('J\u030C')).toBe(foldText('\u01F0'))
  })
})
