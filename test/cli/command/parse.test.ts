import { describe, expect, it } from 'vitest'
import { command } from '../../../src/cli/command/declaration.ts'
import { helpOf, parse } from '../../../src/cli/command/parse.ts'

const cook = command({
  about: 'cook a meal',
  flags: {
    oven: { type: 'string', value: 'DEGREES', about: 'how hot' },
    spice: { type: 'string', value: 'NAME', about: 'repeatable', multiple: true },
    style: { type: 'string', value: 'STYLE', about: 'how', choices: ['slow', 'fast'] },
    'no-salt': { type: 'boolean', about: 'without' },
  },
  words: [
    { name: 'MEAL', about: 'what' },
    { name: 'GUEST', about: 'for whom', optional: true, rest: true },
  ],
  examples: [{ run: 'plinth cook soup', about: 'soup' }],
  exits: { 3: 'it burned' },
  environment: { KITCHEN: 'where' },
  run: async () => {},
})
const read = (...args: readonly string[]) => parse(['plinth', 'cook'], cook, args)

describe('a command line', () => {
  it('takes flags with one dash or two, with = or without, before and after words', () => {
    for (const args of [
      ['-oven=200', '--style', 'slow', 'soup', 'ada', 'bob'],
      ['soup', '--oven', '200', 'ada', '-style', 'slow', 'bob'],
      ['soup', 'ada', 'bob', '--style=slow', '--oven=200'],
    ])
      expect(read(...args)).toEqual({
        flags: { oven: '200', spice: [], style: 'slow', 'no-salt': false },
        words: ['soup', 'ada', 'bob'],
      })
  })

  it('keeps values as they are: empty, of several lines, with = and beginning with a dash', () => {
    expect(read('--oven=', 'soup').flags.oven).toBe('')
    expect(read('-oven=a\n=b', 'soup').flags.oven).toBe('a\n=b')
    expect(read('--oven=-1', 'soup').flags.oven).toBe('-1')
    expect(read('--', '-soup', '--oven').words).toEqual(['-soup', '--oven'])
    expect(read('soup', '-').words).toEqual(['soup', '-'])
  })

  it('gathers what is given several times', () => {
    expect(read('-spice=salt', '--spice', 'mace', 'soup', '--no-salt').flags).toMatchObject({
      spice: ['salt', 'mace'],
      'no-salt': true,
    })
  })

  it.each<[readonly string[], string]>([
    [[], 'usage: plinth cook MEAL [GUEST…] [flags]'],
    [['soup', '--ovn=3'], 'there is no flag --ovn; did you mean --oven? See plinth cook --help.'],
    [['soup', '-salt'], 'there is no flag --salt; did you mean --no-salt?'],
    [['soup', '--oven'], '--oven needs a value: --oven DEGREES'],
    [['--oven', '--no-salt', 'soup'], 'or with = if it begins with a dash'],
    [['--oven=1', '--oven=2', 'soup'], '--oven is given twice'],
    [['--style=raw', 'soup'], '--style takes slow or fast, not "raw"'],
    [['--no-salt=yes', 'soup'], '--no-salt takes no value'],
    [['soup', '-x'], 'there is no flag --x'],
    [['soup', '--constructor=1'], 'there is no flag --constructor'],
  ])('%j is refused with what would be right', (args, text) => {
    expect(() => read(...args)).toThrowError(expect.objectContaining({ exitCode: 2 }))
    expect(() => read(...args)).toThrow(text)
  })

  it('has a description that is wrapped once: line breaks of the source do not count', () => {
    const words = 'A description whose lines in the source are shorter than\nthose of the help text. '
    const help = helpOf(['plinth', 'cook'], { ...cook, description: words.repeat(3).trim() })
    const [, described = ''] = help.split('\n\n')
    const lines = described.split('\n')
    expect(lines.join(' ')).toBe(words.replace('\n', ' ').repeat(3).trim())
    expect(lines.slice(0, -1).filter((line) => line.length < 90 || line.length > 110)).toEqual([])
  })

  it('is described by the declaration of its command', () => {
    const help = helpOf(['plinth', 'cook'], cook)
    for (const text of [
      'Usage: plinth cook MEAL [GUEST…] [flags]',
      '--oven DEGREES',
      '$ plinth cook soup',
      'KITCHEN',
      'it burned',
      'the command line is wrong',
    ])
      expect(help).toContain(text)
  })
})
