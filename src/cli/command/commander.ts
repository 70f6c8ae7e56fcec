import { allowCommonJs } from './commonjs.ts'

allowCommonJs()

/** The parser of command lines. */
export const { Command: Parser, CommanderError, Option } = await import('commander')
export type { Command as Parsing, Option as ParsedFlag } from 'commander'
