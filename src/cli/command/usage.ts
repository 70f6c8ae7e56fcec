import type { AnyCommand, Flags, Word } from './declaration.ts'

/** The arguments in a usage line: required flags, then positional arguments, as in `--data WHERE FOLDER`. */
export function usageOf({ flags, words }: Pick<AnyCommand, 'flags' | 'words'>): string {
  const needed = Object.entries(flags).flatMap(([name, flag]) =>
    flag.type === 'string' && flag.required === true ? [`--${name} ${flag.value}`] : [],
  )
  const others = Object.keys(flags).length > needed.length ? ['[flags]'] : []
  return [...needed, ...words.map(wordUsage), ...others].join(' ')
}

function wordUsage({ name, optional, rest }: Word): string {
  const text = rest === true ? `${name}…` : name
  return optional === true ? `[${text}]` : text
}

/** How a flag is written in a help text: `--data WHERE`. */
export function flagUsage(name: string, flag: Flags[string]): string {
  return flag.type === 'boolean' ? `--${name}` : `--${name} ${flag.value}`
}
